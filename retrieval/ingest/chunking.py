"""Chunks of a book: one for each table row, and the passages that `prose_chunking` makes of the prose around them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath

from retrieval.ingest.enrichment import enriched, page_marks
from retrieval.ingest.losses import attempt
from retrieval.ingest.markdown.parser import plain_lines
from retrieval.ingest.parsed_book import ParsedBook, ParsedDocument, parse_book
from retrieval.ingest.prose_chunking import USUAL, Cuts, Passage, block_passages, cut_into_passages
from retrieval.ingest.tables.reading import find_axis
from retrieval.ingest.tables.row_object import name_first, prose_names, row_search_text
from retrieval.ingest.tables.row_predicates import extract_predicates
from retrieval.ingest.tables.rows import transform_tables
from retrieval.ingest.tables.source_tables import content_id
from retrieval.ingest.tables.table import Table, is_unnamed
from retrieval.language.canonical import literal
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import TABLE_SUBJECT, Book, Chunk, Document, Metadata, Row


def chunk_book(book: ParsedBook, rows: Sequence[Row], cuts: Cuts = USUAL) -> tuple[Chunk, ...]:
    """Return every chunk of a book in reading order. Ids are unique in the book and do not depend on positions.

    Args:
        book: of the rows; a table without rows gives no chunk.
        cuts: where prose is divided; rows are never divided.
    """
    rows_of: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        rows_of[row.table_id].append(row)
    twins: Counter[str] = Counter()
    chunks = [chunk for parsed in book.documents for chunk in _chunk_document(parsed, rows_of, twins, cuts)]
    qualifiers = attempt(lambda: _qualifiers(chunks), dict[str, str], "what distinguishes rows with the same title")
    return tuple(
        replace(chunk, qualifier=qualifiers[chunk.id]) if chunk.id in qualifiers else chunk for chunk in chunks
    )


_MOST = 0.9
"""Share of the best level's distinct headings, among tables with one name, that a nearer level needs to be used."""

_LONGEST_SENTENCE = 100
"""Most characters of a sentence that is put before a title."""


def _qualifiers(chunks: Sequence[Chunk]) -> Mapping[str, str]:
    """Return words that distinguish tables with the same name, or rows with the same title, by chunk id.

    They are from the nearest level of the headings above, or else of the path, with the most distinct words; for
    tables, nearly the most are enough because their rows also differ. If no level has any, they may be introducing
    sentences.
    """
    rows = [chunk for chunk in chunks if chunk.kind != "prose"]
    of_tables = _by_table(rows, lambda row: (*row.heading_path[-1:], "" if row.introduced else row.caption), _MOST)
    qualifiers = of_tables | _by_table(rows, lambda row: row.title, 1.0)
    return qualifiers | _by_sentence(rows, qualifiers)


def _by_sentence(rows: Sequence[Chunk], qualifiers: Mapping[str, str]) -> dict[str, str]:
    """Return short introducing sentences by id of rows with equal qualifiers and titles."""
    sharing: dict[tuple[str, str], list[Chunk]] = defaultdict(list)
    for row in rows:
        sharing[qualifiers.get(row.id, ""), row.title].append(row)
    sentences = {row.id: row.caption or "" for row in rows if row.introduced}
    return {
        row.id: " > ".join(filter(None, (qualifiers.get(row.id), sentences[row.id])))
        for twins in sharing.values()
        if len({row.table_id for row in twins}) > 1 and len({sentences.get(row.id, "") for row in twins}) > 1
        for row in twins
        if 0 < len(sentences.get(row.id, "")) <= _LONGEST_SENTENCE
    }


def _by_table(rows: Sequence[Chunk], name: Callable[[Chunk], Hashable], enough: float) -> dict[str, str]:
    sharing: dict[Hashable, list[Chunk]] = defaultdict(list)
    for row in rows:
        sharing[name(row)].append(row)
    qualifiers: dict[str, str] = {}
    for twins in (twins for twins in sharing.values() if len({row.table_id for row in twins}) > 1):
        levels = list(_levels(twins))
        counts = [len(set(words)) for words in levels]
        best = next(words for words, count in zip(levels, counts, strict=True) if count >= enough * max(counts))
        if len(set(best)) > 1:
            qualifiers |= {row.id: words for row, words in zip(twins, best, strict=True)}
    return qualifiers


def _levels(rows: Sequence[Chunk]) -> Iterator[list[str]]:
    """Yield, for each row, the heading above its own, the next one above and so on; then its file; then its path."""
    for up in range(2, max(len(row.heading_path) for row in rows) + 1):
        yield [row.heading_path[-up] if up <= len(row.heading_path) else "" for row in rows]
    paths = [PurePosixPath(row.document).with_suffix("") for row in rows]
    yield [path.name for path in paths]
    yield [path.as_posix() for path in paths]


def _chunk_document(
    parsed: ParsedDocument, rows_of: Mapping[str, Sequence[Row]], twins: Counter[str], cuts: Cuts
) -> Iterator[Chunk]:
    document = parsed.document
    instead = [placed for placed in parsed.placed if not placed.stays_text]
    passages = attempt(
        lambda: cut_into_passages(document, parsed.blocks, instead, cuts),
        lambda: block_passages(document, parsed.blocks, instead, cuts),
        "the division of the document into sections",
        document.path,
    )
    made = [(passage.lines[0], _prose_chunk(document, passage)) for passage in passages]
    tables = [placed.table for placed in parsed.placed]
    # A listing that is also a long text is divided into passages, which do not separate its rows.
    made += [(table.lines[0], _row_chunk(document, table, row)) for table in tables for row in rows_of[table.id]]
    pages = attempt(lambda: page_marks(document), lambda: (), "each page number of the document", document.path)
    for position, (_, chunk) in enumerate(sorted(made, key=lambda pair: pair[0])):
        plain = _identified(chunk, position, twins)
        yield attempt(
            partial(enriched, plain, pages),
            partial(replace, plain),
            "what a passage is about",
            document.path,
            plain.lines[0],
        )


def _identified(chunk: Chunk, position: int, twins: Counter[str]) -> Chunk:
    key = content_id(chunk.book, *chunk.heading_path, chunk.caption or "", chunk.row_key or "", chunk.text)
    twins[key] += 1
    identity = key if twins[key] == 1 else content_id(key, str(twins[key]))
    return replace(chunk, id=identity, position=position)


def _prose_chunk(document: Document, passage: Passage) -> Chunk:
    at_passage = partial(attempt, document=document.path, line=passage.lines[0])
    words = at_passage(
        lambda: "\n".join(plain_lines(passage.text)), lambda: passage.text, "the plain text of a passage"
    )
    return Chunk(
        id="",
        book=document.book,
        document=document.path,
        kind="prose",
        text=passage.text,
        search_text=f"{' > '.join(passage.heading_path)}\n{words}".strip(),
        source=passage.source,
        lines=passage.lines,
        heading_path=passage.heading_path,
        names=at_passage(
            lambda: prose_names(passage.titles, passage.text), tuple[str, ...], "what a passage is called"
        ),
        metadata=document.metadata,
    )


def _row_chunk(document: Document, table: Table, row: Row) -> Chunk:
    at_row = partial(attempt, document=document.path, line=row.lines[0])
    return Chunk(
        id="",
        book=document.book,
        document=document.path,
        kind=row.kind,
        text=row.content,
        search_text=at_row(
            lambda: _search_text(table, row),
            lambda: "\n".join((*table.heading_path, table.caption or "", *row.columns, *row.cells)),
            "what a row is found by",
        ),
        source=row.source,
        lines=row.lines,
        heading_path=table.heading_path,
        caption=table.caption,
        introduced=table.introduced,
        row_key=row.key,
        called=row.called or None,
        columns=row.columns,
        cells=row.cells,
        table_id=table.id,
        signature=None
        if row.kind == "record"
        else at_row(lambda: header_signature(row.columns), lambda: None, "which tables have the same columns"),
        query_must=row.query_must,
        names=row.names,
        searched_as=row.searched_as,
        meanings=row.meanings,
        metadata=_row_metadata(document, table, row),
    )


def _search_text(table: Table, row: Row) -> str:
    pairs = zip(row.columns, row.cells, strict=True)
    columns, cells = zip(*map(name_first, pairs), strict=True) if row.kind == "record" else (row.columns, row.cells)
    return row_search_text(table, columns, cells, row.label, row.notes, (*row.names, *row.meanings), row.searched_as)


def _row_metadata(document: Document, table: Table, row: Row) -> Metadata:
    subject = table.rule.subject if table.rule else ()
    return {
        **document.metadata,
        **({"row_label": row.label} if row.label else {}),
        **({TABLE_SUBJECT: subject} if subject else {}),
    }


def header_signature(columns: Sequence[str]) -> str:
    """Return what twin tables have in common: their column names in literal form, with an axis as its name.

    Two attack matrices are twins even if one ends at armor class 9 and the other at 10.
    """
    axis = find_axis(["" if is_unnamed(column) else column for column in columns])
    on_axis = set(axis.columns) if axis else set()
    names = [literal(column) for index, column in enumerate(columns) if index not in on_axis]
    return content_id(*names, "by", literal(axis.name) if axis else "")


def chunks_of_book(book: Book, vocabulary: Vocabulary, cuts: Cuts = USUAL) -> tuple[Chunk, ...]:
    """Return the chunks of a book, ingested in the same way as a library's books."""
    parsed = parse_book(book)
    texts = [document.text for document in book.documents]
    return chunk_book(parsed, extract_predicates(transform_tables(parsed.tables, vocabulary, texts)), cuts)
