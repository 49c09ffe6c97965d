"""The settings of one home: `rag.yaml`, overridden by the environment, and both by the options of a command.

::

    <home>/rag.yaml           the user's settings; no program writes it
    <home>/remembered.yaml    what the last build used; each value applies until it changes in `rag.yaml`
    <home>/remembered.copy.yaml
"""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from zoneinfo import available_timezones

from retrieval.errors import EmbedderMismatchError, UnknownNameError, UnreadableSettingsError
from retrieval.files.atomic_files import write_atomically
from retrieval.types import EmbedderIdentity

TOKEN_CAP = 8192
"""The most tokens of a passage of prose: the input limit of the hosted embedding models."""

MODELS = {"text-embedding-3-small": "openai", "nomic-embed-text-v2": "st:nomic-ai/nomic-embed-text-v2-moe"}
"""Models that have another name besides that of their embedder."""

Section = TypeVar("Section")


def embedder_of(model: str) -> str:
    """Return the embedder's name for a model, which may be given by its other name."""
    return MODELS.get(model, model)


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """`embedding`, except `model`, which is the embedder by either of its names."""

    dimensions: int | None = None
    """Dimensions that the model must have; None: any."""
    max_tokens: int = TOKEN_CAP
    """The most tokens of a chunk of prose. A table row is never cut."""

    def __post_init__(self) -> None:
        if self.dimensions is not None:
            _require_whole("embedding.dimensions", self.dimensions, 1, 100_000)
        _require_whole("embedding.max_tokens", self.max_tokens, 64, TOKEN_CAP)

    def check(self, identity: EmbedderIdentity) -> None:
        """Check that an embedder has the required dimensions.

        Raises:
            EmbedderMismatchError: it has other dimensions.
        """
        if self.dimensions not in {None, identity.dimensions}:
            raise EmbedderMismatchError(
                f"embedding.dimensions is {self.dimensions}, the vectors of {identity.name} have "
                f"{identity.dimensions}; write that number, or leave the key out"
            )


@dataclass(frozen=True, slots=True)
class ChunkingSettings:
    """`chunking`: where prose is cut. Chunks do not overlap, and a table row is always its own chunk.

    A text that is too long is first cut at headings of `header_level`, and a part that is still too long at those of
    `fallback_header_level`; below that, it is cut at one level of headings after another, then between paragraphs.
    """

    split_only_when_needed: bool = True
    """Whether a document that is short enough stays whole; else it is always cut at `header_level`."""
    max_chunk_tokens: int | None = None
    """In tokens of the embedder; None: the size that ranked best of 64 to 1,024, estimated without a tokenizer."""
    header_level: int = 1
    fallback_header_level: int = 2
    overlap_tokens: int = 0
    """Must be 0: chunks do not overlap."""

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
    """`retrieval`: what an answer contains, and how long it is cached."""

    max_chunks: int = 5
    min_relevance: float = 0.6
    """0 to 1."""
    cache_ttl_seconds: float = 300.0
    """0: nothing is cached."""

    def __post_init__(self) -> None:
        _require_whole("retrieval.max_chunks", self.max_chunks, 1, 1000)
        _require_number("retrieval.min_relevance", self.min_relevance, 0.0, 1.0)
        _require_number("retrieval.cache_ttl_seconds", self.cache_ttl_seconds, 0.0, 1e9)


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """`answer`: the passages from which a question is answered, and the model that words the answer if there is a
    key."""

    model: str = "gpt-4o-mini"
    max_chunks: int = 5
    min_relevance: float = 0.5
    """0 to 1; if no passage reaches it, no model is called, and the answer is that none was found. Lower than that of
    `retrieval`, because a person who asks for an answer sees its sources."""
    min_probability: float = 0.7
    """0 to 1: the least probability of being right with which an answer that is read is stated. With the default, one
    in thirteen stated answers about held-out books is wrong (docs/results/answers.md)."""
    min_perhaps: float = 0.25
    """The least probability with which it is stated after `Perhaps:`; below, the answer is that none was found."""
    temperature: float = 0.0
    max_tokens: int = 800
    """The most tokens of one answer."""
    timeout_seconds: float = 60.0
    """Seconds to wait for the next piece of an answer."""

    def __post_init__(self) -> None:
        if not isinstance(self.model, str) or not self.model.strip():
            raise UnreadableSettingsError(f"answer.model is {self.model!r}; write the name of a chat model")
        _require_whole("answer.max_chunks", self.max_chunks, 1, 100)
        _require_number("answer.min_relevance", self.min_relevance, 0.0, 1.0)
        _require_number("answer.min_probability", self.min_probability, 0.0, 1.0)
        _require_number("answer.min_perhaps", self.min_perhaps, 0.0, self.min_probability)
        _require_number("answer.temperature", self.temperature, 0.0, 2.0)
        _require_whole("answer.max_tokens", self.max_tokens, 1, 100_000)
        _require_number("answer.timeout_seconds", self.timeout_seconds, 0.1, 3600.0)


@dataclass(frozen=True, slots=True)
class UnderstandSettings:
    """`understand`: the model that reads questions, splits them and decides on further rounds. Rules do this unless a
    model is named and there is a key."""

    model: str | None = None
    temperature: float = 0.0
    max_tokens: int = 500
    """The most tokens of one answer."""
    timeout_seconds: float = 30.0
    """Seconds for one answer."""

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
    """`tables`: what reads tables. Rules do, unless a model is requested; they also do if its answer is not valid."""

    transformer: str = "rules"
    """`rules`, `model`, or `names`: rules, with names of rows from a model."""
    model: str = "gpt-4o-mini"
    table_list: str | None = None
    """File with the titles of the tables for the model, one per line; None: those with rows that a question can
    name."""
    budget_usd: float | None = None
    """Dollars that the model may cost in this home in all runs together; None: `budget_usd` of the home."""
    usd_per_million_sent: float | None = None
    usd_per_million_answered: float | None = None
    """Prices, if they differ from OpenAI's."""
    tries: int = 2
    timeout_seconds: float = 120.0
    """Seconds for one answer."""
    thinking_tokens: int = 0
    """For a model that thinks before it answers: the most tokens for that in each answer; charged like answered
    tokens."""

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
    """`passages`: what describes passages. Rules do, unless a model is requested: that of `tables`, within its limits;
    rules also do if its answer is not valid."""

    enrichment: str = "rules"
    """`rules`, or `model`."""

    def __post_init__(self) -> None:
        if self.enrichment not in ("rules", "model"):
            raise UnreadableSettingsError(f"passages.enrichment is {self.enrichment!r}; write rules or model")


def _section(where: str, name: str, stored: object, section: type[Section]) -> Section:
    """Return the settings of one section of a file; its class has the defaults and checks the values."""
    if stored is None:
        return section()
    if not isinstance(stored, Mapping):
        raise UnreadableSettingsError(f"{where}: `{name}` is {stored!r}, not a table of settings")
    known = [field.name for field in fields(section)]  # type: ignore[arg-type]  # the classes above
    elsewhere = ["model"] if section is EmbeddingSettings else []
    for key in stored:
        if key not in (*known, *elsewhere):
            names = [f"{name}.{setting}" for setting in (*known, *elsewhere)]
            raise UnknownNameError(f"setting of {where}", f"{name}.{key}", names)
    given: dict[str, Any] = {key: value for key, value in stored.items() if key in known and value is not None}
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


DEFAULT_EMBEDDER = "minilm"
"""The best embedder that runs on this machine; `wordllama` builds faster."""

SETTINGS_FILE = "rag.yaml"
REMEMBERED, REMEMBERED_COPY = "remembered.yaml", "remembered.copy.yaml"
"""Nothing else knows where the library is, so it is written twice: the copy counts if the first is lost or damaged."""
_HEAD = (
    "# Written by every build: the settings that it used. Put your own into rag.yaml; once changed, they take "
    "precedence.\n"
)

IN_PROCESS, MULTIPROCESS, DASK, DASK_AT = "in_process", "multiprocess", "dask", "dask+"
"""Executors: this process, several processes of this machine, a Dask cluster on this machine, the scheduler after the
plus."""


def chroma_server(address: str) -> tuple[str, int, bool] | None:
    """Return host, port and whether it is TLS; None if it is not an address like `http://127.0.0.1:8000`."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port or 8000
    except ValueError:
        return None
    return (host, port, parts.scheme == "https") if host and parts.scheme in {"http", "https"} else None


def _chroma(address: str) -> str:
    if chroma_server(address) is None:
        raise UnreadableSettingsError(f"chroma is {address!r}, not an address like http://127.0.0.1:8000; fix it")
    return address


_NIGHTLY, _ZONE, _STRATEGY = "03:00", "UTC", "default"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of builds and searches. An environment variable overrides the file, an option overrides both.

    | key               | variable             | meaning                                   |
    |-------------------|----------------------|-------------------------------------------|
    | `library`         | `QUERYMUST_LIBRARY`  | folder of books, or file of documents     |
    | `questions`       | `QUERYMUST_QUESTIONS`| JSONL files with gold; `:` between them   |
    | `embedding.model` | `QUERYMUST_EMBEDDER` | name of the embedder; `embedder` is the same key |
    | `chroma`          | `QUERYMUST_CHROMA`   | a Chroma server, http://HOST:PORT; else a folder of the home |
    | `nightly`         | `QUERYMUST_NIGHTLY`  | when the night's build begins, HH:MM      |
    | `timezone`        | `QUERYMUST_TIMEZONE` | in which zone, as `Europe/Berlin`         |
    | `executor`        | `QUERYMUST_EXECUTOR` | `in_process`, `multiprocess`, `dask`, `dask+tcp://...`: index books |
    | `processes`       | `QUERYMUST_PROCESSES`| how many do so, other than `in_process`; else as many as cores |
    | `strategy`        | -                    | how `search`, `ask`, `answer` and `serve` search; else `default` |
    | `budget_usd`      | `QUERYMUST_BUDGET_USD`| dollars that a build or an ingestion may spend; else no limit |
    | `embedding`, `chunking`, `retrieval`, `answer`, `understand`, `tables`, `passages` | - | see their classes |
    """

    library: Path | None = None
    questions: tuple[Path, ...] = ()
    embedder: str = DEFAULT_EMBEDDER
    chroma: str | None = None
    nightly: str = _NIGHTLY
    timezone: str = _ZONE
    executor: str = IN_PROCESS
    processes: int | None = None
    budget_usd: float | None = None
    strategy: str = _STRATEGY
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    chunking: ChunkingSettings = field(default_factory=ChunkingSettings)
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    answer: AnswerSettings = field(default_factory=AnswerSettings)
    understand: UnderstandSettings = field(default_factory=UnderstandSettings)
    tables: TablesSettings = field(default_factory=TablesSettings)
    passages: PassagesSettings = field(default_factory=PassagesSettings)

    @property
    def lanes(self) -> int:
        """The number of processes that index books at the same time."""
        return 1 if self.executor == IN_PROCESS else self.processes or os.cpu_count() or 1

    @classmethod
    def read(cls, folder: Path, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Return the settings of the home at `folder`; defaults for those that neither a file nor the environment
        sets.

        Raises:
            UnreadableSettingsError: a file is not a YAML mapping, or a value has the wrong type or is out of range.
            UnknownNameError: the file contains an unknown key.
        """
        path = folder / SETTINGS_FILE
        stored = _mapping(path) if path.is_file() else {}
        for key in stored:
            if key not in cls.__dataclass_fields__:
                raise UnknownNameError(f"setting of {path}", str(key), cls.__dataclass_fields__)
        values = _with_remembered(folder, _of_a_build(path, stored))

        def value(key: str) -> object:
            return environment.get(f"QUERYMUST_{key.upper()}") or values.get(key)

        library, chroma = value("library"), value("chroma")
        variable = environment.get("QUERYMUST_QUESTIONS")
        questions = variable.split(os.pathsep) if variable else values.get("questions") or []
        return cls(
            library=Path(str(library)) if library else None,
            questions=tuple(Path(str(question)) for question in _listed(path, questions)),
            embedder=embedder_of(str(value("embedder") or DEFAULT_EMBEDDER)),
            chroma=_chroma(str(chroma)) if chroma else None,
            nightly=_time(value("nightly") or _NIGHTLY),
            timezone=_zone(str(value("timezone") or _ZONE)),
            executor=_executor(value("executor") or IN_PROCESS),
            processes=_processes(value("processes")),
            budget_usd=_dollars(value("budget_usd")),
            strategy=str(stored.get("strategy") or _STRATEGY),
            **{name: _section(str(path), name, stored.get(name), kind) for name, kind in _SECTIONS.items()},
        )

    def write(self, folder: Path) -> None:
        """Store in the home at `folder` what a build used; readers see either the old file or the new one.

        `rag.yaml` is not changed. Its current values of the same keys are stored as well: once one of them changes, the
        new value overrides the stored one.
        """
        import yaml

        path = folder / SETTINGS_FILE
        before = _of_a_build(path, _mapping(path)) if path.is_file() else {}
        used = {name: getattr(self, name) for name in _OF_A_BUILD}
        used |= {"library": str(self.library) if self.library else None, "questions": list(map(str, self.questions))}
        content = yaml.safe_dump({"used": used, "rag.yaml said": dict(before)}, sort_keys=False)
        for name in (REMEMBERED_COPY, REMEMBERED):
            write_atomically(folder / name, _HEAD + content)


_SECTIONS: Mapping[str, Any] = {
    field.name: field.default_factory for field in fields(Settings) if field.default_factory is not MISSING
}
"""The classes of the sections, by name."""
_OF_A_BUILD = (
    *("library", "questions", "embedder", "chroma"),
    *("nightly", "timezone", "executor", "processes", "budget_usd"),
)
"""Keys that a build remembers: those that a variable or an option can set."""


def _of_a_build(path: Path, stored: Mapping[str, object]) -> Mapping[str, object]:
    """Return the values in the file of the keys that a build stores; `embedding.model` as `embedder`."""
    remembered = {key: value for key, value in stored.items() if key in _OF_A_BUILD and value is not None}
    embedding = stored.get("embedding")
    model = embedding.get("model") if isinstance(embedding, Mapping) else None
    if model is None:
        return remembered
    if remembered.setdefault("embedder", model) != model:
        raise UnreadableSettingsError(
            f"{path}: `embedder` is {remembered['embedder']!r} and `embedding.model` {model!r}; they set the same "
            "thing, so leave one of them out"
        )
    return remembered


def _with_remembered(folder: Path, wanted: Mapping[str, object]) -> Mapping[str, object]:
    """Return the values of the keys of a build in a home: for each, the one set last."""
    remembered = _remembered(folder)
    if remembered is None:
        return wanted
    used, before = remembered
    return {key: used.get(key) if wanted.get(key) == before.get(key) else wanted.get(key) for key in _OF_A_BUILD}


def _remembered(folder: Path) -> tuple[Mapping[str, object], Mapping[str, object]] | None:
    """Return what the last build used, and what `rag.yaml` said then; None if there was no build."""
    files = [path for path in (folder / REMEMBERED, folder / REMEMBERED_COPY) if path.is_file()]
    for path in files:
        with suppress(UnreadableSettingsError):
            stored = _mapping(path)
            used, before = stored.get("used"), stored.get("rag.yaml said")
            if isinstance(used, Mapping) and isinstance(before, Mapping):
                return used, before
    if files:
        raise UnreadableSettingsError(
            f"{' and '.join(map(str, files))}: not what a build remembers; delete that, and run: "
            "querymust build --library DIR"
        )
    return None


def _mapping(path: Path) -> Mapping[str, object]:
    import yaml

    try:
        stored = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UnreadableSettingsError(f"{path} is not YAML ({error}); fix it or delete it and build again") from error
    if stored is None:  # empty, or nothing but comments
        return {}
    if not isinstance(stored, dict):
        raise UnreadableSettingsError(f"{path} is not a mapping of settings; fix it or delete it and build again")
    return stored


def _listed(path: Path, questions: object) -> list[object]:
    if not isinstance(questions, list):
        raise UnreadableSettingsError(f"{path}: `questions` is {questions!r}, not a list of files")
    return questions


def _time(value: object) -> str:
    # YAML reads 13:30 without quotes as a number to the base of 60.
    text = f"{value // 60:02d}:{value % 60:02d}" if isinstance(value, int) else str(value)
    match = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", text)
    if not match:
        raise UnreadableSettingsError(f"`nightly` is {text!r}, not a time of day such as 03:00")
    return f"{int(match[1]):02d}:{match[2]}"


def _zone(name: str) -> str:
    if name not in available_timezones():
        raise UnreadableSettingsError(f"`timezone` is {name!r}, not a time zone such as UTC or Europe/Berlin")
    return name


def _executor(value: object) -> str:
    if value in (IN_PROCESS, MULTIPROCESS, DASK) or re.fullmatch(r"dask\+(tcp|tls)://[^/\s]+:\d+", str(value)):
        return str(value)
    raise UnreadableSettingsError(
        f"`executor` is {str(value)!r}, not {IN_PROCESS}, {MULTIPROCESS}, {DASK} or dask+tcp://HOST:PORT"
    )


def _processes(value: object) -> int | None:
    if value is None:
        return None
    if not re.fullmatch(r"[1-9]\d{0,3}", str(value)):
        raise UnreadableSettingsError(f"`processes` is {str(value)!r}, not a number of processes, such as 2")
    return int(str(value))


def _dollars(value: object) -> float | None:
    if value is None:
        return None
    try:
        dollars = float(str(value))
    except ValueError:
        dollars = -1.0
    if not 0 <= dollars < float("inf"):
        raise UnreadableSettingsError(f"`budget_usd` is {str(value)!r}, not a number of dollars, such as 2.50")
    return dollars
