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
