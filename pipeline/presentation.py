"""How a retrieval is shown: as lines for a person and as JSON values for a program."""

from dataclasses import asdict

from pipeline.console import out
from retrieval.types import Hit, Retrieval

_SHOWN = 110


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
    """Why each chunk that was looked at was kept or excluded, and how long each stage took."""
    receipt = retrieval.receipt
    out.print(f"\nquestion as the predicates saw it: {receipt.canonical}", markup=False)
    for decision in receipt.decisions:
        word = "KEEP" if decision.kept else "EXCLUDE"
        out.print(f"{word:<8}{decision.title}: {decision.reason}", markup=False)
    for hit in retrieval.hits:
        parts = ", ".join(f"{name} {value:.4f}" for name, value in hit.evidence.items())
        out.print(f"score {hit.rank}: {hit.score:.4f} = {parts}", markup=False)
    stages = ", ".join(f"{stage.name} {stage.milliseconds:.1f} ms" for stage in receipt.stages)
    out.print(f"{receipt.rounds} round(s), {receipt.excluded} excluded; {stages}", markup=False)


def beginning(text: str) -> str:
    """The first words of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
