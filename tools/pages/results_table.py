"""The README's table of results, made from `docs/results/results.json`: `python -m tools.pages.results_table`."""

import json
from collections.abc import Mapping
from pathlib import Path

import typer

from evals.metric_table import Use, metric_text, names
from tools.pages.marked_blocks import with_blocks

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path("docs") / "results" / "results.json"
COLUMNS = names(Use.README)


def results_table(results: Mapping[str, Mapping[str, float | None]]) -> str:
    """A markdown table, a line for each strategy; `results` maps strategy to metric to value, None is undefined."""
    lines = ["| strategy | " + " | ".join(COLUMNS) + " |", "|---|" + "---:|" * len(COLUMNS)]
    for strategy, metrics in results.items():
        cells = (metric_text(name, metrics.get(name)) for name in COLUMNS)
        lines.append(f"| `{strategy}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def with_table(readme: str, results: Mapping[str, Mapping[str, float | None]]) -> str:
    """The README's text with its table made again. Raises ValueError where its markers are not there."""
    return with_blocks(readme, {"results": results_table(results)})


def read_results(path: Path) -> Mapping[str, Mapping[str, float | None]]:
    """The strategies of what `querymust eval --json` printed."""
    strategies: Mapping[str, Mapping[str, float | None]] = json.loads(path.read_text("utf-8"))["strategies"]
    return strategies


def main() -> None:
    """Write the table into the README."""
    readme = ROOT / "README.md"
    readme.write_text(with_table(readme.read_text("utf-8"), read_results(ROOT / RESULTS)), "utf-8")
    typer.echo(f"{readme.name}: table made from {RESULTS}")


if __name__ == "__main__":
    main()
