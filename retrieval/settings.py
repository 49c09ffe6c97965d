"""The settings of one home: `rag.yaml`, over it the environment, over both the options of a command."""

import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from zoneinfo import available_timezones

from retrieval.atomic_files import write_atomically
from retrieval.errors import UnknownNameError, UnreadableSettingsError

FILE_NAME = "rag.yaml"

_NIGHTLY, _ZONE = "03:00", "UTC"


@dataclass(frozen=True, slots=True)
class Settings:
    """What is built and with what. A variable of the environment wins over the file, an option over both.

    | key         | variable             | meaning                                   |
    |-------------|----------------------|-------------------------------------------|
    | `library`   | `QUERYMUST_LIBRARY`  | folder of books                           |
    | `questions` | `QUERYMUST_QUESTIONS`| JSONL files with gold; `:` between them   |
    | `embedder`  | `QUERYMUST_EMBEDDER` | name of the embedder                      |
    | `chroma`    | `QUERYMUST_CHROMA`   | a Chroma server, http://HOST:PORT; else embedded |
    | `nightly`   | `QUERYMUST_NIGHTLY`  | when the night's build begins, HH:MM      |
    | `timezone`  | `QUERYMUST_TIMEZONE` | in which zone, as `Europe/Berlin`         |
    | `budget_usd`| `QUERYMUST_BUDGET_USD`| what one build may spend on a paid embedder; else no limit |
    """

    library: Path | None = None
    questions: tuple[Path, ...] = ()
    embedder: str = "wordllama"
    chroma: str | None = None
    nightly: str = _NIGHTLY
    timezone: str = _ZONE
    budget_usd: float | None = None

    @classmethod
    def read(cls, folder: Path, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Settings of the home at `folder`; defaults where neither the file nor the environment says anything.

        Raises:
            UnreadableSettingsError: the file is not a YAML mapping of texts and lists of texts; or the time, the zone
                or the budget is none.
            UnknownNameError: the file has a key that no setting is called.
        """
        path = folder / FILE_NAME
        stored = _mapping(path) if path.is_file() else {}
        for key in stored:
            if key not in cls.__dataclass_fields__:
                raise UnknownNameError(f"setting of {path}", key, cls.__dataclass_fields__)
        library = environment.get("QUERYMUST_LIBRARY") or stored.get("library")
        variable = environment.get("QUERYMUST_QUESTIONS")
        questions = variable.split(os.pathsep) if variable else stored.get("questions") or []
        embedder = environment.get("QUERYMUST_EMBEDDER") or stored.get("embedder")
        chroma = environment.get("QUERYMUST_CHROMA") or stored.get("chroma")
        settings = cls(
            library=Path(str(library)) if library else None,
            questions=tuple(Path(str(question)) for question in _listed(path, questions)),
            chroma=str(chroma) if chroma else None,
            nightly=_time(environment.get("QUERYMUST_NIGHTLY") or stored.get("nightly") or _NIGHTLY),
            timezone=_zone(str(environment.get("QUERYMUST_TIMEZONE") or stored.get("timezone") or _ZONE)),
            budget_usd=_dollars(environment.get("QUERYMUST_BUDGET_USD") or stored.get("budget_usd")),
        )
        return replace(settings, embedder=str(embedder)) if embedder else settings

    def write(self, folder: Path) -> None:
        """Keep these settings in the home at `folder`; readers see the old file or the new one."""
        import yaml

        values = asdict(self)
        values["library"] = str(self.library) if self.library else None
        values["questions"] = [str(path) for path in self.questions]
        write_atomically(folder / FILE_NAME, yaml.safe_dump(values, sort_keys=False))


def _mapping(path: Path) -> Mapping[str, object]:
    import yaml

    try:
        stored = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UnreadableSettingsError(f"{path} is not YAML ({error}); fix it or delete it and build again") from error
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
