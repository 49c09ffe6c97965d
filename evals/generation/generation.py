"""Questions that a program writes: look-ups for every table, questions for every section, some that nothing answers.

Offline, from chunks alone, by templates over what every table has: key column, row keys, column names, caption or
heading. Each table and section has its own seeded generator, so a new table changes another's questions only where it
takes a name from it. They are tagged `generated`, and their kinds begin with `generated-`: never mix them with the
questions of people.

What they cannot show: their words are the book's own or the vocabulary's, so they are easier than people's.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random

from evals.generation.asked_tables import AskedTable, key_column
from evals.generation.document_questions import DocumentQuestions, Written, by_document
from evals.generation.lookups import Lookup, lookup
from evals.generation.number_keys import is_ordinal
from evals.generation.phrasing import Phrasing
from evals.generation.place_names import Place, PlaceNames, table_of
from evals.generation.prose_questions import section_question
from evals.generation.table_names import TableName
from evals.generation.templates import LOOKUPS
from evals.generation.word_places import WordPlaces
from evals.questions.anchors import Anchor
from evals.questions.chunk_places import folded
from evals.questions.questions import GENERATED, Question
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Chunk

LOOKUP = "generated-lookup"
SECTION = "generated-section"
NO_ANSWER = "generated-no-answer"

_LONGEST_NAME, _LEAST_PROSE = 60, 80


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """How many questions, and which draw."""

    seed: int = 0
    per_table: int = 3
    per_section: int = 1
    unanswerable: float = 0.1
    """Chance that a table gets one question that it does not answer."""


def generate_questions(
    chunks: Sequence[Chunk], vocabulary: Vocabulary | None = None, settings: GenerationSettings = GenerationSettings()
) -> tuple[DocumentQuestions, ...]:
    """Write questions about all `chunks` of a library, by document, in book and document order.

    A table or section without an unmistakable name, a row without a key of its own, and a query that would mean two
    places get none: a wrong label is worse than a missing question.
    """
    writer = _Writer(chunks, vocabulary or Vocabulary.default(), settings)
    documents, _ = by_document([*writer.lookups(), *writer.sections()])
    return documents


class _Writer:
    """Knows the whole library while it writes about one place after the other."""

    def __init__(self, chunks: Sequence[Chunk], vocabulary: Vocabulary, settings: GenerationSettings) -> None:
        self._vocabulary, self._settings = vocabulary, settings
        rows = [chunk for chunk in chunks if chunk.kind != "prose"]
        self._places = WordPlaces(chunks)
        self._sections = _by_place((chunk.section, chunk) for chunk in chunks if chunk.kind == "prose")
        tables = _by_place((table_of(chunk), chunk) for chunk in rows)
        self._tables = {place: AskedTable(members) for place, members in tables.items()}
        self._table_names = PlaceNames.of(((place, members[0]) for place, members in tables.items()), shortened=True)
        self._section_names = PlaceNames.of((place, members[0]) for place, members in self._sections.items())
        self._titles = Counter(folded(chunk.row_key or "") for chunk in rows)
        self._heading_books: dict[str, set[str]] = defaultdict(set)
        for place in self._sections:
            self._heading_books[folded(place[-1])].add(place[0])
        self._fields = {(folded(chunk.row_key or ""), folded(name)) for chunk in rows for name in chunk.columns}
        self._ordinals = frozenset(
            key_column(chunk).strip().lower() for chunk in rows if chunk.row_key and is_ordinal(chunk.row_key)
        )
        names = {chunk.row_key for chunk in rows if chunk.row_key and not any(map(str.isdigit, chunk.row_key))}
        self._names = sorted(name for name in names if len(name) <= _LONGEST_NAME)

    def lookups(self) -> Iterator[Written]:
        """Questions about rows and records, and some that their table does not answer."""
        for place, table in self._tables.items():
            phrasing = self._phrasing(place)
            subjects = self._table_names.names.get(place, ())
            rows = [row for row in table.distinct() if self._unmistakable(row, subjects)]
            for row in phrasing.random.sample(rows, min(self._settings.per_table, len(rows))):
                asked = lookup(row, table, TableName(subjects, self._places, table.ids), phrasing)
                yield row, _question(row, asked.query, LOOKUP, asked)
            rows = [row for row in rows if row.kind == "row"]
            if rows and subjects and not table.of_fields and phrasing.random.random() < self._settings.unanswerable:
                row = phrasing.random.choice(rows)
                key = self._absent_key(row, table, phrasing)
                if key:
                    yield row, _unanswerable(row, table, phrasing.random.choice(subjects), key, phrasing)

    def sections(self) -> Iterator[Written]:
        """Questions about prose."""
        for place, chunks in self._sections.items():
            subjects = self._section_names.names.get(place, ())
            # what is called like a row or record is answered there as well
            if not subjects or self._titles[folded(chunks[0].heading_path[-1])]:
                continue
            phrasing = self._phrasing(place)
            long = [chunk for chunk in chunks if len(chunk.source) >= _LEAST_PROSE]
            for chunk in phrasing.random.sample(long, min(self._settings.per_section, len(long))):
                if query := section_question(chunk, chunks, subjects, self._places, phrasing):
                    yield chunk, _question(chunk, query, SECTION)

    def _phrasing(self, place: Place) -> Phrasing:
        random = Random(f"{self._settings.seed}\0" + "\0".join(place))
        return Phrasing(random, self._vocabulary, self._ordinals)

    def _unmistakable(self, row: Chunk, subjects: Sequence[str]) -> bool:
        """A row needs its table's name; a record is called by its own title, if nothing else is, in any book."""
        if row.kind == "row":
            return bool(subjects)
        title = folded(row.row_key or "")
        return self._titles[title] == 1 and self._heading_books.get(title, {row.book}) == {row.book}

    def _absent_key(self, row: Chunk, table: AskedTable, phrasing: Phrasing) -> str | None:
        """A key that the table has not: a number beyond all, or a name that no row with these columns has."""
        if table.highest is not None:
            return phrasing.number(table.highest + phrasing.random.randint(7, 60), key_column(row))
        columns = {folded(name) for name in row.columns}
        strangers = [key for key in self._names if not {(folded(key), name) for name in columns} & self._fields]
        return phrasing.name(phrasing.random.choice(strangers)) if strangers else None


def _by_place(members: Iterable[tuple[Place, Chunk]]) -> dict[Place, list[Chunk]]:
    places: dict[Place, list[Chunk]] = defaultdict(list)
    for place, chunk in members:
        places[place].append(chunk)
    return places


def _unanswerable(row: Chunk, table: AskedTable, subject: str, key: str, phrasing: Phrasing) -> Question:
    column, _ = phrasing.random.choice(table.columns(row))
    query = phrasing.template(LOOKUPS, column=phrasing.column(column), key=key, subject=subject)
    return Question(_id(row.book, query), query, row.book, NO_ANSWER, tags=(GENERATED,))


def _question(chunk: Chunk, query: str, kind: str, asked: Lookup | None = None) -> Question:
    answer, keys = (asked.answer, asked.keys) if asked else (None, {})
    return Question(_id(chunk.book, query), query, chunk.book, kind, (Anchor.of(chunk),), answer, (GENERATED,), keys)


def _id(book: str, query: str) -> str:
    return f"{book}-generated-{sha256(query.encode()).hexdigest()[:10]}"
