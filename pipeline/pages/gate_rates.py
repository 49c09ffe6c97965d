"""The table of the gate in `docs/evals.md`, made from `docs/gate_rates.json`: `python -m pipeline.pages.gate_rates`.

The file is what `querymust bench gate --json` printed.
"""

import json
import re
from pathlib import Path

import typer

from pipeline.bench.gate import GateReport

ROOT = Path(__file__).resolve().parents[2]
PAGE, RATES = Path("docs") / "evals.md", Path("docs") / "gate_rates.json"

_BLOCK = re.compile(r"(<!-- rates:begin -->\n).*?(<!-- rates:end -->)", re.DOTALL)


def read_rates(path: Path) -> GateReport:
    """What `querymust bench gate --json` printed."""
    return GateReport.of(json.loads(path.read_text("utf-8")))


def with_rates(page: str, report: GateReport) -> str:
    """The page's text with its table made again.

    Raises:
        ValueError: the markers are not there.
    """
    if not _BLOCK.search(page):
        raise ValueError(f"{PAGE} has no <!-- rates:begin --> ... <!-- rates:end -->; put the markers back")
    table = "\n".join(report.lines()) + "\n"
    return _BLOCK.sub(lambda match: match[1] + table + match[2], page)


def main() -> None:
    """Write the table into the page."""
    page = ROOT / PAGE
    page.write_text(with_rates(page.read_text("utf-8"), read_rates(ROOT / RATES)), "utf-8")
    typer.echo(f"{page.name}: table made from {RATES}")


if __name__ == "__main__":
    main()
