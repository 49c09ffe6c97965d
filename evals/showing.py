"""Tables and charts of scores as markdown, for the metadata of Dagster assets."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from evals.aggregates import ALL
from evals.evaluation import HEADLINE, SHIPPED, Evaluation
from evals.failures import Read, failures
from evals.gate import live_scores
from evals.metric_table import METRICS, Use, meaning, metric_text, names
from evals.noise import NOISE, Relatives
from evals.questions.questions import QuestionKey
from evals.score_store import ScoreStore
from evals.scored_questions import ScoredQuestion
from retrieval.home import Home


@dataclass(frozen=True, slots=True)
class SinceLive:
    """`mrr` of one strategy on the candidate and on the live snapshot, over the same questions."""

    candidate: float
    live: float

    @property
    def delta(self) -> float:
        """The candidate's minus the live one's; above 0 the candidate is better."""
        return self.candidate - self.live


def since_live(home: Home, candidate: Evaluation) -> dict[str, SinceLive]:
    """Compare the `mrr` of each strategy with its `mrr` on the live snapshot, over the questions that both were asked.

    For strategies other than `default` the scores kept from the time are used. A strategy without a shared question is
    omitted.
    """
    live = live_scores(home).evaluation
    if live is None:
        return {}
    store, by_strategy = ScoreStore(home.evaluations), {}
    for name in dict.fromkeys(row.strategy for row in candidate.headline_rows()):
        before = _mrr(live.rows(name) if name == SHIPPED else store.of_snapshot(live.snapshot, name))
        now = _mrr(row for row in candidate.headline_rows() if row.strategy == name)
        shared = [key for key in now if key in before]
        if shared:
            by_strategy[name] = SinceLive(*(fmean(mrrs[key] for key in shared) for mrrs in (now, before)))
    return by_strategy


def _mrr(rows: Iterable[ScoredQuestion]) -> dict[QuestionKey, float]:
    return {row.key: row.values["mrr"] for row in rows if "mrr" in row.values}


BOARD_METRICS = ("mrr", "hit@1", "hit@5", NOISE, "false_exclusions")
"""With the strategy and the difference from live there are seven columns; a narrow window hides the last ones."""


def board(headline: Mapping[str, Mapping[str, float | None]], since: Mapping[str, SinceLive]) -> str:
    """Return a table with a line for each strategy, that of readers in bold; one sentence if nothing was scored."""
    if not headline:
        return "No questions were given, so nothing was scored."
    first, *others = BOARD_METRICS
    lines = [
        f"| strategy | {first} | {first} - live | {' | '.join(others)} |",
        "|---|" + "--:|" * (len(BOARD_METRICS) + 1),
    ]
    for name, metrics in headline.items():
        number, *numbers = [metric_text(metric, metrics.get(metric)) for metric in BOARD_METRICS]
        cells = [name, number, f"{round(since[name].delta, 3) + 0.0:+.3f}" if name in since else "-", *numbers]
        lines.append(f"| {' | '.join(f'**{cell}**' if name == SHIPPED else cell for cell in cells)} |")
    return "\n".join(lines)


MOST_POINTS = 12
"""Number of points that fit; of a longer line the last ones are drawn."""
COLOURS = ("#6b5bd6", "#d9822b")
"""Line colours, both visible on a white and on a black page."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 314, 18, 80


@dataclass(frozen=True, slots=True)
class Curve:
    """A chart of one or two lines over the same places."""

    places: Sequence[str]
    """Labels; those of the first and the last place are written below the chart."""
    lines: Mapping[str, Sequence[float | None]]
    """Name to a value for each place; None leaves a gap."""

    def image(self) -> str:
        """Return the chart as markdown; empty if there is nothing to draw."""
        drawn = self._last()
        if not any(value is not None for line in drawn.lines.values() for value in line):
            return ""
        encoded = b64encode(drawn._svg().encode()).decode()
        return f"![{', '.join(drawn.lines)}](data:image/svg+xml;base64,{encoded})"

    def _last(self) -> "Curve":
        cut = max(0, len(self.places) - MOST_POINTS)
        return Curve(self.places[cut:], {name: line[cut:] for name, line in self.lines.items()})

    def _svg(self) -> str:
        values = [value for line in self.lines.values() for value in line if value is not None]
        low, high = min(values), max(values)
        steps = [self._x(number) for number in range(len(self.places))]
        parts = [_text(0, _TOP + 3, f"{high:.3f}"), _text(0, _BOTTOM + 3, f"{low:.3f}")]
        parts += [_text(_LEFT, 96, self.places[0])] if len(steps) > 1 else []
        parts += [_text(_RIGHT, 96, self.places[-1], "end")]
        drawn = []
        for number, (name, line) in enumerate(self.lines.items()):
            points = [(x, _y(value, low, high)) for x, value in zip(steps, line, strict=True) if value is not None]
            path = "M" + "L".join(f"{x} {y}" for x, y in points) + "h0"  # a single point shows as a round line end
            if points:
                drawn.append(f'<path d="{path}" stroke="{COLOURS[number]}"/>')
            parts.append(_text(_LEFT + 90 * number, 9, name, fill=COLOURS[number]))
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 98" width="480">'
            f'<g style="font:9px Arial" fill="#888">{"".join(parts)}</g>'
            f'<g fill="none" stroke-width="3" stroke-linecap="round">{"".join(drawn)}</g></svg>'
        )

    def _x(self, number: int) -> int:
        last = len(self.places) - 1
        return _LEFT + round(number * (_RIGHT - _LEFT) / last) if last else (_LEFT + _RIGHT) // 2


def _y(value: float, low: float, high: float) -> int:
    share = (value - low) / (high - low) if high > low else 0.5
    return round(_BOTTOM - share * (_BOTTOM - _TOP))


def _text(x: int, y: int, text: str, anchor: str = "", fill: str = "") -> str:
    more = (f' text-anchor="{anchor}"' if anchor else "") + (f' fill="{fill}"' if fill else "")
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x}" y="{y}"{more}>{escaped}</text>'


SHOWN = names(Use.BY_KIND)


def by_kind(scores: Evaluation, strategy: str) -> tuple[dict[str, str | int | float | None], ...]:
    """Return a row for all questions, then one for each kind: `kind`, `n` questions, and all metrics of `SHOWN`."""
    aggregates = [
        aggregate for aggregate in scores.breakdown(strategy) if aggregate.book == ALL and aggregate.metric in SHOWN
    ]
    return tuple(
        {
            "kind": "all" if kind == ALL else kind,
            "n": max(aggregate.n for aggregate in aggregates if aggregate.kind == kind),
            **dict.fromkeys(SHOWN),
            **{aggregate.metric: aggregate.value for aggregate in aggregates if aggregate.kind == kind},
        }
        for kind in dict.fromkeys(aggregate.kind for aggregate in aggregates)
    )


@dataclass(frozen=True, slots=True)
class Explained:
    """The explanation of one number. Key: number."""

    number: str
    better: str
    """`higher` or `lower`; empty if neither is better."""
    what_it_is: str


RELAXATION_RATE = "relaxation_rate"

LEGEND = (
    *(Explained(metric.name, metric.better, meaning(metric.name)) for metric in METRICS if metric.name in HEADLINE),
    Explained("mrr_live", "", "mrr of what is live, over the questions that both it and the candidate were asked"),
    Explained("mrr_delta", "higher", "mrr of the candidate over these questions, minus mrr_live"),
    Explained(
        RELAXATION_RATE,
        "lower",
        "share of the questions with conditions on metadata that lost one, because no document met them all",
    ),
)
"""The numbers of every strategy, and the three of the leaderboard."""


@dataclass(frozen=True, slots=True)
class ScoredSnapshot:
    """The scores of a snapshot. Key: snapshot."""

    snapshot: str
    when: str
    mrr: float | None
    mrr_live: float | None


def trend(judged: Iterable[ScoredSnapshot]) -> str:
    """Return a chart in markdown of the last snapshots, which are given newest first.

    A snapshot that was scored twice counts with its later scores.
    """
    by_snapshot: dict[str, ScoredSnapshot] = {}
    for scored_snapshot in judged:
        by_snapshot.setdefault(scored_snapshot.snapshot, scored_snapshot)
    points = list(by_snapshot.values())[::-1]
    scored = [point.mrr for point in points if point.mrr is not None]
    if len(points) == 1 and scored:
        return f"mrr {scored[0]:.3f} on the first snapshot that was scored; a picture begins with the second."
    lines = {"mrr": [point.mrr for point in points], "mrr of live": [point.mrr_live for point in points]}
    return Curve([point.when for point in points], lines).image() or "Nothing was scored yet."


MOST = 10


TableLine = dict[str, str | int | None]
"""A line of a table, by column."""
WORST = ("question", "asked", "rank", "why", "first", "gold", "kind", "noise")
"""Columns of the worst questions; the most important ones come first, because a narrow window hides the right."""


def worst_questions(rows: Sequence[ScoredQuestion], relatives: Relatives, read: Read) -> tuple[TableLine, ...]:
    """Return a line for each of at most ten failures of one strategy, in the columns `WORST`.

    Excluded gold comes first, then by descending rank of the gold (None if it is not among the first 100) and noise
    (number of siblings of the right row among the first 15). `first` and `gold` are titles of chunks.
    """
    failed = sorted(
        failures(rows, relatives, read),
        key=lambda failure: (
            not failure.row.excluded_gold,
            -(failure.row.gold_rank or float("inf")),
            -failure.row.values.get(NOISE, 0.0),
            failure.row.question_id,
        ),
    )
    return tuple(
        {
            "question": failure.row.question_id,
            "asked": failure.row.query,
            "rank": failure.row.gold_rank,
            "why": "; ".join(failure.why) or "merely ranked lower",
            "first": failure.first.title if failure.first else "",
            "gold": failure.gold[0].title if failure.gold else "",
            "kind": failure.row.kind,
            "noise": int(failure.row.values.get(NOISE, 0.0)),
        }
        for failure in failed[:MOST]
    )
