"""`querymust transform-tables`: the tables of books as rows, read by a model as far as its answers hold."""

from __future__ import annotations

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
from pipeline.console.estimates import print_estimate
from pipeline.console.output import counted, err, first_of, out, print_json
from retrieval.errors import LibraryError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.building.stages import Source
    from retrieval.ingest.model_tables.outcome import Transformed
    from retrieval.ingest.model_tables.transforming import ModelTables
    from retrieval.ingest.parsed_book import ParsedBook
    from retrieval.settings import Settings

SourceArgument = Annotated[
    Path, typer.Argument(metavar="IN", help="Library, folder of markdown, or one markdown file.", show_default=False)
]


def transform(
    source: SourceArgument,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="DIR", help="Folder for the rows, a folder for each book.")
    ] = None,
    table_list: Annotated[
        Path | None,
        typer.Option("--table-list", metavar="FILE", help="Captions, headings or file.md:LINE, one a line."),
    ] = None,
    home: HomeOption = DEFAULT_HOME,
    model: ModelOption = None,
    budget: BudgetOption = None,
    names: Annotated[
        bool, typer.Option("--names", help="Ask only what people call the rows; all else is the rules'.")
    ] = False,
    batch: Annotated[
        bool, typer.Option("--batch", help="Send all tables of a book as one batch: half the price, up to a day.")
    ] = False,
    dry_run: DryRunOption = False,
    json_: JsonOption = False,
) -> None:
    """Have a model read tables, and check every cell of what it answers against the book.

    A table whose answer does not hold, and every table that is not chosen, gets the rows of the rules. Without a list
    the tables are chosen of which a question can name a row. The key is OPENAI_API_KEY; without it the rules make all
    rows, and the command says so. Answers are kept in the home: the same table is never paid twice.
    --batch waits until the batch is done; stopped with Ctrl-C, the next run goes on waiting for it.

    \b
    Examples:
      querymust transform-tables books --dry-run
      querymust transform-tables guide.md --table-list tables.md --output rows --budget 0.50
      querymust transform-tables guide.md --names --output rows
    """
    from pipeline.building.model_tables import reader_of
    from pipeline.building.stages import read_source
    from retrieval.home import Home
    from retrieval.ingest.parsed_book import parse_book
    from retrieval.models.access import Access
    from retrieval.write_lock import write_lock

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
        raise typer.BadParameter("name a folder for the rows, or ask for --dry-run", param_hint="--output")
    with write_lock(opened.root):
        done = _transformed(reader, parsed, chosen, read, output.expanduser())
    if json_:
        print_json({slug: _record(each) for slug, each in done.items()})
        return
    for slug, each in done.items():
        _print(slug, each, output)


def _settings(settings: Settings, table_list: Path | None, *, names: bool) -> Settings:
    said = replace(settings.tables, transformer="names" if names else "model")
    return replace(settings, tables=replace(said, table_list=str(table_list)) if table_list else said)


def _chosen(settings: Settings, parsed: Mapping[str, ParsedBook], read: Source) -> dict[str, frozenset[str]]:
    """The ids of the tables for the model, by book.

    Raises:
        LibraryError: a line of the list names a table of none of the books.
    """
    from pipeline.building.model_tables import chosen_tables
    from retrieval.ingest.model_tables.choosing import listed, read_table_list

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
    from retrieval.models.estimate import Estimate

    found = Estimate.of(
        (
            asked
            for slug, book in parsed.items()
            for asked in reader.unanswered(book.tables, read.vocabulary, chosen[slug])
        ),
        "tables",
        reader.options.asked_price,
    )
    chosen_ = f"{sum(map(len, chosen.values()))} tables chosen"
    print_estimate(found, reader.options, reader.question.prompt, chosen_, json_=json_)


def _transformed(
    reader: ModelTables,
    parsed: Mapping[str, ParsedBook],
    chosen: Mapping[str, frozenset[str]],
    read: Source,
    output: Path,
) -> dict[str, Transformed]:
    from pipeline.building.model_tables import keep_report
    from pipeline.building.stages import write_rows

    done = {}
    for book in read.books:
        texts = [document.text for document in book.documents]
        tables = parsed[book.slug].tables
        done[book.slug] = reader.transform(tables, read.vocabulary, texts, chosen[book.slug])
        keep_report(write_rows(output, book, done[book.slug].rows), done[book.slug])
        err.print(f"{book.slug}: {counted(len(done[book.slug].rows), 'row')}", markup=False)
    return done


def _record(done: Transformed) -> dict[str, object]:
    from pipeline.building.model_work import record_of

    return {"rows": len(done.rows), **record_of(done), "tables": [asdict(outcome) for outcome in done.outcomes]}


def _print(slug: str, done: Transformed, output: Path) -> None:
    from pipeline.building.model_tables import SAMPLE, told

    out.print(f"{slug}: {counted(len(done.rows), 'row')}{told(done)}", markup=False)
    _lines([f"{each.title} ({each.document}:{each.line}): {each.said}" for each in done.outcomes if each.reason])
    dropped = ((outcome.title, each) for outcome in done.outcomes for each in outcome.dropped)
    _lines([f"{title}, row {each.ordinal}: {each.part} not believed: {each.why}" for title, each in dropped])
    shown = f"; {SAMPLE} has some of the model's for you to read" if done.by_model else ""
    out.print(f"  rows in {output / slug}{shown}", markup=False)


def _lines(lines: Sequence[str]) -> None:
    for line in first_of(lines):
        out.print(f"  {line}", markup=False)
