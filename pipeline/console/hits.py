"""How hits and their receipt are shown: as lines for a person and as JSON values for a program."""

from collections.abc import Callable
from dataclasses import asdict

from rich.text import Text

from pipeline.console.chunk_view import brief, long_title, whole
from pipeline.console.output import out
from retrieval.search.companions import COMPANION
from retrieval.types import Chunk, Hit, Retrieval

INDENT = 5
"""Columns before all lines of a hit but the first."""
ShortId = Callable[[str], str]
"""The beginning of a chunk's id that is enough to tell it from all others."""


def chunk_record(chunk: Chunk, short_id: ShortId) -> dict[str, object]:
    """A chunk as JSON values."""
    return {
        "id": chunk.id,
        "short_id": short_id(chunk.id),
        "title": chunk.title,
        "kind": chunk.kind,
        "book": chunk.book,
        "document": chunk.document,
        "lines": list(chunk.lines),
        "heading_path": list(chunk.heading_path),
        "caption": chunk.caption,
        "row_key": chunk.row_key,
        "columns": list(chunk.columns),
        "cells": list(chunk.cells),
        "query_must": chunk.query_must,
        "text": chunk.text,
    }


def hit_record(hit: Hit, short_id: ShortId) -> dict[str, object]:
    """A hit as JSON values, its chunk included."""
    addends = [asdict(each) | {"contribution": each.contribution} for each in hit.addends]
    evidence = {name: round(value, 6) for name, value in hit.evidence.items()}
    score = {"rank": hit.rank, "score": round(hit.score, 6)}
    return score | chunk_record(hit.chunk, short_id) | {"evidence": evidence, "addends": addends}


def retrieval_record(retrieval: Retrieval, short_id: ShortId) -> dict[str, object]:
    """A retrieval and its receipt as JSON values."""
    return {
        "query": retrieval.query,
        "strategy": retrieval.strategy,
        "hits": [hit_record(hit, short_id) for hit in retrieval.hits],
        "receipt": asdict(retrieval.receipt),
    }


def print_retrieval(retrieval: Retrieval, short_id: ShortId, *, full: bool = False) -> None:
    """Each hit: where it belongs, its short id and place, and what it says; in a pipe on three lines.

    Args:
        retrieval: what was found.
        short_id: from an id to the beginning that no other id has.
        full: show all that is known of each chunk.
    """
    if not retrieval.hits:
        out.print("No chunk answers this question.")
    width = out.width - INDENT if out.is_terminal else None
    for hit in retrieval.hits:
        chunk = hit.chunk
        guard = " [guarded]" if chunk.query_must else ""
        beside = " [beside]" if any(each.name == COMPANION and each.value for each in hit.addends) else ""
        title = Text(f"{hit.rank:>3}. {hit.score:.4f}  {long_title(chunk)}{guard}{beside}", style="bold")
        for number, line in enumerate(title.wrap(out, width) if width else [title]):
            out.print(line if number == 0 else Text(" " * INDENT) + line)
        print_place(chunk, short_id)
        for line in whole(chunk, width) if full else brief(chunk, width):
            out.print(Text(" " * INDENT) + line)


def print_place(chunk: Chunk, short_id: ShortId) -> None:
    """The short id, and the lines of the file that the chunk was made from."""
    first, last = chunk.lines
    lines = f"{first}" if first == last else f"{first}-{last}"
    place = f"{short_id(chunk.id)}  {chunk.book}/{chunk.document}:{lines}"
    out.print(Text(" " * INDENT + place, style="dim"))


def print_receipt(retrieval: Retrieval) -> None:
    """Why each chunk that was looked at was kept or excluded, what each score is made of, and where the time went."""
    from retrieval.search.receipt.transcript import debug_lines

    out.print()
    for line in debug_lines(retrieval):
        out.print(line, markup=False)
