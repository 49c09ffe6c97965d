"""The report as one HTML file, with the data of its script. The only file that imports Jinja."""

import base64
import hashlib
import shlex
from functools import cache
from importlib.resources import files
from pathlib import Path

import jinja2

from evals.aggregates import ALL
from evals.evaluation import HEADLINE, SHIPPED
from evals.metric_table import METRICS, Use, meaning, metric_text, names
from evals.noise import NOISE
from evals.questions.questions import QuestionKey
from pipeline.console.hits import brief
from pipeline.report import drawing
from pipeline.report.glance import STRATEGY_WORDS, WORDS, glance
from pipeline.report.history import TRENDS
from pipeline.report.questions import Outcome, Ranked, Ranking
from pipeline.report.report import Report
from pipeline.report.standings import HEATED
from retrieval.files.atomic_files import write_atomically
from retrieval.home import Home
from retrieval.search.receipt import DIGITS
from retrieval.types import Chunk

SNIPPET = 240
"""Most characters shown of a chunk."""


class Embedded:
    """Numbers chunks, texts and questions as they are met; `values` is the document, its lists as `report.js` says."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._chunks: dict[str, list[object]] = {}
        self._places: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._questions: dict[QuestionKey, list[object]] = {}
        self._numbers: dict[QuestionKey, int] = {}
        self._answers = {
            (question_set.name, question_set.split, question.id): question.answer or ""
            for question_set in report.evaluation.sets
            for question in question_set.questions
        }
        self._strategies = list(dict.fromkeys(outcome.row.strategy for outcome in report.outcomes))

    def values(self) -> dict[str, object]:
        """Return the whole document."""
        outcomes = [self._outcome(outcome) for outcome in self._report.outcomes]
        return {
            "shipped": SHIPPED,
            "home": self._report.header.home_option,
            "strategies": self._strategies,
            "questions": list(self._questions.values()),
            "outcomes": outcomes,
            "chunks": list(self._chunks.values()),
            "texts": list(self._texts),
        }

    def _outcome(self, outcome: Outcome) -> list[object]:
        row, failure = outcome.row, outcome.failure
        first, gold = (failure.first, failure.gold[:1]) if failure else (None, ())
        return [
            self._question(outcome),
            self._strategies.index(row.strategy),
            row.gold_rank,
            int(failure is not None),
            int(bool(row.gold)),
            int(row.values.get(NOISE, 0.0)),
            len(row.excluded_gold),
            [self._text(cause) for cause in (failure.why if failure else ())],
            self._chunk(first) if first else None,
            self._chunk(gold[0]) if gold else None,
            self._ranking(outcome.ranking) if outcome.ranking else None,
        ]

    def _question(self, outcome: Outcome) -> int:
        row = outcome.row
        if row.key not in self._questions:
            self._numbers[row.key] = len(self._questions)
            answer = self._answers.get((row.set, row.split, row.question_id), "")
            location = f"{row.set}, {row.split}"
            self._questions[row.key] = [
                *(row.question_id, location, row.query, row.book, row.kind, answer, shlex.quote(row.query))
            ]
        return self._numbers[row.key]

    def _ranking(self, ranking: Ranking) -> list[object]:
        return [
            ranking.canonical,
            [self._hit(hit) for hit in ranking.hits],
            [[self._chunk(missed.chunk), self._text(missed.explanation)] for missed in ranking.excluded],
            ranking.n_excluded,
            [[self._chunk(missed.chunk), self._text(missed.explanation)] for missed in ranking.missing],
        ]

    def _hit(self, ranked: Ranked) -> list[object]:
        hit = ranked.hit
        parts = [
            [self._text(addend.name), *map(_short, (addend.value, addend.weight, addend.contribution))]
            for addend in hit.addends
            if addend.contribution
        ]
        return [self._chunk(hit.chunk), _short(hit.score), int(ranked.gold), self._text(ranked.reason), parts]

    def _chunk(self, chunk: Chunk) -> int:
        if chunk.id not in self._chunks:
            self._places[chunk.id] = len(self._chunks)
            location = f"{chunk.book}/{chunk.document}:{chunk.lines[0]}"
            self._chunks[chunk.id] = [
                *(self._report.short_id(chunk.id), chunk.title, location, snippet(chunk), int(bool(chunk.query_must)))
            ]
        return self._places[chunk.id]

    def _text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))


def snippet(chunk: Chunk) -> str:
    """Return the beginning of a chunk's text, on one line."""
    words = " ".join(line.plain for line in brief(chunk, None))
    return words if len(words) <= SNIPPET else words[: SNIPPET - 2].rstrip() + " …"


def _short(value: float) -> float:
    return round(float(value), DIGITS) + 0.0


REPORT_FILE = "report.html"
_FIRST = names(Use.README)
_TIMES = tuple(name for name in HEADLINE if name.endswith("_ms"))
_REST = tuple(name for name in HEADLINE if name not in {*_FIRST, *_TIMES, "evaluability"})


def default_path(home: Home) -> Path:
    """Return the default path of the page of a home."""
    return home.root / REPORT_FILE


def page(report: Report) -> str:
    """Return the HTML of a report; the same report gives the same bytes."""
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
            better={metric.name: metric.better for metric in METRICS},
            drawing=drawing,
            meaning=meaning,
            shipped=SHIPPED,
            ALL=ALL,
            words=WORDS,
            strategy_words=STRATEGY_WORDS,
            kinds=sorted({outcome.row.kind for outcome in report.outcomes}),
            books=sorted({outcome.row.book for outcome in report.outcomes} - {""}),
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
    environment.filters["metric"] = lambda value, name: metric_text(name, value)
    return environment


def _text(name: str) -> str:
    return files(__package__).joinpath("templates", *name.split("/")).read_text(encoding="utf-8")
