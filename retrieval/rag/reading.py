"""A document of a batch, read and cut: all that is known of it before anything is embedded."""

from collections.abc import Callable
from dataclasses import dataclass

from retrieval.errors import InvalidDocumentError
from retrieval.home import Home
from retrieval.ingest.prose.cuts import Cuts
from retrieval.rag.contract import RuleDocument
from retrieval.rag.documents import Prepared, prepare
from retrieval.types import Chunk


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """What became of one document."""

    given: RuleDocument
    ready: Prepared | None = None
    """None: it was refused before it was read."""
    is_there: bool = False
    """Whether the index has it as it is; then it is not cut."""
    chunks: tuple[Chunk, ...] = ()
    warnings: tuple[str, ...] = ()
    """What can be read in more ways than one."""
    error: Exception | None = None
    """Why it cannot be brought in."""


def read_document(given: RuleDocument, home: Home, cuts: Cuts, is_there: Callable[[Prepared], bool]) -> ReadDocument:
    """Check a document and cut it. Whatever it does to the parser, the others of its batch go on: nothing is raised.

    Args:
        given: the document.
        home: its settings and its words.
        cuts: where prose is cut.
        is_there: whether the index has it as it is.
    """
    ready = None
    try:
        if not isinstance(given, RuleDocument):
            raise InvalidDocumentError(f"a {type(given).__name__} is not a RuleDocument")
        ready = prepare(given, f"{home.settings.chunking} {cuts.cap}")
        if is_there(ready):
            return ReadDocument(given, ready, is_there=True)
        chunks, warnings = ready.cut(home.vocabulary, cuts)
    except Exception as error:
        return ReadDocument(given, ready, error=error)
    return ReadDocument(given, ready, chunks=chunks, warnings=warnings)
