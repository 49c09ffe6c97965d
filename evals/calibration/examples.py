"""What relevance is fitted on: questions put to a book that answers them, or does not."""

from dataclasses import dataclass

from retrieval.rag.measures import LOOKED_AT, NAMES, measures
from retrieval.search.retriever import Retriever


@dataclass(frozen=True, slots=True)
class Put:
    """A question that was put to a book, and what was measured of the first hit. Key: (book, source, question)."""

    set: str
    """Of the book."""
    book: str
    """That was asked."""
    source: str
    """That the question was written about; a question about another book has no answer in this one."""
    question: str
    generated: bool
    """Whether a program wrote it."""
    answered: bool
    values: tuple[float, ...]
    """In the order of `NAMES`."""

    @property
    def is_near_miss(self) -> bool:
        """Whether it is about the very book, which does not answer it."""
        return not self.answered and self.book == self.source


def put(
    retriever: Retriever, question: str, *, set_: str, book: str, source: str, generated: bool, answered: bool
) -> Put:
    """Ask a book; a search that may show nothing measures nothing, which is what it says of the answer."""
    hits = retriever.retrieve(question, k=LOOKED_AT).hits
    found = measures(retriever, question, [hit.chunk.id for hit in hits])
    values = found[0].tolist() if len(found) else [float(name == "unknown") for name in NAMES]
    return Put(set_, book, source, question, generated, answered, tuple(values))
