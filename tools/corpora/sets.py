"""The benchmarks that are to be had under a folder: sets of books, and sets in a format of their own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from retrieval.errors import UnknownNameError
from tools.corpora.books import BenchmarkDataError, Corpus, benchmark_folder, is_set_of_books, read_books
from tools.corpora.documents import read_documents
from tools.corpora.passages import read_passages
from tools.corpora.tables import read_tables

Reader = Callable[[str, Path, str], tuple[Corpus, ...]]
"""(name of the set, its folder, split) -> what is searched."""

FORMATS: Mapping[str, Reader] = MappingProxyType(
    {
        "wikisql-rows": read_tables,
        "wtq-rows": read_tables,
        "fetaqa-rows": read_tables,
        "passages": read_passages,
        "self-query": read_documents,
    }
)
"""Sets that are known by name, each with the reader of its format. Sets of books are known by what is in them."""


@dataclass(frozen=True, slots=True)
class Benchmarks:
    """What a folder of sets has to ask."""

    corpora: Mapping[str, tuple[Corpus, ...]]
    """By set: sets of books in the order of their names, then those of `FORMATS` in theirs."""
    left_out: tuple[str, ...]
    """A sentence for each set that has no questions of the split, or is not there."""


def read_benchmark(name: str, folder: Path, split: str) -> tuple[Corpus, ...]:
    """The corpora of a set that is known by name.

    Args:
        name: of `FORMATS`.
        folder: where its files are.
        split: which questions; the names are the files' own.

    Raises:
        UnknownNameError: no set is called that.
        BenchmarkDataError: the folder or the split is not there.
    """
    if name not in FORMATS:
        raise UnknownNameError("benchmark", name, FORMATS)
    return FORMATS[name](name, folder, split)


def benchmarks_under(folder: Path, split: str) -> Benchmarks:
    """Every set under a folder that has questions of this split.

    Raises:
        BenchmarkDataError: no such folder, or no set with the split is in it.
    """
    root = benchmark_folder(folder)
    books = [path for path in sorted(root.iterdir()) if path.is_dir() and path.name not in FORMATS]
    readers: dict[str, Callable[[], tuple[Corpus, ...]]] = {
        **{path.name: partial(read_books, path, split) for path in books if is_set_of_books(path)},
        **{name: partial(read_benchmark, name, root / name, split) for name in FORMATS},
    }
    corpora: dict[str, tuple[Corpus, ...]] = {}
    left_out: list[str] = []
    for name, read in readers.items():
        try:
            corpora[name] = read()
        except BenchmarkDataError as error:
            left_out.append(f"{name}: {error}")
    if not corpora:
        hint = f"; it is a set of books itself: name {root.parent}" if is_set_of_books(root) else ""
        raise BenchmarkDataError(
            f"no set with the split {split!r} is under {root}{hint}; sets: folders of books, {', '.join(FORMATS)}"
        )
    return Benchmarks(MappingProxyType(corpora), tuple(left_out))
