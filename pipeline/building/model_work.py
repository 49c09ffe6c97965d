"""The part of a model in a book: its tables read, its passages described, and a report of what the model did."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evals.generation.generation import generate_questions
from pipeline.building.materialization import Reported
from retrieval.errors import UnreadableSettingsError
from retrieval.files.atomic_files import write_atomically
from retrieval.files.records import write_jsonl
from retrieval.index.words.keyed_tables import keyed_tables
from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.model_names.naming import RowNames
from retrieval.ingest.model_passages.describing import DescribedChunks, ModelPassages
from retrieval.ingest.model_tables.request import by_rule, listed, read_table_list
from retrieval.ingest.model_tables.transforming import ModelTables, Transformed, WholeRows, reasons
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
from retrieval.types import Chunk, Document, Row

SAMPLED = 10
"""One in so many is shown."""


ModelWork = Transformed | DescribedChunks
"""Tables that were read, or passages that were described."""


def work_numbers(done: ModelWork | None) -> dict[str, Reported]:
    """What an asset says of it; the same names where no model was asked for."""
    return {
        "n_by_model": len(done.by_model) if done else 0,
        "n_left_to_rules": sum(bool(outcome.reason) for outcome in done.outcomes) if done else 0,
        "n_waiting": done.n_waiting if done else 0,
        "n_not_believed": len(done.dropped) if done else 0,
        "n_model_tokens": done.bill.used.total if done else 0,
        "model_usd": done.bill.usd if done else 0.0,
    }


def who(done: ModelWork | None) -> str:
    """Who did the work: a model and the version of its prompt, or the rules."""
    return f"{done.bill.model}, prompt {done.bill.prompt}" if done else "rules"


def told_work(done: ModelWork | None, did: str, what: str) -> str:
    """The end of a sentence: what a model did to how many of what; nothing where none was asked for."""
    if done is None:
        return ""
    left = "".join(f", {count} left to the rules ({reason})" for reason, count in reasons(done.outcomes).items())
    usd = "" if done.bill.usd is None else f", ${done.bill.usd:.4f}"
    return f"; {done.bill.model} {did} {len(done.by_model)} {what}{left}; {done.bill.used.total:,} tokens{usd}"


def shown_of(by_model: Collection[str]) -> frozenset[str]:
    """One in ten of these ids; the same ones again."""
    by_hash = sorted(by_model, key=lambda name: sha256(name.encode()).hexdigest())
    return frozenset(by_hash[: -(-len(by_hash) // SAMPLED)])


def keep_work(folder: Path, outcomes: str, page: str, done: ModelWork | None, sample: str) -> None:
    """Leave in a book's folder what became of it, or nothing where no model was asked for.

    Args:
        folder: of the book.
        outcomes: the file of what became of each.
        page: the file of the sample.
        done: the work.
        sample: one in ten, to be read.
    """
    if done is None:
        for name in (outcomes, page):
            (folder / name).unlink(missing_ok=True)
        return
    write_jsonl(folder / outcomes, done.outcomes)
    write_atomically(folder / page, sample)


def record_of(done: ModelWork) -> Mapping[str, object]:
    """What a command's JSON says of it."""
    bill = done.bill
    used = {"prompt": bill.used.prompt, "completion": bill.used.completion}
    told = {"model": bill.model, "prompt": bill.prompt, "by_model": len(done.by_model), "used": used}
    return told | {"usd": bill.usd, "usd_in_all": bill.usd_in_all}


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
    questions = [
        question.query for question_set in generate_questions(about, vocabulary) for question in question_set.questions
    ]
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


TABLE_OUTCOMES, TABLE_SAMPLE = "model_tables.jsonl", "model_sample.md"
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


def keep_table_report(folder: Path, done: Transformed | None) -> None:
    """Leave in a book's folder what became of the tables, or nothing where no model was asked for."""
    keep_work(folder, TABLE_OUTCOMES, TABLE_SAMPLE, done, table_sample(done) if done else "")


def table_sample(done: Transformed) -> str:
    """One in ten of the model's tables, the rules' rows beside its own, as a page for a person; the same ones again."""
    shown = shown_of(done.by_model)
    parts = [f"# One in {SAMPLED} of the tables that {done.bill.model} read, prompt {done.bill.prompt}\n"]
    for outcome in done.outcomes:
        if outcome.table_id not in shown:
            continue
        parts.append(f"## {outcome.title}\n\n`{outcome.document}:{outcome.line}`\n")
        parts += [f"- row {part.ordinal}: {part.part} not believed: {part.why}" for part in outcome.dropped]
        for row, offline in zip(done.rows, done.offline, strict=True):
            if row.table_id == outcome.table_id:
                parts.append(f"\n### {row.key}\n\nby the model, called {', '.join(row.names) or 'nothing'}:\n")
                parts.append(f"```json\n{row.content}\n```\n\nby the rules:\n\n```json\n{offline.content}\n```")
    return "\n".join(parts) + "\n"


PASSAGE_OUTCOMES, PASSAGE_SAMPLE = "model_passages.jsonl", "passages_sample.md"
"""In a book's folder of records: what became of each passage, and one in ten of them for a person to read."""
_COMPARED_KEYS = ("content_kind", "is_rule_bearing", "tags", "traits", "summary")


@dataclass(frozen=True, slots=True)
class ChunksMade:
    """The chunks of a book."""

    chunks: tuple[Chunk, ...]
    described: DescribedChunks | None
    """None: no model was asked for."""

    @property
    def numbers(self) -> dict[str, Reported]:
        """What an asset says of it; the same names whoever described the passages."""
        done = self.described
        agreed = done.agreement if done else None
        return {"enrichment": who(done), **work_numbers(done), "kind_agreement": agreed}


def make_chunks(
    settings: Settings, answers: Path, documents: Sequence[Document], chunks: Sequence[Chunk], access: Access
) -> ChunksMade:
    """The chunks of a book, described as the settings want it.

    Args:
        settings: who describes passages.
        answers: folder of what models answered.
        documents: of the book; what their author says of them wins.
        chunks: as the rules describe them.
        access: to the model.

    Raises:
        ModelKeyError: the server refuses the key.
        UnreadableSettingsError: there is a budget, and nobody knows the prices of the model.
    """
    if settings.passages.enrichment == "rules":
        return ChunksMade(tuple(chunks), None)
    done = describer_of(settings, access, answers).describe(
        chunks, {document.path: document.metadata for document in documents}
    )
    return ChunksMade(done.chunks, done)


def describer_of(settings: Settings, access: Access, answers: Path, *, batch: bool = False) -> ModelPassages:
    """What asks the model of the settings about passages.

    Raises:
        UnreadableSettingsError: there is a budget, and nobody knows the prices of the model.
    """
    return ModelPassages(access, answers, replace(options_of(settings), batch=batch))


def keep_passage_report(folder: Path, done: DescribedChunks | None) -> None:
    """Leave in a book's folder what became of the passages, or nothing where no model was asked for."""
    keep_work(folder, PASSAGE_OUTCOMES, PASSAGE_SAMPLE, done, passage_sample(done) if done else "")


def passage_sample(done: DescribedChunks) -> str:
    """One in ten of the model's passages, what the rules say beside its own words; the same ones again."""
    shown = shown_of(done.by_model)
    dropped = {outcome.chunk_id: outcome.dropped for outcome in done.outcomes}
    parts = [f"# One in {SAMPLED} of the passages that {done.bill.model} described, prompt {done.bill.prompt}\n"]
    for chunk, offline in zip(done.chunks, done.offline, strict=True):
        if chunk.id in shown:
            parts.append(f"## {chunk.title}\n\n`{chunk.document}:{chunk.lines[0]}`\n")
            parts += [f"- {part.part} not believed: {part.why}" for part in dropped[chunk.id]]
            parts += [
                f"- {key}: {_value_of(chunk, key)}; by the rules {_value_of(offline, key)}" for key in _COMPARED_KEYS
            ]
            parts.append("\n" + "\n".join(f"> {line}" for line in chunk.text.split("\n")) + "\n")
    return "\n".join(parts) + "\n"


def _value_of(chunk: Chunk, key: str) -> str:
    value = chunk.metadata.get(key, "nothing")
    return ", ".join(value) if isinstance(value, tuple) else str(value)
