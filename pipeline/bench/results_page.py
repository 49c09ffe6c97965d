"""`docs/results.md`, made from `docs/benchmarks.json`: what every strategy scores on every open question set."""

import json
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evals.metric_table import Use, names
from evals.report import breakdown, leaderboard
from evals.statistics.aggregates import ALL, Aggregate
from pipeline.bench.reference import ALIKE, NOTES, REFERENCES, SPLIT
from pipeline.bench.run import BenchmarkRun, IndexNote

DATA_FILE, PAGE_FILE = "benchmarks.json", "results.md"

FITTED = (
    "The evidence weights of `default` were fitted on questions of the open splits, so there its numbers flatter it; "
    "no other strategy was fitted. [weights.md](weights.md) gives `default` on sets that had no say in its weights."
)

_DIGITS = 4


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

    @classmethod
    def of(cls, runs: Sequence[BenchmarkRun]) -> "Results":
        """The results of these runs, on this machine, today."""
        return cls(
            date=datetime.now(tz=UTC).date().isoformat(),
            cores=os.cpu_count() or 1,
            python=platform.python_version(),
            embedder=", ".join(dict.fromkeys(run.embedder for run in runs)),
            seconds={run.set: round(run.seconds, 1) for run in runs},
            indexes=tuple(note for run in runs for note in run.indexes),
            numbers=tuple(
                _rounded(each) for run in runs for each in run.aggregates if each.metric in names(Use.PUBLISHED)
            ),
        )

    def write(self, folder: Path) -> None:
        """Write the data and the page."""
        folder.mkdir(parents=True, exist_ok=True)
        facts = {name: value for name, value in asdict(self).items() if name != "numbers"}
        fields = list(Aggregate.__dataclass_fields__)
        lines = [json.dumps([getattr(each, name) for name in fields]) for each in self.numbers]
        head = json.dumps({**facts, "fields": fields}, indent=1).removesuffix("\n}")
        (folder / DATA_FILE).write_text(f'{head},\n "numbers": [\n' + ",\n".join(lines) + "\n ]\n}\n", "utf-8")
        (folder / PAGE_FILE).write_text(results_page(self), "utf-8")

    @classmethod
    def read(cls, folder: Path) -> "Results":
        """Read what `write` wrote."""
        values: dict[str, Any] = json.loads((folder / DATA_FILE).read_text("utf-8"))
        fields = values.pop("fields")
        values["numbers"] = tuple(Aggregate(**dict(zip(fields, each, strict=True))) for each in values["numbers"])
        values["indexes"] = tuple(IndexNote(**each) for each in values["indexes"])
        return cls(**values)


def results_page(results: Results) -> str:
    """The page as markdown."""
    splits = ", ".join(dict.fromkeys(each.split for each in results.numbers))
    whole = [each for each in results.numbers if each.book == each.kind == ALL]
    return "\n".join(
        [
            "# Results",
            "",
            f"Made by `querymust bench all` from [{DATA_FILE}]({DATA_FILE}); do not edit. Split {splits}, "
            f"{results.date}, {results.cores} cores, Python {results.python}, embedder {results.embedder}. "
            "Numbers have their 95 % bootstrap intervals; [benchmarks.md](benchmarks.md) says what is measured.",
            "",
            FITTED,
            "",
            "## Ranking",
            "",
            leaderboard(whole, names(Use.RANKING)),
            "## Filtering and time",
            "",
            "Milliseconds are the median of one k = 15 retrieval on a machine that did other work too.",
            "",
            leaderboard(_without_evaluability(whole), names(Use.FILTERING)),
            "## BM25 against published figures",
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


def _reference_table(numbers: Iterable[Aggregate]) -> str:
    ours = {
        (each.set, each.book, each.kind, each.metric): each
        for each in numbers
        if each.strategy == "bm25" and each.split == SPLIT
    }
    lines = ["| set | book | kind | metric | published | ours | difference |", "|---|---|---|---|---:|---:|---:|"]
    for reference in REFERENCES:
        found = ours.get((reference.set, reference.book, reference.kind, reference.metric))
        if found is not None and found.value is not None:
            difference = found.value - reference.value
            mark = "" if abs(difference) <= ALIKE else " *"
            place = f"| {reference.set} | {reference.book} | {reference.kind} | {reference.metric} "
            lines.append(f"{place}| {reference.value:.3f} | {found.value:.3f} | {difference:+.3f}{mark} |")
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
    return [each for each in numbers if each.metric != "evaluability"]


def _rounded(each: Aggregate) -> Aggregate:
    value, low, high = (
        None if number is None else round(number, _DIGITS) + 0.0 for number in (each.value, each.low, each.high)
    )
    return replace(each, value=value, low=low, high=high)
