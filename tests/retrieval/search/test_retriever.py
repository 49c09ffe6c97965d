from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.errors import EmbedderMismatchError, InvalidQueryError, UnknownNameError
from retrieval.index.sibling_tables import keyed_tables
from retrieval.index.snapshot.live import promote
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.language import tokens
from retrieval.language.tokens import normalise
from retrieval.query_must.predicate import satisfies_query_must
from retrieval.query_must.siblings import Siblings
from retrieval.search.fusion import best, similarity
from retrieval.search.metadata_filter import Eq
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES
from retrieval.strategy import Strategy
from retrieval.types import Chunk, EmbedderIdentity, Vector
from tests.chunks import indexed
from tests.retrieval.search.conftest import CHUNK, ToyEmbedder

ALL = sorted(STRATEGIES)
WORDS = [
    "cleric",
    "fighter",
    "thief",
    "AC 6",
    "armor class -2",
    "AC 3",
    "level",
    "dragon",
    "tavern",
    "hit",
    "dagger",
    "damage of a",
    "mace",
]
QUESTION = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
MANY = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@MANY
@given(QUESTION, st.integers(1, 140))
def test_prefilter_is_dense_without_the_excluded_filled_up_with_the_next(
    retriever: Retriever, library: tuple[Chunk, ...], question: str, k: int
) -> None:
    plain = retriever.retrieve(question, k, "dense").chunk_ids
    kept = retriever.retrieve(question, k, "prefilter").chunk_ids
    by_id = {chunk.id: chunk for chunk in library}
    rivals = Siblings(keyed_tables(library).tables)
    passes = {name: satisfies_query_must(question, chunk.query_must, rivals=rivals) for name, chunk in by_id.items()}
    passing = [chunk_id for chunk_id in plain if passes[chunk_id]]
    assert list(kept[: len(passing)]) == passing
    everything = retriever.retrieve(question, len(library), "dense").chunk_ids
    assert list(kept) == [chunk_id for chunk_id in everything if passes[chunk_id]][:k]


@MANY
@given(QUESTION, st.integers(1, 40))
def test_iterative_keeps_what_prefilter_keeps_as_far_as_its_rounds_reach(
    retriever: Retriever, question: str, k: int
) -> None:
    rounds = retriever.retrieve(question, k, "iterative")
    best = retriever.retrieve(question, k, "prefilter")
    assert rounds.chunk_ids == best.chunk_ids[: len(rounds.hits)]
    looked_at = [decision.chunk_id for decision in rounds.receipt.decisions]
    assert len(looked_at) == len(set(looked_at))
    assert len(looked_at) <= k * rounds.receipt.rounds <= 3 * k


@pytest.mark.parametrize("strategy", ["prefilter", "iterative", "default"])
def test_the_siblings_of_a_named_row_stay_out(retriever: Retriever, strategy: str) -> None:
    def weapons(question: str) -> set[str | None]:
        hits = retriever.retrieve(question, 60, strategy).hits
        return {hit.chunk.row_key for hit in hits if hit.chunk.table_id == "weapons"}

    assert weapons("damage of a mace") == {"mace"}
    assert len(weapons("which does more damage than a mace")) > 1
    assert retriever.retrieve("damage of a mace", 15, strategy).receipt.excluded != 0


def test_a_filter_on_metadata_holds_beside_a_named_row(retriever: Retriever) -> None:
    result = retriever.retrieve("damage of a mace", 20, "prefilter", where=Eq("book", "book-0"), debug=True)
    assert {hit.chunk.book for hit in result.hits} == {"book-0"}
    assert {hit.chunk.row_key for hit in result.hits if hit.chunk.table_id == "weapons"} <= {"mace"}


def test_the_receipt_says_which_row_is_named_and_what_holds_back(retriever: Retriever) -> None:
    result = retriever.retrieve("damage of a mace", 120, "prefilter", debug=True)
    reasons = {decision.reason for decision in result.receipt.decisions if not decision.kept}
    assert "contain_no_rival failed: the question names 'mace', another row of its table" in reasons
    held = retriever.retrieve("damage of a poisoned mace", 120, "prefilter", debug=True)
    reasons = {decision.reason for decision in held.receipt.decisions if decision.kept}
    assert "satisfies query_must: held back, nothing in the row explains 'poisoned' before 'mace'" in reasons


def test_dense_is_the_exact_order_of_all_vectors(retriever: Retriever, snapshot: Snapshot) -> None:
    question = "What does a cleric need to hit AC 6?"
    exact = snapshot.vectors @ ToyEmbedder().embed([question])[0]
    hits = retriever.retrieve(question, 20, "dense").hits
    assert [hit.score for hit in hits] == pytest.approx(np.sort(exact)[::-1][:20], abs=1e-6)


@pytest.mark.parametrize("name", ALL)
def test_k_results_come_back_where_k_exist(retriever: Retriever, name: str) -> None:
    for k in (1, 15, 60):
        result = retriever.retrieve("what does a cleric need to hit AC 6 in the tavern", k, name)
        assert len(result.hits) == k or (name == "iterative" and result.receipt.rounds == 3)
        assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
        order = [(-hit.score, hit.chunk.id) for hit in result.hits]
        assert order == sorted(order)
        assert len(set(result.chunk_ids)) == len(result.hits)


@pytest.mark.parametrize("name", ["iterative", "prefilter", "default"])
def test_a_question_without_an_armor_class_gets_no_matrix_row(retriever: Retriever, name: str) -> None:
    question = "how does an attack matrix for clerics work, with armor and class and level?"
    result = retriever.retrieve(question, 15, name, debug=True)
    assert all(hit.chunk.query_must is None for hit in result.hits)
    assert result.receipt.excluded


@pytest.mark.parametrize("name", ALL)
def test_a_receipt_never_says_a_number_that_was_not_counted(retriever: Retriever, name: str) -> None:
    question = "how does an attack matrix for clerics work, with armor and class and level?"
    silent, query = (retriever.retrieve(question, 15, name, debug=debug) for debug in (False, True))
    assert silent.receipt.excluded == (None if name == "prefilter" else query.receipt.excluded)
    assert query.receipt.excluded == sum(not decision.kept for decision in query.receipt.decisions)
    assert silent.chunk_ids == query.chunk_ids


def test_default_ranks_the_named_row_first(retriever: Retriever) -> None:
    hit = retriever.retrieve("what damage does a dagger do").hits[0]
    assert hit.chunk.id == "weapon-1"
    assert hit.evidence["name"] > 0
    assert set(hit.evidence) == {"lexical", "dense", "name", "heading", "table_lexical", "table_dense"}


def test_a_receipt_accounts_for_every_hit_and_every_exclusion(retriever: Retriever) -> None:
    result = retriever.retrieve("attack matrix for thieves, armor class 6", 15, "prefilter", debug=True)
    kept = [decision.chunk_id for decision in result.receipt.decisions if decision.kept]
    excluded = [decision for decision in result.receipt.decisions if not decision.kept]
    assert tuple(kept) == result.chunk_ids
    assert result.receipt.excluded == len(excluded) > 0
    assert all("contain_one_of" in decision.reason for decision in excluded)
    assert {"canonical", "predicates", "embed", "dense", "chunks"} == {stage.name for stage in result.receipt.stages}
    assert all(stage.milliseconds >= 0 for stage in result.receipt.stages)


def test_the_rounds_of_a_receipt_are_timed_and_say_why_they_ended(retriever: Retriever) -> None:
    receipt = retriever.retrieve("attack matrix for thieves, armor class 6", 15, "iterative").receipt
    assert len(receipt.iterations) == receipt.rounds > 1
    assert sum(iteration.excluded for iteration in receipt.iterations) == receipt.excluded
    assert receipt.stopped in {"Target k reached", "Iteration limit reached"}
    dense = next(stage.milliseconds for stage in receipt.stages if stage.name == "dense")
    assert 0 < sum(iteration.milliseconds for iteration in receipt.iterations) <= dense
    plain = retriever.retrieve("attack matrix for thieves, armor class 6", 15, "prefilter").receipt
    assert (plain.iterations, plain.stopped) == ((), None)


@pytest.mark.parametrize("name", ALL)
def test_the_whole_of_a_retrieval_takes_no_less_than_its_stages(retriever: Retriever, name: str) -> None:
    receipt = retriever.retrieve("cleric and thief against AC 3", 15, name).receipt
    assert 0 < sum(stage.milliseconds for stage in receipt.stages) <= receipt.milliseconds


@pytest.mark.parametrize("name", ALL)
def test_one_question_has_one_answer(retriever: Retriever, name: str) -> None:
    question = "cleric and thief against AC 3"
    first, second = (retriever.retrieve(question, 15, name) for _ in range(2))
    assert first.hits == second.hits


@pytest.mark.parametrize("question", ["", "   \n", "x" * 2001])
def test_a_question_that_cannot_be_asked_is_refused(retriever: Retriever, question: str) -> None:
    with pytest.raises(InvalidQueryError, match="ask something"):
        retriever.retrieve(question)


@pytest.mark.parametrize("question", ["?", "衣", "0", "'; DROP TABLE", "x" * 2000, "\x00", '{"$nin": []}'])
@pytest.mark.parametrize("name", ALL)
def test_a_strange_question_still_gets_an_answer(retriever: Retriever, name: str, question: str) -> None:
    result = retriever.retrieve(question, 5, name)
    assert len(result.hits) == 5 or (name == "iterative" and result.receipt.rounds == 3)


def test_a_strategy_of_ones_own_can_be_used(retriever: Retriever) -> None:
    mine = Strategy("mine", lexical_weight=1.0, query_must="prefilter")
    result = retriever.retrieve("cleric armor class 6", 15, mine)
    assert result.strategy == "mine"
    assert [hit.chunk.id for hit in result.hits if hit.chunk.query_must] == ["cleric-26"]


def test_another_embedder_than_the_snapshots_is_refused(snapshot: Snapshot) -> None:
    class Other(ToyEmbedder):
        identity = EmbedderIdentity("toy", "2", 32)

    with pytest.raises(EmbedderMismatchError, match="search with that embedder"):
        Retriever(snapshot, Other())


def test_a_question_whose_vector_has_another_dimension_is_refused(snapshot: Snapshot) -> None:
    class Narrow(ToyEmbedder):
        def embed_query(self, query: str) -> Vector:
            return super().embed_query(query)[:8]

    with pytest.raises(EmbedderMismatchError, match=r"shape \(8,\), not \(32,\)"):
        Retriever(snapshot, Narrow()).retrieve("mace")


def test_opening_a_home_needs_an_embedder_that_has_a_name(home: Path, snapshot: Snapshot) -> None:
    promote(home, snapshot.id)
    with pytest.raises(UnknownNameError, match="no embedder is called 'toy'"):
        Retriever.open(home)


def test_more_than_there_are_is_all_of_them(retriever: Retriever) -> None:
    for strategy in ("dense", "bm25"):
        assert len(retriever.retrieve("AC 6", 2**40, strategy).hits) == len(retriever.snapshot)


def test_a_number_of_results_or_a_strategy_that_cannot_be_is_refused(retriever: Retriever) -> None:
    with pytest.raises(InvalidQueryError, match="k is 0"):
        retriever.retrieve("AC 6", 0)
    with pytest.raises(UnknownNameError, match=r"'cosine'.*bm25, default, .*dense"):
        retriever.retrieve("AC 6", strategy="cosine")
    with pytest.raises(InvalidQueryError, match=r"k is 2\.5"):
        retriever.retrieve("AC 6", 2.5)  # type: ignore[arg-type]
    with pytest.raises(InvalidQueryError, match="'mine' has no leg"):
        retriever.retrieve("AC 6", strategy=Strategy("mine"))


@pytest.mark.parametrize("name", ["default", "hybrid", "bm25", "hybrid_graph"])
def test_a_scan_filters_the_same_whatever_the_filter_is_called(retriever: Retriever, name: str) -> None:
    question, base = "what does a cleric need to hit AC 6", STRATEGIES[name]
    first, rounds = (
        retriever.retrieve(question, 30, replace(base, query_must=mode)) for mode in ("prefilter", "iterative")
    )
    assert rounds.chunk_ids == first.chunk_ids
    assert {hit.chunk.id for hit in rounds.hits if hit.chunk.query_must} == {"cleric-26"}


def test_a_question_is_cut_into_tokens_once(retriever: Retriever, monkeypatch: pytest.MonkeyPatch) -> None:
    question = "What does a 7th level paladin need to roll to hit AC 6?"
    cut: list[str] = []

    def recorded(text: str) -> str:
        cut.append(text)
        return normalise(text)

    monkeypatch.setattr(tokens, "normalise", recorded)
    retriever.retrieve(question)
    assert cut.count(question) == 1


TEXTS = [
    f"{word} of the {position}" for word in ("rope", "tent", "lamp", "sword") for position in ("sea", "hill", "night")
]
EQUALS = 60


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    chunks = [
        replace(CHUNK, id=f"{number:03}-{position:02}", text=text, search_text=text)
        for position, text in enumerate(TEXTS)
        for number in range(EQUALS)
    ]
    with indexed(tmp_path_factory.mktemp("twins"), chunks, ToyEmbedder()) as retriever:
        yield retriever


@pytest.mark.parametrize("strategy", ["dense", "prefilter", "iterative"])
@pytest.mark.parametrize("k", [1, 5, 15, EQUALS, EQUALS + 7, 400])
def test_of_equals_the_first_by_id_come_back(twins: Retriever, strategy: str, k: int) -> None:
    question = "a tent for the hill"
    scores = similarity(twins.snapshot.vectors, twins.embedder.embed_query(question))
    wanted = [twins.snapshot.chunks[int(position)].id for position in best(scores, k)]
    assert len(np.unique(scores.round(6))) == len(TEXTS)
    assert list(twins.retrieve(question, k, strategy).chunk_ids) == wanted
