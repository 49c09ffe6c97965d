"""Tables of pages that hold what a command printed with `--json`: `python -m tools.pages.measured_tables`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import typer

from evals.metric_table import Use, metric_text, names
from retrieval.files.records import parse_record
from tools.bench.answers import AnswersReport
from tools.bench.conditions import ConditionsReport
from tools.bench.contract import ContractReport
from tools.bench.gate import GateReport
from tools.bench.hints import HintCurve
from tools.bench.siblings import SiblingsReport
from tools.bench.throughput import SpreadReport
from tools.pages.marked_blocks import with_blocks

ROOT = Path(__file__).resolve().parents[2]


class Report(Protocol):
    """What a benchmark found."""

    def lines(self) -> Iterator[str]:
        """A markdown table."""


@dataclass(frozen=True, slots=True)
class MeasuredTable:
    """A table, and the file that it is made from. Key: block."""

    page: Path
    measured: Path
    """What the benchmark printed."""
    block: str
    kind: type[Report]

    def report(self) -> Report:
        """What was measured."""
        return parse_record((ROOT / self.measured).read_bytes(), self.kind)

    def on(self, page: str, report: Report) -> str:
        """The page's text with its table made again. Raises ValueError where its markers are not there."""
        return with_blocks(page, {self.block: "\n".join(report.lines())})


@dataclass(frozen=True, slots=True)
class SampleScores:
    """The strategies of what `querymust eval --json` printed."""

    strategies: Mapping[str, Mapping[str, float | None]]

    def lines(self) -> Iterator[str]:
        """A markdown table, a line for each strategy; a dash where a metric is undefined."""
        columns = names(Use.README)
        yield f"| strategy | {' | '.join(columns)} |"
        yield "|---|" + "---:|" * len(columns)
        for strategy, metrics in self.strategies.items():
            yield f"| `{strategy}` | {' | '.join(metric_text(name, metrics.get(name)) for name in columns)} |"


_DOCS = Path("docs")
_DATA = _DOCS / "results"
SAMPLE_SCORES = MeasuredTable(Path("README.md"), _DATA / "results.json", "results", SampleScores)
CONTRACT_TIMES = MeasuredTable(
    _DOCS / "reference" / "contract.md", _DATA / "contract_times.json", "times", ContractReport
)
GATE_RATES = MeasuredTable(_DOCS / "explanation" / "gate.md", _DATA / "gate_rates.json", "rates", GateReport)
HINTS = MeasuredTable(_DOCS / "explanation" / "decomposition.md", _DATA / "hint_curve.json", "hints", HintCurve)
CONDITIONS = MeasuredTable(
    _DOCS / "explanation" / "self_query.md", _DATA / "self_query.json", "conditions", ConditionsReport
)
ANSWERS = MeasuredTable(_DOCS / "how-to" / "answers.md", _DATA / "answers_read.json", "read", AnswersReport)
SPREAD = MeasuredTable(_DOCS / "how-to" / "scaling.md", _DATA / "books_an_hour.json", "spread", SpreadReport)
SIBLINGS = MeasuredTable(_DATA / "siblings.md", _DATA / "siblings.json", "siblings", SiblingsReport)
TABLES = (SAMPLE_SCORES, CONTRACT_TIMES, GATE_RATES, HINTS, CONDITIONS, ANSWERS, SPREAD, SIBLINGS)
HINTS_DRAWN = _DATA / "hint_curve.svg"


def hints_drawn() -> str:
    """The same numbers as `HINTS`, as a picture."""
    return parse_record((ROOT / HINTS.measured).read_bytes(), HintCurve).svg()


def main() -> None:
    """Write the tables into their pages."""
    (ROOT / HINTS_DRAWN).write_text(hints_drawn(), "utf-8")
    for table in TABLES:
        page = ROOT / table.page
        page.write_text(table.on(page.read_text("utf-8"), table.report()), "utf-8")
        typer.echo(f"{page.name}: table made from {table.measured}")


if __name__ == "__main__":
    main()
