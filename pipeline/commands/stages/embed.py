"""`querymust embed`: a file of chunks into a collection of Chroma."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import counted, out, print_json


def embed(
    source: Annotated[Path, typer.Argument(metavar="IN", help="What chunk wrote.", show_default=False)],
    collection: Annotated[
        str, typer.Argument(metavar="COLLECTION", help="Name of the collection.", show_default=False)
    ],
    truncate: Annotated[bool, typer.Option("--truncate", help="Empty the collection first; else add to it.")] = False,
    chroma: Annotated[
        str, typer.Option("--chroma", metavar="PLACE", help="Folder of Chroma's files, or http://HOST:PORT.")
    ] = "chroma",
    embedder: Annotated[str | None, typer.Option("--embedder", help="wordllama, minilm, openai or st:MODEL.")] = None,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Embed chunks and put them into a Chroma collection, each with its query_must as JSON text in its metadata.

    Vectors are kept in the home and made once. A chunk that the collection has already is replaced. The collection is
    emptied only once every vector is there. `querymust collections search` asks it.

    \b
    Examples:
      querymust embed chunks.jsonl handbook --truncate
      querymust embed chunks.jsonl handbook --chroma http://127.0.0.1:8000 --embedder openai
    """
    from pipeline.building.plan import cost_of
    from pipeline.building.stages import read_chunks
    from retrieval.contract_settings import embedder_of
    from retrieval.home import Home
    from retrieval.index.chroma.filling import fill
    from retrieval.index.embedding.embedders import load_embedder
    from retrieval.index.embedding.embedding_store import EmbeddingStore, embed_missing, vectors_of

    opened, chunks = Home.at(home), read_chunks(source)
    maker = load_embedder(embedder_of(embedder) if embedder else opened.settings.embedder)
    store = EmbeddingStore(opened.embeddings, maker.identity)
    cost = cost_of(store, maker, chunks)
    cost.require_within(opened.settings.budget_usd)
    embed_missing(store, maker, chunks)
    records = fill(chroma, collection, chunks, vectors_of(store, chunks), truncate=truncate)
    guarded = sum(each.query_must is not None for each in chunks)
    if json_:
        print_json(
            {"chunks": len(chunks), "guarded": guarded, "records": records, "tokens": cost.tokens, "usd": cost.usd}
        )
        return
    out.print(
        f"{counted(len(chunks), 'chunk')} in {collection!r} of {chroma}, {guarded:,} with a query_must; it has "
        f"{counted(records, 'record')}",
        markup=False,
    )
