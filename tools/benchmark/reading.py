"""When a reader of some hits has reached the row or the paragraph that answers: one rule for every system.

The hits are read in their order, from the first word to the last. A row is reached

1. where its source line stands as a line of a hit, or
2. where all its cells stand in their order on one line of a hit, with little more than column names between them, or
3. at the end of a hit that says it was made from this source line, if all its cells stand in the hit.

A paragraph, or a line of a listing, is reached where its beginning stands in a hit, or by the third rule, with words
in the place of cells. White space, case, emphasis, HTML tags of tables and the spelling of numbers (`1,000`, `1000`)
do not count. Words are counted in the text as it is shown.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from evals.questions.questions import Anchor, Question
from tools.benchmark.system import Passage

_CELL = re.compile(r"<t[dh]\b[^<>]*>", re.IGNORECASE)
_TABLE_TAG = re.compile(r"</?(?:td|th|tr|thead|tbody|table)\b[^<>]*>", re.IGNORECASE)
_EMPHASIS = re.compile(r"[*`\\]")
_BAR = re.compile(r"\s*\|\s*")
_WORD = re.compile(r"[^\s|]*\w[^\s|]*")
_TOKEN = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹]+")  # marks of notes are no words
_DELIMITER = re.compile(r"\|?[\s:|-]*-[\s:|-]*\|?")
_DITTO = frozenset({("do",), ("ditto",)})
"""A cell that repeats the one above, which a system may write out."""
_EXTRA_WORDS = 3
"""For each token of a row, so many words more may stand on its line: names of columns and signs."""
READ_AT_MOST = 500
"""Words after which a reader gives up."""


def normalized(line: str) -> str:
    """A line as it is compared: cells between bars, no emphasis, single blanks.

    >>> normalized("| **A** |  | 1 |"), normalized("<tr><td>A</td><td></td><td>1</td></tr>")
    ('|A||1|', '|A||1|')
    """
    if _CELL.search(line):
        line = f"|{'|'.join(_CELL.split(line)[1:])}|"
    bars = _BAR.sub("|", _EMPHASIS.sub("", _TABLE_TAG.sub("", line)))
    return " ".join(bars.split())


def tokens(text: str) -> tuple[str, ...]:
    """Words in lower case, and numbers by value.

    >>> tokens("over 1,000 to 2.50 kg")
    ('over', '1000', 'to', '2.5', 'kg')
    """
    return tuple(_comparable(token) for token in _TOKEN.findall(text.casefold()))


def _comparable(token: str) -> str:
    return f"{float(token.replace(',', '')):.15g}" if token[0].isdigit() else token


def count_words(text: str) -> int:
    """How many words a reader reads; bars and signs alone are none."""
    return len(_WORD.findall(text))


@dataclass(frozen=True)
class ShownText:
    """A hit, prepared for looking things up in it."""

    passage: Passage

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Its lines, normalized."""
        return tuple(map(normalized, self.passage.text.split("\n")))

    @cached_property
    def words_until(self) -> tuple[int, ...]:
        """Words from the beginning to the end of each line."""
        return tuple(accumulate(map(count_words, self.lines)))

    @cached_property
    def joined(self) -> str:
        """All lines as one."""
        return " ".join(filter(None, self.lines))

    @cached_property
    def line_tokens(self) -> tuple[tuple[str, ...], ...]:
        """The tokens of each line."""
        return tuple(map(tokens, self.lines))

    @cached_property
    def token_set(self) -> frozenset[str]:
        """The tokens of the whole text."""
        return frozenset(token for line in self.line_tokens for token in line)

    @property
    def words(self) -> int:
        """Words in it."""
        return self.words_until[-1]


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A row or the beginning of a paragraph, as it stands in the book."""

    text: str
    """Normalized."""
    file: str | None
    line: int | None
    cells: tuple[tuple[str, ...], ...] = ()
    """The tokens of each cell that is not blank; of a paragraph or a listing those of its beginning, as one."""
    is_piped: bool = False
    """Whether it is a row of a pipe or HTML table, whose line has to stand alone."""

    @classmethod
    def of(cls, text: str, file: str | None, line: int | None) -> "SourceLine":
        """From a source line, or the beginning of a paragraph."""
        if not (text.lstrip().startswith("|") or "<td" in text):
            # a snippet may end within a word
            return cls(normalized(text), file, line, (tokens(" ".join(text.split()[:-1]) or text),))
        cells = (cell for cell in map(tokens, normalized(text).split("|")) if cell and cell not in _DITTO)
        return cls(normalized(text), file, line, tuple(cells), is_piped=True)

    def words_read(self, shown: ShownText) -> int | None:
        """How many words of a hit are read when this is reached; None if the hit does not contain it."""
        if not self.is_piped and (start := shown.joined.find(self.text)) >= 0:
            return count_words(shown.joined[: start + len(self.text)])
        if self.is_piped and self.text in shown.lines:
            return shown.words_until[shown.lines.index(self.text)]
        if not all(token in shown.token_set for cell in self.cells for token in cell):
            return None
        for number, line in enumerate(shown.line_tokens if self.is_piped else ()):
            if self._stands_on(line):
                return shown.words_until[number]
        return shown.words if self._was_made_into(shown.passage) else None

    def _stands_on(self, line: Sequence[str]) -> bool:
        """Whether all cells stand on a line, in their order."""
        n_tokens = sum(map(len, self.cells))
        if not n_tokens <= len(line) <= n_tokens * (1 + _EXTRA_WORDS):
            return False
        position = 0
        for cell in self.cells:
            starts = range(position, len(line) - len(cell) + 1)
            start = next((start for start in starts if tuple(line[start : start + len(cell)]) == cell), None)
            if start is None:
                return False
            position = start + len(cell)
        return True

    def _was_made_into(self, passage: Passage) -> bool:
        if self.line is None or passage.lines is None or passage.file != self.file:
            return False
        return passage.lines[0] <= self.line <= passage.lines[1]


@dataclass(frozen=True, slots=True)
class Gold:
    """What a question wants to be read."""

    needed: tuple[tuple[SourceLine, ...], ...]
    """Everything that is needed; of each entry any one is enough."""
    kind: str
    """`row`, `prose`, or `several` where more than one thing is needed."""
    siblings: tuple[SourceLine, ...] = ()
    """The other rows of the table, if the question wants one row of a pipe or HTML table."""

    @classmethod
    def of(cls, question: Question, book: Path) -> "Gold":
        """The gold of a question that has some, from the files of its book."""
        groups: dict[object, list[SourceLine]] = {}
        for number, anchor in enumerate(question.gold):
            key = ("group", anchor.group) if anchor.group is not None else ("anchor", number)
            groups.setdefault(key, []).append(_source_line(anchor, book))
        needed = tuple(map(tuple, groups.values()))
        siblings = tuple(_other_rows(question.gold[0], book)) if len(question.gold) == 1 else ()
        is_row = needed[0][0].is_piped or bool(question.gold[0].row_key)
        return cls(needed, "several" if len(needed) > 1 else "row" if is_row else "prose", siblings)


def _source_line(anchor: Anchor, book: Path) -> SourceLine:
    """A row is taken from the file, because a snippet may be a part of it."""
    lines = _lines_of(anchor, book)
    line = _line_of(anchor, lines)
    text = anchor.snippet or ""
    if line and normalized(text) in normalized(lines[line - 1]):
        row = lines[line - 1]
        text = row if SourceLine.of(row, None, None).is_piped else text
    return SourceLine.of(text, anchor.document, line)


def _line_of(anchor: Anchor, lines: Sequence[str]) -> int | None:
    """The line that an anchor says, if its snippet stands there, else the only line of the file with the snippet."""
    snippet = normalized((anchor.snippet or "").split("\n")[0])
    holding = [number for number, line in enumerate(lines, start=1) if snippet and snippet in normalized(line)]
    if anchor.line in holding or len(holding) != 1:
        return anchor.line if anchor.line and anchor.line <= len(lines) else None
    return holding[0]


def _lines_of(anchor: Anchor, book: Path) -> list[str]:
    path = book / (anchor.document or "")
    return path.read_text("utf-8").split("\n") if anchor.document and path.is_file() else []


def _other_rows(anchor: Anchor, book: Path) -> Iterator[SourceLine]:
    """The rows of the table around a line, without its head and the row itself; none where there is no table."""
    lines = _lines_of(anchor, book)
    line_of_row = _line_of(anchor, lines)
    if not line_of_row or not _is_row(lines, line_of_row):
        return
    first = last = line_of_row
    while _is_row(lines, first - 1):
        first -= 1
    while _is_row(lines, last + 1):
        last += 1
    block = range(first, last + 1)
    delimiters = [number for number in block if _DELIMITER.fullmatch(lines[number - 1].strip())]
    begin = delimiters[0] + 1 if delimiters else first
    for number in block:
        line = lines[number - 1]
        if number >= begin and number != line_of_row and "<th" not in line:
            yield SourceLine.of(line, anchor.document, number)


def _is_row(lines: Sequence[str], number: int) -> bool:
    """Whether a line, counted from 1, is of a table."""
    return 0 < number <= len(lines) and (lines[number - 1].lstrip().startswith("|") or "<tr" in lines[number - 1])


@dataclass(frozen=True, slots=True)
class Reading:
    """How a reader fared with the hits for one question."""

    rank: int | None
    """Of the hit in which all that was needed had been read; None: it never was."""
    words: int | None
    """Words read until then."""
    siblings: int = 0
    """Other rows of the table that were read on the way, within the first `READ_AT_MOST` words."""


def read(passages: Iterable[Passage], gold: Gold) -> Reading:
    """Read hits in their order until all that is needed was read."""
    missing = list(gold.needed)
    siblings: dict[SourceLine, int] = {}
    before = end = 0
    rank = None
    for number, passage in enumerate(passages, start=1):
        shown = ShownText(passage)
        for entry in list(missing):
            matches = [words for line in entry if (words := line.words_read(shown)) is not None]
            if matches:
                missing.remove(entry)
                end = max(end, before + min(matches))
        for sibling in gold.siblings if before < READ_AT_MOST else ():
            words = None if sibling in siblings else sibling.words_read(shown)
            if words is not None:
                siblings[sibling] = before + words
        before += shown.words
        if not missing:
            rank = number
            break
    limit = READ_AT_MOST if rank is None else min(READ_AT_MOST, end)
    return Reading(rank, None if rank is None else end, sum(words <= limit for words in siblings.values()))
