"""The numbers of a report for another program."""

import json
from dataclasses import asdict
from pathlib import Path

from evals.metric_table import Use
from evals.metric_table import names as metric_names
from evals.statistics.aggregates import ALL
from pipeline.report.report import Report
from retrieval.atomic_files import write_atomically

_DIGITS = 6
_KEPT = metric_names(Use.HEADLINE)


def write_summary(report: Report, path: Path) -> None:
    """Write what the tables of the page hold as JSON; the same report gives the same bytes."""
    standings = report.standings.strategies if report.standings else ()
    strategies = {
        each.strategy: {
            number.metric: _rounded(number.value)
            for number in each.numbers
            if number.book == number.kind == ALL and number.metric in _KEPT
        }
        for each in standings
    }
    expanded = [asdict(each) | {"delta": each.delta} for each in report.expanded_gold]
    values = {
        "snapshot": report.header.snapshot,
        "embedder": report.header.embedder,
        "questions": list(report.header.question_files),
        "strategies": strategies,
        "relaxation": asdict(report.relaxation) | {"rate": _rounded(report.relaxation.rate)},
        "expanded_gold": [{name: _rounded(value) for name, value in line.items()} for line in expanded],
    }
    write_atomically(path, json.dumps(values, indent=1) + "\n")


def _rounded(value: object) -> object:
    return round(value, _DIGITS) + 0.0 if isinstance(value, float) else value
