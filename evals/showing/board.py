"""The leaderboard at a glance, as a markdown table that is short enough to be shown at once."""

from collections.abc import Mapping

from evals.metric_table import metric_text
from evals.noise import NOISE
from evals.showing.since_live import SinceLive

BOARD_METRICS = ("mrr", "hit@1", "hit@5", NOISE, "false_exclusions")
"""With the strategy and the difference to live seven columns; a window that is not wide cuts the last ones off."""


def board(headline: Mapping[str, Mapping[str, float | None]], since: Mapping[str, SinceLive], shipped: str) -> str:
    """A line for each strategy, `shipped` in bold; one sentence where nothing was scored.

    Args:
        headline: strategy to metric to value.
        since: what the strategies did on what is live; one that is not there has nothing to be compared with.
        shipped: the strategy that readers get.
    """
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
        lines.append(f"| {' | '.join(f'**{cell}**' if name == shipped else cell for cell in cells)} |")
    return "\n".join(lines)
