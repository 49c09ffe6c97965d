"""Which label of the vocabulary a column heading is: `Opponent Armor Class` holds numbers of `ac`."""

import re
from collections.abc import Iterator, Sequence

from retrieval.ingest.tables.reading import find_axis
from retrieval.ingest.tables.values import parse_range
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.query_must.vocabulary.words import Label

ROLL = "roll"
"""Name of the label whose numbers come up on dice."""

_BRACKETS = re.compile(r"\([^()]*\)")
_DIE = re.compile(r"\s*(?:(?:dice|die|roll):?\s+)?\d*\s*d(?:\d+|%)\s*(?:roll)?\s*(?:[,:(].*)?", re.IGNORECASE)
_LIST = re.compile(r"\s*(?:/|,|&|\bor\b|\band\b)\s*", re.IGNORECASE)


def column_label(column: str, vocabulary: Vocabulary) -> Label | None:
    """The label that a heading ends with (`NPC Level` is a level); a die (`d%`, `1d20`) is a roll; else None."""
    if _DIE.fullmatch(column):
        return vocabulary.label(ROLL)
    words = _BRACKETS.sub(" ", column).split()
    tails = (" ".join(words[start:]) for start in range(len(words)))
    return next((label for tail in tails if (label := vocabulary.label(tail))), None)


def axis_names(columns: Sequence[str], vocabulary: Vocabulary) -> Iterator[str]:
    """`level 1` to `level 19` for columns `Level 1-3` to `Level 19`: the numbers that a table has a column for."""
    axis = find_axis(columns)
    label = column_label(axis.name, vocabulary) if axis else None
    if axis and label:
        for place in axis.places:
            spread = parse_range(place)
            yield from (f"{label.name} {value}" for value in (spread.values if spread else ()))


def column_labels(column: str, vocabulary: Vocabulary) -> tuple[Label, ...]:
    """The labels of a heading that lists some (`Intelligence/Wisdom`); empty unless every part is one."""
    found = [column_label(part, vocabulary) for part in _LIST.split(column) if part]
    return tuple(label for label in found if label is not None) if all(found) else ()
