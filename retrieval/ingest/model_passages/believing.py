"""What of a model's words about a passage is believed: what is on the lists, and what the passage says."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from retrieval.ingest.model_passages.asked_passage import AskedPassage
from retrieval.ingest.model_passages.form import ModelPassage
from retrieval.ingest.prose.enrichment import NARRATIVE, RULE, kind_by_headings
from retrieval.types import MetadataValue

Part = Literal["content_kind", "tags", "traits", "summary"]

_LONGEST = 300
"""Characters of a summary."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<!^)(?<![.!?:] )\b[A-Z][\w'’]*")
"""A word that is written large and does not begin a sentence."""
_WORD = re.compile(r"\w[\w'’]*")
_POSSESSIVE = re.compile(r"['’]s?$")
_TALKS_OF_ITSELF = re.compile(r"\b(?:this|the) (?:passage|text|section|chapter|excerpt)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NotBelieved:
    """A part of an answer that is left to the rules."""

    part: Part
    why: str


@dataclass(frozen=True, slots=True)
class BelievedPassage:
    """Metadata that takes the place of the rules'; an empty tuple takes the key away."""

    metadata: Mapping[str, MetadataValue]
    dropped: tuple[NotBelieved, ...]


def believed(answer: ModelPassage, asked: AskedPassage) -> BelievedPassage:
    """Look through an answer. What is dropped of it stays as the rules said it; they write no summary."""
    found: dict[str, MetadataValue] = {}
    dropped: list[NotBelieved] = []
    if why := _against_kind(answer, asked):
        dropped.append(NotBelieved("content_kind", why))
    else:
        found |= {"content_kind": answer.content_kind, "is_rule_bearing": answer.is_rule_bearing}
    tags, foreign = _chosen(answer.tags, asked.tags)
    if foreign:
        dropped.append(NotBelieved("tags", f"not among the tags: {foreign}"))
    if tags or not answer.tags:
        found["tags"] = tags
    traits, foreign = _chosen(answer.traits, asked.traits)
    if foreign:
        dropped.append(NotBelieved("traits", f"not among the traits that stand there: {foreign}"))
    own = asked.chunk.metadata.get("traits", ())
    # A line that classifies says what it says: the model adds to that, and takes nothing away.
    found["traits"] = tuple(dict.fromkeys((*(own if isinstance(own, tuple) else ()), *traits)))
    summary = " ".join(answer.summary.split())
    if why := next(_against_summary(summary, asked), ""):
        dropped.append(NotBelieved("summary", why))
    else:
        found["summary"] = summary
    return BelievedPassage(found, tuple(dropped))


def _against_kind(answer: ModelPassage, asked: AskedPassage) -> str:
    if answer.content_kind not in asked.kinds:
        return f"not among the kinds: {answer.content_kind!r:.60}"
    written = kind_by_headings(asked.chunk.heading_path[-1:])
    if written not in (None, answer.content_kind):
        return f"{answer.content_kind}, and {written} in its heading"
    if (answer.content_kind, answer.is_rule_bearing) in ((RULE, False), (NARRATIVE, True)):
        return f"a {answer.content_kind} that {'bears a' if answer.is_rule_bearing else 'bears no'} rule"
    return ""


def _chosen(said: Collection[str], known: Collection[str]) -> tuple[tuple[str, ...], str]:
    """Those that are known, in the order of the list, and the others in words."""
    given = [word.strip().casefold() for word in said]
    foreign = [word for word in dict.fromkeys(given) if word not in known]
    return tuple(word for word in known if word in given), ", ".join(f"{word!r:.40}" for word in foreign)


def _against_summary(summary: str, asked: AskedPassage) -> Iterator[str]:
    source = "\n".join((*asked.chunk.heading_path, asked.chunk.text))
    if not summary or len(summary) > min(_LONGEST, len(source)):
        yield f"it has {len(summary)} characters"
        return
    if foreign := sorted(set(_NUMBER.findall(summary)) - set(_NUMBER.findall(source))):
        yield f"it says {', '.join(foreign)}, which the passage does not"
    known = {_bare(word) for word in _WORD.findall(source)}
    if foreign := sorted({name for name in _NAME.findall(summary) if _bare(name) not in known}):
        yield f"it names {', '.join(foreign)}, which the passage does not"
    if _TALKS_OF_ITSELF.search(summary):
        yield "it talks of the passage and not of what it says"


def _bare(word: str) -> str:
    return _POSSESSIVE.sub("", word.casefold())
