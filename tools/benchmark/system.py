"""What a system has to do to be measured: index one book, and search it.

::

    class Mine:
        name = "mine"
        about = "One sentence: what it is."
        setup = "One sentence: how it was set up."
        packages = ("my-library",)

        def index(self, book, folder, embedder): ...
        def search(self, question, k): ...
"""

import importlib.util
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, cast, runtime_checkable

from retrieval.errors import RetrievalError, UnknownNameError
from retrieval.types import Embedder


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit as a reader is shown it."""

    text: str
    file: str | None = None
    """Path of its file in the folder of the book. Only a system that rewrites rows has to give it: see `reading`."""
    lines: tuple[int, int] | None = None
    """First and last line of the file that it was made from, from 1."""


@dataclass(frozen=True, slots=True)
class Statement:
    """An answer in words."""

    text: str
    is_certain: bool = True
    """False: the system says itself that it may be wrong."""


class System(Protocol):
    """A system under test. A process makes one object for each book, without arguments."""

    name: str
    about: str
    """What it is, as a sentence of markdown."""
    setup: str
    """How it was set up, as a sentence of markdown."""
    packages: tuple[str, ...]
    """Distributions that it needs. If one is missing, the system is left out; the page shows their versions."""

    def index(self, book: Path, folder: Path, embedder: Embedder) -> None:
        """Index a book.

        Args:
            book: folder of markdown files.
            folder: an empty folder for all that is stored; its size is the size of the index.
            embedder: `embed(texts)` gives an array (n, dimensions) and `embed_query(text)` one of (dimensions,); both
                float32 and L2-normalised. Every system gets the same one.
        """

    def search(self, question: str, k: int) -> Sequence[Passage]:
        """At most k passages, the best first."""


@runtime_checkable
class Answering(Protocol):
    """A system that also answers in words, offline."""

    def answer(self, question: str) -> Statement | None:
        """The answer, or None where the system refuses."""


SYSTEMS: Mapping[str, str] = MappingProxyType(
    {
        "default": "tools.benchmark.systems.querymust:Default",
        "bm25": "tools.benchmark.systems.querymust:Bm25",
        "hybrid": "tools.benchmark.systems.querymust:Hybrid",
        "fts5": "tools.benchmark.systems.fts5:Fts5",
        "bm25s": "tools.benchmark.systems.bm25s_rows:Bm25sRows",
        "chroma": "tools.benchmark.systems.chroma:Chroma",
        "langchain": "tools.benchmark.systems.langchain:LangChain",
        "llamaindex": "tools.benchmark.systems.llamaindex:LlamaIndex",
        "haystack": "tools.benchmark.systems.haystack:Haystack",
    }
)
"""Module and class by name, in the order of the tables; the first is the one that the others are compared with."""


_ATTRIBUTES = ("name", "about", "setup", "packages", "index", "search")


class SystemLoadError(RetrievalError):
    """A system cannot be loaded."""


def load_system(name: str) -> System:
    """A new object of a system.

    Args:
        name: of `SYSTEMS`, or `FILE.py:Class` for one of your own.

    Raises:
        UnknownNameError: there is no such system.
        SystemLoadError: the file or the class is not there, or cannot be used.
        ImportError: a library of the system is not installed.
    """
    if name in SYSTEMS:
        module, _, class_name = SYSTEMS[name].partition(":")
        system: System = getattr(import_module(module), class_name)()
        return system
    file, _, class_name = name.rpartition(":")
    if not file.endswith(".py"):
        raise UnknownNameError("system", name, [*SYSTEMS, "FILE.py:Class"])
    return _complete(_load_file(Path(file), class_name), f"{file}:{class_name}")


def _complete(system: object, name: str) -> System:
    missing = [attribute for attribute in _ATTRIBUTES if not hasattr(system, attribute)]
    if missing:
        raise SystemLoadError(f"{name} has no {', '.join(missing)}; a system has {', '.join(_ATTRIBUTES)}")
    return cast(System, system)


def _load_file(file: Path, class_name: str) -> object:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if not file.is_file() or spec is None or spec.loader is None:
        raise SystemLoadError(f"{file} is not a file of Python; write FILE.py:Class")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        if not hasattr(module, class_name):
            raise SystemLoadError(f"{file} has no class {class_name!r}")
        return getattr(module, class_name)()
    except (ImportError, RetrievalError):
        raise
    except Exception as error:
        raise SystemLoadError(told_error(error, file)) from error


def told_error(error: BaseException, file: Path | None = None) -> str:
    """What was raised and where, on one line: in the file, if the error has been there, else where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    frame = next((frame for frame in reversed(frames) if file and frame.filename == str(file)), frames[-1])
    return f"{type(error).__name__}: {error} ({Path(frame.filename).name}, line {frame.lineno})"


def why_missing(name: str, packages: Sequence[str]) -> str | None:
    """Which packages of a system are not installed, as a sentence; None if all are."""
    missing = [package for package in packages if installed_version(package) is None]
    return f"not installed: {', '.join(missing)}; run: {install_command(name, missing)}" if missing else None


def install_command(name: str, packages: Sequence[str]) -> str:
    """How to install what a system needs."""
    return "pip install -e '.[benchmark]'" if name in SYSTEMS else f"pip install {' '.join(packages)}"


def installed_version(package: str) -> str | None:
    """The version of a distribution; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def markdown_files(book: Path) -> tuple[tuple[str, str], ...]:
    """Path in the book's folder and text of every markdown file, in the order of their paths."""
    return tuple((path.relative_to(book).as_posix(), path.read_text("utf-8")) for path in sorted(book.rglob("*.md")))
