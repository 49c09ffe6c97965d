"""The table of `docs/contract.md`, made from `docs/contract_times.json`: `python -m pipeline.pages.contract_times`.

The file is what `querymust bench contract --json` printed.
"""

import json
import re
from pathlib import Path

import typer

from pipeline.bench.contract.report import ContractReport

ROOT = Path(__file__).resolve().parents[2]
PAGE, TIMES = Path("docs") / "contract.md", Path("docs") / "contract_times.json"

_BLOCK = re.compile(r"(<!-- times:begin -->\n).*?(<!-- times:end -->)", re.DOTALL)


def read_times(path: Path) -> ContractReport:
    """What `querymust bench contract --json` printed."""
    return ContractReport.of(json.loads(path.read_text("utf-8")))


def with_times(page: str, report: ContractReport) -> str:
    """The page's text with its table made again.

    Raises:
        ValueError: the markers are not there.
    """
    if not _BLOCK.search(page):
        raise ValueError(f"{PAGE} has no <!-- times:begin --> ... <!-- times:end -->; put the markers back")
    table = "\n".join(report.lines()) + "\n"
    return _BLOCK.sub(lambda match: match[1] + table + match[2], page)


def main() -> None:
    """Write the table into the page."""
    page = ROOT / PAGE
    page.write_text(with_times(page.read_text("utf-8"), read_times(ROOT / TIMES)), "utf-8")
    typer.echo(f"{page.name}: table made from {TIMES}")


if __name__ == "__main__":
    main()
