"""Metadata that describe a chunk: kind, tags, traits, section, page, and whether it states a rule.

They are derived from headings, labels and words alone, by the lists of `enrichment.toml`. They are added after a chunk
has its id and text, so ids, embeddings and rankings do not depend on them.
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
"""Fewest labels that determine a kind: many passages that are not about a monster mention an armor class."""
SHORT_LINE = 90
"""Most characters of a line that classifies ("_Evocation [Fire]_"); longer ones are narrative."""
FIRST_LINES = 3
RULESET = "ruleset_id"
"""The metadata key that only role-playing books have."""

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
    """The heading words in the plural."""
    labels: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Lists:
    kinds: tuple[_Kind, ...]
    parts: tuple[_Kind, ...]
    """Kinds whose words also head parts of other things, so that they are tried last."""
    tags: tuple[tuple[str, re.Pattern[str]], ...]
    traits: re.Pattern[str]
    rules: re.Pattern[str]


RULE, NARRATIVE = "rule", "narrative"
"""Kinds of passages that do not describe a thing: they state a rule, or tell a story."""

ENRICHED = frozenset({"content_kind", "is_rule_bearing", "section_path", "traits", "page", "summary"})
"""Metadata keys that describe a chunk and not its document; only a model writes `summary`."""


@dataclass(frozen=True, slots=True)
class KnownWords:
    """The kinds and tags that a passage can have, in the order of `enrichment.toml`."""

    kinds: tuple[str, ...]
    tags: tuple[str, ...]


def known_words() -> KnownWords:
    """Return the kinds and tags that a passage can have."""
    lists = _lists()
    kinds = (*(kind.name for kind in (*lists.kinds, *lists.parts)), RULE, NARRATIVE)
    return KnownWords(kinds, tuple(name for name, _ in lists.tags))


def traits_in(text: str) -> tuple[str, ...]:
    """Return the words of the list of traits that occur in a text, each once."""
    return tuple(dict.fromkeys(match[0] for match in _lists().traits.finditer(text.casefold())))


def enriched(chunk: Chunk, pages: Sequence[tuple[int, int]] = ()) -> Chunk:
    """Return the chunk with its description in the metadata. The author's values take precedence; tags are merged.

    Args:
        chunk: with its id.
        pages: the `page_marks` of its document.
    """
    own, given = dict(_metadata(chunk, pages)), chunk.metadata
    return replace(chunk, metadata={**own, **given, **(_all_tags(given, own) if RULESET in given else {})})


def _all_tags(given: Metadata, own: Metadata) -> Metadata:
    """Return the author's tags followed by the chunk's own, as a list; none if the author gave none."""
    author_tags, own_tags = (
        value if isinstance(value, tuple) else (value,) for value in (given.get("tags"), own.get("tags", ()))
    )
    if author_tags == (None,):
        return {}
    return {"tags": tuple(dict.fromkeys(str(tag) for tag in (*author_tags, *own_tags)))}


def page_marks(document: Document) -> tuple[tuple[int, int], ...]:
    """Return (line of the file, page) for each line that only marks a page, such as `<!-- page 12 -->`, `[page 12]` or
    `{page 12}`."""
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
    if RULESET in chunk.metadata:  # the tags are subjects of games, and "magic" does not fit a tariff
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
    """Return the kind in the last heading's bracket (`Prone [Condition]`), or of the nearest heading above with one."""
    lists = _lists()
    bracket = _BRACKET.search(path[-1].casefold()) if path else None
    above = [heading.casefold() for heading in reversed(path[:-1])]
    # "Actions" heads a part of every monster and of some items, so headings further above are tried first.
    for group in (lists.kinds, lists.parts):
        for heading in ([bracket[1]] if bracket else []) + above:
            for kind in group:
                if kind.headings.search(heading):
                    return kind.name
    return None


def is_about_kind(name: str, kind: str) -> bool:
    """Whether a name refers to a kind in general, as a field's name (`Components`) or as in `Memorizing Spells`.

    A singular word may be part of one thing's name: `Spell Turning` is a spell.
    """
    folded, lists = name.casefold(), _lists()
    kinds = (known for known in (*lists.kinds, *lists.parts) if known.name == kind)
    return any(folded in known.labels or known.several.search(folded) for known in kinds)


def _labels(chunk: Chunk) -> frozenset[str]:
    """Return the names of fields in a record, in lines of a text, or in a table that a passage mentions."""
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
