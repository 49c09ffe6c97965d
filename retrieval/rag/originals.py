"""The documents of an index as they came in, kept beside it: it can be made again from them."""

from collections.abc import Iterable
from pathlib import Path

from retrieval.errors import IndexCorruptError
from retrieval.rag.contract import RuleDocument
from retrieval.records import read_jsonl, write_jsonl

FILE_NAME = "documents.jsonl"
"""In a snapshot's folder; no part of what its id is the hash of."""


def keep_originals(snapshot: Path, documents: Iterable[RuleDocument]) -> None:
    """Keep documents with a snapshot, in the order of their ids."""
    ordered = sorted(documents, key=lambda document: str(document.document_id))
    write_jsonl(snapshot / FILE_NAME, ordered)


def read_originals(snapshot: Path) -> dict[str, RuleDocument]:
    """The documents of a snapshot by id, whatever else of it is damaged; none where there are none to read."""
    try:
        documents: tuple[RuleDocument, ...] = read_jsonl(snapshot / FILE_NAME, RuleDocument)
        return {str(each.document_id): each for each in documents}
    except (OSError, IndexCorruptError):
        return {}
