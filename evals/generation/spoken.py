"""Names of a book without what only print needs: marks, labels of tables, units in brackets. No book's own words."""

import re
from collections.abc import Iterable

_TABLE = re.compile(
    r"(?:(?:table|tab\.|figure)\s*(?:[\w.-]*\d[\w.-]*\s*)?|(?:chapter|part|section|appendix)\s+[\w.]{1,4}\s*)"
    r"[:.—–]\s*(?=\S)",
    re.IGNORECASE,
)
_TAG = re.compile(r"\s*[—–-]?\s*\[[^\]]*\]$")
_EMPHASIS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")
_MARKS = re.compile(r"(?<=\S)\s*[+*†‡^§]+$")
_BRACKETED = re.compile(r"\s*\([^()]*\)$")
_DECORATION = re.compile(r"[—–]{2,}|-{2,}|\.{3,}")
_SHORT = {
    "average": "avg",
    "damage": "dmg",
    "description": "desc",
    "distance": "dist",
    "frequency": "freq",
    "maximum": "max",
    "minimum": "min",
    "modifier": "mod",
    "number": "no.",
    "percentage": "%",
    "quantity": "qty",
    "requirement": "req",
    "requirements": "reqs",
    "temperature": "temp",
    "weight": "wt",
}
"""Short forms that English has; what else a library abbreviates is in its vocabulary."""
JOINING = frozenset(
    ("a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "per", "the", "to", "vs", "with")
)
_LONGEST_INITIALS = 4


def plain(text: str) -> str:
    """A cell or heading as one line without emphasis, footnote marks and the colon of a field."""
    bare = _EMPHASIS.sub("", " ".join(text.split()))
    return _MARKS.sub("", bare.strip(":* ")).strip()


def place_name(text: str) -> str:
    """A heading or caption without `Table 3-1:` or `Chapter 2:` before it and a `[TAG]` after it."""
    whole = plain(text)
    name = _TAG.sub("", _TABLE.sub("", whole, count=1)).strip(" .")
    return name if any(letter.isalpha() for letter in name) else whole


def column_name(text: str) -> str:
    """The name of a column in running text: no decoration, and lower case but for abbreviations."""
    bare = " ".join(_DECORATION.sub(" ", plain(text)).split()).rstrip(":* ")
    words = bare.split()
    # short capitals are an abbreviation, unless the whole heading is in capitals
    shouted = len(words) > 1 and bare.isupper()
    return " ".join(word if word.isupper() and len(word) <= 3 and not shouted else word.lower() for word in words)


def column_forms(name: str) -> tuple[str, ...]:
    """Ways to say a spoken column, the plainest first: without a unit in brackets, with short words, as it is."""
    bare = unbracketed(name) or name
    short = " ".join(_SHORT.get(word, word) for word in bare.split())
    return tuple(dict.fromkeys((bare, short, name)))


def initials(name: str) -> str | None:
    """`BAB` for `base attack bonus`; None where nobody would say so."""
    words = (unbracketed(name) or name).split()
    plain_words = all(word.isalpha() and word.islower() for word in words)
    if 2 <= len(words) <= _LONGEST_INITIALS and plain_words and not JOINING & set(words):
        return "".join(word[0] for word in words).upper()
    return None


def unbracketed(text: str) -> str:
    """The text without a last part in brackets: `Emblem` for `Emblem (borne on a shield)`; may be empty."""
    return _BRACKETED.sub("", text).strip()


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Their words without case; `wind_speed` is two."""
    return frozenset(re.findall(r"[^\W_]+", " ".join(texts).casefold()))
