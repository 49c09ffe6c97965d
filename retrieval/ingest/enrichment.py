"""What a chunk is about, as metadata: kind, tags, traits, section, whether it states a rule, its page.

Told from headings, labels and words alone, by the lists of `enrichment.toml`. It is added after a chunk has its id and
its text: ids, embeddings and rankings are the same with it and without it.
"""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from retrieval.types import Chunk, Document, Metadata, MetadataValue

MIN_LABELS = 2
"""One label proves little: many passages that are not a monster's mention an armor class."""
SHORT_LINE = 90
"""Characters of a line that classifies ("_Evocation [Fire]_"); longer ones tell a story."""
FIRST_LINES = 3
RULESET = "ruleset_id"
"""What the author of a role-playing book says of it, and of no other book."""

_PAGE = re.compile(
    r"^\s*(?:<!--\s*page[\s:]*(\d{1,9})\s*-->|\[page\s+(\d{1,9})\]|\{page[\s:]+(\d{1,9})\})\s*$", re.IGNORECASE
)
_LABEL = re.compile(r"^[\s*_>-]*([A-Za-z][A-Za-z. ]{1,24}?)[*_]*:", re.MULTILINE)
_BRACKET = re.compile(r"\[([^\]]+)\]\s*$")
_TABLE_LINE = re.compile(r"\[Table: ([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    headings: re.Pattern[str]
    several: re.Pattern[str]
    """Its heading words in the plural."""
    labels: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Lists:
    kinds: tuple[_Kind, ...]
    parts: tuple[_Kind, ...]
    """Kinds that head parts of other things too, so that they are asked last."""
    tags: tuple[tuple[str, re.Pattern[str]], ...]
    traits: re.Pattern[str]
    rules: re.Pattern[str]


RULE, NARRATIVE = "rule", "narrative"
"""Kinds of what is no thing: it says what holds, or what happens."""

ENRICHED = frozenset({"content_kind", "is_rule_bearing", "section_path", "traits", "page", "summary"})
"""Keys that are written about a chunk, and that say nothing of its document; `summary` by a model alone."""


@dataclass(frozen=True, slots=True)
class KnownWords:
    """Everything that can be said of a passage, in the order of `enrichment.toml`."""

    kinds: tuple[str, ...]
    tags: tuple[str, ...]


def known_words() -> KnownWords:
    """The kinds that a passage can be of, and the tags that it can have."""
    lists = _lists()
    kinds = (*(kind.name for kind in (*lists.kinds, *lists.parts)), RULE, NARRATIVE)
    return KnownWords(kinds, tuple(name for name, _ in lists.tags))


def traits_in(text: str) -> tuple[str, ...]:
    """The words of the list of traits that stand anywhere in a text, each once."""
    return tuple(dict.fromkeys(match[0] for match in _lists().traits.finditer(text.casefold())))


def enriched(chunk: Chunk, pages: Sequence[tuple[int, int]] = ()) -> Chunk:
    """The chunk with what it is about in its metadata; what its author said there wins, and tags of both are kept.

    Args:
        chunk: with its id.
        pages: of its document, as `page_marks` gives them.
    """
    own, given = dict(_metadata(chunk, pages)), chunk.metadata
    return replace(chunk, metadata={**own, **given, **(_all_tags(given, own) if RULESET in given else {})})


def _all_tags(given: Metadata, own: Metadata) -> Metadata:
    """The author's tags, a list in every chunk, and behind them the chunk's own; none where the author has none."""
    author_tags, own_tags = (
        value if isinstance(value, tuple) else (value,) for value in (given.get("tags"), own.get("tags", ()))
    )
    if author_tags == (None,):
        return {}
    return {"tags": tuple(dict.fromkeys(str(tag) for tag in (*author_tags, *own_tags)))}


def page_marks(document: Document) -> tuple[tuple[int, int], ...]:
    """(line of the file, page) for every line that only marks a page: `<!-- page 12 -->`, `[page 12]`, `{page 12}`."""
    lines = enumerate(document.text.split("\n"), start=document.first_line)
    marks = ((number, match) for number, line in lines if (match := _PAGE.match(line)))
    return tuple((number, int(next(filter(None, match.groups())))) for number, match in marks)


def _metadata(chunk: Chunk, pages: Sequence[tuple[int, int]]) -> Iterator[tuple[str, MetadataValue]]:
    lists = _lists()
    bearing = chunk.kind != "prose" or bool(lists.rules.search(chunk.text))
    yield "content_kind", _content_kind(chunk, lists, bearing=bearing)
    yield "is_rule_bearing", bearing
    if chunk.heading_path:
        yield "section_path", chunk.heading_path
    if RULESET in chunk.metadata:  # the tags are subjects of games, and "magic" is not one of a tariff
        words = chunk.search_text.casefold()
        if tags := tuple(name for name, pattern in lists.tags if pattern.search(words)):
            yield "tags", tags
    if traits := tuple(dict.fromkeys(_traits(chunk, lists))):
        yield "traits", traits
    position = bisect_right(pages, (chunk.lines[0], 1 << 62))
    if position:
        yield "page", pages[position - 1][1]


def _content_kind(chunk: Chunk, lists: _Lists, *, bearing: bool) -> str:
    if chunk.kind == "row":
        return "table"
    labels = _labels(chunk)
    by_labels = max(lists.kinds, key=lambda kind: len(labels & kind.labels))
    if len(labels & by_labels.labels) >= MIN_LABELS:
        return by_labels.name
    return kind_by_headings(chunk.heading_path) or (RULE if bearing else NARRATIVE)


def kind_by_headings(path: Sequence[str]) -> str | None:
    """The bracket of the last heading (`Prone [Condition]`), else what those above it head, the nearest first."""
    lists = _lists()
    bracket = _BRACKET.search(path[-1].casefold()) if path else None
    above = [heading.casefold() for heading in reversed(path[:-1])]
    # "Actions" heads a part of every monster and of some items: what is further above is asked first.
    for group in (lists.kinds, lists.parts):
        for heading in ([bracket[1]] if bracket else []) + above:
            for kind in group:
                if kind.headings.search(heading):
                    return kind.name
    return None


def is_about_kind(name: str, kind: str) -> bool:
    """Whether a name is of no one thing of a kind: what their fields are called (`Components`), or `Memorizing Spells`.

    In the singular the word may be part of a name: `Spell Turning` is a spell.
    """
    folded, lists = name.casefold(), _lists()
    kinds = (known for known in (*lists.kinds, *lists.parts) if known.name == kind)
    return any(folded in known.labels or known.several.search(folded) for known in kinds)


def _labels(chunk: Chunk) -> frozenset[str]:
    """Names of fields: of a record, of a text's own lines, of a table that a passage mentions."""
    if chunk.kind == "record":
        return frozenset(column.casefold() for column in chunk.columns)
    mentioned = (part for line in _TABLE_LINE.findall(chunk.text) for part in line.split(","))
    labels = [match[1] for match in _LABEL.finditer(chunk.text)]
    return frozenset(label.strip(" :*_").casefold() for label in (*labels, *mentioned))


def _traits(chunk: Chunk, lists: _Lists) -> Iterator[str]:
    short = chunk.cells if chunk.kind == "record" else ()
    if chunk.kind == "prose":
        written = [line for line in chunk.text.split("\n") if line.strip() and not line.startswith("#")]
        short = (*chunk.heading_path[-1:], *written[:FIRST_LINES])
    for text in short:
        if len(text) <= SHORT_LINE:
            yield from (match[0] for match in lists.traits.finditer(text.casefold()))


@cache
def _lists() -> _Lists:
    known = tomllib.loads((files("retrieval.ingest") / "enrichment.toml").read_text("utf-8"))
    return _Lists(
        _kinds(known["kind"]),
        _kinds(known["part"]),
        tuple((tag["name"], _any_of(tag["words"])) for tag in known["tag"]),
        _any_of(known["traits"]["words"]),
        re.compile(_any_of(known["rules"]["words"]).pattern + r"|\d+d\d+", re.IGNORECASE),
    )


def _kinds(entries: Sequence[Mapping[str, Any]]) -> tuple[_Kind, ...]:
    return tuple(
        _Kind(
            kind["name"],
            _any_of(kind["headings"], plural=True),
            _any_of([f"{word}s" for word in kind["headings"]]),
            frozenset(kind["labels"]),
        )
        for kind in entries
    )


def _any_of(words: Sequence[str], *, plural: bool = False) -> re.Pattern[str]:
    longest = sorted(words, key=lambda word: (-len(word), word))
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, longest))}){'s?' if plural else ''}(?![^\W_])")
