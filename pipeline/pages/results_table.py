"""The README's table of results, made from `docs/results.json`: `python -m pipeline.pages.results_table`."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import typer

from evals.metric_table import Use, metric_text, names

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path("docs") / "results.json"
COLUMNS = names(Use.README)

_BLOCK = re.compile(r"(<!-- results:begin -->\n).*?(<!-- results:end -->)", re.DOTALL)


def results_table(results: Mapping[str, Mapping[str, float | None]]) -> str:
    """A markdown table, a line for each strategy; `results` maps strategy to metric to value, None is undefined."""
    lines = ["| strategy | " + " | ".join(COLUMNS) + " |", "|---|" + "---:|" * len(COLUMNS)]
    for strategy, metrics in results.items():
        cells = (metric_text(name, metrics.get(name)) for name in COLUMNS)
        lines.append(f"| `{strategy}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def with_table(readme: str, results: Mapping[str, Mapping[str, float | None]]) -> str:
    """The README's text with its table made again.

    Raises:
        ValueError: the markers are not there.
    """
    if not _BLOCK.search(readme):
        raise ValueError("README.md has no <!-- results:begin --> ... <!-- results:end -->; put the markers back")
    return _BLOCK.sub(lambda match: match[1] + results_table(results) + match[2], readme)


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
