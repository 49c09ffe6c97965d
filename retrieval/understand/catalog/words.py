"""Words of a question and of metadata in a comparable form."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from babel import Locale

from retrieval.language.english import word_sets
from retrieval.language.lexicon import singular

_WORD = re.compile(
    r"""
      \d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?(?![\d.])    # 2024-05-17, 2024/05
    | \d{1,2}[/.]\d{1,2}[/.]\d{4}(?![\d.])         # 5/17/2024, 17.5.2024
    | \d+(?:\.\d+)*                              # numbers and versions
    | (?:[^\W\d_]\.){2,}                         # J.R.
    | [^\W\d_]+(?:['’][^\W\d_]+)*(?:(?<=s)['’](?=\s\w))?  # words; what hyphens and underscores join are several
    | [<>]=?
    | [^\s\w]
    """,
    re.VERBOSE,
)
STEM = 5
"""Letters that `acquisitions` and `acquired` share."""
_ENDING = re.compile(r"(?<=[^\W\d_]{3})(?:ing|ed|es|e)$")
_POSSESSIVE = re.compile(r"['’]s?$")
_SPELLINGS = (
    (re.compile(r"(?<=[a-z]{3})our(?=$|ed$|ing$|s$|ful$)"), "or"),
    (re.compile(r"(?<=[a-z]{4})is(?=e$|ed$|es$|ing$|ation$)"), "iz"),
    (re.compile(r"(?<=[a-z]{3})([tb])re$"), r"\1er"),
)
"""British spellings, and the American ones to which they are converted."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word, number or sign of a text."""

    text: str
    key: str
    """The form that is compared: lower case, singular, without accents and without a possessive ending."""
    start: int
    end: int
    owns: bool = False
    """Whether it has a possessive ending, `Alice's`."""

    @property
    def is_plural(self) -> bool:
        """Whether its number differs from that of its key."""
        plain = _POSSESSIVE.sub("", self.text).lower() if self.owns else self.text.lower()
        return plain.endswith("s") and _american(_folded(plain)) != self.key

    @property
    def is_capital(self) -> bool:
        """Whether it begins with a capital."""
        return self.text[:1].isupper()


def words(text: str) -> tuple[Word, ...]:
    """Return the words, numbers and signs of a text, in order."""
    return tuple(_word(match) for match in _WORD.finditer(text))


def keys(text: str) -> tuple[str, ...]:
    """Return the keys of the words of a name or value, without signs."""
    return tuple(key for match in _WORD.finditer(text) if (key := _read(match[0])[0])[0].isalnum())


def stem(word: str) -> str:
    """Return roughly what all forms of a word begin with: `acquisitions`, `acquired`; `closing`, `closes`."""
    return _ENDING.sub("", word)[:STEM]


def text_of(text: str, terms: Sequence[Word]) -> str:
    """Return the text from the first of these words to the last."""
    return text[terms[0].start : terms[-1].end]


def _word(match: re.Match[str]) -> Word:
    key, owns = _read(match[0])
    return Word(match[0], key, match.start(), match.end(), owns)


@lru_cache(maxsize=1 << 14)
def _read(text: str) -> tuple[str, bool]:
    """Return the key of a word, and whether it has a possessive ending; cached, because a library repeats its words."""
    plain = _POSSESSIVE.sub("", text)
    owns = plain != text and bool(plain)
    folded = _folded(plain if owns else text)
    return _american(singular(folded, {})) if folded.isalpha() else folded, owns


def _american(word: str) -> str:
    for pattern, other in _SPELLINGS:
        word = pattern.sub(other, word)
    return word


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter)) or text


_MOSTLY = 0.9
"""Share of the values that must be codes; a few may be written differently."""


def spelled_out(values: Collection[str]) -> Mapping[str, str]:
    """Return the names of the values of a field of such codes: `Poland` for PL; empty for other fields.

    Args:
        values: all values of one field; codes have two letters, those of currencies three.
    """
    if not values:
        return {}
    return next((names for names in _tables(values) if _share(value in names for value in values) >= _MOSTLY), {})


def _tables(values: Collection[str]) -> Iterator[Mapping[str, str]]:
    english = _english()
    if _share(len(value) == 2 and value.isupper() for value in values) >= _MOSTLY:
        yield english.territories
    if _share(len(value) == 2 and value.islower() for value in values) >= _MOSTLY:
        yield english.languages
    if _share(len(value) == 3 and value.isupper() for value in values) >= _MOSTLY:
        yield english.currencies


def _share(holds: Iterable[bool]) -> float:
    flags = list(holds)
    return sum(flags) / len(flags)


@cache
def _english() -> Locale:
    return Locale("en")


DOCUMENTS = word_sets("questions")["documents"]
"""Keys of words for documents."""

_THIS = re.compile(r"\bthis ([^\W\d_]{3,})", re.IGNORECASE)
_VERBS = frozenset("is was has will can may must should would could means does had time way".split())  # noqa: SIM905
"""Words that follow `this` in any text without naming a document."""
_SHARE, _LEAST = 0.2, 10
"""Texts that must use a noun for themselves: this share of them, and at least this many."""


def own_nouns(texts: Sequence[str]) -> frozenset[str]:
    """Return the keys of the nouns that texts use for themselves: `package` if many contain `this package`."""
    counter = Counter(word for text in texts for word in {noun.lower() for noun in _THIS.findall(text)} - _VERBS)
    enough = max(_LEAST, _SHARE * len(texts))
    return frozenset(key for word, count in counter.items() if count >= enough for key in keys(word) if key == word)


_FROM = {
    adjective: sorted(name.replace("_", " ") for name in names) for adjective, names in word_sets("demonyms").items()
}
"""The names of the country, by adjective."""


def of_people(value: str) -> Iterator[str]:
    """Yield other words for a country or its products: `Dutch` for Netherlands, `Netherlands` for Dutch."""
    for adjective, countries in _FROM.items():
        if value in countries:
            yield adjective
            yield from (country for country in countries if country != value)
        if value == adjective:
            yield from countries
