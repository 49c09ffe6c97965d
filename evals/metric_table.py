"""All reported metrics in the order of reports: their meaning, which direction is better, and where they are shown.

They are computed elsewhere: for rankings in `metrics`, for filters in `noise`, and sums over questions in
`evals.aggregates`.
"""

from dataclasses import dataclass
from enum import Flag, auto
from typing import Literal

from evals.metrics import SHOWN
from evals.noise import NO_ANSWER_ACCURACY, NOISE, USEFUL


class Use(Flag):
    """The places where a metric is shown."""

    HEADLINE = auto()
    """Reported for every strategy: asset metadata, `querymust eval --json`, docs/results/results.json."""
    COMPARED = auto()
    """Compared by `eval --baseline` and the report; fewer tests keep more power after the correction."""
    REPORT = auto()
    """A column of the markdown tables that `python -m tools bench` prints."""
    TERMINAL = auto()
    """A column of the leaderboard that `querymust eval`, `build` and `quickstart` print."""
    README = auto()
    """A column of the README, and in the first lines of the report; not latency, which differs between machines."""
    PUBLISHED = auto()
    """Stored in docs/results/benchmarks.json; the next three are tables of docs/results/results.md."""
    RANKING = auto()
    FILTERING = auto()
    BY_KIND = auto()


@dataclass(frozen=True, slots=True)
class ReportedMetric:
    """One line of the table. Key: name."""

    name: str
    better: Literal["higher", "lower"]
    meaning: str
    """One line of docs/reference/assets.md."""
    uses: Use


_HIT = "share of the questions with a gold chunk among the first k"
_EVERYWHERE = Use.HEADLINE | Use.REPORT | Use.PUBLISHED
_KEPT = Use.HEADLINE | Use.PUBLISHED

METRICS = (
    ReportedMetric(
        "hit@1", "higher", _HIT, _EVERYWHERE | Use.COMPARED | Use.RANKING | Use.BY_KIND | Use.TERMINAL | Use.README
    ),
    ReportedMetric("hit@5", "higher", _HIT, _EVERYWHERE | Use.RANKING | Use.TERMINAL | Use.README),
    ReportedMetric("hit@10", "higher", _HIT, _EVERYWHERE | Use.RANKING | Use.BY_KIND),
    ReportedMetric(
        "mrr",
        "higher",
        "mean of 1 / rank of the first gold chunk, over the first 100",
        _EVERYWHERE | Use.COMPARED | Use.RANKING | Use.BY_KIND | Use.TERMINAL | Use.README,
    ),
    ReportedMetric(
        "ndcg@10",
        "higher",
        "discounted cumulative gain, relative to the best ranking",
        _EVERYWHERE | Use.RANKING | Use.BY_KIND | Use.TERMINAL,
    ),
    ReportedMetric(
        "graded_ndcg@10",
        "higher",
        "the same with the grades of the judges as gain, if a collection has grades",
        Use.PUBLISHED | Use.RANKING,
    ),
    ReportedMetric("recall@10", "higher", "share of the gold chunks among the first 10", _EVERYWHERE | Use.RANKING),
    ReportedMetric(
        f"precision@{SHOWN}",
        "higher",
        "gold chunks among the first 15, divided by 15; at most 0.067 if there is only one gold chunk",
        Use.HEADLINE,
    ),
    ReportedMetric(
        "f1",
        "higher",
        "harmonic mean of precision and recall over the first 15, as shown, not over the 100 that `--trec` writes",
        Use.HEADLINE,
    ),
    ReportedMetric(
        NOISE,
        "lower",
        "sibling rows of a gold row among the first 15: other rows of its table or of a sibling table; "
        "without gold, all rows with a predicate",
        _EVERYWHERE | Use.FILTERING | Use.BY_KIND | Use.TERMINAL | Use.README,
    ),
    ReportedMetric(
        USEFUL,
        "higher",
        "share of the first 15 that are gold rows, prose from their sections, or chunks that are linked to either",
        _EVERYWHERE | Use.FILTERING,
    ),
    ReportedMetric(
        "noise_reduction",
        "higher",
        "1 - noise with the filter / noise without it",
        _EVERYWHERE | Use.FILTERING | Use.README,
    ),
    ReportedMetric(
        "false_exclusions",
        "lower",
        "gold chunks that the filter excludes; must be 0",
        _EVERYWHERE | Use.FILTERING | Use.TERMINAL | Use.README,
    ),
    ReportedMetric(
        "recall_preserved", "higher", "`recall@10` with the filter / without it; 1 means no loss", _KEPT | Use.FILTERING
    ),
    ReportedMetric(
        "evaluability", "higher", "share of the questions with gold whose answers are all in the index", _KEPT
    ),
    ReportedMetric(
        "cross_book_contamination",
        "lower",
        "share of the results that are from another book than the gold",
        Use.HEADLINE,
    ),
    ReportedMetric(
        "answer_similarity",
        "higher",
        "highest cosine similarity, by `wordllama`, between the expected answer and any of the first 15 results",
        Use.HEADLINE,
    ),
    ReportedMetric(
        "wrong_row_rate",
        "lower",
        "share of the questions whose first result is a sibling row of the gold row",
        _KEPT | Use.FILTERING,
    ),
    ReportedMetric(
        NO_ANSWER_ACCURACY,
        "higher",
        "share of the questions without an answer for which nothing is returned; a single search always returns "
        "its nearest chunks",
        _KEPT,
    ),
    ReportedMetric("rounds", "lower", "rounds of `iterative` for a question, mean", Use.HEADLINE),
    ReportedMetric("excluded", "lower", "mean number of chunks that these rounds exclude for a question", Use.HEADLINE),
    ReportedMetric("round_ms", "lower", "median wall time of one of these rounds, including embedding", Use.HEADLINE),
    ReportedMetric("p50_ms", "lower", "wall time of a retrieval, median", _KEPT | Use.FILTERING | Use.TERMINAL),
    ReportedMetric("p95_ms", "lower", "wall time of a retrieval, 95th percentile", _KEPT),
)

_PLACES = {metric.name: position for position, metric in enumerate(METRICS)}


def names(use: Use) -> tuple[str, ...]:
    """Return the metrics with this use, in the order of reports."""
    return tuple(metric.name for metric in METRICS if use in metric.uses)


def meaning(name: str) -> str:
    """Return the meaning of a metric in one line without markup; empty if it is not in the table."""
    text = METRICS[_PLACES[name]].meaning if name in _PLACES else ""
    k = name.partition("@")[2]
    return (text.replace("first k", f"first {k}") if k else text).replace("`", "")


def metric_text(name: str, value: float | None) -> str:
    """Return a metric's value for tables: counts whole, milliseconds with one decimal, shares with three."""
    if value is None:
        return "-"
    if name == "false_exclusions":
        return f"{value:.0f}"
    return f"{value:.1f}" if name.endswith("_ms") or name.startswith("noise@") else f"{value:.3f}"


def report_place(name: str) -> int:
    """Return the place of a metric in the order of reports, after all others if it is not in the table."""
    return _PLACES.get(name, len(METRICS))


def sign(name: str) -> int:
    """Return 1 if higher values of the metric are better, -1 if lower ones are; 1 if it is not in the table."""
    return -1 if name in _PLACES and METRICS[_PLACES[name]].better == "lower" else 1
