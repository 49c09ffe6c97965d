"""`querymust collections`: searches several Chroma collections that other programs filled."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import CommandList, JsonOption, KOption
from pipeline.console.output import out, print_json
from retrieval.errors import InvalidQueryError
from retrieval.settings import DEFAULT_EMBEDDER
from retrieval.strategy import DEFAULT_K

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.language.vocabulary import Vocabulary

app = typer.Typer(
    cls=CommandList,
    help="Search Chroma collections that other programs filled.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

ChromaOption = Annotated[
    str,
    typer.Option(
        "--chroma", metavar="PLACE", help="Folder with Chroma's files, or http://HOST:PORT.", show_default=False
    ),
]


@app.command("list")
def list_collections(chroma: ChromaOption, json_: JsonOption = False) -> None:
    """List the collections of a Chroma database, with their records, guarded records and dimensions.

    \b
    Examples:
      querymust collections list --chroma chroma
      querymust collections list --chroma http://127.0.0.1:8000 --json
    """
    from retrieval.index.chroma import facts, open_chroma

    with open_chroma(chroma) as client:
        collections = facts(client)
    if json_:
        print_json([asdict(collection) for collection in collections])
        return
    for collection in collections:
        vectors = "no vectors" if collection.dimensions is None else f"{collection.dimensions} dimensions"
        out.print(f"{collection.name}: {collection.records:,} records, {collection.guarded:,} guarded, {vectors}")
    if not collections:
        out.print("no collections")


@app.command("search")
def search_collections(
    question: Annotated[str, typer.Argument(help="What you want to know, in plain words.", show_default=False)],
    chroma: ChromaOption,
    collection: Annotated[
        list[str] | None,
        typer.Option(
            "--collection",
            metavar="NAME[=FILE]",
            help="A collection, optionally with its own vocabulary.toml; can be repeated. Default: all.",
        ),
    ] = None,
    k: KOption = DEFAULT_K,
    max_iterations: Annotated[int, typer.Option("--max-iterations", min=1, help="Maximum number of rounds.")] = 3,
    noisy_weight: Annotated[
        float, typer.Option("--noisy-weight", help="Below 1, records with is_noisy rank lower.")
    ] = 1.0,
    embedder: Annotated[str, typer.Option("--embedder", help="The model that made the vectors.")] = DEFAULT_EMBEDDER,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show why each chunk was kept or excluded, round by round.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Search several collections at once, and print the closest records first.

    Records whose query_must (JSON text in their metadata) the question does not satisfy are excluded, and the
    collections are searched again to replace them. Each collection reads the question with its own vocabulary.

    \b
    Examples:
      querymust collections search "to hit AC 6" --chroma chroma
      querymust collections search "to hit AC 6" --chroma chroma --collection handbook --collection monsters
      querymust collections search "to hit defence 6" --chroma chroma --collection handbook=handbook.toml --debug
      querymust collections search "to hit AC 6" --chroma http://127.0.0.1:8000 --embedder openai --json
    """
    from pipeline.console.hits import neighbour_record, print_neighbours
    from retrieval.index.chroma import open_chroma
    from retrieval.index.embedding.embedders import load_embedder
    from retrieval.search.foreign import retrieve_with_iterative_filtering
    from retrieval.search.receipt import debug_lines

    named, vocabularies = _named(collection or ())
    with open_chroma(chroma) as client:
        outcome = retrieve_with_iterative_filtering(
            question,
            named or sorted(collection.name for collection in client.list_collections()),
            k,
            max_iterations,
            client=client,
            embedder=load_embedder(embedder),
            vocabulary=vocabularies,
            noisy_weight=noisy_weight,
        )
    if json_:
        hits = [neighbour_record(hit, rank) for rank, hit in enumerate(outcome.kept, start=1)]
        record = {"query": question, "readings": dict(outcome.readings), "hits": hits}
        print_json(record | {"receipt": asdict(outcome.receipt)})
        return
    print_neighbours(outcome.kept)
    if debug:
        out.print()
        for line in debug_lines(outcome):
            out.print(line)


def _named(given: Sequence[str]) -> tuple[list[str], dict[str, Vocabulary]]:
    """Return the names, and the vocabularies of the collections that have their own."""
    from retrieval.language.vocabulary import load_vocabulary

    names: list[str] = []
    vocabularies = {}
    for option in given:
        # A collection's name has no `=`: Chroma allows only letters, digits and ._-.
        name, own, file = option.partition("=")
        if name in names:
            raise InvalidQueryError(f"--collection names {name!r} twice; name it once")
        names.append(name)
        if own:
            vocabularies[name] = load_vocabulary(Path(file).expanduser())
    return names, vocabularies
