"""Tables with questions whose gold is rows, asked over all tables or within one.

Every table is a document of its own, so page and section titles are its headings. The same questions are put twice:
over all tables together, and (`<set>-within`) with only the rows of the asked table as candidates.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from evals.questions.gold import AnchorFinding, Resolution
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Anchor, Question
from retrieval.ingest.chunking import chunks_of_book
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.metadata_filter import And, Eq, Ne
from retrieval.search.retriever import Retriever
from retrieval.strategy import Strategy
from retrieval.types import Book, Chunk, Document, Retrieval
from tools.corpora.books import BenchmarkDataError, benchmark_folder, data_file, digest_of, read_records


class WithinTable:
    """Asks about the table that a question's gold is in, by the filter that every caller has.

    Args:
        retriever: over an index in which every table is a document of its own.
    """

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever

    def ask(self, question: Question, k: int, strategy: Strategy) -> Retrieval:
        """The k best rows of the asked table; scores are those of the whole index."""
        asked_table = And((Eq("document", question.gold[0].document or ""), Ne("kind", "prose")))
        return self._retriever.retrieve(question.query, k, strategy, where=asked_table)


WITHIN = "-within"

_CELL_END = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class TablesCorpus:
    """All tables of one split, one index."""

    set: str
    split: str
    tables: Path
    queries: Path

    @property
    def name(self) -> str:
        """Set and split: each split has tables of its own."""
        return f"{self.set}.{self.split}"

    @property
    def digest(self) -> str:
        """Hash of the file of tables."""
        return digest_of([self.tables])

    def chunks(self, vocabulary: Vocabulary) -> tuple[Chunk, ...]:
        """Every row of every table as a chunk."""
        documents = tuple(read_records(self.tables, partial(_document, self.set)))
        return chunks_of_book(Book(self.set, self.set, documents), vocabulary)

    def question_sets(self, retriever: Retriever, chunks: Sequence[Chunk]) -> tuple[QuestionSet, ...]:
        """The questions over all tables, and within their own."""
        lines = dict(read_records(self.tables, _row_lines))
        columns = dict(read_records(self.tables, lambda record: (record["table_id"], record.get("columns", ()))))
        questions = tuple(read_records(self.queries, partial(_question, lines, columns)))
        if not questions:
            raise BenchmarkDataError(f"{self.queries} holds no question; write one JSON object a line")
        gold = rows_at(questions, chunks)
        within = WithinTable(retriever)
        return (
            QuestionSet(self.set, self.split, questions, gold),
            QuestionSet(f"{self.set}{WITHIN}", self.split, questions, gold, within.ask),
        )


def read_tables(name: str, folder: Path, split: str) -> tuple[TablesCorpus, ...]:
    """The tables of a split with their questions.

    Raises:
        BenchmarkDataError: no such folder, or no such split in it.
    """
    root = benchmark_folder(folder)
    return (TablesCorpus(name, split, data_file(root, f"{split}.tables"), data_file(root, f"{split}.queries")),)


def rows_at(questions: Sequence[Question], chunks: Sequence[Chunk]) -> Resolution:
    """Gold by document and line: the row chunks that were made of just these source lines."""
    by_place: dict[tuple[str, int], list[str]] = {}
    for chunk in chunks:
        if chunk.kind != "prose":
            for line in range(chunk.lines[0], chunk.lines[1] + 1):
                by_place.setdefault((chunk.document, line), []).append(chunk.id)
    gold: dict[str, tuple[str, ...]] = {}
    stale: list[AnchorFinding] = []
    ambiguous: list[AnchorFinding] = []
    for question in questions:
        result = [by_place.get((anchor.document or "", anchor.line or 0), []) for anchor in question.gold]
        for anchor, ids in zip(question.gold, result, strict=True):
            location = f"{anchor.document} line {anchor.line}"
            if not ids:
                stale.append(AnchorFinding(question.id, anchor, f"{location} is in no row of its own"))
            elif len(ids) > 1:
                ambiguous.append(AnchorFinding(question.id, anchor, f"{location} is in {len(ids)} rows"))
        if all(result):
            gold[question.id] = tuple(dict.fromkeys(chunk_id for ids in result for chunk_id in ids))
    return Resolution(gold, tuple(stale), tuple(ambiguous), sum(bool(question.gold) for question in questions))


def _path(table_id: str) -> str:
    return f"{table_id}.md"


def _document(book: str, record: Mapping[str, Any]) -> Document:
    return Document(book, _path(record["table_id"]), record["markdown"])


def _row_lines(record: Mapping[str, Any]) -> tuple[str, tuple[tuple[int, str], ...]]:
    """The id of a table, and the 1-based source line of each of its data rows."""
    lines = [(number, line) for number, line in enumerate(record["markdown"].split("\n"), start=1)]
    piped = [(number, line) for number, line in lines if line.lstrip().startswith("|")]
    return record["table_id"], tuple(piped[2:])


def _question(
    lines: Mapping[str, Sequence[tuple[int, str]]], columns: Mapping[str, Sequence[str]], record: Mapping[str, Any]
) -> Question:
    table = record["table_id"]
    if not record["gold_rows"] or any(row < 0 for row in record["gold_rows"]):
        raise ValueError(f"gold_rows {record['gold_rows']} of question {record['id']!r}")
    rows = [lines[table][row] for row in record["gold_rows"]]
    return Question(
        id=record["id"],
        query=record["query"],
        kind=_kind(record),
        gold=tuple(Anchor(document=_path(table), line=number, snippet=source) for number, source in rows),
        answer=_answer(record["answer"]) if "answer" in record else _selected(columns[table], rows, record),
    )


def _kind(record: Mapping[str, Any]) -> str:
    if "kind" in record:
        return str(record["kind"])
    if "all_gold_rows_named" in record:
        return "all-rows-named" if record["all_gold_rows_named"] else "not-all-rows-named"
    return "one-condition" if len(record["conds"]) == 1 else "more-conditions"


def _answer(given: Any) -> str | None:
    return ", ".join(map(str, given)) if isinstance(given, list) else given


def _selected(columns: Sequence[str], rows: Sequence[tuple[int, str]], record: Mapping[str, Any]) -> str | None:
    """The cell of the one gold row under the column that is asked for; None where cells are counted or summed up."""
    query = record.get("select")
    if query not in columns or record.get("agg") or len(rows) != 1:
        return None
    cells = [cell.strip() for cell in _CELL_END.split(rows[0][1].strip().strip("|"))]
    return cells[columns.index(query)] if len(cells) == len(columns) else None
