"""The rows of a book, made by rules or by a model, with a report of what the model did."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evals.generation.generation import generate_questions
from pipeline.building.materialization import Reported
from pipeline.building.model_work import SAMPLED, keep_work, shown_of, told_work, who, work_numbers
from retrieval.errors import UnreadableSettingsError
from retrieval.index.words.keyed_tables import keyed_tables
from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.model_names.naming import RowNames
from retrieval.ingest.model_tables.request import by_rule, listed, read_table_list
from retrieval.ingest.model_tables.transforming import ModelTables, Transformed, WholeRows
from retrieval.ingest.parsed_book import ParsedBook
from retrieval.ingest.tables.rows import extract_predicates, transform_tables
from retrieval.ingest.tables.table import Table
from retrieval.language.canonical import canonical
from retrieval.language.vocabulary import Vocabulary
from retrieval.models.access import Access
from retrieval.models.spending import ChatPrice, ModelOptions, chat_price
from retrieval.query_must.compiled.predicates import CompiledPredicates
from retrieval.query_must.compiled.sibling_index import SiblingIndex
from retrieval.settings import Settings
from retrieval.types import Chunk, Row


@dataclass(frozen=True, slots=True)
class Agreement:
    """Over generated questions about some tables."""

    n_questions: int
    n_agreed: int
    """Questions on which just the same chunks pass."""

    @property
    def share(self) -> float | None:
        """0 to 1; None where there is no question."""
        return self.n_agreed / self.n_questions if self.n_questions else None


def agreement(
    before: Sequence[Chunk], after: Sequence[Chunk], tables: Collection[str], vocabulary: Vocabulary
) -> Agreement:
    """Compare which chunks pass for questions that a program writes about some tables.

    Args:
        before: chunks of a book.
        after: the same chunks in the same order, of rows that were made otherwise.
        tables: ids of those that the questions are about.
        vocabulary: of the library.
    """
    about = [chunk for chunk in before if chunk.table_id in tables]
    questions = [each.query for question in generate_questions(about, vocabulary) for each in question.questions]
    one, other = _CompiledRows(before, vocabulary), _CompiledRows(after, vocabulary)
    same = sum(bool(np.array_equal(one.mask(query), other.mask(query))) for query in questions)
    return Agreement(len(questions), same)


class _CompiledRows:
    """The predicates of some chunks, compiled."""

    def __init__(self, chunks: Sequence[Chunk], vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._predicates = CompiledPredicates.build([chunk.query_must for chunk in chunks], vocabulary=vocabulary)
        keyed = keyed_tables(chunks)
        self._rivals = SiblingIndex.build(keyed.tables, keyed.positions, vocabulary)

    def mask(self, query: str) -> npt.NDArray[np.bool_]:
        """(n,): which chunks pass."""
        request = canonical(query, self._vocabulary)
        mask = ~np.asarray(self._predicates.guarded)
        mask[self._predicates.admitted(request)] = True
        mask[self._rivals.read(request).positions] = False
        return mask


OUTCOMES, SAMPLE = "model_tables.jsonl", "model_sample.md"
"""In a book's folder of records: what became of each chosen table, and one in ten of them for a person to read."""


@dataclass(frozen=True, slots=True)
class RowsMade:
    """The rows of a book."""

    rows: tuple[Row, ...]
    transformed: Transformed | None
    """None: no model was asked for."""
    agreed: float | None
    """Share of generated questions about the model's tables on which the same chunks pass as with the rules' rows."""

    @property
    def numbers(self) -> dict[str, Reported]:
        """What an asset says of it; the same names whoever made the rows."""
        done = self.transformed
        return {"transformer": who(done), **work_numbers(done), "agreement": self.agreed}


def make_rows(
    settings: Settings, answers: Path, vocabulary: Vocabulary, book: ParsedBook, tables: Sequence[Table], access: Access
) -> RowsMade:
    """The rows of all tables of a book.

    Args:
        settings: who reads tables.
        answers: folder of what models answered.
        vocabulary: of the library.
        book: the tables are its own.
        tables: all of them.
        access: to the model.

    Raises:
        ModelKeyError: the server refuses the key.
        UnreadableSettingsError: there is a budget, and nobody knows the prices of the model.
    """
    texts = [parsed.document.text for parsed in book.documents]
    if settings.tables.transformer == "rules":
        return RowsMade(transform_tables(tables, vocabulary, texts), None, None)
    reader = reader_of(settings, access, answers)
    done = reader.transform(tables, vocabulary, texts, chosen_tables(settings, tables, vocabulary))
    return RowsMade(done.rows, done, agreed(book, done, vocabulary))


def reader_of(settings: Settings, access: Access, answers: Path, *, batch: bool = False) -> ModelTables:
    """What asks the model of the settings about tables: about all of a row, or about its names alone.

    Raises:
        UnreadableSettingsError: there is a budget, and nobody knows the prices of the model.
    """
    question = RowNames() if settings.tables.transformer == "names" else WholeRows()
    return ModelTables(access, answers, replace(options_of(settings), batch=batch), question)


def agreed(book: ParsedBook, done: Transformed, vocabulary: Vocabulary) -> float | None:
    """How far the model's rows let the same chunks pass as the rules' rows; None where it made none."""
    if not done.by_model:
        return None
    before, after = (chunk_book(book, extract_predicates(rows)) for rows in (done.offline, done.rows))
    return agreement(before, after, done.by_model, vocabulary).share


def chosen_tables(settings: Settings, tables: Sequence[Table], vocabulary: Vocabulary) -> frozenset[str]:
    """The ids of the tables that a model is to read."""
    if settings.tables.table_list is None:
        return by_rule(tables, vocabulary)
    return listed(tables, read_table_list(Path(settings.tables.table_list).expanduser()))[0]


def options_of(settings: Settings) -> ModelOptions:
    """The model of the settings, with its limits.

    Raises:
        UnreadableSettingsError: there is a budget, and nobody knows the prices of the model.
    """
    tables = settings.tables
    price = chat_price(tables.model)
    if tables.usd_per_million_sent is not None and tables.usd_per_million_answered is not None:
        price = ChatPrice(tables.model, tables.usd_per_million_sent, tables.usd_per_million_answered)
    budget = settings.budget_usd if tables.budget_usd is None else tables.budget_usd
    if budget is not None and price is None:
        raise UnreadableSettingsError(
            f"nobody here knows what {tables.model!r} costs, so a budget of ${budget:g} cannot be held; write "
            "tables.usd_per_million_sent and tables.usd_per_million_answered (0 where it costs nothing)"
        )
    return ModelOptions(
        tables.model, price, budget, tables.tries, timeout=tables.timeout_seconds, thinking=tables.thinking_tokens
    )


def keep_report(folder: Path, done: Transformed | None) -> None:
    """Leave in a book's folder what became of the tables, or nothing where no model was asked for."""
    keep_work(folder, OUTCOMES, SAMPLE, done, sample(done) if done else "")


def told(done: Transformed | None) -> str:
    """What a log says of the model's part; nothing where no model was asked for."""
    return told_work(done, "read", "tables")


def sample(done: Transformed) -> str:
    """One in ten of the model's tables, the rules' rows beside its own, as a page for a person; the same ones again."""
    shown = shown_of(done.by_model)
    parts = [f"# One in {SAMPLED} of the tables that {done.bill.model} read, prompt {done.bill.prompt}\n"]
    for outcome in done.outcomes:
        if outcome.table_id not in shown:
            continue
        parts.append(f"## {outcome.title}\n\n`{outcome.document}:{outcome.line}`\n")
        parts += [f"- row {each.ordinal}: {each.part} not believed: {each.why}" for each in outcome.dropped]
        for row, offline in zip(done.rows, done.offline, strict=True):
            if row.table_id == outcome.table_id:
                parts.append(f"\n### {row.key}\n\nby the model, called {', '.join(row.names) or 'nothing'}:\n")
                parts.append(f"```json\n{row.content}\n```\n\nby the rules:\n\n```json\n{offline.content}\n```")
    return "\n".join(parts) + "\n"
