"""Passages described by a model, one request each; if that fails, the rules' description is kept."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from retrieval.ingest.enrichment import NARRATIVE, RULE, RULESET, kind_by_headings, known_words, traits_in
from retrieval.ingest.model_tables.checking import foreign_numbers
from retrieval.ingest.model_tables.transforming import Reason, is_waiting
from retrieval.models.access import Access
from retrieval.models.batching import Inquiry, Reply, in_form
from retrieval.models.chat import ChatRequest, prompt_words, versioned
from retrieval.models.inquiries import Inquiries
from retrieval.models.spending import Bill, ModelOptions
from retrieval.types import Chunk, Metadata, MetadataValue


class ModelPassage(BaseModel):
    """What a passage is about."""

    model_config = ConfigDict(extra="forbid")
    content_kind: str
    is_rule_bearing: bool
    tags: list[str]
    traits: list[str]
    summary: str


PROMPT_FILE = "prompt_v1.txt"
LEAST, MOST = 80, 24_000
"""Fewest characters of a passage worth describing, and most bytes of one that is sent."""
_ANSWERED = 256
"""Most tokens of an answer."""

Unsent = Literal["too short", "too long"]


@dataclass(frozen=True, slots=True)
class AskedPassage:
    """A chunk of prose and the words that may describe it. Key: chunk.id."""

    chunk: Chunk
    kinds: tuple[str, ...]
    tags: tuple[str, ...]
    traits: tuple[str, ...]
    """Traits that occur in it: a book states the trait where it applies."""

    @classmethod
    def of(cls, chunk: Chunk) -> "AskedPassage":
        """Return a chunk with its choices. Tags are subjects of games, so only a book with a ruleset has them."""
        known = known_words()
        tags = known.tags if RULESET in chunk.metadata else ()
        return cls(chunk, known.kinds, tags, traits_in("\n".join((*chunk.heading_path, chunk.text))))

    def inquiry(self, model: str) -> Inquiry:
        """Return the inquiry. Its key is the hash of what is sent: text, headings and choices."""
        content = {
            "headings": list(self.chunk.heading_path),
            "text": self.chunk.text,
            "kinds": list(self.kinds),
            "tags": list(self.tags),
            "traits": list(self.traits),
        }
        told = json.dumps(content, ensure_ascii=False)
        messages = (("system", prompt_words(__package__, PROMPT_FILE)), ("user", told))
        return Inquiry(sha256(told.encode()).hexdigest(), ChatRequest(model, messages, _ANSWERED, form=ModelPassage))


def why_unsent(chunk: Chunk) -> Unsent | None:
    """Return why a passage is not sent; None if it is."""
    if len(chunk.text) < LEAST:
        return "too short"
    return "too long" if len(chunk.text.encode()) > MOST else None


def passages_prompt_version() -> str:
    """Return the number of the prompt, and a hash of its words and of the form."""
    return f"passages-{versioned(__package__, PROMPT_FILE, ModelPassage)}"


Part = Literal["content_kind", "tags", "traits", "summary"]

_LONGEST = 300
"""Most characters of a summary."""
_NAME = re.compile(r"(?<!^)(?<![.!?:] )\b[A-Z][\w'’]*")
"""A capitalised word that does not begin a sentence."""
_WORD = re.compile(r"\w[\w'’]*")
_POSSESSIVE = re.compile(r"['’]s?$")
_TALKS_OF_ITSELF = re.compile(r"\b(?:this|the) (?:passage|text|section|chapter|excerpt)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NotBelieved:
    """A part of an answer that is rejected in favour of the rules."""

    part: Part
    why: str


@dataclass(frozen=True, slots=True)
class BelievedPassage:
    """Metadata that replace those of the rules; an empty tuple removes the key."""

    metadata: Mapping[str, MetadataValue]
    dropped: tuple[NotBelieved, ...]


def believed(answer: ModelPassage, passage: AskedPassage) -> BelievedPassage:
    """Check an answer. For each dropped part, the rules' metadata are kept; the rules write no summary."""
    metadata: dict[str, MetadataValue] = {}
    dropped: list[NotBelieved] = []
    if why := _against_kind(answer, passage):
        dropped.append(NotBelieved("content_kind", why))
    else:
        metadata |= {"content_kind": answer.content_kind, "is_rule_bearing": answer.is_rule_bearing}
    tags, foreign = _chosen(answer.tags, passage.tags)
    if foreign:
        dropped.append(NotBelieved("tags", f"not among the tags: {foreign}"))
    if tags or not answer.tags:
        metadata["tags"] = tags
    traits, foreign = _chosen(answer.traits, passage.traits)
    if foreign:
        dropped.append(NotBelieved("traits", f"not among the traits that stand there: {foreign}"))
    own = passage.chunk.metadata.get("traits", ())
    # Traits in a line that classifies are certain: the model adds to them, and removes none.
    metadata["traits"] = tuple(dict.fromkeys((*(own if isinstance(own, tuple) else ()), *traits)))
    summary = " ".join(answer.summary.split())
    if why := next(_against_summary(summary, passage), ""):
        dropped.append(NotBelieved("summary", why))
    else:
        metadata["summary"] = summary
    return BelievedPassage(metadata, tuple(dropped))


def _against_kind(answer: ModelPassage, passage: AskedPassage) -> str:
    if answer.content_kind not in passage.kinds:
        return f"not among the kinds: {answer.content_kind!r:.60}"
    written = kind_by_headings(passage.chunk.heading_path[-1:])
    if written not in (None, answer.content_kind):
        return f"{answer.content_kind}, and {written} in its heading"
    if (answer.content_kind, answer.is_rule_bearing) in ((RULE, False), (NARRATIVE, True)):
        return f"a {answer.content_kind} that {'bears a' if answer.is_rule_bearing else 'bears no'} rule"
    return ""


def _chosen(words: Collection[str], known: Collection[str]) -> tuple[tuple[str, ...], str]:
    """Return the known words, in the order of the list, and the others as text."""
    given = [word.strip().casefold() for word in words]
    foreign = [word for word in dict.fromkeys(given) if word not in known]
    return tuple(word for word in known if word in given), ", ".join(f"{word!r:.40}" for word in foreign)


def _against_summary(summary: str, passage: AskedPassage) -> Iterator[str]:
    source = "\n".join((*passage.chunk.heading_path, passage.chunk.text))
    if not summary or len(summary) > min(_LONGEST, len(source)):
        yield f"it has {len(summary)} characters"
        return
    if foreign := sorted(foreign_numbers(summary, source)):
        yield f"it says {', '.join(foreign)}, which the passage does not"
    known = {_bare(word) for word in _WORD.findall(source)}
    if foreign := sorted({name for name in _NAME.findall(summary) if _bare(name) not in known}):
        yield f"it names {', '.join(foreign)}, which the passage does not"
    if _TALKS_OF_ITSELF.search(summary):
        yield "it is about the passage, not about its content"


def _bare(word: str) -> str:
    return _POSSESSIVE.sub("", word.casefold())


@dataclass(frozen=True, slots=True)
class PassageOutcome:
    """The result for one passage. Key: chunk_id."""

    chunk_id: str
    document: str
    line: int
    """1-based, of the file."""
    title: str
    reason: Reason
    """Why the rules' description is kept; empty if a model's answer was used."""
    said: str
    """The reason in words."""
    n_answers: int
    """Answers that were paid for in this run; 0 if an earlier run paid."""
    dropped: tuple[NotBelieved, ...] = ()


@dataclass(frozen=True, slots=True)
class DescribedChunks:
    """The chunks of a book, and the origin of their metadata."""

    chunks: tuple[Chunk, ...]
    """All chunks, in their order."""
    offline: tuple[Chunk, ...]
    """The same chunks as the rules alone describe them."""
    outcomes: tuple[PassageOutcome, ...]
    """The outcome of every passage of prose, in their order."""
    bill: Bill

    @property
    def by_model(self) -> frozenset[str]:
        """Ids of the chunks that the model described."""
        return frozenset(outcome.chunk_id for outcome in self.outcomes if not outcome.reason)

    @property
    def n_waiting(self) -> int:
        """Number of passages that the rules described and that a later run may send."""
        return sum(is_waiting(outcome.reason) for outcome in self.outcomes)

    @property
    def dropped(self) -> tuple[NotBelieved, ...]:
        """All rejected parts of answers that were used."""
        return tuple(part for outcome in self.outcomes for part in outcome.dropped)

    @property
    def agreement(self) -> float | None:
        """Share of the model's passages whose kind is the same as the rules'; None if it described none."""
        ids = self.by_model
        pairs = [pair for pair in zip(self.chunks, self.offline, strict=True) if pair[0].id in ids]
        same = sum(one.metadata["content_kind"] == other.metadata["content_kind"] for one, other in pairs)
        return same / len(pairs) if pairs else None


@dataclass(frozen=True, slots=True)
class ModelPassages:
    """Describes the prose of books with a model. Only the metadata of chunks are changed.

    Args:
        access: key and address; without a key, only stored answers are used, and the rules describe the other passages.
        folder: of the answers that were paid for, and of the record of spending. Only one process may write there.
    """

    access: Access
    folder: Path
    options: ModelOptions

    @property
    def prompt(self) -> str:
        """Version of the prompt."""
        return passages_prompt_version()

    def describe(self, chunks: Sequence[Chunk], author: Mapping[str, Metadata]) -> DescribedChunks:
        """Return the chunks of one book, with the accepted parts of the model's answers for its passages of prose.

        Args:
            chunks: as the rules describe them. Rows and records are not changed.
            author: the author's metadata by document path, which take precedence over rules and model.

        Raises:
            ModelKeyError: the server refuses the key; earlier answers are kept.
        """
        asking = self._inquiries()
        wanted = self._inquiries_about(chunks)
        ask = asking.ask if self.access else asking.kept
        replies = dict(zip(wanted, ask(list(wanted.values()), in_form(ModelPassage)), strict=True))
        made: list[Chunk] = []
        outcomes: list[PassageOutcome] = []
        for chunk in chunks:
            described = chunk
            if chunk.kind == "prose":
                described, outcome = _described(chunk, replies.get(chunk.id), author[chunk.document])
                outcomes.append(outcome)
            made.append(described)
        return DescribedChunks(
            chunks=tuple(made),
            offline=tuple(chunks),
            outcomes=tuple(outcomes),
            bill=asking.bill,
        )

    def unanswered(self, chunks: Sequence[Chunk]) -> tuple[ChatRequest, ...]:
        """Return the requests that `describe` would have to send, each once."""
        wanted = list(self._inquiries_about(chunks).values())
        return tuple(inquiry.request for inquiry in self._inquiries().unanswered(wanted, in_form(ModelPassage)))

    def _inquiries_about(self, chunks: Sequence[Chunk]) -> dict[str, Inquiry]:
        """Return the inquiries by the chunk's id."""
        sent = (chunk for chunk in chunks if chunk.kind == "prose" and why_unsent(chunk) is None)
        return {chunk.id: AskedPassage.of(chunk).inquiry(self.options.model) for chunk in sent}

    def _inquiries(self) -> Inquiries:
        otherwise = "let the rules describe the passages"
        return Inquiries(self.access, self.folder, self.options, self.prompt, otherwise=otherwise)


def _described(chunk: Chunk, reply: Reply | None, author: Metadata) -> tuple[Chunk, PassageOutcome]:
    outcome = PassageOutcome(
        chunk.id, chunk.document, chunk.lines[0], chunk.title, "", "", reply.n_paid if reply else 0
    )
    if reply is None:
        return chunk, replace(outcome, reason="not sent", said=why_unsent(chunk) or "")
    answer = reply.answered.read_as(ModelPassage) if reply.answered else reply.why
    if isinstance(answer, str):
        return chunk, replace(outcome, reason=reply.reason or "refused or wrong", said=reply.why or answer)
    believed_passage = believed(answer, AskedPassage.of(chunk))
    return _with(chunk, believed_passage, author), replace(outcome, dropped=believed_passage.dropped)


def _with(chunk: Chunk, believed_passage: BelievedPassage, author: Metadata) -> Chunk:
    metadata = {**chunk.metadata, **believed_passage.metadata}
    return replace(chunk, metadata={key: value for key, value in metadata.items() if value != ()} | dict(author))
