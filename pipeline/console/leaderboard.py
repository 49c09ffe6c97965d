"""How a leaderboard and its numbers are shown in a terminal."""

from collections.abc import Mapping

from rich.table import Table

from pipeline.console.output import out


def print_leaderboard(leaderboard: Mapping[str, Mapping[str, float | None]]) -> None:
    """A line for each strategy; `-` where a metric is undefined."""
    from evals.metric_table import Use, metric_text, names

    if not leaderboard:
        out.print("No questions, so no strategy was scored.")
        return
    shown = names(Use.TERMINAL)
    out.print("Strategies on the questions with gold\n", style="bold")
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("strategy", no_wrap=True)
    for name in shown:
        table.add_column(name, justify="right", no_wrap=True)
    for strategy, metrics in leaderboard.items():
        table.add_row(strategy, *(metric_text(name, metrics.get(name)) for name in shown))
    out.print(table)


def print_better_strategy(leaderboard: Mapping[str, Mapping[str, float | None]], used: str) -> None:
    """Which strategy has a higher mrr than the one that the home searches with, and how to choose it; often nothing.

    Args:
        leaderboard: metrics by strategy.
        used: what the settings of the home name.
    """
    mrr = {name: value for name, metrics in leaderboard.items() if (value := metrics.get("mrr")) is not None}
    best = max(mrr, key=lambda name: (mrr[name], name == used, name), default=used)
    if used in mrr and best != used:
        out.print(f"\n{best} has a higher mrr than {used} here ({mrr[best]:.3f}, {mrr[used]:.3f}). {choosing(best)}")


def choosing(strategy: str) -> str:
    """The sentence that says how to search with a strategy."""
    return f"To search with it, write `strategy: {strategy}` into rag.yaml of the home, or give --strategy {strategy}."
