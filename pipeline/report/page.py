"""The page: one HTML file that asks for nothing else. The only file that knows Jinja, which escapes every text."""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2

from evals.evaluation import HEADLINE, SHIPPED
from evals.metric_table import METRICS, Use, meaning, metric_text, names
from evals.statistics.aggregates import ALL
from pipeline.report import drawing
from pipeline.report.embedded import Embedded, books, kinds
from pipeline.report.glance import glance
from pipeline.report.history import TRENDS
from pipeline.report.report import Report
from pipeline.report.standings import HEATED
from pipeline.report.words import STRATEGY_WORDS, WORDS
from retrieval.atomic_files import write_atomically
from retrieval.home import Home

REPORT_FILE = "report.html"
_FIRST = names(Use.README)
_TIMES = tuple(name for name in HEADLINE if name.endswith("_ms"))
_REST = tuple(name for name in HEADLINE if name not in {*_FIRST, *_TIMES, "evaluability"})


def default_path(home: Home) -> Path:
    """Where the page of a home lies unless somebody wants it elsewhere."""
    return home.root / REPORT_FILE


def page(report: Report) -> str:
    """The HTML of a report; the same report gives the same bytes."""
    script = _text("report.js")
    return (
        _environment()
        .get_template("page.html")
        .render(
            report=report,
            header=report.header,
            standings=report.standings,
            answers=glance(report),
            first=_FIRST,
            rest=_REST,
            heated=HEATED,
            trends=[drawing.trend(metric, report.history.scored) for metric in TRENDS],
            better={each.name: each.better for each in METRICS},
            drawing=drawing,
            meaning=meaning,
            shipped=SHIPPED,
            ALL=ALL,
            words=WORDS,
            strategy_words=STRATEGY_WORDS,
            kinds=kinds(report.outcomes),
            books=books(report.outcomes),
            embedded=Embedded(report).values() if report.outcomes else None,
            css=_text("report.css"),
            script=script,
            # Only this script runs, whatever a question or a book holds.
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        )
    )


def write_page(report: Report, path: Path) -> int:
    """Write the page; readers see the old one or the new one. Returns its size in bytes."""
    content = page(report).encode()
    write_atomically(path, content)
    return len(content)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_text),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}
    environment.filters["metric"] = _metric
    return environment


def _metric(value: Any, name: str) -> str:
    return metric_text(name, value)


def _text(name: str) -> str:
    return files(__package__).joinpath("templates", *name.split("/")).read_text(encoding="utf-8")
