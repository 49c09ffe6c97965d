"""The benchmarks by name. A new one is one entry: a reader of its format."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from evals.benchmarks.books import read_books
from evals.benchmarks.corpus import Corpus
from evals.benchmarks.documents import read_documents
from evals.benchmarks.generated import read_generated
from evals.benchmarks.passages import read_passages
from evals.benchmarks.tables import read_tables
from retrieval.errors import UnknownNameError

Reader = Callable[[str, Path, str], tuple[Corpus, ...]]
"""(name of the set, its folder, split) -> what is searched."""

BENCHMARKS: Mapping[str, Reader] = MappingProxyType(
    {
        "ttrpg": read_books,
        "wikisql-rows": read_tables,
        "wtq-rows": read_tables,
        "fetaqa-rows": read_tables,
        "passages": read_passages,
        "self-query": read_documents,
        "generated": read_generated,
    }
)


def read_benchmark(name: str, folder: Path, split: str) -> tuple[Corpus, ...]:
    """The corpora of a benchmark.

    Args:
        name: of `BENCHMARKS`.
        folder: where its files are.
        split: which questions; the names are the files' own.

    Raises:
        UnknownNameError: no such benchmark.
        BenchmarkDataError: the folder or the split is not there.
    """
    if name not in BENCHMARKS:
        raise UnknownNameError("benchmark", name, BENCHMARKS)
    return BENCHMARKS[name](name, folder, split)
