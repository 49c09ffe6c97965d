"""Questions that a program wrote, by the document that answers them, and as files."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.questions.chunk_places import folded
from evals.questions.questions import Question, write_questions
from retrieval.types import Chunk

Written = tuple[Chunk, Question]
"""A question and the chunk that it was written about."""


@dataclass(frozen=True, slots=True)
class DocumentQuestions:
    """The generated questions about one document. Key: (book, document)."""

    book: str
    document: str
    questions: tuple[Question, ...]

    @property
    def file_name(self) -> str:
        """`<document>.evaluation_queries.json`, below a folder of the book's slug."""
        return f"{self.book}/{self.document.removesuffix('.md')}.evaluation_queries.json"


def by_document(written: Sequence[Written]) -> tuple[tuple[DocumentQuestions, ...], tuple[Question, ...]]:
    """Questions by document, in book and document order; and those that two places got, which are nobody's."""
    meant = Counter(folded(question.query) for _, question in written)
    documents: dict[tuple[str, str], list[Question]] = defaultdict(list)
    twice = []
    for chunk, question in written:
        if meant[folded(question.query)] == 1:
            documents[chunk.book, chunk.document].append(question)
        else:
            twice.append(question)
    return tuple(DocumentQuestions(*place, tuple(found)) for place, found in sorted(documents.items())), tuple(twice)


def write_generated(folder: Path, documents: Iterable[DocumentQuestions]) -> tuple[Path, ...]:
    """Write one `<book>/<document>.evaluation_queries.json` each; `load_questions` reads them."""
    paths = []
    for each in documents:
        paths.append(folder / each.file_name)
        write_questions(paths[-1], each.questions)
    return tuple(paths)
