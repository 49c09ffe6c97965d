"""Listings: blocks of code that list settings or the options of a command, each with a description.

::

    [printer]                               # The default SMTP From header field.
    #square_corner_velocity: 5.0            [ smtp_from: <tmpl_string> | default = "a@b" ]
    #   How fast a corner may be.

      -c, --config FILE   where the settings are read from
      -n, --dry-run       show what would be done

References of configuration files and commands are written in this way, and a question asks for one entry of hundreds.
So are examples, and the block therefore remains text as well.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from retrieval.ingest.tables.table import DrawnRow, DrawnTable

SETTING_COLUMNS = ("setting", "section", "value", "meaning")
OPTION_COLUMNS = ("option", "argument", "default", "meaning")
"""Columns that are blank in all rows are omitted."""
MIN_DESCRIBED = 3
"""Fewest settings or options with a description in a listing."""
MIN_WORDS = 3
"""Fewest words of a description; fewer are a label."""
MOST_OTHER = 0.2
"""Largest share of lines that are neither settings nor comments; with more, it is a program or a dialogue."""

_LANGUAGE = re.compile(r"(?:conf(?:ig)?|cfg|(?:dot)?env|ini|properties|te?xt|toml|ya?ml)?", re.IGNORECASE)
"""Languages of fences that may contain settings, but not programs, whose commented variables are not settings."""

_SHELL = re.compile(r"(?:bash|console|plain|sh|shell|te?xt|usage)?", re.IGNORECASE)
"""Languages of fences that may contain the options of a command."""

_FENCE = re.compile(r"(?P<margin>\s*)(?P<marks>`{3,}|~{3,})[ \t]*\{?\.?(?P<language>[\w+-]*)")
_COMMENT = re.compile(r"\s*(?:#+|;+|//+)(?P<words>.*)")
_SECTION = re.compile(r"\[{1,2}(?P<name>[\w\"'.][\w \"'./+-]*)\]{1,2}\s*")
_SETTING = re.compile(
    r"""
    (?P<indent>[ ]*)
    (?:[#;](?=[\w"'])|\#[ ](?=[\w.-]+[ ]?=))?
    (?:\[[ ]*)?
    (?P<quote>["']?)(?P<name>[A-Za-z_<][\w.<>/-]*)(?P=quote)[ ]*
    (?:=|:(?=\s|$))[ ]*(?P<value>.*)
    """,
    re.VERBOSE,
)
_ITEM = re.compile(r"[ ]*-[ ]+(?=[\w\"'<\[{*])")
_REMARK = re.compile(r"(?:^|\s)#\s+(?P<words>\S.*)$")

_OPTION = re.compile(
    r"""
    (?P<indent>[ ]*)\[?
    (?P<others>(?:-{1,2}[\w?][\w.-]*[ ](?:\{[^{}]*\}|[^\s,{-][^,]*),[ ](?=-))*)
    (?P<names>-{1,2}[\w?][\w.-]*(?:(?:,[ ]?|[ |/])-{1,2}[\w?][\w.-]*)*)
    (?:[ =](?P<value><[^<>]+>|\[[^\[\]]+\]|(?!'[^']*$|"[^"]*$)[^\s\[\]-]\S*?(?:(?<!\])[ ]\[[^\[\]]+\])?))?\]?
    (?:(?:[ ]{2,}|\t+)(?P<meaning>\S.*))?
    """,
    re.VERBOSE,
)
_OTHER = re.compile(r"(?:^|,[ ])(-{1,2}[\w?][\w.-]*)")
"""The names before the last in `-c FILE, --config FILE`, the style of Python's `argparse`."""

_DEFAULT = re.compile(
    r"""
    (?:[(\[]\s*defaults?(?:\s+(?:value|is|to))*\s*[:=]?\s*(?P<enclosed>[^()\[\]]*(?:\[[^\[\]]*\][^()\[\]]*)*)[)\]])
    | \bdefaults?(?:\s+(?:value|is|to)|\s*[:=])+\s*(?:
        (?P<quoted>"[^"]*"|'[^']*'|`[^`]*`)
        | (?P<plain>[-+]?\d[^\s;,]*?(?:[ ][^\W\d_]+)?|[^\s;,()]+?)(?=\s*(?:[;,()]|\.\s|\.?$))
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SHOWN = re.compile(r"(?:as\s+)?(?:shown|given)\s+(?:below|above)", re.IGNORECASE)

Kind = Literal["setting", "comment", "section", "blank", "other"]

MAX_DEPTH = 8
"""Number of nearest sections that are shown with a setting; real files are not nested more deeply."""


@dataclass(slots=True)
class _Setting:
    """A setting being parsed; `start` and `end` are lines of the block, the end exclusive."""

    name: str
    section: str
    """Its section, or the settings above it: `cameras.front`."""
    values: list[str]
    comments: list[str]
    """Settings described by the same comment share this list."""
    start: int
    end: int

    @property
    def is_described(self) -> bool:
        return sum(len(comment.split()) for comment in self.comments) >= MIN_WORDS


def parse_listing(source: str) -> DrawnTable | None:
    """Return the settings or options in a fenced block as a table; None if too few are described.

    Args:
        source: of the block, with the lines of its fence.
    """
    lines = source.rstrip().split("\n")
    fence = _FENCE.match(lines[0])
    if fence is None or len(lines) <= MIN_DESCRIBED:
        return None
    body = [line[len(fence["margin"]) :] for line in lines[1:-1]]
    settings = _settings(body) if _LANGUAGE.fullmatch(fence["language"]) else None
    return settings or (_options(body) if _SHELL.fullmatch(fence["language"]) else None)


def _settings(body: Sequence[str]) -> DrawnTable | None:
    """Return the settings of a block; None if too few are described.

    If several sections have a setting of the same name, its section is added: `mqtt.port`. A comment describes the
    setting below it or, if most groups of the block begin with settings, those above it.
    """
    kinds = [_kind(line) for line in body]
    filled = [kind for kind in kinds if kind != "blank"]
    if filled.count("other") > MOST_OTHER * len(filled) or filled.count("setting") < MIN_DESCRIBED:
        return None
    read = _Reader(is_above=_are_above(kinds))
    for number, (line, kind) in enumerate(zip(body, kinds, strict=True), start=1):
        read.take(kind, line, number)
    described = [setting for setting in read.settings if setting.is_described]
    meanings = {id(setting.comments) for setting in described}
    if len(meanings) < MIN_DESCRIBED or len(described) < len(read.settings) / 2:
        return None
    return DrawnTable.of(SETTING_COLUMNS, tuple(_rows(read.settings)))


def default_in(words: str) -> str:
    """Return the default that words state: `12m` for `(default 12m)`; empty if there is none, or if it is shown."""
    match = _DEFAULT.search(" ".join(words.split()))
    default = (match["enclosed"] or match["quoted"] or match["plain"] or "").strip() if match else ""
    return "" if _SHOWN.fullmatch(default) else default


def _rows(settings: Sequence[_Setting]) -> Iterator[DrawnRow]:
    names = Counter(setting.name for setting in settings)
    for setting in settings:
        value, meaning = " ".join(setting.values), " ".join(setting.comments)
        if value or meaning:
            name = setting.name if names[setting.name] == 1 else f"{setting.section}.{setting.name}".lstrip(".")
            yield DrawnRow((name, setting.section, value, meaning), setting.start, setting.end)


def _kind(line: str) -> Kind:
    if not line.strip():
        return "blank"
    if _SECTION.fullmatch(line):
        return "section"
    if _SETTING.fullmatch(_without_item(line)):
        return "setting"
    return "comment" if _COMMENT.match(line) else "other"


def _without_item(line: str) -> str:
    """Return the line with the mark of a list item replaced by blanks."""
    item = _ITEM.match(line)
    return " " * item.end() + line[item.end() :] if item else line


def _are_above(kinds: Sequence[Kind]) -> bool:
    """Whether comments are above the settings that they describe, judged by the beginnings of groups with both."""
    above = below = 0
    for apart, group in groupby(kinds, key=lambda kind: kind in ("blank", "section")):
        both = [kind for kind in group if kind in ("setting", "comment")]
        if not apart and len(set(both)) > 1:
            above += both[0] == "comment"
            below += both[0] == "setting" and both[-1] == "comment"
    return above >= below


class _Reader:
    """Reads the lines of a listing one after another.

    Args:
        is_above: whether a comment describes the setting below it.
    """

    def __init__(self, *, is_above: bool) -> None:
        self.settings: list[_Setting] = []
        self._is_above = is_above
        self._header = ""
        self._parents: list[tuple[int, str]] = []
        """Indentation and name of the settings under which the next one may be nested."""
        self._waiting: list[str] = []
        """Comments about the next setting."""
        self._begin = 0
        """The line of the first of these comments."""
        self._run: list[_Setting] = []
        """The settings that the next comment describes if comments are below them."""

    def take(self, kind: Kind, line: str, number: int) -> None:
        """Read one line, with its number in the block."""
        match kind:
            case "setting":
                self._take_setting(_without_item(line), number)
            case "comment":
                self._take_comment(line, number)
            case "other" if self.settings and self.settings[-1].end == number:
                self.settings[-1].values.append(line.strip())
                self.settings[-1].end = number + 1
            case _:
                self._waiting, self._run = [], []
                if kind == "section" and (section := _SECTION.fullmatch(line)):
                    self._header, self._parents = section["name"].strip(), []

    def _take_setting(self, line: str, number: int) -> None:
        match = _SETTING.fullmatch(line)
        if match is None:
            return
        value, section = match["value"].strip(), self._section_at(len(match["indent"]))
        if value.count("]") > value.count("["):
            value = value.removesuffix("]").rstrip()
        comments, begin = self._waiting, self._begin if self._waiting else number
        if remark := _REMARK.search(value):
            comments.append(remark["words"])
            value = value[: remark.start()].rstrip()
        if self._run and (self._run[-1].section != section or self._run[-1].comments):
            self._run = []
        if self._run and not comments:
            comments = self._run[-1].comments
        setting = _Setting(match["name"], section, [value] if value else [], comments, begin, number + 1)
        self.settings.append(setting)
        self._run.append(setting)
        self._waiting = []
        self._parents.append((len(match["indent"]), match["name"]))

    def _section_at(self, indent: int) -> str:
        while self._parents and self._parents[-1][0] >= indent:
            self._parents.pop()
        return ".".join(filter(None, [self._header, *(name for _, name in self._parents[-MAX_DEPTH:])]))

    def _take_comment(self, line: str, number: int) -> None:
        match = _COMMENT.match(line)
        words = match["words"].strip() if match else ""
        if not any(map(str.isalnum, words)):
            return
        if self._is_above or not self._run:
            self._begin = self._begin if self._waiting else number
            self._waiting.append(words)
            return
        self._run[-1].comments.append(words)
        self._run[-1].end = number + 1


def _options(body: Sequence[str]) -> DrawnTable | None:
    """Return the options in the help of a command as a table; indented lines continue the option above them."""
    rows: list[tuple[list[str], int, int, int]] = []
    for number, line in enumerate(body, start=1):
        margin = len(line) - len(line.lstrip())
        if match := _OPTION.fullmatch(line):
            names = ", ".join((*_OTHER.findall(match["others"]), match["names"]))
            cells = [names, match["value"] or "", match["meaning"] or ""]
            rows.append((cells, len(match["indent"]), number, number + 1))
        elif rows and line.strip() and rows[-1][3] == number and margin > rows[-1][1] + 1:
            cells, indent, start, _ = rows[-1]
            cells.append(line.strip())
            rows[-1] = (cells, indent, start, number + 1)
    described = [row for row in rows if len(" ".join(row[0][2:]).split()) >= MIN_WORDS]
    taken, filled = sum(end - start for _, _, start, end in rows), sum(bool(line.strip()) for line in body)
    if len(described) < max(MIN_DESCRIBED, len(rows) / 2) or taken < filled / 2:
        return None
    described_names = {name for row in described for name in row[0][0].split(", ")}
    drawn = []
    for (names, argument, *words), _, start, end in rows:
        if not any(words) and not described_names.isdisjoint(names.split(", ")):
            continue  # a summary above the options, `[--config FILE]`
        meaning = " ".join(words).strip()
        drawn.append(DrawnRow((names, argument, default_in(meaning), meaning), start, end))
    return DrawnTable.of(OPTION_COLUMNS, drawn)
