"""What `rag.yaml` says, but for what a build remembers: tables of keys, checked."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from retrieval.errors import EmbedderMismatchError, UnknownNameError, UnreadableSettingsError
from retrieval.types import EmbedderIdentity

TOKEN_CAP = 8192
"""No passage of prose is longer: the input limit of the hosted embedding models."""

MODELS = {"text-embedding-3-small": "openai", "nomic-embed-text-v2": "st:nomic-ai/nomic-embed-text-v2-moe"}
"""Models that are known by their own names beside that of their embedder."""

Section = TypeVar("Section")


def embedder_of(model: str) -> str:
    """The embedder's name for a model that may be given by its own."""
    return MODELS.get(model, model)


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """`embedding`, but for `model`: that is the embedder, under whichever of the two names it is given."""

    dimensions: int | None = None
    """What the model must have; None: as many as it has."""
    max_tokens: int = TOKEN_CAP
    """No chunk of prose is longer. A table row is never cut."""

    def __post_init__(self) -> None:
        if self.dimensions is not None:
            _require_whole("embedding.dimensions", self.dimensions, 1, 100_000)
        _require_whole("embedding.max_tokens", self.max_tokens, 64, TOKEN_CAP)

    def check(self, identity: EmbedderIdentity) -> None:
        """See that an embedder has the dimensions that are asked for.

        Raises:
            EmbedderMismatchError: it has others.
        """
        if self.dimensions not in {None, identity.dimensions}:
            raise EmbedderMismatchError(
                f"embedding.dimensions is {self.dimensions}, the vectors of {identity.name} have "
                f"{identity.dimensions}; write that number, or leave the key out"
            )


@dataclass(frozen=True, slots=True)
class ChunkingSettings:
    """`chunking`: where prose is cut. No chunk repeats what another holds, and a table row is always its own chunk.

    `header_level` and `fallback_header_level` are where a text that is too long is cut first, and where a part of that
    which is still too long; below, it is cut at one level of headings after the other, then between paragraphs.
    """

    split_only_when_needed: bool = True
    """Whether a document that is short enough stays whole; else it is cut at `header_level` in any case."""
    max_chunk_tokens: int | None = None
    """In the embedder's own tokens; None: what the chunk-size sweep chose, by an estimate that needs no tokenizer."""
    header_level: int = 1
    fallback_header_level: int = 2
    overlap_tokens: int = 0
    """Nothing but 0: chunks do not overlap."""

    def __post_init__(self) -> None:
        if not isinstance(self.split_only_when_needed, bool):
            raise UnreadableSettingsError(
                f"chunking.split_only_when_needed is {self.split_only_when_needed!r}; write true or false"
            )
        if self.max_chunk_tokens is not None:
            _require_whole("chunking.max_chunk_tokens", self.max_chunk_tokens, 16, TOKEN_CAP)
        _require_whole("chunking.header_level", self.header_level, 1, 6)
        _require_whole("chunking.fallback_header_level", self.fallback_header_level, self.header_level, 6)
        if self.overlap_tokens != 0 or isinstance(self.overlap_tokens, bool):
            raise UnreadableSettingsError(
                f"chunking.overlap_tokens is {self.overlap_tokens!r}: chunks never overlap; write 0, or leave it out"
            )


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """`retrieval`: what an answer holds, and how long it is kept."""

    max_chunks: int = 5
    min_relevance: float = 0.6
    """0 to 1."""
    cache_ttl_seconds: float = 300.0
    """0: nothing is kept."""

    def __post_init__(self) -> None:
        _require_whole("retrieval.max_chunks", self.max_chunks, 1, 1000)
        _require_number("retrieval.min_relevance", self.min_relevance, 0.0, 1.0)
        _require_number("retrieval.cache_ttl_seconds", self.cache_ttl_seconds, 0.0, 1e9)


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """`answer`: what a question is answered from, and which model words it where there is a key."""

    model: str = "gpt-4o-mini"
    max_chunks: int = 5
    min_relevance: float = 0.5
    """0 to 1; where nothing reaches it the answer is that it is not in these books. Lower than that of `retrieval`: who
    asks for an answer sees what it is read from."""
    temperature: float = 0.0
    max_tokens: int = 800
    """Of one answer."""
    timeout_seconds: float = 60.0
    """Until the next piece of an answer."""

    def __post_init__(self) -> None:
        if not isinstance(self.model, str) or not self.model.strip():
            raise UnreadableSettingsError(f"answer.model is {self.model!r}; write the name of a chat model")
        _require_whole("answer.max_chunks", self.max_chunks, 1, 100)
        _require_number("answer.min_relevance", self.min_relevance, 0.0, 1.0)
        _require_number("answer.temperature", self.temperature, 0.0, 2.0)
        _require_whole("answer.max_tokens", self.max_tokens, 1, 100_000)
        _require_number("answer.timeout_seconds", self.timeout_seconds, 0.1, 3600.0)


@dataclass(frozen=True, slots=True)
class UnderstandSettings:
    """`understand`: which model reads questions, takes them apart and decides on further rounds. The rules do, unless a
    model is named and there is a key."""

    model: str | None = None
    temperature: float = 0.0
    max_tokens: int = 500
    """Of one answer."""
    timeout_seconds: float = 30.0
    """For one answer."""

    def __post_init__(self) -> None:
        if self.model is not None and (not isinstance(self.model, str) or not self.model.strip()):
            raise UnreadableSettingsError(
                f"understand.model is {self.model!r}; write the name of a chat model, or leave it out for the rules"
            )
        _require_number("understand.temperature", self.temperature, 0.0, 2.0)
        _require_whole("understand.max_tokens", self.max_tokens, 1, 100_000)
        _require_number("understand.timeout_seconds", self.timeout_seconds, 0.1, 3600.0)


@dataclass(frozen=True, slots=True)
class TablesSettings:
    """`tables`: who reads them. The rules do, unless a model is asked for; then too where its answer does not hold."""

    transformer: str = "rules"
    """`rules`, `model`, or `names`: by the rules, with names for rows that a model says."""
    model: str = "gpt-4o-mini"
    table_list: str | None = None
    """File with the tables for the model, a title on each line; None: those with rows that a question can name."""
    budget_usd: float | None = None
    """Dollars that the model may cost in this home, all runs together; None: what `budget_usd` says."""
    usd_per_million_sent: float | None = None
    usd_per_million_answered: float | None = None
    """Prices where they are not OpenAI's."""
    tries: int = 2
    timeout_seconds: float = 120.0
    """For one answer."""
    thinking_tokens: int = 0
    """Of a model that thinks before it answers: what it may use for that in each answer; paid as answered."""

    def __post_init__(self) -> None:
        if self.transformer not in ("rules", "model", "names"):
            raise UnreadableSettingsError(f"tables.transformer is {self.transformer!r}; write rules, names or model")
        if not isinstance(self.model, str) or not self.model.strip():
            raise UnreadableSettingsError(f"tables.model is {self.model!r}; write the name of a chat model")
        if not isinstance(self.table_list, str | None):
            raise UnreadableSettingsError(f"tables.table_list is {self.table_list!r}; write the path of a file")
        for name in ("budget_usd", "usd_per_million_sent", "usd_per_million_answered"):
            if getattr(self, name) is not None:
                _require_number(f"tables.{name}", getattr(self, name), 0.0, 1e6)
        if (self.usd_per_million_sent is None) != (self.usd_per_million_answered is None):
            raise UnreadableSettingsError("tables.usd_per_million_sent and tables.usd_per_million_answered go together")
        _require_whole("tables.tries", self.tries, 1, 10)
        _require_whole("tables.thinking_tokens", self.thinking_tokens, 0, 100_000)
        _require_number("tables.timeout_seconds", self.timeout_seconds, 0.1, 3600.0)


@dataclass(frozen=True, slots=True)
class PassagesSettings:
    """`passages`: who says what they are about. The rules do, unless a model is asked for: that of `tables`, within its
    limits; then too where its answer does not hold."""

    enrichment: str = "rules"
    """`rules`, or `model`."""

    def __post_init__(self) -> None:
        if self.enrichment not in ("rules", "model"):
            raise UnreadableSettingsError(f"passages.enrichment is {self.enrichment!r}; write rules or model")


def read_section(where: str, name: str, stored: object, section: type[Section], *, beside: str = "") -> Section:
    """One table of keys.

    Args:
        where: the file, for messages.
        name: of the table.
        stored: what the file says; None: nothing.
        section: what it becomes.
        beside: a key that belongs to the table and is read elsewhere.

    Raises:
        UnknownNameError: a key that no setting is called.
        UnreadableSettingsError: it is not a table, or a value cannot be used.
    """
    if stored is None:
        return section()
    if not isinstance(stored, Mapping):
        raise UnreadableSettingsError(f"{where}: `{name}` is {stored!r}, not a table of settings")
    known = [each.name for each in fields(section)]  # type: ignore[arg-type]  # the classes above
    for key in stored:
        if key not in {*known, beside}:
            names = [f"{name}.{each}" for each in (*known, beside) if each]
            raise UnknownNameError(f"setting of {where}", f"{name}.{key}", names)
    given: dict[str, Any] = {key: value for key, value in stored.items() if key != beside and value is not None}
    try:
        return section(**given)
    except UnreadableSettingsError as error:
        raise UnreadableSettingsError(f"{where}: {error}") from error


def _require_whole(name: str, value: object, least: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise UnreadableSettingsError(f"{name} is {value!r}; write a whole number from {least} to {most}")


def _require_number(name: str, value: object, least: float, most: float) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= most:
        raise UnreadableSettingsError(f"{name} is {value!r}; write a number from {least:g} to {most:g}")
