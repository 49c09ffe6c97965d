"""Values that are numbers written otherwise: II of a phase, P1 of a priority."""

import re

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.understand.catalog.fields import CatalogField
from retrieval.understand.catalog.words import keys

_RANK = re.compile(r"([A-Za-z]{1,3})[- ]?(\d)")
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}


def numbered(field: CatalogField) -> list[tuple[tuple[str, ...], Scalar]]:
    """`phase 2` for II of the field phase, `priority 1` for P1 of the priority."""
    ranked = [(match[2], value) for value in field.counts if (match := _RANK.fullmatch(str(value)))]
    if field.words and len(ranked) == len(field.counts) and len({str(value)[:1] for value in field.counts}) == 1:
        return [((field.words[-1], number), value) for number, value in ranked]
    named = [(keys(str(value)), value) for value in field.counts]
    if not field.words or not all(key in _ROMAN for whole, _ in named for key in whole):
        return []
    return [((field.words[-1], *(str(_ROMAN[key]) for key in whole)), value) for whole, value in named]
