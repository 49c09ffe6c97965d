"""A book's glossary of short forms, and the subjects of its tables.

Short forms are defined by `Attack Value (AV)` in prose, `W: Wands; P: Paralysis` under a table, or a table of codes and
names.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from retrieval.ingest.tables.column_names import beginning, ending
from retrieval.ingest.tables.reading import TableMeaning
from retrieval.ingest.tables.row_object import spellings
from retrieval.ingest.tables.table import Table
from retrieval.language.canonical import literal
from retrieval.language.english import word_set
from retrieval.language.vocabulary import Vocabulary

_WORD = r"[^\W\d_][\w'’./-]*"
_SHORT = r"[A-Z][A-Za-z0-9]{0,4}"
_BEHIND = re.compile(rf"(?<=[\w.]) \((?P<short>{_SHORT})\)(?:,? also (?:called|known as) (?P<also>[\w-]+))?")
"""`Attack Value (AV), also called THAC0`."""
_ENDING = re.compile(rf"{_WORD}(?:,? {_WORD}){{0,5}}$")
_BEFORE = re.compile(rf"(?<![\w-])(?P<short>{_SHORT})(?: ?[:=] ?| \()(?P<long>{_WORD}(?: (?:/ )?{_WORD}){{0,5}})")
"""`D: Death / poison`, `AV = attack value`, `AV (attack value)`."""
_LONGEST = 80
"""Characters before a short form in brackets that are searched for its long form."""
_MARKS = re.compile(r"[*`]")
_ROMAN = re.compile("[IVX]+")
_CAPITALS = re.compile(r"(?<![\w-])[A-Z]{3,5}(?![\w-])")
_NO_WORD = re.compile("[B-DF-HJ-NP-TV-XZ]{3,5}")
"""`DMR`: without vowels, so that it cannot be a word."""
_PREFIX = re.compile(r"(?:anti|semi|sub)(?=[a-z]{4})")
_PLAIN_WORD = re.compile(r"(?<![\w-])[a-z]{2,5}(?![\w-])")
_IN_SENTENCE = re.compile(r"(?<![\w@./-])[a-z]{2,5}(?![\w@/-]|\.\w)")
"""A word of a sentence, not of an address: `mb` in `www.gov.mb.ca/en` is none."""
_SHORT_CELL = re.compile(_SHORT)
_IN_COLUMN = re.compile(rf"(?<![\w.'-]){_SHORT}(?![\w'-])")
_TOGETHER = 2
"""Fewest single letters with a meaning that must head one table: alone, `D` may mean anything."""
_MOST_CELL_WORDS = 6


@dataclass(frozen=True, slots=True)
class Glossary:
    """The short forms of one book."""

    meanings: Mapping[str, str]
    shorts: Mapping[str, str] = field(default_factory=dict)
    """Short forms by their meaning in lower case, including the initials of keys."""
    words: frozenset[str] = frozenset()
    """Words of two to five small letters in the sentences of the book: none of them is a code."""

    @classmethod
    def of(cls, texts: Iterable[str], readings: Sequence[TableMeaning], vocabulary: Vocabulary) -> "Glossary":
        """Find definitions in the text of a book and in the rows of its tables.

        If the book defines a short form in several ways, the most frequent one is used, or none if two are equally
        frequent. A short form that is also a word of the book is ignored: `Count` does not mean Countess. So are those
        of the vocabulary.
        """
        texts = tuple(texts)
        definitions: dict[str, Counter[str]] = defaultdict(Counter)
        for text in texts:
            for short, long in _defined(_MARKS.sub("", text)):
                definitions[short][long] += 1
        for reading in readings:
            for short, long in _listed([row.cells for row in reading.rows]):
                definitions[short][long] += 1
        words = frozenset(word for text in texts for word in _PLAIN_WORD.findall(text))
        own = {name: longs for name, longs in definitions.items() if len(name) == 1 or name.casefold() not in words}
        commonest = {name: most for name, longs in sorted(own.items()) if (most := _commonest(longs))}
        known = {name for name in commonest if vocabulary.label(name) is not None or _ROMAN.fullmatch(name)}
        meanings = {name: most for name, most in commonest.items() if name not in known}
        initials = {
            long: short
            for long, short in _initials(texts, readings).items()
            if short not in definitions and vocabulary.label(short) is None
        }
        defined = {long.casefold(): short for short, long in meanings.items() if sum(map(str.isupper, short)) > 1}
        return cls(
            meanings, initials | defined, frozenset(word for text in texts for word in _IN_SENTENCE.findall(text))
        )

    def short_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the book's short forms of these names."""
        return tuple(dict.fromkeys(self.shorts[name] for name in map(str.casefold, names) if name in self.shorts))

    def explained(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the headings of a table, each with the meanings of its short forms: `AV (Attack Value)`."""
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
    """Yield codes and names from adjacent columns."""
    for cells in grid:
        for short, long in pairwise(cells):
            is_code = len(short) > 1 and _SHORT_CELL.fullmatch(short)
            if is_code and len(long.split()) <= _MOST_CELL_WORDS and (phrase := beginning(short, long)):
                yield short, phrase


def _initials(texts: Sequence[str], readings: Sequence[TableMeaning]) -> Mapping[str, str]:
    """Return the short forms of keys, in lower case, whose initials no other key has and which are not a word.

    The book must write the initials in capitals, or they must have no vowel. A question may ask for a `DMR` although
    the book only has `Designated marksman rifle`; a `Submachine gun` is an `SMG`.
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
    shorts = {short for short in of if short in written or _NO_WORD.fullmatch(short)}
    return {longs[0]: short for short, longs in of.items() if len(longs) == 1 and short in shorts}


def _of_parts(word: str) -> str:
    """Return the initials of a word's parts: `sm` for `submachine`."""
    part = _PREFIX.match(word)
    return word[0] + word[part.end()] if part else word[0]


def _begins_line(text: str, start: int) -> bool:
    return not text[text.rfind("\n", 0, start) + 1 : start].strip(" -+#>|\t")


def _commonest(longs: Counter[str]) -> str | None:
    """Return the most frequent long form in its first spelling; None if two are equally frequent."""
    folded: Counter[str] = Counter()
    for long, count in longs.items():
        folded[long.casefold()] += count
    (most, count), *others = folded.most_common(2)
    if others and others[0][1] == count:
        return None
    return next(long for long in longs if long.casefold() == most)


_SUFFIX = re.compile(r"\.\w+$")
_WORD_WITH_LETTER = re.compile(r"(?=[^\W_]*[^\W\d_])[^\W_]+")


def document_words(tables: Sequence[Table]) -> Mapping[str, tuple[str, ...]]:
    """Return words that distinguish each table's document from others with the same headings, by the table's id.

    They are words of its path, without numbers, words that all of these documents share, and words of the headings.
    Tables whose headings occur in one document only are omitted.

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
    """Return the words in the path of each document that not all of them or the headings have; empty if none."""
    shared = set.intersection(*map(set, documents.values())) | {*_words(" ".join(headings))}
    return {document: " ".join(word for word in words if word not in shared) for document, words in documents.items()}


def _folded(table: Table) -> tuple[str, ...]:
    return tuple(heading.casefold() for heading in table.heading_path)


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(_WORD_WITH_LETTER.findall(text.casefold())))


_SEPARATORS = word_set("title_joints")
_BREAK = re.compile(r"[,;:/&()]|\s[-–—]\s")
_OUTLINE = re.compile(r"\s*(?:(?:[IVXLC]+|[A-Z]|\d+)\.)+\s")
"""`I.A. ` before a title, which is not part of the subject."""
_NUMBERING = re.compile(r"c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})|[a-z]|[\d.,-]+")
"""A Roman numeral, a letter or digits; not any word of those letters (`civil`)."""

_Phrases = list[list[str]]


def subjects_of(tables: Sequence[Table], vocabulary: Vocabulary) -> Mapping[str, tuple[str, ...]]:
    """Return terms for the subject of each twin table by id; empty if neither captions nor headings distinguish all.

    Captions are tried first, then headings, which the tables of one section share. A question that names the subject
    must contain one of the terms, so a term that is only possibly the subject is never the only one.
    """
    captions = [_phrases(table.title or "", vocabulary) or _heading(table.heading_path, vocabulary) for table in tables]
    if told := _told_apart(captions):
        return {table.id: terms for table, terms in zip(tables, told, strict=True)}
    sections = list(dict.fromkeys(table.heading_path for table in tables))
    if told := _told_apart([_heading(section, vocabulary) for section in sections]):
        by_section = dict(zip(sections, told, strict=True))
        return {table.id: by_section[table.heading_path] for table in tables}
    return {}


def _heading(path: tuple[str, ...], vocabulary: Vocabulary) -> _Phrases:
    return _phrases(path[-1] if path else "", vocabulary)


def _told_apart(titles: Sequence[_Phrases]) -> list[tuple[str, ...]]:
    """Return the words of each title that most others lack; empty unless every title has its own.

    They are kept as phrases if the rest of all titles is the same: `fighter` and `magic user` then have the same role.
    In `Fighter Attack Matrix` and `Cleric To Hit Table`, any of the words may be the subject.
    """
    spread = Counter(word for phrases in titles for word in {word for phrase in phrases for word in phrase})
    common = {word for word, count in spread.items() if count > len(titles) / 2}
    frames = {tuple(word for phrase in phrases for word in phrase if word in common) for phrases in titles}
    told = []
    for phrases in titles:
        own = [part for phrase in phrases for part in _without(phrase, common)]
        whole = [len(frames) == 1 and bool(common) and all(spread[word] == 1 for word in phrase) for phrase in own]
        terms = ([" ".join(phrase)] if keep else phrase for phrase, keep in zip(own, whole, strict=True))
        told.append(tuple(dict.fromkeys(term for some in terms for term in some)))
    return told if len(titles) > 1 and all(told) and len(set(map(frozenset, told))) == len(told) else []


def _without(phrase: Sequence[str], words: set[str]) -> _Phrases:
    """Return the runs of a phrase between these words."""
    runs: _Phrases = [[]]
    for word in phrase:
        if word in words:
            runs.append([])
        else:
            runs[-1].append(word)
    return [run for run in runs if run]


def _phrases(title: str, vocabulary: Vocabulary) -> _Phrases:
    """Return runs of words between `and`, `or`, `for` etc., numbering (`IV`, `3.2`) and labels (`table`, `class`)."""
    outline = _OUTLINE.match(title)
    start = outline.end() if outline else 0
    words = literal(f"{title[:start]} and {_BREAK.sub(' and ', title[start:])}", vocabulary).split()
    return _without(words, {word for word in words if _says_nothing(word, vocabulary)})


def _says_nothing(word: str, vocabulary: Vocabulary) -> bool:
    return word in _SEPARATORS or bool(_NUMBERING.fullmatch(word)) or vocabulary.label(word) is not None
