"""Generated questions: look-ups for each table, questions for each section, and some without an answer.

They are made offline from chunks, by templates with the key column, row keys, column names, and caption or heading of a
table. Each table and section has its own seeded generator, so a new table changes another's questions only if it makes
a name ambiguous. They are tagged `generated`, and their kinds begin with `generated-`: never mix them with the
questions of people.

Their words are the book's own or the vocabulary's, so they are easier than the questions of people.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random

from evals.generation.names import Place, PlaceNames, TableName, WordPlaces, table_of
from evals.generation.phrasing import LOOKUPS, PASSAGES, SECTION_PARTS, SECTIONS, Phrasing, is_ordinal
from evals.generation.tables import AskedTable, Lookup, key_column, lookup
from evals.questions.gold import folded
from evals.questions.questions import GENERATED, Anchor, Question, write_questions
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Chunk

Written = tuple[Chunk, Question]
"""A chunk and the question that was written about it."""


@dataclass(frozen=True, slots=True)
class DocumentQuestions:
    """The generated questions about one document. Key: (book, document)."""

    book: str
    document: str
    questions: tuple[Question, ...]

    @property
    def file_name(self) -> str:
        """`<document>.evaluation_queries.json`, in a folder with the book's slug."""
        return f"{self.book}/{self.document.removesuffix('.md')}.evaluation_queries.json"


def by_document(written: Sequence[Written]) -> tuple[tuple[DocumentQuestions, ...], tuple[Question, ...]]:
    """Return questions by document, in book and document order, and those that two places share, which are dropped."""
    meant = Counter(folded(question.query) for _, question in written)
    documents: dict[tuple[str, str], list[Question]] = defaultdict(list)
    twice = []
    for chunk, question in written:
        if meant[folded(question.query)] == 1:
            documents[chunk.book, chunk.document].append(question)
        else:
            twice.append(question)
    together = tuple(DocumentQuestions(*key, tuple(questions)) for key, questions in sorted(documents.items()))
    return together, tuple(twice)


def write_generated(folder: Path, documents: Iterable[DocumentQuestions]) -> tuple[Path, ...]:
    """Write one `<book>/<document>.evaluation_queries.json` each; `load_questions` reads them."""
    paths = []
    for document in documents:
        paths.append(folder / document.file_name)
        write_questions(paths[-1], document.questions)
    return tuple(paths)


_WORD = re.compile(r"\b[^\W\d_]{5,}\b(?!['’])")
_SAID = re.compile(r"[^\W\d_]{3,}(?:-[^\W\d_]+)*|\d+(?:\.\d+)?%?")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z*_])")
_COMMON = 0.05
"""Share of the chunks with a word above which it is not distinctive."""
_LEAST, _MOST = 4, 9
_BY_WORDS = 0.5
"""Share of the questions with words of the text instead of the name of the section."""


def section_question(
    chunk: Chunk, section: Sequence[Chunk], names: Sequence[str], places: WordPlaces, phrasing: Phrasing
) -> str | None:
    """Return a question that this chunk of a section answers; None if nothing distinguishes it from the others."""
    if phrasing.random.random() < _BY_WORDS and (words := _telling_words(chunk, places, phrasing)):
        return phrasing.template(PASSAGES, terms=" ".join(words))
    subject = phrasing.random.choice(names)
    if len(section) == 1:
        return phrasing.template(SECTIONS, subject=subject)
    terms = _own_terms(chunk, section, subject)
    return phrasing.template(SECTION_PARTS, subject=subject, terms=" and ".join(terms)) if terms else None


def _telling_words(chunk: Chunk, places: WordPlaces, phrasing: Phrasing) -> list[str] | None:
    """Return a few words of one sentence, in their order, that no other chunk has together; or None."""
    sentences = [" ".join(sentence.split()) for sentence in _SENTENCE_END.split(chunk.text)]
    phrasing.random.shuffle(sentences)
    for sentence in sentences:
        distinct = dict.fromkeys(word.lower() for word in _SAID.findall(sentence))
        words = [word for word in distinct if 0 < places.share(word) < _COMMON or word.isdigit()]
        if _LEAST <= len(words) <= _MOST + _LEAST:
            kept = places.shortened(words, (), {chunk.id}, phrasing.random, _LEAST)
            if kept and len(kept) <= _MOST:
                return kept
    return None


def _own_terms(chunk: Chunk, section: Sequence[Chunk], subject: str) -> list[str]:
    """Return two words that this part of a section repeats and that neither its other parts nor the subject have."""
    elsewhere = {word.lower() for other in section if other is not chunk for word in _WORD.findall(other.source)}
    named = {word.lower() for word in _WORD.findall(subject)}
    count = Counter(word.lower() for word in _WORD.findall(chunk.source))
    own = [word for word in count if count[word] > 1 and word not in elsewhere and word not in named]
    return sorted(own, key=lambda word: (-count[word], -len(word), word))[:2]


LOOKUP = "generated-lookup"
SECTION = "generated-section"
NO_ANSWER = "generated-no-answer"

_LONGEST_NAME, _LEAST_PROSE = 60, 80


PER_TABLE, PER_SECTION = 3, 1
"""Most questions about a table and about a section."""
UNANSWERABLE = 0.1
"""Probability that a table gets a question that it does not answer."""


def generate_questions(chunks: Sequence[Chunk], vocabulary: Vocabulary, seed: int = 0) -> tuple[DocumentQuestions, ...]:
    """Return questions about all `chunks` of a library, by document, in book and document order.

    Tables and sections without a unique name, rows without a unique key, and ambiguous queries are omitted, because a
    wrong label is worse than a missing question.
    """
    writer = _Writer(chunks, vocabulary, seed)
    documents, _ = by_document([*writer.lookups(), *writer.sections()])
    return documents


class _Writer:
    """Writes questions about one place after another, with the names of the whole library."""

    def __init__(self, chunks: Sequence[Chunk], vocabulary: Vocabulary, seed: int) -> None:
        self._vocabulary, self._seed = vocabulary, seed
        rows = [chunk for chunk in chunks if chunk.kind != "prose"]
        self._places = WordPlaces(chunks)
        self._sections = _by_place((chunk.section, chunk) for chunk in chunks if chunk.kind == "prose")
        tables = _by_place((table_of(chunk), chunk) for chunk in rows)
        self._tables = {place_key: AskedTable(members) for place_key, members in tables.items()}
        self._table_names = PlaceNames.of(
            ((place_key, members[0]) for place_key, members in tables.items()), shortened=True
        )
        self._section_names = PlaceNames.of((place_key, members[0]) for place_key, members in self._sections.items())
        self._titles = Counter(folded(chunk.row_key or "") for chunk in rows)
        self._heading_books: dict[str, set[str]] = defaultdict(set)
        for section in self._sections:
            self._heading_books[folded(section[-1])].add(section[0])
        self._fields = {(folded(chunk.row_key or ""), folded(name)) for chunk in rows for name in chunk.columns}
        self._ordinals = frozenset(
            key_column(chunk).strip().lower() for chunk in rows if chunk.row_key and is_ordinal(chunk.row_key)
        )
        names = {chunk.row_key for chunk in rows if chunk.row_key and not any(map(str.isdigit, chunk.row_key))}
        self._names = sorted(name for name in names if len(name) <= _LONGEST_NAME)

    def lookups(self) -> Iterator[Written]:
        """Yield questions about rows and records, and some that their table does not answer."""
        for place_key, table in self._tables.items():
            phrasing = self._phrasing(place_key)
            subjects = self._table_names.names.get(place_key, ())
            rows = [row for row in table.distinct() if self._unmistakable(row, subjects)]
            for row in phrasing.random.sample(rows, min(PER_TABLE, len(rows))):
                row_lookup = lookup(row, table, TableName(subjects, self._places, table.ids), phrasing)
                yield row, _question(row, row_lookup.query, LOOKUP, row_lookup)
            rows = [row for row in rows if row.kind == "row"]
            if rows and subjects and not table.of_fields and phrasing.random.random() < UNANSWERABLE:
                row = phrasing.random.choice(rows)
                key = self._absent_key(row, table, phrasing)
                if key:
                    yield row, _unanswerable(row, table, phrasing.random.choice(subjects), key, phrasing)

    def sections(self) -> Iterator[Written]:
        """Yield questions about prose."""
        for place_key, chunks in self._sections.items():
            subjects = self._section_names.names.get(place_key, ())
            # a section with the name of a row or record is also answered there
            if not subjects or self._titles[folded(chunks[0].heading_path[-1])]:
                continue
            phrasing = self._phrasing(place_key)
            long = [chunk for chunk in chunks if len(chunk.source) >= _LEAST_PROSE]
            for chunk in phrasing.random.sample(long, min(PER_SECTION, len(long))):
                if query := section_question(chunk, chunks, subjects, self._places, phrasing):
                    yield chunk, _question(chunk, query, SECTION)

    def _phrasing(self, place_key: Place) -> Phrasing:
        random = Random(f"{self._seed}\0" + "\0".join(place_key))
        return Phrasing(random, self._vocabulary, self._ordinals)

    def _unmistakable(self, row: Chunk, subjects: Sequence[str]) -> bool:
        """Whether a row's table has a unique name, or a record's title is unique in all books."""
        if row.kind == "row":
            return bool(subjects)
        title = folded(row.row_key or "")
        return self._titles[title] == 1 and self._heading_books.get(title, {row.book}) == {row.book}

    def _absent_key(self, row: Chunk, table: AskedTable, phrasing: Phrasing) -> str | None:
        """Return a key that the table lacks: a larger number, or a name that no row with these columns has; or None."""
        if table.highest is not None:
            return phrasing.number(table.highest + phrasing.random.randint(7, 60), key_column(row))
        columns = {folded(name) for name in row.columns}
        strangers = [key for key in self._names if not {(folded(key), name) for name in columns} & self._fields]
        return phrasing.name(phrasing.random.choice(strangers)) if strangers else None


def _by_place(members: Iterable[tuple[Place, Chunk]]) -> dict[Place, list[Chunk]]:
    places: dict[Place, list[Chunk]] = defaultdict(list)
    for place_key, chunk in members:
        places[place_key].append(chunk)
    return places


def _unanswerable(row: Chunk, table: AskedTable, subject: str, key: str, phrasing: Phrasing) -> Question:
    column, _ = phrasing.random.choice(table.columns(row))
    query = phrasing.template(LOOKUPS, column=phrasing.column(column), key=key, subject=subject)
    return Question(_id(row.book, query), query, row.book, NO_ANSWER, tags=(GENERATED,))


def _question(chunk: Chunk, query: str, kind: str, row_lookup: Lookup | None = None) -> Question:
    answer, keys = (row_lookup.answer, row_lookup.keys) if row_lookup else (None, {})
    return Question(_id(chunk.book, query), query, chunk.book, kind, (Anchor.of(chunk),), answer, (GENERATED,), keys)


def _id(book: str, query: str) -> str:
    return f"{book}-generated-{sha256(query.encode()).hexdigest()[:10]}"
