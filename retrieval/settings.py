"""The settings of one home: `rag.yaml`, over it the environment, over both the options of a command.

::

    <home>/rag.yaml           a person's; no program writes it
    <home>/remembered.yaml    what the last build used; it counts until `rag.yaml` says something else than it did then
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from zoneinfo import available_timezones

from retrieval.atomic_files import write_atomically
from retrieval.contract_settings import (
    AnswerSettings,
    ChunkingSettings,
    EmbeddingSettings,
    PassagesSettings,
    RetrievalSettings,
    TablesSettings,
    UnderstandSettings,
    embedder_of,
    read_section,
)
from retrieval.errors import UnknownNameError, UnreadableSettingsError

SETTINGS_FILE = "rag.yaml"
REMEMBERED = "remembered.yaml"
_HEAD = "# Written by every build: what it used. Write your own settings into rag.yaml; they win once they change.\n"

IN_PROCESS, MULTIPROCESS, DASK, DASK_AT = "in_process", "multiprocess", "dask", "dask+"
"""Executors: this process, some of this machine's, a Dask cluster of this machine's, the scheduler after the plus."""

_NIGHTLY, _ZONE, _STRATEGY = "03:00", "UTC", "default"


@dataclass(frozen=True, slots=True)
class Settings:
    """What is built and with what. A variable of the environment wins over the file, an option over both.

    | key               | variable             | meaning                                   |
    |-------------------|----------------------|-------------------------------------------|
    | `library`         | `QUERYMUST_LIBRARY`  | folder of books, or file of documents     |
    | `questions`       | `QUERYMUST_QUESTIONS`| JSONL files with gold; `:` between them   |
    | `embedding.model` | `QUERYMUST_EMBEDDER` | name of the embedder; `embedder` is the same key |
    | `chroma`          | `QUERYMUST_CHROMA`   | a Chroma server, http://HOST:PORT; else embedded |
    | `store`           | `QUERYMUST_STORE`    | a Milvus server, milvus+http://HOST:PORT; else embedded |
    | `nightly`         | `QUERYMUST_NIGHTLY`  | when the night's build begins, HH:MM      |
    | `timezone`        | `QUERYMUST_TIMEZONE` | in which zone, as `Europe/Berlin`         |
    | `executor`        | `QUERYMUST_EXECUTOR` | `in_process`, `multiprocess`, `dask`, `dask+tcp://...`: index books |
    | `processes`       | `QUERYMUST_PROCESSES`| how many do so, other than `in_process`; else as many as cores |
    | `strategy`        | -                    | how `search`, `ask`, `answer` and `serve` search; else `default` |
    | `budget_usd`      | `QUERYMUST_BUDGET_USD`| dollars that a build or an ingestion may spend; else no limit |
    | `embedding`, `chunking`, `retrieval`, `answer`, `understand`, `tables`, `passages` | - | see `contract_settings` |
    """

    library: Path | None = None
    questions: tuple[Path, ...] = ()
    embedder: str = "wordllama"
    chroma: str | None = None
    store: str | None = None
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
        """How many processes index books at once."""
        return 1 if self.executor == IN_PROCESS else self.processes or os.cpu_count() or 1

    @classmethod
    def read(cls, folder: Path, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Settings of the home at `folder`; defaults where neither a file nor the environment says anything.

        Raises:
            UnreadableSettingsError: a file is not a YAML mapping; or a value is of another kind or out of its range.
            UnknownNameError: the file has a key that no setting is called.
        """
        path = folder / SETTINGS_FILE
        stored = _mapping(path) if path.is_file() else {}
        for key in stored:
            if key not in cls.__dataclass_fields__:
                raise UnknownNameError(f"setting of {path}", str(key), cls.__dataclass_fields__)
        where = str(path)
        said = _with_remembered(folder, _of_a_build(path, stored))
        library = environment.get("QUERYMUST_LIBRARY") or said.get("library")
        variable = environment.get("QUERYMUST_QUESTIONS")
        questions = variable.split(os.pathsep) if variable else said.get("questions") or []
        embedder = environment.get("QUERYMUST_EMBEDDER") or said.get("embedder")
        chroma = environment.get("QUERYMUST_CHROMA") or said.get("chroma")
        store = environment.get("QUERYMUST_STORE") or said.get("store")
        settings = cls(
            library=Path(str(library)) if library else None,
            questions=tuple(Path(str(question)) for question in _listed(path, questions)),
            chroma=str(chroma) if chroma else None,
            store=str(store) if store else None,
            nightly=_time(environment.get("QUERYMUST_NIGHTLY") or said.get("nightly") or _NIGHTLY),
            timezone=_zone(str(environment.get("QUERYMUST_TIMEZONE") or said.get("timezone") or _ZONE)),
            executor=_executor(environment.get("QUERYMUST_EXECUTOR") or said.get("executor") or IN_PROCESS),
            processes=_processes(environment.get("QUERYMUST_PROCESSES") or said.get("processes")),
            budget_usd=_dollars(environment.get("QUERYMUST_BUDGET_USD") or said.get("budget_usd")),
            strategy=str(stored.get("strategy") or _STRATEGY),
            embedding=read_section(where, "embedding", stored.get("embedding"), EmbeddingSettings, beside="model"),
            chunking=read_section(where, "chunking", stored.get("chunking"), ChunkingSettings),
            retrieval=read_section(where, "retrieval", stored.get("retrieval"), RetrievalSettings),
            answer=read_section(where, "answer", stored.get("answer"), AnswerSettings),
            understand=read_section(where, "understand", stored.get("understand"), UnderstandSettings),
            tables=read_section(where, "tables", stored.get("tables"), TablesSettings),
            passages=read_section(where, "passages", stored.get("passages"), PassagesSettings),
        )
        return replace(settings, embedder=embedder_of(str(embedder))) if embedder else settings

    def write(self, folder: Path) -> None:
        """Remember in the home at `folder` what a build used; readers see the old file or the new one.

        `rag.yaml` stays as it is. What it says now of the same keys is kept beside them: once it says something else,
        that is the last word.
        """
        import yaml

        path = folder / SETTINGS_FILE
        before = _of_a_build(path, _mapping(path)) if path.is_file() else {}
        used = {name: getattr(self, name) for name in _OF_A_BUILD}
        used |= {"library": str(self.library) if self.library else None, "questions": list(map(str, self.questions))}
        content = yaml.safe_dump({"used": used, "rag.yaml said": dict(before)}, sort_keys=False)
        write_atomically(folder / REMEMBERED, _HEAD + content)


_OF_A_BUILD = (
    *("library", "questions", "embedder", "chroma", "store"),
    *("nightly", "timezone", "executor", "processes", "budget_usd"),
)
"""Keys that a build remembers: those that a variable or an option can set."""


def _of_a_build(path: Path, stored: Mapping[str, object]) -> Mapping[str, object]:
    """What the file says of the keys that a build remembers; `embedding.model` as `embedder`."""
    found = {key: value for key, value in stored.items() if key in _OF_A_BUILD and value is not None}
    embedding = stored.get("embedding")
    model = embedding.get("model") if isinstance(embedding, Mapping) else None
    if model is None:
        return found
    if found.setdefault("embedder", model) != model:
        raise UnreadableSettingsError(
            f"{path}: `embedder` is {found['embedder']!r} and `embedding.model` {model!r}; they are one thing, "
            "so leave one of them out"
        )
    return found


def _with_remembered(folder: Path, said: Mapping[str, object]) -> Mapping[str, object]:
    """What a home says of the keys of a build: for each, whichever was said last."""
    path = folder / REMEMBERED
    if not path.is_file():
        return said
    stored = _mapping(path)
    used, before = stored.get("used"), stored.get("rag.yaml said")
    if not isinstance(used, Mapping) or not isinstance(before, Mapping):
        raise UnreadableSettingsError(f"{path} is not what a build remembers; delete it and build again")
    return {key: used.get(key) if said.get(key) == before.get(key) else said.get(key) for key in _OF_A_BUILD}


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
    said = f"{value // 60:02d}:{value % 60:02d}" if isinstance(value, int) else str(value)
    found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", said)
    if not found:
        raise UnreadableSettingsError(f"`nightly` is {said!r}, not a time of day as 03:00")
    return f"{int(found[1]):02d}:{found[2]}"


def _zone(name: str) -> str:
    if name not in available_timezones():
        raise UnreadableSettingsError(f"`timezone` is {name!r}, not a zone as UTC or Europe/Berlin")
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
        raise UnreadableSettingsError(f"`processes` is {str(value)!r}, not a number of processes as 2")
    return int(str(value))


def _dollars(value: object) -> float | None:
    if value is None:
        return None
    try:
        found = float(str(value))
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise UnreadableSettingsError(f"`budget_usd` is {str(value)!r}, not a number of dollars as 2.50")
    return found
