"""The published end-to-end tests on the built sample book: what the filter takes away, and what it leaves alone."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from evals.noise import Relatives, noise
from evals.questions.gold import resolve
from evals.questions.questions import Question, load_questions
from evals.sample import SAMPLE_QUESTIONS
from retrieval.home import Home
from retrieval.index.sibling_tables import keyed_tables
from retrieval.query_must import Canonical, canonical, satisfies_query_must
from retrieval.query_must.siblings import Siblings
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk, Retrieval

K = 15
QUESTIONS = {question.id: question for question in load_questions(SAMPLE_QUESTIONS)}
CLERIC, FIGHTERS, DRUID = "sample-001", "sample-002", "sample-003"
NO_ARMOR_CLASS = [question.id for question in QUESTIONS.values() if "ac" not in canonical(question.query).bound]


@dataclass(frozen=True)
class Book:
    """The live sample book, and what the questions' anchors are in it."""

    retriever: Retriever
    chunks: tuple[Chunk, ...]
    gold: dict[str, frozenset[str]]
    rivals: Siblings
    read: dict[str, Canonical] = field(default_factory=dict)

    def passes(self, query: str, query_must: str | None) -> bool:
        """The plain meaning, which the index must share."""
        if query not in self.read:
            request = canonical(query, self.retriever.snapshot.vocabulary)
            self.read[query] = replace(request, rivals=self.rivals.read(request))
        return satisfies_query_must(self.read[query], query_must)

    def ask(self, query: str, strategy: str, k: int = K) -> Retrieval:
        return self.retriever.retrieve(query, k=k, strategy=strategy)

    def rows(self, retrieval: Retrieval, words: str = "Attack Matrix") -> list[tuple[str, str | None]]:
        """(table's number, key) of the hits whose table is headed by these words."""
        chunks = [hit.chunk for hit in retrieval.hits]
        return [
            (chunk.heading_path[-1].split(" ")[0], chunk.row_key)
            for chunk in chunks
            if chunk.row_key is not None and any(words in heading for heading in chunk.heading_path)
        ]


@pytest.fixture(scope="module")
def book(sample: Home) -> Iterator[Book]:
    retriever = Retriever.open(sample.root)
    chunks = tuple(retriever.snapshot.chunks)
    resolution = resolve(list(QUESTIONS.values()), chunks)
    assert resolution.stale == ()
    gold = {name: frozenset(result) for name, result in resolution.gold.items()}
    yield Book(retriever, chunks, gold, Siblings(keyed_tables(chunks).tables, retriever.snapshot.vocabulary))
    retriever.snapshot.close()


def cut(book: Book, question: Question) -> float:
    """By how much the filter lessens the noise of a question; fails if there was none, or if gold is lost."""
    relatives = Relatives.of(book.chunks)
    off, on = book.ask(question.query, "dense"), book.ask(question.query, "prefilter")
    assert len(off.hits) == len(on.hits) == K
    assert book.gold[question.id] <= set(on.chunk_ids)
    before, after = (noise(result.chunk_ids, book.gold[question.id], relatives) for result in (off, on))
    return 1 - after / before


def test_example_1_simple_cleric(book: Book) -> None:
    assert cut(book, QUESTIONS[CLERIC]) >= 0.95
    assert book.rows(book.ask(QUESTIONS[CLERIC].query, "prefilter")) == [("I.A.", "6")]


def test_example_2_fighter_vs_fighter(book: Book) -> None:
    assert cut(book, QUESTIONS[FIGHTERS]) >= 0.80
    assert sorted(book.rows(book.ask(QUESTIONS[FIGHTERS].query, "prefilter"))) == [("I.B.", "3"), ("I.B.", "9")]


def test_example_3_fighter_vs_druid(book: Book) -> None:
    assert cut(book, QUESTIONS[DRUID]) >= 0.95
    assert sorted(book.rows(book.ask(QUESTIONS[DRUID].query, "prefilter"))) == [("I.A.", "3"), ("I.B.", "9")]


@pytest.mark.parametrize("example", [CLERIC, FIGHTERS, DRUID])
def test_what_ships_has_all_gold_of_the_examples_and_no_other_armor_class(book: Book, example: str) -> None:
    retrieval = book.ask(QUESTIONS[example].query, "default")
    assert len(retrieval.hits) == K
    assert book.gold[example] <= set(retrieval.chunk_ids)
    named = {str(int(number)) for number in canonical(QUESTIONS[example].query).bound["ac"]}
    assert {key for _, key in book.rows(retrieval)} == named


@pytest.mark.parametrize("question_id", NO_ARMOR_CLASS)
def test_a_question_that_names_no_armor_class_gets_no_row_of_an_attack_matrix(book: Book, question_id: str) -> None:
    for strategy in ("iterative", "prefilter", "default"):
        assert book.rows(book.ask(QUESTIONS[question_id].query, strategy)) == []


def test_most_questions_about_attacks_name_an_armor_class() -> None:
    assert len(NO_ARMOR_CLASS) >= 60
    attacks = [question.id for question in QUESTIONS.values() if "attack-matrix" in question.tags]
    assert set(attacks).isdisjoint(NO_ARMOR_CLASS)


@pytest.mark.parametrize("question_id", QUESTIONS)
def test_the_filter_only_takes_away_and_keeps_the_order(book: Book, question_id: str) -> None:
    query = QUESTIONS[question_id].query
    predicates = {chunk.id: chunk.query_must for chunk in book.chunks}
    everything = book.ask(query, "dense", k=len(book.chunks)).chunk_ids
    left = [chunk_id for chunk_id in everything if book.passes(query, predicates[chunk_id])]
    assert list(book.ask(query, "prefilter").chunk_ids) == left[:K]


@pytest.mark.parametrize("question_id", QUESTIONS)
def test_a_list_without_guarded_chunks_stays_as_it_was(book: Book, question_id: str) -> None:
    query = QUESTIONS[question_id].query
    off, on = book.ask(query, "dense"), book.ask(query, "prefilter")
    guarded = [hit.chunk.id for hit in off.hits if hit.chunk.query_must is not None]
    refused = [hit.chunk.id for hit in off.hits if not book.passes(query, hit.chunk.query_must)]
    if not guarded:
        assert on.chunk_ids == off.chunk_ids
    assert [hit for hit in off.chunk_ids if hit not in refused] == list(on.chunk_ids[: K - len(refused)])
    assert set(refused).isdisjoint(on.chunk_ids)


@pytest.mark.parametrize("question_id", [CLERIC, FIGHTERS, DRUID, "sample-025", "sample-057"])
def test_what_ships_brings_nothing_back_that_the_filter_refuses(book: Book, question_id: str) -> None:
    query = QUESTIONS[question_id].query
    hits = book.retriever.retrieve(query, k=len(book.chunks), strategy="default").hits
    passing = {chunk.id for chunk in book.chunks if book.passes(query, chunk.query_must)}
    assert {hit.chunk.id for hit in hits} == passing


def test_five_armor_classes_admit_their_five_rows(book: Book) -> None:
    query = "a 4th level cleric against armor classes 2, 4, 5, 7 and 10: what must he roll for each?"
    rows = book.rows(book.ask(query, "prefilter", k=200))
    assert sorted(rows) == sorted(("I.A.", key) for key in ("2", "4", "5", "7", "10"))
    unnamed_subject = "What hits armor classes 2, 4, 5, 7 and 10?"
    assert book.rows(book.ask(unnamed_subject, "prefilter", k=200)) == []


def test_the_idea_of_armor_class_is_answered_in_prose(book: Book) -> None:
    for query in ("What does armor class mean?", "How is armor class counted, and what is the best armor class?"):
        for strategy in ("prefilter", "default"):
            retrieval = book.ask(query, strategy)
            assert book.rows(retrieval) == []
            explained = [
                hit for hit in retrieval.hits if hit.chunk.kind == "prose" and "Armor Class" in hit.chunk.title
            ]
            assert explained


@pytest.mark.parametrize("query", ["How do I cook pasta?", "How fast can a horse swim upstream?"])
def test_a_question_about_something_else_is_not_filtered(book: Book, query: str) -> None:
    off, on = book.ask(query, "dense"), book.ask(query, "prefilter")
    assert on.chunk_ids == off.chunk_ids
    assert book.ask(query, "iterative").receipt.rounds == 1
    for strategy in ("iterative", "prefilter", "default"):
        receipt = book.ask(query, strategy).receipt
        assert receipt.excluded == (None if strategy == "prefilter" else 0)
        assert {decision.reason for decision in receipt.decisions} <= {"no restrictions", "satisfies query_must"}


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("psionic blast attack", []),
        ("psionic blast, intelligence 8", ["6-9"]),
        ("psionic blast, wisdom 10", ["10-13"]),
        ("psionic blast, wisdom 13", ["10-13"]),
        ("psionic blast by somebody of 8th level, intelligence 12", ["10-13"]),
        ("psionic blast, int 8 wis 15", ["6-9", "14-17"]),
        ("psionic blast by a monk with AC 12", []),
        ("psionic blast, wisdom 30", ["26+"]),
    ],
)
def test_a_range_admits_by_the_numbers_of_its_labels(book: Book, query: str, keys: list[str]) -> None:
    assert sorted(
        key or "" for _, key in book.rows(book.ask(query, "prefilter", k=60), "Psionic Blast Attack")
    ) == sorted(keys)


@pytest.mark.parametrize("question_id", QUESTIONS)
def test_asking_again_finds_nothing_that_filtering_first_does_not(book: Book, question_id: str) -> None:
    query = QUESTIONS[question_id].query
    again = book.ask(query, "iterative")
    assert list(again.chunk_ids) == list(book.ask(query, "prefilter").chunk_ids[: len(again.hits)])
    assert 1 <= again.receipt.rounds <= 3
