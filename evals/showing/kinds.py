"""One strategy's numbers by kind of question, as lines of a table."""

from evals.evaluation import Evaluation
from evals.metric_table import Use, names
from evals.statistics.aggregates import ALL

SHOWN = names(Use.BY_KIND)


def by_kind(scores: Evaluation, strategy: str) -> tuple[dict[str, str | int | float | None], ...]:
    """A line for all questions, then one for each kind: `kind`, `n` questions, and all metrics of `SHOWN`."""
    found = [each for each in scores.breakdown(strategy) if each.book == ALL and each.metric in SHOWN]
    return tuple(
        {
            "kind": "all" if kind == ALL else kind,
            "n": max(each.n for each in found if each.kind == kind),
            **dict.fromkeys(SHOWN),
            **{each.metric: each.value for each in found if each.kind == kind},
        }
        for kind in dict.fromkeys(each.kind for each in found)
    )
