"""Whether a number or a month that stands alone is a time: a year and `May` may be something else."""

from collections.abc import Container, Sequence

from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.times.periods import is_month
from retrieval.understand.reading.times.relative import WEEKDAYS
from retrieval.understand.reading.times.spans import MONTHS, SEASONS, is_number

STOPS = frozenset(
    {"of", "for", "in", "on", "by", "with", "from", "to", "about", "and", "or", "that", "which", "is", "are", "was"}
    | {"were", "at", "as", "how", "what", "who", "when", "where", "why", "do", "does", "did", "has", "have", "had"}
)
"""Words that end a phrase of nouns."""


def may_be_time(words: Sequence[Word], at: int, phrase: tuple[str, ...], *, happens: bool) -> bool:
    """Whether a bare year, month or season is a time: `in May`, `after 2019`, but not `over 2000 words`.

    Args:
        words: of the question.
        at: place of the year, month or season.
        phrase: the words before it.
        happens: whether a word before them says what happened then: `made in summer`.
    """
    if not is_number(words[at].text):
        return is_month(words[at]) or happens
    if phrase[0] in ("over", "for", "by", "of", "past", "on") and not (happens and phrase[0] in ("for", "by")):
        return False
    following = words[at + 1] if at + 1 < len(words) else None
    return following is None or not following.is_plural or following.key in STOPS | {"onward"}


def is_attribute(words: Sequence[Word], at: int, heads: Container[int]) -> bool:
    """`the 2019 proposals`, `2018 governance PEPs`: a year before what documents are called."""
    before_it = words[at - 1].key if at else "the"
    near = any(place in heads for place in range(at + 1, min(len(words), at + 4)))
    is_year = 1900 <= int(words[at].text) <= 2100
    return is_year and near and before_it in ("the", "all", "of", "and", "or", ",", "show", "me")


def is_calendar_word(word: Word) -> bool:
    """Whether a word names a day of the week, a month or a season."""
    return word.key in {*WEEKDAYS, *MONTHS, *SEASONS}
