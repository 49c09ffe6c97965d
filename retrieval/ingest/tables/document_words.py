"""Which document a table is in, where its headings do not tell: `uart` of `02-uart-registers.md`."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from retrieval.ingest.tables.table import Table

_SUFFIX = re.compile(r"\.\w+$")
_WORD = re.compile(r"(?=[^\W_]*[^\W\d_])[^\W_]+")


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
    found: dict[str, tuple[str, ...]] = {}
    for table in tables:
        documents = places[_folded(table)]
        shared = set.intersection(*map(set, documents.values())) | {*_words(" ".join(table.heading_path))}
        if len(documents) > 1 and (own := [word for word in documents[table.document] if word not in shared]):
            found[table.id] = (" ".join(own),)
    return found


def _folded(table: Table) -> tuple[str, ...]:
    return tuple(heading.casefold() for heading in table.heading_path)


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(_WORD.findall(text.casefold())))
