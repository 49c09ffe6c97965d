"""How a retrieval is shown: as lines for a person and as JSON values for a program."""

from collections.abc import Mapping
from dataclasses import asdict

from rich.table import Table

from pipeline.console.output import out
from retrieval.types import Hit, Retrieval

_SHOWN = 110

LEADERBOARD_METRICS = ("hit@1", "hit@5", "mrr", "ndcg@10", "noise@15", "false_exclusions", "p50_ms")
"""Columns of the leaderboard in a terminal of 80 characters; `eval --json` has every metric."""


def hit_record(hit: Hit) -> dict[str, object]:
    """A hit as JSON values, its chunk's text included."""
    chunk = hit.chunk
    return {
        "rank": hit.rank,
        "score": round(hit.score, 6),
        "id": chunk.id,
        "title": chunk.title,
        "kind": chunk.kind,
        "book": chunk.book,
        "document": chunk.document,
        "lines": list(chunk.lines),
        "heading_path": list(chunk.heading_path),
        "query_must": chunk.query_must,
        "evidence": {name: round(value, 6) for name, value in hit.evidence.items()},
        "addends": [
            {"name": each.name, "value": each.value, "weight": each.weight, "contribution": each.contribution}
            for each in hit.addends
        ],
        "text": chunk.text,
    }


def retrieval_record(retrieval: Retrieval) -> dict[str, object]:
    """A retrieval and its receipt as JSON values."""
    return {
        "query": retrieval.query,
        "strategy": retrieval.strategy,
        "hits": [hit_record(hit) for hit in retrieval.hits],
        "receipt": asdict(retrieval.receipt),
    }


def print_retrieval(retrieval: Retrieval) -> None:
    """Each hit on two lines: what it is called, and where it stands and begins."""
    if not retrieval.hits:
        out.print("No chunk answers this question.")
    for hit in retrieval.hits:
        chunk = hit.chunk
        guard = " [guarded]" if chunk.query_must else ""
        out.print(f"{hit.rank:>3}. {hit.score:.4f}  {chunk.title}{guard}", markup=False, style="bold")
        place = f"{chunk.book}/{chunk.document}:{chunk.lines[0]}"
        out.print(f"     {place}  {chunk.id}", markup=False, style="dim")
        out.print(f"     {beginning(chunk.source or chunk.text)}", markup=False)


def print_receipt(retrieval: Retrieval) -> None:
    """Why each chunk that was looked at was kept or excluded, what each score is made of, and where the time went."""
    from retrieval.search.receipt.transcript import debug_lines

    out.print()
    for line in debug_lines(retrieval):
        out.print(line, markup=False)


def beginning(text: str) -> str:
    """The first words of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def print_leaderboard(leaderboard: Mapping[str, Mapping[str, float | None]]) -> None:
    """A line for each strategy; `-` where a metric is undefined."""
    if not leaderboard:
        out.print("No questions, so no strategy was scored.")
        return
    out.print("Strategies on the questions with gold\n", style="bold")
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("strategy", no_wrap=True)
    for name in LEADERBOARD_METRICS:
        table.add_column(name, justify="right", no_wrap=True)
    for strategy, metrics in leaderboard.items():
        table.add_row(strategy, *(metric_text(name, metrics.get(name)) for name in LEADERBOARD_METRICS))
    out.print(table)


def metric_text(name: str, value: float | None) -> str:
    """A metric as it stands in tables: counts whole, milliseconds with one decimal, shares with three."""
    if value is None:
        return "-"
    if name == "false_exclusions":
        return f"{value:.0f}"
    return f"{value:.1f}" if name.endswith("_ms") or name.startswith("noise@") else f"{value:.3f}"
