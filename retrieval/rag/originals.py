"""The documents of an index as they came in, kept beside it: it can be made again from them."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from retrieval.errors import IndexCorruptError
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.rag.contract import RuleDocument
from retrieval.rag.documents import DOCUMENT_HASH
from retrieval.records import read_jsonl, write_jsonl

DOCUMENTS_FILE = "documents.jsonl"
"""In a snapshot's folder; no part of what its id is the hash of. In a home's while an index is made again."""


def keep_originals(folder: Path, documents: Iterable[RuleDocument]) -> None:
    """Keep documents in the folder of a snapshot or a home, in the order of their ids."""
    ordered = sorted(documents, key=lambda document: str(document.document_id))
    write_jsonl(folder / DOCUMENTS_FILE, ordered)


def forget_originals(home: Path) -> None:
    """The index that was being made again is live, with its documents beside it."""
    (home / DOCUMENTS_FILE).unlink(missing_ok=True)


def read_originals(folder: Path) -> dict[str, RuleDocument]:
    """The documents in the folder of a snapshot or a home, by id; none where there are none to read."""
    try:
        documents: tuple[RuleDocument, ...] = read_jsonl(folder / DOCUMENTS_FILE, RuleDocument)
        return {str(each.document_id): each for each in documents}
    except (OSError, IndexCorruptError):
        return {}


def lacking(snapshot: Snapshot) -> Iterator[str]:
    """A sentence where documents of a snapshot are not kept beside it; none for one that was built from a library."""
    if DOCUMENT_HASH not in snapshot.chunks[0].metadata:
        return
    missing = {chunk.book for chunk in snapshot.chunks} - read_originals(snapshot.folder).keys()
    if missing:
        first = f"ingest them again, the first is {min(missing)}"
        yield f"{DOCUMENTS_FILE} lacks {len(missing)} documents of the index; {first}"
