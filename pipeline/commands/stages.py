"""`querymust transform-tables`, `chunk`, `describe-passages` and `embed`: single stages, outside a home."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import (
    DEFAULT_HOME,
    BudgetOption,
    DryRunOption,
    HomeOption,
    JsonOption,
    ModelOption,
    asked_model,
)
from pipeline.console.output import counted, err, first_of, out, print_estimate, print_json
from retrieval.errors import LibraryError
from retrieval.types import Book, Chunk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.building.stages import Source
    from retrieval.ingest.model_passages.describing import DescribedChunks, ModelPassages
    from retrieval.ingest.model_tables.transforming import ModelTables, Transformed
    from retrieval.ingest.parsed_book import ParsedBook
    from retrieval.settings import Settings


SourceArgument = Annotated[
    Path, typer.Argument(metavar="IN", help="Library, folder of markdown, or one markdown file.", show_default=False)
]
RowsArgument = Annotated[
    Path,
    typer.Argument(
        metavar="IN", help="Output of transform-tables, or a library, a folder or a file.", show_default=False
    ),
]


def transform(
    source: SourceArgument,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="DIR", help="Folder for the rows, with one folder per book.")
    ] = None,
    table_list: Annotated[
        Path | None,
        typer.Option(
            "--table-list", metavar="FILE", help="File with captions, headings or file.md:LINE, one per line."
        ),
    ] = None,
    home: HomeOption = DEFAULT_HOME,
    model: ModelOption = None,
    budget: BudgetOption = None,
    names: Annotated[
        bool, typer.Option("--names", help="Ask only for the names that people use for rows; the rules do the rest.")
    ] = False,
    batch: Annotated[
        bool, typer.Option("--batch", help="Send all tables of a book as one batch: half the price, but up to a day.")
    ] = False,
    dry_run: DryRunOption = False,
    json_: JsonOption = False,
) -> None:
    """Have a model read tables, and check every cell of its answer against the book.

    If an answer fails the check or a table is not chosen, the rules make its rows. Without a list, the tables are
    chosen whose rows a question can name. The key is OPENAI_API_KEY; without it, the rules make all rows, and the
    command says so. The home stores the answers: you never pay twice for the same table.
    --batch waits until the batch is done. After Ctrl-C, the next run continues to wait for it.

    \b
    Examples:
      querymust transform-tables books --dry-run
      querymust transform-tables guide.md --table-list tables.md --output rows --budget 0.50
      querymust transform-tables guide.md --names --output rows
    """
    from pipeline.building.model_work import reader_of
    from pipeline.building.stages import read_source
    from retrieval.files.locks import write_lock
    from retrieval.home import Home
    from retrieval.ingest.parsed_book import parse_book
    from retrieval.models.access import Access

    opened = Home.at(home)
    settings = _settings(asked_model(opened.settings, model, budget), table_list, names=names)
    reader = reader_of(settings, Access.of_environment(), opened.models, batch=batch)
    read = read_source(source)
    parsed = {book.slug: parse_book(book) for book in read.books}
    chosen = _chosen(settings, parsed, read)
    if dry_run:
        _estimate(reader, parsed, chosen, read, json_=json_)
        return
    if output is None:
        raise typer.BadParameter("give a folder for the rows, or use --dry-run", param_hint="--output")
    with write_lock(opened.root):
        done = _transformed(reader, parsed, chosen, read, output.expanduser())
    if json_:
        print_json({slug: _record(transformed) for slug, transformed in done.items()})
        return
    for slug, transformed in done.items():
        _print(slug, transformed, output)


def _settings(settings: Settings, table_list: Path | None, *, names: bool) -> Settings:
    tables = replace(settings.tables, transformer="names" if names else "model")
    return replace(settings, tables=replace(tables, table_list=str(table_list)) if table_list else tables)


def _chosen(settings: Settings, parsed: Mapping[str, ParsedBook], read: Source) -> dict[str, frozenset[str]]:
    """Return the ids of the tables for the model, by book.

    Raises:
        LibraryError: a line of the list names a table that is in none of the books.
    """
    from pipeline.building.model_work import chosen_tables
    from retrieval.ingest.model_tables.request import listed, read_table_list

    if settings.tables.table_list is not None:
        titles = read_table_list(Path(settings.tables.table_list).expanduser())
        every = [table for book in parsed.values() for table in book.tables]
        _, unfound = listed(every, titles)
        if unfound:
            raise LibraryError("; ".join(unfound))
    return {slug: chosen_tables(settings, book.tables, read.vocabulary) for slug, book in parsed.items()}


def _estimate(
    reader: ModelTables,
    parsed: Mapping[str, ParsedBook],
    chosen: Mapping[str, frozenset[str]],
    read: Source,
    *,
    json_: bool,
) -> None:
    requests = (
        request
        for slug, book in parsed.items()
        for request in reader.unanswered(book.tables, read.vocabulary, chosen[slug])
    )
    selection = f"{sum(map(len, chosen.values()))} tables chosen"
    print_estimate(requests, "tables", reader.options, reader.question.prompt, selection, json_=json_)


def _transformed(
    reader: ModelTables,
    parsed: Mapping[str, ParsedBook],
    chosen: Mapping[str, frozenset[str]],
    read: Source,
    output: Path,
) -> dict[str, Transformed]:
    from pipeline.building.model_work import keep_table_report
    from pipeline.building.stages import write_rows

    done = {}
    for book in read.books:
        texts = [document.text for document in book.documents]
        tables = parsed[book.slug].tables
        done[book.slug] = reader.transform(tables, read.vocabulary, texts, chosen[book.slug])
        keep_table_report(write_rows(output, book, done[book.slug].rows), done[book.slug])
        err.print(f"{book.slug}: {counted(len(done[book.slug].rows), 'row')}")
    return done


def _record(done: Transformed) -> dict[str, object]:
    from pipeline.building.model_work import record_of

    return {"rows": len(done.rows), **record_of(done), "tables": [asdict(outcome) for outcome in done.outcomes]}


def _print(slug: str, done: Transformed, output: Path) -> None:
    from pipeline.building.model_work import TABLE_SAMPLE, told_work

    out.print(f"{slug}: {counted(len(done.rows), 'row')}{told_work(done, 'read', 'tables')}")
    _lines(_reasons(done))
    dropped = ((outcome.title, part) for outcome in done.outcomes for part in outcome.dropped)
    _lines([f"{title}, row {part.ordinal}: {part.part} not accepted: {part.why}" for title, part in dropped])
    shown = f"; {TABLE_SAMPLE} has some of the model's for you to read" if done.by_model else ""
    out.print(f"  rows in {output / slug}{shown}")


def _reasons(done: Transformed | DescribedChunks) -> list[str]:
    """Return why items were left to the rules, with their places."""
    left = (outcome for outcome in done.outcomes if outcome.reason)
    return [f"{outcome.title} ({outcome.document}:{outcome.line}): {outcome.said}" for outcome in left]


def _lines(lines: Sequence[str]) -> None:
    for line in first_of(lines):
        out.print(f"  {line}")


def chunk(
    source: RowsArgument,
    output: Annotated[Path, typer.Option("--output", metavar="FILE", help="JSON Lines file, one chunk per line.")],
    json_: JsonOption = False,
) -> None:
    """Split books into chunks: each table row with its query_must, and the prose around them.

    The rows come from the output of `transform-tables`. If IN is books, the rules make the rows.

    \b
    Examples:
      querymust chunk rows --output chunks.jsonl
      querymust chunk guide.md --output chunks.jsonl
    """
    from pipeline.building.stages import cut_books
    from retrieval.files.records import write_jsonl

    chunks = [chunk for _, cut in cut_books(source) for chunk in cut]
    write_jsonl(output.expanduser(), chunks)
    kinds = Counter(chunk.kind for chunk in chunks)
    guarded = sum(chunk.query_must is not None for chunk in chunks)
    if json_:
        print_json({"chunks": len(chunks), "kinds": kinds, "guarded": guarded})
        return
    out.print(f"{counted(len(chunks), 'chunk')}, {guarded:,} with a query_must, in {output}")


def describe(
    source: RowsArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="JSON Lines file, one chunk per line.", show_default=False),
    ] = None,
    home: HomeOption = DEFAULT_HOME,
    model: ModelOption = None,
    budget: BudgetOption = None,
    batch: Annotated[
        bool, typer.Option("--batch", help="Send all passages of a book as one batch: half the price, but up to a day.")
    ] = False,
    dry_run: DryRunOption = False,
    json_: JsonOption = False,
) -> None:
    """Split books into chunks as `chunk` does, and have a model describe each passage of prose.

    Its kind, tags, traits and a summary become metadata; ids, words and predicates do not change. The answer is
    checked, and parts that fail are replaced by those of the rules. The key is OPENAI_API_KEY; without it, the rules
    describe everything, and the command says so. The home stores the answers: you never pay twice for the same
    passage.

    \b
    Examples:
      querymust describe-passages guide.md --dry-run
      querymust describe-passages rows --output chunks.jsonl --budget 0.50
    """
    from pipeline.building.model_work import describer_of
    from pipeline.building.stages import cut_books
    from retrieval.files.locks import write_lock
    from retrieval.files.records import write_jsonl
    from retrieval.home import Home
    from retrieval.models.access import Access

    opened = Home.at(home)
    settings = asked_model(opened.settings, model, budget)
    describer = describer_of(settings, Access.of_environment(), opened.models, batch=batch)
    books = cut_books(source)
    if dry_run:
        _passage_estimate(describer, books, json_=json_)
        return
    if output is None:
        raise typer.BadParameter("give a file for the chunks, or use --dry-run", param_hint="--output")
    with write_lock(opened.root):
        done = {
            book.slug: describer.describe(cut, {document.path: document.metadata for document in book.documents})
            for book, cut in books
        }
    write_jsonl(output.expanduser(), [chunk for described in done.values() for chunk in described.chunks])
    if json_:
        print_json({slug: _passage_record(described) for slug, described in done.items()})
        return
    _print_passages(done, output)


def _passage_estimate(describer: ModelPassages, books: Sequence[tuple[Book, Sequence[Chunk]]], *, json_: bool) -> None:
    requests = (request for _, cut in books for request in describer.unanswered(cut))
    n_prose = sum(chunk.kind == "prose" for _, cut in books for chunk in cut)
    print_estimate(requests, "passages", describer.options, describer.prompt, counted(n_prose, "passage"), json_=json_)


def _passage_record(done: DescribedChunks) -> dict[str, object]:
    from pipeline.building.model_work import record_of

    passages = [asdict(outcome) for outcome in done.outcomes]
    return {"chunks": len(done.chunks), **record_of(done), "kind_agreement": done.agreement, "passages": passages}


def _print_passages(done: Mapping[str, DescribedChunks], output: Path) -> None:
    from pipeline.building.model_work import told_work

    for slug, described in done.items():
        out.print(f"{slug}: {counted(len(described.chunks), 'chunk')}{told_work(described, 'described', 'passages')}")
        dropped = [
            f"{one.title} ({one.document}:{one.line}): {part.part} not accepted: {part.why}"
            for one in described.outcomes
            for part in one.dropped
        ]
        _lines(_reasons(described) + dropped)
    out.print(f"chunks in {output}")


def embed(
    source: Annotated[Path, typer.Argument(metavar="IN", help="Output of `chunk`.", show_default=False)],
    collection: Annotated[
        str, typer.Argument(metavar="COLLECTION", help="Name of the collection.", show_default=False)
    ],
    truncate: Annotated[
        bool, typer.Option("--truncate", help="Empty the collection first; default: add to it.")
    ] = False,
    chroma: Annotated[
        str, typer.Option("--chroma", metavar="PLACE", help="Folder with Chroma's files, or http://HOST:PORT.")
    ] = "chroma",
    embedder: Annotated[str | None, typer.Option("--embedder", help="minilm, wordllama, openai or st:MODEL.")] = None,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Embed chunks and put them into a Chroma collection, each with its query_must as JSON text in its metadata.

    The home stores the vectors, so that each is made once. A chunk that is already in the collection is replaced. The
    collection is emptied only when all vectors exist. `querymust collections search` searches it.

    \b
    Examples:
      querymust embed chunks.jsonl handbook --truncate
      querymust embed chunks.jsonl handbook --chroma http://127.0.0.1:8000 --embedder openai
    """
    from pipeline.building.plan import cost_of
    from pipeline.building.stages import read_chunks
    from retrieval.home import Home
    from retrieval.index.chroma import fill
    from retrieval.index.embedding.embedders import load_embedder
    from retrieval.index.embedding.embedding_store import EmbeddingStore, embed_missing, vectors_of
    from retrieval.settings import embedder_of

    opened, chunks = Home.at(home), read_chunks(source)
    maker = load_embedder(embedder_of(embedder) if embedder else opened.settings.embedder)
    store = EmbeddingStore(opened.embeddings, maker.identity)
    cost = cost_of(store, maker, chunks)
    cost.require_within(opened.settings.budget_usd)
    embed_missing(store, maker, chunks)
    records = fill(chroma, collection, chunks, vectors_of(store, chunks), truncate=truncate)
    guarded = sum(chunk.query_must is not None for chunk in chunks)
    if json_:
        print_json(
            {"chunks": len(chunks), "guarded": guarded, "records": records, "tokens": cost.tokens, "usd": cost.usd}
        )
        return
    out.print(
        f"{counted(len(chunks), 'chunk')} in {collection!r} of {chroma}, {guarded:,} with a query_must; it has "
        f"{counted(records, 'record')}"
    )
