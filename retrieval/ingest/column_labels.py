"""Which label of the vocabulary a column heading is: `Opponent Armor Class` holds numbers of `ac`."""

import re

from retrieval.query_must.vocabulary import Label, Vocabulary

_BRACKETS = re.compile(r"\([^()]*\)")
_DIE = re.compile(r"\s*\d*\s*d(?:\d+|%)\s*(?:roll)?\s*", re.IGNORECASE)
_LIST = re.compile(r"\s*(?:/|,|&|\bor\b|\band\b)\s*", re.IGNORECASE)


def column_label(column: str, vocabulary: Vocabulary) -> Label | None:
    """The label that a heading ends with (`NPC Level` is a level); a die (`d%`, `1d20`) is a roll; else None."""
    if _DIE.fullmatch(column):
        return vocabulary.label("roll")
    words = _BRACKETS.sub(" ", column).split()
    tails = (" ".join(words[start:]) for start in range(len(words)))
    return next((label for tail in tails if (label := vocabulary.label(tail))), None)


def column_labels(column: str, vocabulary: Vocabulary) -> tuple[Label, ...]:
    """The labels of a heading that lists some (`Intelligence/Wisdom`); empty unless every part is one."""
    found = [column_label(part, vocabulary) for part in _LIST.split(column) if part]
    return tuple(label for label in found if label is not None) if all(found) else ()
