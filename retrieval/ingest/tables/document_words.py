"""Which document a table is in, where its headings do not tell: `uart` of `02-uart-registers.md`."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from retrieval.ingest.tables.table import Table

_SUFFIX = re.compile(r"\.\w+$")
_WORD_WITH_LETTER = re.compile(r"(?=[^\W_]*[^\W\d_])[^\W_]+")


def document_words(tables: Sequence[Table]) -> Mapping[str, tuple[str, ...]]:
    """The words of each table's document that tell it from the others with the same headings, by the table's id.

    Words of its path, without numbers, without those that all of these documents have, and without those of the
    headings. Tables whose headings stand in one document alone are not there.

    Args:
        tables: all of a book.
    """
    places: dict[tuple[str, ...], dict[str, list[str]]] = defaultdict(dict)
    for table in tables:
        places[_folded(table)].setdefault(table.document, _words(_SUFFIX.sub("", table.document)))
    own = {headings: _own(headings, documents) for headings, documents in places.items() if len(documents) > 1}
    told = {table.id: own.get(_folded(table), {}).get(table.document, "") for table in tables}
    return {table: (words,) for table, words in told.items() if words}


def _own(headings: Sequence[str], documents: Mapping[str, Sequence[str]]) -> Mapping[str, str]:
    """What each of some documents with the same headings has in its path alone; empty where that is nothing."""
    shared = set.intersection(*map(set, documents.values())) | {*_words(" ".join(headings))}
    return {document: " ".join(word for word in words if word not in shared) for document, words in documents.items()}


def _folded(table: Table) -> tuple[str, ...]:
    return tuple(heading.casefold() for heading in table.heading_path)


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(_WORD_WITH_LETTER.findall(text.casefold())))
