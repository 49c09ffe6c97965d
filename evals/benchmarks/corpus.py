"""What every benchmark is made of: corpora, each searched by itself, and question sets over them."""

from collections.abc import Sequence
from typing import Protocol

from evals.questions.question_sets import QuestionSet
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk


class Corpus(Protocol):
    """Texts that are searched together, and the questions about them. Key: (set, name)."""

    @property
    def name(self) -> str:
        """Slug of the book, or name of the collection."""

    @property
    def digest(self) -> str:
        """Hash of the files that its chunks are made of."""

    def chunks(self, vocabulary: Vocabulary) -> tuple[Chunk, ...]:
        """Read and chunk the texts."""

    def question_sets(self, retriever: Retriever, chunks: Sequence[Chunk]) -> tuple[QuestionSet, ...]:
        """The questions with their gold.

        Args:
            retriever: over an index of these chunks.
            chunks: those of the index, in the order of their positions.
        """
