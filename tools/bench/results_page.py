"""`docs/results/results.md`, made from `docs/results/benchmarks.json`: scores of every strategy on every open set."""

import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from dataclasses import fields as dataclass_fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evals.aggregates import ALL, Aggregate
from evals.comparison import Cell, cells
from evals.metric_table import Use, names
from evals.report import breakdown, cell_table, leaderboard
from tools.bench.reference import ALIKE, NOTES, REFERENCES, SPLIT
from tools.bench.run import BenchmarkRun, IndexNote

DATA_FILE, PAGE_FILE = "benchmarks.json", "results.md"

LEFT_OUT = (
    "`default` ranks each book and set with a LambdaMART model that was trained on all others, without the questions "
    "of this book or set and without questions generated from it. The weights of first-stage retrieval, which select "
    "the candidates, are the shipped ones. They were fitted on most of these sets. No other strategy was fitted."
)
SHIPPED = (
    "`default` was fitted on questions of these sets, so its numbers are too high. No other strategy was fitted. "
    "[The LambdaMART model](trees.md) shows the numbers of `default` on held-out books."
)

CELLS = """\
For look-ups and rule questions of each book, the cells show the score of `default`, the score of the best other
strategy (`fts5` is the [reference](../how-to/benchmarks.md#the-reference)), and p of a paired randomisation test of
the two. `▼` marks strategies that are significantly better than `default` (p < 0.05). `*` stands for all books of a
set, or all sets. p is not corrected for the choice of the best strategy, which disfavours `default`, nor for the
number of cells."""

_DIGITS, _CELL_DIGITS = 4, 6


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that the page says."""

    date: str
    """ISO, in UTC."""
    cores: int
    python: str
    embedder: str
    seconds: dict[str, float]
    """Wall time by set, in this run: what was kept from an earlier one costs nothing."""
    indexes: tuple[IndexNote, ...]
    numbers: tuple[Aggregate, ...]
    cells: tuple[Cell, ...] = ()
    """Of the sets of books."""
    left_out: bool = False
    """Whether `default` ranked each book and set by trees that it had no say in."""

    @classmethod
    def of(cls, runs: Sequence[BenchmarkRun], *, left_out: bool) -> "Results":
        """The results of these runs, on this machine, today.

        Args:
            runs: of all sets.
            left_out: whether each book and set was ranked by trees that it had no say in.
        """
        return cls(
            date=datetime.now(tz=UTC).date().isoformat(),
            cores=os.cpu_count() or 1,
            python=platform.python_version(),
            embedder=", ".join(dict.fromkeys(run.embedder for run in runs)),
            seconds={run.set: round(run.seconds, 1) for run in runs},
            indexes=tuple(note for run in runs for note in run.indexes),
            numbers=tuple(
                _rounded(aggregate)
                for run in runs
                for aggregate in run.aggregates
                if aggregate.metric in names(Use.PUBLISHED)
            ),
            cells=tuple(map(_rounded_cell, cells_of_books(runs))),
            left_out=left_out,
        )

    def write(self, folder: Path) -> None:
        """Write the data and the page."""
        folder.mkdir(parents=True, exist_ok=True)
        facts = {name: value for name, value in asdict(self).items() if name not in {"numbers", "cells"}}
        head = json.dumps(facts, indent=1).removesuffix("\n}")
        tables = f"{_table('numbers', Aggregate, self.numbers)},\n{_table('cells', Cell, self.cells)}"
        (folder / DATA_FILE).write_text(f"{head},\n{tables}\n}}\n", "utf-8")
        (folder / PAGE_FILE).write_text(results_page(self), "utf-8")

    @classmethod
    def read(cls, folder: Path) -> "Results":
        """Read what `write` wrote."""
        values: dict[str, Any] = json.loads((folder / DATA_FILE).read_text("utf-8"))
        values["numbers"] = tuple(Aggregate(**record) for record in _records(values.pop("numbers")))
        values["cells"] = tuple(
            Cell(**{**record, "ahead": tuple(record["ahead"])}) for record in _records(values.pop("cells"))
        )
        values["indexes"] = tuple(IndexNote(**each) for each in values["indexes"])
        return cls(**values)


def results_page(results: Results) -> str:
    """The page as markdown."""
    splits = ", ".join(dict.fromkeys(number.split for number in results.numbers))
    whole = [number for number in results.numbers if number.book == number.kind == ALL]
    return "\n".join(
        [
            "# Results",
            "",
            f"`python -m tools bench all` writes this page from [{DATA_FILE}]({DATA_FILE}). Do not edit it by hand. "
            f"The benchmarks ran on {results.date} with the split {splits}, {results.cores} cores, Python "
            f"{results.python} and the embedder {results.embedder}. Intervals are 95 % bootstrap intervals. "
            "[Benchmarks](../how-to/benchmarks.md) describes the sets.",
            "",
            LEFT_OUT if results.left_out else SHIPPED,
            "",
            *_compared(results.cells),
            "## Ranking",
            "",
            leaderboard(whole, names(Use.RANKING)),
            "## Filtering and time",
            "",
            "Milliseconds are the median of one retrieval with k = 15, on a machine with other load.",
            "",
            leaderboard(_without_evaluability(whole), names(Use.FILTERING)),
            "## BM25 and published figures",
            "",
            _reference_table(results.numbers),
            NOTES,
            "## By book and kind",
            "",
            breakdown(_without_evaluability(results.numbers), names(Use.BY_KIND)),
            "## Indexes",
            "",
            _index_table(results),
        ]
    )


def cells_of_books(runs: Sequence[BenchmarkRun]) -> tuple[Cell, ...]:
    """`default` against all others, over the questions of all runs that are about books."""
    return cells([row for run in runs if run.of_books for row in run.rows])


def _compared(found: Sequence[Cell]) -> list[str]:
    return ["## `default` against the best other", "", CELLS, "", cell_table(found)] if found else []


def _table(name: str, record: type[Aggregate | Cell], rows: Sequence[Any]) -> str:
    """Records as JSON, a line each: their fields once, then their values."""
    fields = [field.name for field in dataclass_fields(record)]
    lines = ",\n".join(json.dumps([getattr(row, field) for field in fields]) for row in rows)
    return f' "{name}": {{"fields": {json.dumps(fields)}, "rows": [\n{lines}\n ]}}'


def _records(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(table["fields"], row, strict=True)) for row in table["rows"]]


def _reference_table(numbers: Iterable[Aggregate]) -> str:
    ours = {
        (number.set, number.book, number.kind, number.metric): number
        for number in numbers
        if number.strategy == "bm25" and number.split == SPLIT
    }
    lines = ["| set | book | kind | metric | published | ours | difference |", "|---|---|---|---|---:|---:|---:|"]
    for reference in REFERENCES:
        result = ours.get((reference.set, reference.book, reference.kind, reference.metric))
        if result is not None and result.value is not None:
            difference = result.value - reference.value
            mark = "" if abs(difference) <= ALIKE else " *"
            location = f"| {reference.set} | {reference.book} | {reference.kind} | {reference.metric} "
            lines.append(f"{location}| {reference.value:.3f} | {result.value:.3f} | {difference:+.3f}{mark} |")
    return "\n".join(lines) + f"\n\n`*`: more than {ALIKE}; see below.\n"


def _index_table(results: Results) -> str:
    lines = ["| set | index over | chunks | guarded | snapshot |", "|---|---|---:|---:|---|"]
    lines += [
        f"| {note.set} | {note.corpus} | {note.n_chunks} | {note.n_guarded} | `{note.snapshot}` |"
        for note in results.indexes
    ]
    times = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in results.seconds.items())
    return "\n".join(lines) + f"\n\nWall time of this run: {times}.\n"


def _without_evaluability(numbers: Iterable[Aggregate]) -> list[Aggregate]:
    return [number for number in numbers if number.metric != "evaluability"]


def _rounded_cell(cell: Cell) -> Cell:
    # shown to three digits, as in the terminal: fewer here would be rounded twice
    value, other, p = (round(number, _CELL_DIGITS) for number in (cell.value, cell.other_value, cell.p))
    return replace(cell, value=value, other_value=other, p=p)


def _rounded(aggregate: Aggregate) -> Aggregate:
    value, low, high = (
        None if number is None else round(number, _DIGITS) + 0.0
        for number in (aggregate.value, aggregate.low, aggregate.high)
    )
    return replace(aggregate, value=value, low=low, high=high)
