"""What the words of a library mean: a vector for each term of the lexical index."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.arrays import load_array, save_array
from retrieval.errors import IndexCorruptError
from retrieval.index.term_table import TermTable
from retrieval.index.words.tokenizer import Tokenize
from retrieval.index.words.word_model import WORDS
from retrieval.types import Vector

_SIGN_AND_REST = np.int32(0x8FFFE000 - (1 << 32))
"""Bits of a single that a half has, once it is moved; the copies of its sign between them are not among them."""
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """Vectors by number of the term."""

    vectors: npt.NDArray[np.float16]
    """(terms, dimensions) of the model of words; zeros for a term that is not made of letters."""

    @classmethod
    def build(cls, texts: Iterable[str], terms: TermTable, tokenize: Tokenize) -> "WordVectors":
        """Embed every term as the texts write it most often: a stem (`vehicl`) means nothing to a model.

        Args:
            texts: those that the lexical index is over.
            terms: its terms.
            tokenize: cuts the texts.
        """
        vectors = np.zeros((len(terms), WORDS.identity.dimensions), dtype=np.float16)
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(_WORD.findall(text.casefold()))
        written: dict[str, str] = {}
        for word, _ in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
            cut = tokenize(word)
            if len(cut) == 1:
                written.setdefault(cut[0], word)
        places = terms.positions(list(written))
        found = {at: word for at, word in zip(places, written.values(), strict=True) if at is not None}
        if found:
            vectors[list(found)] = WORDS.embed(list(found.values()))
        return cls(vectors)

    def of(self, numbers: npt.NDArray[np.int64]) -> Vector:
        """(n, dimensions) of these terms."""
        # The same singles as `astype` gives, in a third of its time: sign, exponent and fraction are moved into their
        # places, and the bias of the exponent is made up for. No vector is infinite.
        bits = self.vectors[numbers].view(np.int16).astype(np.int32)
        bits <<= 13
        bits &= _SIGN_AND_REST
        found = bits.view(np.float32)
        found *= np.float32(2.0**112)
        return found

    def save(self, folder: Path) -> None:
        """Write `vectors.npy`."""
        folder.mkdir(parents=True, exist_ok=True)
        save_array(folder / "vectors.npy", self.vectors)

    @classmethod
    def load(cls, folder: Path) -> "WordVectors":
        """Map what `save` wrote. Raises IndexCorruptError."""
        vectors = load_array(folder / "vectors.npy", np.float16)
        if vectors.ndim != 2 or vectors.shape[1] != WORDS.identity.dimensions:
            raise IndexCorruptError(
                f"{folder / 'vectors.npy'} has shape {vectors.shape}, vectors of words have "
                f"{WORDS.identity.dimensions} dimensions; build the index again"
            )
        return cls(vectors)
