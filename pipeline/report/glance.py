"""The summary at the top of the report, its glossary, and its numbers for other programs."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType

from evals.aggregates import ALL, Aggregate
from evals.evaluation import SHIPPED
from evals.metric_table import Use, metric_text
from evals.metric_table import names as metric_names
from pipeline.console.output import counted, named
from pipeline.console.scores import better_strategy
from pipeline.report.history import Change
from pipeline.report.report import Report
from pipeline.report.standings import Standing, Standings
from retrieval.files.atomic_files import write_atomically

DECIDING = "mrr"
"""The metric that decides which strategy is best."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the four questions of the summary, with its answer. Key: section."""

    section: str
    """Anchor of the section with the details."""
    asks: str
    says: str


def glance(report: Report) -> tuple[Answer, ...]:
    """Return the answers to the most important questions; empty if nothing was scored."""
    return tuple(_answers(report, report.standings)) if report.standings else ()


def _answers(report: Report, standings: Standings) -> Iterator[Answer]:
    yield Answer("leaderboard", "Which strategy is best, and is that significant?", _best(report, standings))
    if standings.shipped:
        yield Answer("questions", "Which questions fail, and why?", _failing(standings.shipped))
    yield Answer("filter", "What did the filter remove that it should not have?", _excluded(report))
    yield Answer("trend", "What changed since the last snapshot?", _changed(report.history.change))


def _best(report: Report, standings: Standings) -> str:
    best = standings.best
    text = f"{best.strategy}, by {DECIDING}: {_number(best.number(DECIDING))}."
    evaluation = report.evaluation
    if better := better_strategy(evaluation.headline(), report.header.strategy, evaluation.n_questions):
        text += f" {better}"
    compared = [difference for difference in standings.differences if difference.metric == DECIDING]
    by_verdict = {
        verdict: [difference.strategy for difference in compared if difference.verdict == verdict]
        for verdict in ("worse", "better", "not significantly different")
    }
    if compared and len(by_verdict["worse"]) == len(compared):
        return f"{text} Every other strategy is significantly worse than {SHIPPED}."
    told = {
        "worse": f"significantly worse than {SHIPPED}",
        "better": f"significantly better than {SHIPPED}",
        "not significantly different": f"not significantly different from {SHIPPED}",
    }
    parts = [f"{told[verdict]}: {', '.join(names)}" for verdict, names in by_verdict.items() if names]
    return f"{text} {'; '.join(parts).capitalize()}." if parts else text


def _failing(shipped: Standing) -> str:
    if not shipped.n_failed:
        return f"None of {counted(shipped.n_asked, 'question')} with {SHIPPED}: gold always comes first."
    causes = "; ".join(f"{cause}: {count}" for cause, count in shipped.causes.items())
    several = ", some for two reasons" if sum(shipped.causes.values()) > shipped.n_failed else ""
    return (
        f"{shipped.n_failed} of {counted(shipped.n_asked, 'question')} with {SHIPPED}, the worst first: "
        f"{named(shipped.failed, 5)}. Gold is not first ({causes}{several})."
    )


def _excluded(report: Report) -> str:
    shipped = [exclusion for exclusion in report.exclusions if exclusion.row.strategy == SHIPPED]
    others = len(report.exclusions) - len(shipped)
    beside = f" Other strategies: {others}." if others else ""
    if not shipped:
        return f"With {SHIPPED} nothing: no gold chunk was excluded.{beside}"
    ids = list(dict.fromkeys(exclusion.row.question_id for exclusion in shipped))
    return f"{counted(len(shipped), 'gold chunk')} with {SHIPPED}, of {named(ids, 5)}.{beside}"


def _changed(change: Change | None) -> str:
    if change is None:
        return "This is the first snapshot that was scored in this home with these questions."
    moves = [
        f"{difference.metric} {difference.difference:+.3f} "
        f"({'significant' if difference.significant else 'not significant'}, p {difference.corrected:.3f})"
        for difference in change.differences
    ]
    moved = ", ".join(moves) or "no question was asked of both"
    counts = f"{counted(len(change.better), 'question')} better, {len(change.worse)} worse"
    contents = (
        f" {counted(change.contents.n_new, 'chunk')} new, {change.contents.n_gone:,} gone." if change.contents else ""
    )
    return f"Since {change.before}: {moved}; {counts}.{contents}"


def _number(number: Aggregate | None) -> str:
    if number is None or number.value is None:
        return "-"
    value = metric_text(number.metric, number.value)
    if number.low is None or number.high is None:
        return value
    return f"{value} ({metric_text(number.metric, number.low)} to {metric_text(number.metric, number.high)})"


_DIGITS = 6
_KEPT = metric_names(Use.HEADLINE)


def write_summary(report: Report, path: Path) -> None:
    """Write the contents of the page's tables as JSON; the same report gives the same bytes."""
    standings = report.standings.strategies if report.standings else ()
    strategies = {
        standing.strategy: {
            number.metric: _rounded(number.value)
            for number in standing.numbers
            if number.book == number.kind == ALL and number.metric in _KEPT
        }
        for standing in standings
    }
    expanded = [asdict(expansion) | {"delta": expansion.delta} for expansion in report.expanded_gold]
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


WORDS = (
    ("chunk", "a row of a table, or a passage of prose: what is searched and returned"),
    ("gold", "the chunks that answer a question, by the question file; a question fails if none of them ranks first"),
    ("query_must", "a row's condition on the question: the row for armor class 6 requires that the question names it"),
    ("guarded", "having a query_must; the filter excludes a guarded row if the question does not satisfy it"),
    ("noise", "rows that resemble the right one: other rows of its table, or of a table with the same columns"),
    ("snapshot", "an index of the whole library at one time; readers get the live one"),
    ("gate", "the checks that a snapshot must pass before it goes live"),
)
"""(word, meaning), in reading order."""

STRATEGY_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "bm25": "BM25 alone, no filter",
        "dense": "vectors alone, no filter",
        "hybrid": "0.4 BM25 + 0.6 vectors, each scaled to 0..1, no filter",
        "hybrid_graph": "hybrid with a boost for neighbours of its best chunks in the graph",
        "iterative": "vectors; excludes what query_must forbids and searches again",
        "prefilter": "vectors; applies query_must before the search",
        "default": ("the recommended strategy: prefilter, re-ranking, and context of the first row"),
    }
)
"""The descriptions of strategies in docs/reference/cli.md, without markup."""
