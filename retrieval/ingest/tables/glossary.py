"""What the short forms in the headings of a book's tables mean, where the book itself says so.

`Attack Value (AV)` in its prose, `W: Wands; P: Paralysis` under a table, or a table of codes and names.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from retrieval.ingest.tables.reading import Reading
from retrieval.ingest.tables.row_names import spellings
from retrieval.ingest.tables.short_forms import beginning, ending
from retrieval.query_must.vocabulary.vocabulary import Vocabulary

_WORD = r"[^\W\d_][\w'’./-]*"
_SHORT = r"[A-Z][A-Za-z0-9]{0,4}"
_BEHIND = re.compile(rf"(?<=[\w.]) \((?P<short>{_SHORT})\)(?:,? also (?:called|known as) (?P<also>[\w-]+))?")
"""`Attack Value (AV), also called THAC0`."""
_ENDING = re.compile(rf"{_WORD}(?:,? {_WORD}){{0,5}}$")
_BEFORE = re.compile(rf"(?<![\w-])(?P<short>{_SHORT})(?: ?[:=] ?| \()(?P<long>{_WORD}(?: (?:/ )?{_WORD}){{0,5}})")
"""`D: Death / poison`, `AV = attack value`, `AV (attack value)`."""
_LONGEST = 80
"""Characters before a short form in brackets that are looked at."""
_MARKS = re.compile(r"[*`]")
_ROMAN = re.compile("[IVX]+")
_CAPITALS = re.compile(r"(?<![\w-])[A-Z]{3,5}(?![\w-])")
_NO_WORD = re.compile("[B-DF-HJ-NP-TV-XZ]{3,5}")
"""`DMR`: without a vowel, so that no word reads like it."""
_PREFIX = re.compile(r"(?:anti|semi|sub)(?=[a-z]{4})")
_PLAIN_WORD = re.compile(r"(?<![\w-])[a-z]{2,5}(?![\w-])")
_SHORT_CELL = re.compile(_SHORT)
_IN_COLUMN = re.compile(rf"(?<![\w.'-]){_SHORT}(?![\w'-])")
_TOGETHER = 2
"""So many letters that stand for something must head one table: alone, `D` may be anything."""
_MOST_CELL_WORDS = 6


@dataclass(frozen=True, slots=True)
class Glossary:
    """The short forms of one book."""

    meanings: Mapping[str, str]
    shorts: Mapping[str, str] = field(default_factory=dict)
    """The short forms by what they mean, in small letters; also the initials of keys."""

    @classmethod
    def of(cls, texts: Iterable[str], readings: Sequence[Reading], vocabulary: Vocabulary) -> "Glossary":
        """Look for definitions in the words of a book and in its tables, row by row.

        A short form that the book defines in several ways stands for the one that it says most, and for none where
        two are said as often. One that is a word of the book too is none: `Count` is no Countess. What the vocabulary
        knows itself is left to it.
        """
        texts = tuple(texts)
        said: dict[str, Counter[str]] = defaultdict(Counter)
        for text in texts:
            for short, long in _defined(_MARKS.sub("", text)):
                said[short][long] += 1
        for reading in readings:
            for short, long in _listed([row.cells for row in reading.rows]):
                said[short][long] += 1
        words = {word for text in texts for word in _PLAIN_WORD.findall(text)}
        own = {name: longs for name, longs in said.items() if len(name) == 1 or name.casefold() not in words}
        commonest = {name: most for name, longs in sorted(own.items()) if (most := _commonest(longs))}
        known = {name for name in commonest if vocabulary.label(name) is not None or _ROMAN.fullmatch(name)}
        meanings = {name: most for name, most in commonest.items() if name not in known}
        initials = {
            long: short
            for long, short in _initials(texts, readings).items()
            if short not in said and vocabulary.label(short) is None
        }
        defined = {long.casefold(): short for short, long in meanings.items() if sum(map(str.isupper, short)) > 1}
        return cls(meanings, initials | defined)

    def short_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """What the book calls for short what these names are of."""
        return tuple(dict.fromkeys(self.shorts[name] for name in map(str.casefold, names) if name in self.shorts))

    def explained(self, columns: Sequence[str]) -> tuple[str, ...]:
        """The headings of a table, each with what its short forms mean: `AV (Attack Value)`."""
        letters = [column for column in columns if len(column) == 1 and column in self.meanings]
        several = len(set(letters)) >= _TOGETHER
        return tuple(self._with_meaning(column, several=several) for column in columns)

    def _with_meaning(self, column: str, *, several: bool) -> str:
        shorts = dict.fromkeys(_IN_COLUMN.findall(column))
        meant = [
            self.meanings[short]
            for short in shorts
            if short in self.meanings and (len(short) > 1 or (several and short == column))
        ]
        new = [long for long in meant if long.casefold() not in column.casefold()]
        return f"{column} ({'; '.join(new)})" if new else column


def _defined(text: str) -> Iterator[tuple[str, str]]:
    for match in _BEHIND.finditer(text):
        before = text[max(0, match.start() - _LONGEST) : match.start()]
        long, start = _ENDING.search(before), match.start() - len(before)
        if long and (phrase := ending(match["short"], long[0], is_whole=_begins_line(text, start + long.start()))):
            yield match["short"], f"{phrase}, {match['also']}" if match["also"] else phrase
    for match in _BEFORE.finditer(text):
        if phrase := beginning(match["short"], match["long"]):
            yield match["short"], phrase


def _listed(grid: Sequence[Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Codes and names in two columns side by side."""
    for cells in grid:
        for short, long in pairwise(cells):
            is_code = len(short) > 1 and _SHORT_CELL.fullmatch(short)
            if is_code and len(long.split()) <= _MOST_CELL_WORDS and (phrase := beginning(short, long)):
                yield short, phrase


def _initials(texts: Sequence[str], readings: Sequence[Reading]) -> Mapping[str, str]:
    """The keys that alone have some initials, in small letters, if the book writes these in capitals or no word is so.

    Who asks for a `DMR` need not have seen that the book only says `Designated marksman rifle`; a `Submachine gun`
    is an `SMG`.
    """
    written = {match for text in texts for match in _CAPITALS.findall(text)}
    keys = {
        key.casefold()
        for reading in readings
        if reading.kind == "grid"
        for row in reading.rows
        if row.role == "data"
        for key in spellings(row.cells[reading.key_column])
    }
    of: dict[str, list[str]] = defaultdict(list)
    for key in sorted(keys):
        words = key.split()
        if all(word[0].isalpha() for word in words):
            for letters in dict.fromkeys(("".join(word[0] for word in words), "".join(map(_of_parts, words)))):
                of[letters.upper()].append(key)
    said = {short for short in of if short in written or _NO_WORD.fullmatch(short)}
    return {longs[0]: short for short, longs in of.items() if len(longs) == 1 and short in said}


def _of_parts(word: str) -> str:
    """The initials of a word's parts: `sm` of `submachine`."""
    part = _PREFIX.match(word)
    return word[0] + word[part.end()] if part else word[0]


def _begins_line(text: str, start: int) -> bool:
    return not text[text.rfind("\n", 0, start) + 1 : start].strip(" -+#>|\t")


def _commonest(longs: Counter[str]) -> str | None:
    """The one that is said most; of those that say the same, the first that was said."""
    folded: Counter[str] = Counter()
    for long, count in longs.items():
        folded[long.casefold()] += count
    (most, count), *others = folded.most_common(2)
    if others and others[0][1] == count:
        return None
    return next(long for long in longs if long.casefold() == most)
