"""What the plotted numbers are, as records for a table beside them."""

from dataclasses import dataclass

from evals.evaluation import HEADLINE
from evals.metric_table import METRICS, meaning


@dataclass(frozen=True, slots=True)
class Explained:
    """One number. Key: number."""

    number: str
    better: str
    """`higher` or `lower`; empty where neither is."""
    what_it_is: str


RELAXATION_RATE = "relaxation_rate"

LEGEND = (
    *(Explained(each.name, each.better, meaning(each.name)) for each in METRICS if each.name in HEADLINE),
    Explained("mrr_live", "", "mrr of what is live, over the questions that both it and the candidate were asked"),
    Explained("mrr_delta", "higher", "mrr of the candidate over these questions, minus mrr_live"),
    Explained(
        RELAXATION_RATE,
        "lower",
        "share of the questions with conditions on metadata that lost one, because no document met them all",
    ),
)
"""The numbers of every strategy, and the three of the leaderboard."""
