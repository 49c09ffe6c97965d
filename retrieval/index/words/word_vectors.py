"""Vectors of words and of column names."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import RaggedArray
from retrieval.index.embedding.wordllama_model import WordllamaEmbedder
from retrieval.index.term_table import TermTable
from retrieval.index.words.field_index import first_chunks
from retrieval.language.terms import Tokenize
from retrieval.types import Chunk, Vector

WORD_EMBEDDER = WordllamaEmbedder()

_SAYS_LITTLE, _SAYS_ALL = 4.0, 20.0
"""Vector lengths of uninformative and informative words: about the first for `just` and `got`, more than the second
for `hotel` and `hovercraft`."""


@lru_cache(maxsize=1 << 14)
def word_vector(words: str) -> Vector:
    """Return the vector of one or two words, (dimensions,), cached because questions share words."""
    return WORD_EMBEDDER.embed_one(words)


@lru_cache(maxsize=1 << 14)
def telling(word: str) -> float:
    """Return how distinctive a word is in any text, 0 to 1: `just` 0, `price` nearly a half, `hovercraft` 1.

    A model that represents texts by the mean of their words has long vectors for words that distinguish texts.
    """
    return min(max((WORD_EMBEDDER.length_of(word) - _SAYS_LITTLE) / (_SAYS_ALL - _SAYS_LITTLE), 0.0), 1.0)


_SIGN_AND_REST = np.int32(0x8FFFE000 - (1 << 32))
"""Bits of a float32 that a shifted float16 sets, without the copies of its sign between them."""
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """Vectors of words, by the number of the term."""

    vectors: npt.NDArray[np.float16]
    """(terms, dimensions) from the model of words; zeros for a term that does not consist of letters."""

    def __post_init__(self) -> None:
        expected = (len(self.vectors), WORD_EMBEDDER.identity.dimensions)
        if self.vectors.shape != expected:
            raise ValueError(f"vectors of words have the shape {self.vectors.shape}, not {expected}")

    @classmethod
    def build(cls, texts: Iterable[str], terms: TermTable, tokenize: Tokenize) -> "WordVectors":
        """Embed every term in its most frequent written form: a stem (`vehicl`) means nothing to a model.

        Args:
            texts: of the lexical index.
            terms: of the lexical index.
            tokenize: for the texts.
        """
        vectors = np.zeros((len(terms), WORD_EMBEDDER.identity.dimensions), dtype=np.float16)
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(_WORD.findall(text.casefold()))
        written: dict[str, str] = {}
        for word, _ in sorted(counts.items(), key=lambda counted: (-counted[1], counted[0])):
            cut = tokenize(word)
            if len(cut) == 1:
                written.setdefault(cut[0], word)
        places = terms.positions(list(written))
        embedded = {at: word for at, word in zip(places, written.values(), strict=True) if at is not None}
        if embedded:
            vectors[list(embedded)] = WORD_EMBEDDER.embed(list(embedded.values()))
        return cls(vectors)

    def of(self, numbers: npt.NDArray[np.int64]) -> Vector:
        """Return the vectors of these terms, (n, dimensions)."""
        # The same values as `astype` gives, in a third of its time: sign, exponent and fraction are shifted into place,
        # and the bias of the exponent is corrected. No vector is infinite.
        bits = self.vectors[numbers].view(np.int16).astype(np.int32)
        bits <<= 13
        bits &= _SIGN_AND_REST
        singles = bits.view(np.float32)
        singles *= np.float32(2.0**112)
        return singles


@dataclass(frozen=True, slots=True, eq=False)
class ColumnIndex:
    """Distinct column names and their vectors."""

    columns: RaggedArray[np.int32]
    """By table: the numbers of its column names."""
    vectors: Vector
    """(names, dimensions) from the model of words."""

    @classmethod
    def build(cls, chunks: Sequence[Chunk], of: npt.NDArray[np.int32]) -> "ColumnIndex":
        """Index chunks.

        Args:
            chunks: by position.
            of: (n_chunks,) number of each chunk's table or passage; every number has a chunk.
        """
        tables = first_chunks(chunks, of)
        names: dict[str, int] = {}
        columns = [
            [names.setdefault(column.casefold(), len(names)) for column in table.columns if column.strip()]
            if table.table_id is not None
            else []
            for table in tables
        ]
        vectors = (
            WORD_EMBEDDER.embed(list(names))
            if names
            else np.zeros((0, WORD_EMBEDDER.identity.dimensions), dtype=np.float32)
        )
        return cls(RaggedArray.build(columns, np.int32), vectors)
