"""`querymust chunk`: rows and prose as chunks, in one file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import JsonOption
from pipeline.console.output import counted, out, print_json


def chunk(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN", help="What transform-tables left, or a library, a folder or a file.", show_default=False
        ),
    ],
    output: Annotated[Path, typer.Option("--output", metavar="FILE", help="JSON lines, one chunk each.")],
    json_: JsonOption = False,
) -> None:
    """Cut books into chunks: each table row with its query_must, and the prose around them.

    From what `transform-tables` left the rows are those; from books themselves they are made by the rules.

    \b
    Examples:
      querymust chunk rows --output chunks.jsonl
      querymust chunk guide.md --output chunks.jsonl
    """
    from pipeline.building.stages import cut_books
    from retrieval.records import write_jsonl

    chunks = [each for _, cut in cut_books(source) for each in cut]
    write_jsonl(output.expanduser(), chunks)
    kinds = Counter(each.kind for each in chunks)
    guarded = sum(each.query_must is not None for each in chunks)
    if json_:
        print_json({"chunks": len(chunks), "kinds": kinds, "guarded": guarded})
        return
    out.print(f"{counted(len(chunks), 'chunk')}, {guarded:,} with a query_must, in {output}", markup=False)
