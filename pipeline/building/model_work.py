"""The work of a model on a book: its tables read, its passages described, and a report on both."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from statistics import fmean

import numpy as np
import numpy.typing as npt

from evals.generation.generation import generate_questions
from pipeline.building.materialization import Reported
from retrieval.errors import UnreadableSettingsError
from retrieval.files.atomic_files import write_atomically
from retrieval.files.records import write_jsonl
from retrieval.index.sibling_tables import keyed_tables
from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.model_names.naming import RowNames
from retrieval.ingest.model_passages.describing import DescribedChunks, ModelPassages
from retrieval.ingest.model_tables.request import by_rule, listed, read_table_list
from retrieval.ingest.model_tables.transforming import ModelTables, Transformed, WholeRows, reasons
from retrieval.ingest.parsed_book import ParsedBook
from retrieval.ingest.tables.row_predicates import extract_predicates
from retrieval.ingest.tables.rows import transform_tables
from retrieval.ingest.tables.table import Table
from retrieval.language.canonical import canonical
from retrieval.language.vocabulary import Vocabulary
from retrieval.models.access import Access
from retrieval.models.spending import ChatPrice, ModelOptions, chat_price
from retrieval.query_must.compiled.predicates import CompiledPredicates
from retrieval.query_must.compiled.sibling_index import SiblingIndex
from retrieval.settings import Settings
from retrieval.types import Chunk, Document, Row

SAMPLED = 10
"""One in this many is shown."""


ModelWork = Transformed | DescribedChunks
"""Tables that were read, or passages that were described."""


def work_numbers(done: ModelWork | None) -> dict[str, Reported]:
    """Return an asset's metadata about the work of a model; the names are the same if no model was requested."""
    return {
        "n_by_model": len(done.by_model) if done else 0,
        "n_left_to_rules": sum(bool(outcome.reason) for outcome in done.outcomes) if done else 0,
        "n_waiting": done.n_waiting if done else 0,
        "n_not_believed": len(done.dropped) if done else 0,
        "n_model_tokens": done.bill.used.total if done else 0,
        "model_usd": done.bill.usd if done else 0.0,
    }


def who(done: ModelWork | None) -> str:
    """Return who did the work: a model and the version of its prompt, or `rules`."""
    return f"{done.bill.model}, prompt {done.bill.prompt}" if done else "rules"


def told_work(done: ModelWork | None, did: str, what: str) -> str:
    """Return the end of a sentence on how many items a model did and their cost; empty if no model was requested."""
    if done is None:
        return ""
    left = "".join(f", {count} left to the rules ({reason})" for reason, count in reasons(done.outcomes).items())
    usd = "" if done.bill.usd is None else f", ${done.bill.usd:.4f}"
    return f"; {done.bill.model} {did} {len(done.by_model)} {what}{left}; {done.bill.used.total:,} tokens{usd}"


def shown_of(by_model: Collection[str]) -> frozenset[str]:
    """Return one in ten of these ids, always the same ones."""
    by_hash = sorted(by_model, key=lambda name: sha256(name.encode()).hexdigest())
    return frozenset(by_hash[: -(-len(by_hash) // SAMPLED)])


def keep_work(folder: Path, outcomes: str, page: str, done: ModelWork | None, sample: str) -> None:
    """Write the report on a model's work to a book's folder; remove an old one if no model was requested."""
    if done is None:
        for name in (outcomes, page):
            (folder / name).unlink(missing_ok=True)
        return
    write_jsonl(folder / outcomes, done.outcomes)
    write_atomically(folder / page, sample)


def record_of(done: ModelWork) -> Mapping[str, object]:
    """Return the work as JSON values for a command."""
    bill = done.bill
    used = {"prompt": bill.used.prompt, "completion": bill.used.completion}
    told = {"model": bill.model, "prompt": bill.prompt, "by_model": len(done.by_model), "used": used}
    return told | {"usd": bill.usd, "usd_in_all": bill.usd_in_all}


def agreement(
    before: Sequence[Chunk], after: Sequence[Chunk], tables: Collection[str], vocabulary: Vocabulary
) -> float | None:
    """Return the share of generated questions about some tables for which exactly the same chunks pass, 0 to 1.

    Args:
        before: chunks of a book.
        after: the same chunks in the same order, from rows made in another way.
        tables: ids of the tables that the questions are about.

    Returns:
        None if there are no questions.
    """
    about = [chunk for chunk in before if chunk.table_id in tables]
    questions = [
        question.query for question_set in generate_questions(about, vocabulary) for question in question_set.questions
    ]
    one, other = _CompiledRows(before, vocabulary), _CompiledRows(after, vocabulary)
    same = [bool(np.array_equal(one.mask(query), other.mask(query))) for query in questions]
    return fmean(same) if same else None


class _CompiledRows:
    """The compiled predicates of some chunks."""

    def __init__(self, chunks: Sequence[Chunk], vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._predicates = CompiledPredicates.build([chunk.query_must for chunk in chunks], vocabulary=vocabulary)
        keyed = keyed_tables(chunks)
        self._rivals = SiblingIndex.build(keyed.tables, keyed.positions, vocabulary)

    def mask(self, query: str) -> npt.NDArray[np.bool_]:
        """Return which chunks pass, `(n,)`."""
        request = canonical(query, self._vocabulary)
        mask = ~np.asarray(self._predicates.guarded)
        mask[self._predicates.admitted(request)] = True
        mask[self._rivals.read(request).positions] = False
        return mask


TABLE_OUTCOMES, TABLE_SAMPLE = "model_tables.jsonl", "model_sample.md"
"""Files in a book's folder of records: the outcome of each chosen table, and one in ten of them to read."""


@dataclass(frozen=True, slots=True)
class RowsMade:
    """The rows of a book, and the work of the model that read its tables."""

    rows: tuple[Row, ...]
    transformed: Transformed | None
    """None if no model was requested."""
    agreed: float | None
    """Share of generated questions about the model's tables for which the same chunks pass as with the rules' rows."""

    @property
    def numbers(self) -> dict[str, Reported]:
        """An asset's metadata about the rows; the names are the same for models and rules."""
        done = self.transformed
        return {"transformer": who(done), **work_numbers(done), "agreement": self.agreed}


def make_rows(
    settings: Settings, answers: Path, vocabulary: Vocabulary, book: ParsedBook, tables: Sequence[Table], access: Access
) -> RowsMade:
    """Make the rows of all tables of a book.

    Raises:
        ModelKeyError: the server refuses the key.
        UnreadableSettingsError: there is a budget, and the prices of the model are unknown.
    """
    texts = [parsed.document.text for parsed in book.documents]
    if settings.tables.transformer == "rules":
        return RowsMade(transform_tables(tables, vocabulary, texts), None, None)
    reader = reader_of(settings, access, answers)
    done = reader.transform(tables, vocabulary, texts, chosen_tables(settings, tables, vocabulary))
    return RowsMade(done.rows, done, agreed(book, done, vocabulary))


def reader_of(settings: Settings, access: Access, answers: Path, *, batch: bool = False) -> ModelTables:
    """Return the reader of tables by the model of the settings: whole rows, or their names alone.

    Raises:
        UnreadableSettingsError: there is a budget, and the prices of the model are unknown.
    """
    question = RowNames() if settings.tables.transformer == "names" else WholeRows()
    return ModelTables(access, answers, replace(options_of(settings), batch=batch), question)


def agreed(book: ParsedBook, done: Transformed, vocabulary: Vocabulary) -> float | None:
    """Return the share of questions for which model and rules let the same chunks pass; None if it made no rows."""
    if not done.by_model:
        return None
    before, after = (chunk_book(book, extract_predicates(rows)) for rows in (done.offline, done.rows))
    return agreement(before, after, done.by_model, vocabulary)


def chosen_tables(settings: Settings, tables: Sequence[Table], vocabulary: Vocabulary) -> frozenset[str]:
    """Return the ids of the tables that a model is to read."""
    if settings.tables.table_list is None:
        return by_rule(tables, vocabulary)
    return listed(tables, read_table_list(Path(settings.tables.table_list).expanduser()))[0]


def options_of(settings: Settings) -> ModelOptions:
    """Return the model of the settings with its limits.

    Raises:
        UnreadableSettingsError: there is a budget, and the prices of the model are unknown.
    """
    tables = settings.tables
    price = chat_price(tables.model)
    if tables.usd_per_million_sent is not None and tables.usd_per_million_answered is not None:
        price = ChatPrice(tables.model, tables.usd_per_million_sent, tables.usd_per_million_answered)
    budget = settings.budget_usd if tables.budget_usd is None else tables.budget_usd
    if budget is not None and price is None:
        raise UnreadableSettingsError(
            f"the price of {tables.model!r} is unknown, so a budget of ${budget:g} cannot be enforced; set "
            "tables.usd_per_million_sent and tables.usd_per_million_answered (0 if it costs nothing)"
        )
    return ModelOptions(
        tables.model, price, budget, tables.tries, timeout=tables.timeout_seconds, thinking=tables.thinking_tokens
    )


def keep_table_report(folder: Path, done: Transformed | None) -> None:
    """Write the report on a book's tables to its folder; remove an old one if no model was requested."""
    keep_work(folder, TABLE_OUTCOMES, TABLE_SAMPLE, done, table_sample(done) if done else "")


def table_sample(done: Transformed) -> str:
    """Return a page with one in ten of the model's tables, always the same ones, the rules' rows beside its own."""
    shown = shown_of(done.by_model)
    parts = [f"# One in {SAMPLED} of the tables that {done.bill.model} read, prompt {done.bill.prompt}\n"]
    for outcome in done.outcomes:
        if outcome.table_id not in shown:
            continue
        parts.append(f"## {outcome.title}\n\n`{outcome.document}:{outcome.line}`\n")
        parts += [f"- row {part.ordinal}: {part.part} not accepted: {part.why}" for part in outcome.dropped]
        for row, offline in zip(done.rows, done.offline, strict=True):
            if row.table_id == outcome.table_id:
                parts.append(f"\n### {row.key}\n\nby the model, called {', '.join(row.names) or 'nothing'}:\n")
                parts.append(f"```json\n{row.content}\n```\n\nby the rules:\n\n```json\n{offline.content}\n```")
    return "\n".join(parts) + "\n"


PASSAGE_OUTCOMES, PASSAGE_SAMPLE = "model_passages.jsonl", "passages_sample.md"
"""Files in a book's folder of records: the outcome of each passage, and one in ten of them for a person to read."""
_COMPARED_KEYS = ("content_kind", "is_rule_bearing", "tags", "traits", "summary")


@dataclass(frozen=True, slots=True)
class ChunksMade:
    """The chunks of a book, and the work of the model that described its passages."""

    chunks: tuple[Chunk, ...]
    described: DescribedChunks | None
    """None if no model was requested."""

    @property
    def numbers(self) -> dict[str, Reported]:
        """An asset's metadata about the chunks; the names are the same for models and rules."""
        done = self.described
        agreed = done.agreement if done else None
        return {"enrichment": who(done), **work_numbers(done), "kind_agreement": agreed}


def make_chunks(
    settings: Settings, answers: Path, documents: Sequence[Document], chunks: Sequence[Chunk], access: Access
) -> ChunksMade:
    """Return the chunks of a book, described by the rules or the model of the settings.

    Args:
        documents: documents of the book; the metadata of their authors takes precedence.

    Raises:
        ModelKeyError: the server refuses the key.
        UnreadableSettingsError: there is a budget, and the prices of the model are unknown.
    """
    if settings.passages.enrichment == "rules":
        return ChunksMade(tuple(chunks), None)
    done = describer_of(settings, access, answers).describe(
        chunks, {document.path: document.metadata for document in documents}
    )
    return ChunksMade(done.chunks, done)


def describer_of(settings: Settings, access: Access, answers: Path, *, batch: bool = False) -> ModelPassages:
    """Return the describer of passages by the model of the settings.

    Raises:
        UnreadableSettingsError: there is a budget, and the prices of the model are unknown.
    """
    return ModelPassages(access, answers, replace(options_of(settings), batch=batch))


def keep_passage_report(folder: Path, done: DescribedChunks | None) -> None:
    """Write the report on a book's passages to its folder; remove an old one if no model was requested."""
    keep_work(folder, PASSAGE_OUTCOMES, PASSAGE_SAMPLE, done, passage_sample(done) if done else "")


def passage_sample(done: DescribedChunks) -> str:
    """Return a page with one in ten of the model's passages, always the same ones, the rules' values beside its own."""
    shown = shown_of(done.by_model)
    dropped = {outcome.chunk_id: outcome.dropped for outcome in done.outcomes}
    parts = [f"# One in {SAMPLED} of the passages that {done.bill.model} described, prompt {done.bill.prompt}\n"]
    for chunk, offline in zip(done.chunks, done.offline, strict=True):
        if chunk.id in shown:
            parts.append(f"## {chunk.title}\n\n`{chunk.document}:{chunk.lines[0]}`\n")
            parts += [f"- {part.part} not accepted: {part.why}" for part in dropped[chunk.id]]
            parts += [
                f"- {key}: {_value_of(chunk, key)}; by the rules {_value_of(offline, key)}" for key in _COMPARED_KEYS
            ]
            parts.append("\n" + "\n".join(f"> {line}" for line in chunk.text.split("\n")) + "\n")
    return "\n".join(parts) + "\n"


def _value_of(chunk: Chunk, key: str) -> str:
    value = chunk.metadata.get(key, "nothing")
    return ", ".join(value) if isinstance(value, tuple) else str(value)
