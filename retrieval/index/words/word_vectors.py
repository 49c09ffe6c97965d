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
"""Lengths of the vector of a word: `just` and `got` are at the first, `hotel` and `hovercraft` beyond the second."""


@lru_cache(maxsize=1 << 14)
def word_vector(words: str) -> Vector:
    """The vector of a word or two, (dimensions,). Questions repeat their words."""
    return WORD_EMBEDDER.embed_one(words)


@lru_cache(maxsize=1 << 14)
def telling(word: str) -> float:
    """How much a word tells in any text, 0 to 1: `just` nothing, `price` nearly half, `hovercraft` all.

    A model of texts by the mean of their words makes vectors long for the words that set texts apart.
    """
    return min(max((WORD_EMBEDDER.length_of(word) - _SAYS_LITTLE) / (_SAYS_ALL - _SAYS_LITTLE), 0.0), 1.0)


_SIGN_AND_REST = np.int32(0x8FFFE000 - (1 << 32))
"""Bits of a single that a half has, once it is moved; the copies of its sign between them are not among them."""
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """Vectors by number of the term."""

    vectors: npt.NDArray[np.float16]
    """(terms, dimensions) of the model of words; zeros for a term that is not made of letters."""

    def __post_init__(self) -> None:
        expected = (len(self.vectors), WORD_EMBEDDER.identity.dimensions)
        if self.vectors.shape != expected:
            raise ValueError(f"vectors of words have the shape {self.vectors.shape}, not {expected}")

    @classmethod
    def build(cls, texts: Iterable[str], terms: TermTable, tokenize: Tokenize) -> "WordVectors":
        """Embed every term as the texts write it most often: a stem (`vehicl`) means nothing to a model.

        Args:
            texts: those that the lexical index is over.
            terms: its terms.
            tokenize: cuts the texts.
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
        """(n, dimensions) of these terms."""
        # The same singles as `astype` gives, in a third of its time: sign, exponent and fraction are moved into their
        # places, and the bias of the exponent is made up for. No vector is infinite.
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
    """(names, dimensions) of the model of words."""

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
