"""The nearest from regions, against all vectors compared."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.index import regions
from retrieval.index.snapshot.snapshot import Snapshot, build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.search import first_stage
from retrieval.search.first_stage import Admission, AllowedChunks, compared_in_regions, nearest_chunks
from retrieval.search.fusion import Positions, best, similarity
from retrieval.search.metadata_filter import Eq
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk, Vector
from tests.retrieval.index.conftest import MODEL, chunk, vectors_of
from tests.retrieval.search.conftest import ToyEmbedder, matrix_row

COUNT = 600


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """A library of 600 chunks in some sixty regions; every ninth is guarded. Of each vector there are two."""
    home, vectors = tmp_path_factory.mktemp("large"), vectors_of(COUNT)
    vectors[1::2] = vectors[::2]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regions, "UNDIVIDED", 100)
        patch.setattr(regions, "SIZE", 8)
        manifest = build_snapshot(home, [chunk(n) for n in range(COUNT)], vectors, MODEL, Vocabulary.default())
    with open_snapshot(home, manifest.id) as snapshot:
        assert COUNT / 16 < len(snapshot.regions) < COUNT / 4
        yield snapshot


def by_comparing(snapshot: Snapshot, vector: Vector, k: int, passing: AllowedChunks) -> Positions:
    return best(similarity(snapshot.vectors, vector), k, passing.mask(snapshot))


def question(seed: int) -> Vector:
    vector = np.random.default_rng(seed).normal(size=16).astype(np.float32)
    normalised: Vector = vector / np.linalg.norm(vector)
    return normalised


def passing_of(snapshot: Snapshot, seed: int, share: float, *, asks: bool) -> AllowedChunks:
    """Predicates that admit some of the guarded chunks, and a filter that lets a share of all through."""
    random = np.random.default_rng(seed)
    where = None if share >= 1 else random.random(COUNT) < share
    if not asks:
        return AllowedChunks(None, where)
    guarded = np.flatnonzero(snapshot.predicates.guarded)
    some = np.sort(random.choice(guarded, random.integers(0, len(guarded)), replace=False))
    return AllowedChunks(Admission(some, snapshot.canonical_of("armor class 6").rivals), where)  # type: ignore[arg-type]


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    k=st.sampled_from([1, 3, 15, 200, COUNT]),
    compared=st.sampled_from([1, 40, 300, COUNT - 1]),
    share=st.sampled_from([0.0, 0.01, 0.1, 0.5, 0.97, 1.0]),
    asks=st.booleans(),
)
def test_what_is_found_may_come_back_is_k_where_k_exist_and_is_the_nearest_of_all_regions(
    large: Snapshot, seed: int, k: int, compared: int, share: float, asks: bool
) -> None:
    passing, vector = passing_of(large, seed, share, asks=asks), question(seed)
    may = passing.mask(large)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(first_stage, "COMPARED", compared)
        nearest = nearest_chunks(large, vector, k, passing)
    there = COUNT if may is None else int(may.sum())
    assert len(set(nearest.tolist())) == len(nearest) == min(k, there)
    assert may is None or may[nearest].all()
    scores = similarity(large.vectors, vector)
    assert nearest.tolist() == nearest[np.lexsort((nearest, -scores[nearest]))].tolist(), "nearest first, then by id"
    if there <= max(compared, 16 * k) or compared == COUNT - 1:
        assert nearest.tolist() == by_comparing(large, vector, k, passing).tolist()


def test_a_search_looks_at_the_nearest_regions_first_and_no_further_than_it_has_to(
    large: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_stage, "COMPARED", 60)
    hits = 0
    for seed in range(40):
        vector = question(seed)
        seen, _ = compared_in_regions(large, vector, 60, AllowedChunks())
        assert 60 <= len(seen) < COUNT / 3
        first = large.regions.chunks[int(large.regions.nearest_first(vector)[0])]
        assert set(first.tolist()) <= set(seen.tolist())
        wanted = by_comparing(large, vector, 5, AllowedChunks()).tolist()
        hits += len(set(nearest_chunks(large, vector, 5, AllowedChunks()).tolist()) & set(wanted))
    # Random directions are the worst case; a tenth of the chunks, drawn, would hold a tenth of the neighbours.
    assert hits > 40 * 5 * 0.4


def test_a_filter_makes_a_search_look_further(large: Snapshot) -> None:
    for share in (0.9, 0.5, 0.15):
        passing = passing_of(large, 7, share, asks=True)
        seen, cosines = compared_in_regions(large, question(7), 60, passing)
        may = passing.mask(large)
        assert may is not None
        assert may[seen].all()
        assert len(set(seen.tolist())) == len(seen) >= min(60, int(may.sum()))
        assert cosines.tolist() == similarity(large.vectors, question(7))[seen].tolist()


SUBJECTS = [a + b + c for a in ("bar", "mel", "tor", "vun") for b in ("do", "ga", "ri") for c in ("k", "l", "n", "sh")]
QUESTIONS = (
    "What does a bardok need to hit armor class 6?",
    "melgan against armor class -3",
    "level 1 of the vunrish, AC 2 and AC 4",
    "which attack matrix is for torgals",
    "combat",
    "zyzzyva",
)
FILTERS = (None, Eq("shelf", 3), Eq("half", 1))


def rows() -> Sequence[Chunk]:

    return [
        replace(
            row,
            query_must=row.query_must if position % 2 else None,
            metadata={"shelf": position // 5, "half": position % 2},
        )
        for position, subject in enumerate(SUBJECTS)
        for row in (matrix_row(subject, value) for value in range(-9, 11))
    ]


@pytest.fixture(scope="module")
def portion_large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    """A library of 960 rows in 120 regions."""
    home, chunks = tmp_path_factory.mktemp("portion_large"), rows()
    vectors = ToyEmbedder().embed([chunk.search_text for chunk in chunks])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regions, "UNDIVIDED", 0)
        patch.setattr(regions, "SIZE", 8)
        manifest = build_snapshot(home, chunks, vectors, ToyEmbedder.identity, Vocabulary.default())
    with open_snapshot(home, manifest.id) as snapshot:
        yield Retriever(snapshot, ToyEmbedder())


def ids(retriever: Retriever, positions: Positions) -> set[str]:
    return {retriever.snapshot.chunks.id_at(int(position)) for position in positions}


@pytest.mark.parametrize("where", FILTERS, ids=["all", "few", "half"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_large_library_gives_the_same_where_its_rare_words_are_all_words(
    portion_large: Retriever, question: str, where: Eq | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = portion_large.retrieve(question, 12, where=where)
    monkeypatch.setattr(first_stage, "SCORED_WHOLE", 0)

    result = portion_large.retrieve(question, 12, where=where)

    assert result.hits == whole.hits
    assert result.receipt.excluded == whole.receipt.excluded


def test_the_row_that_is_asked_for_is_found_by_its_rare_words_and_near_regions(
    portion_large: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("SCORED_WHOLE", 0), ("WORDED", 60), ("COMPARED", 100)):
        monkeypatch.setattr(first_stage, name, value)
    for subject in ("bardok", "torgal", "vunrish"):
        question = Query.ask(f"What does a {subject} need to hit armor class 6?", portion_large.snapshot.vocabulary)
        passing, vector = AllowedChunks(portion_large.admitted(question)), portion_large.vector_of(question.text)
        result = first_stage.first_stage_chunks(portion_large.snapshot, question, vector, 30, passing)

        assert f"{subject}-26" in ids(portion_large, result)
        assert len(result) <= 90
        assert portion_large.retrieve(question.text, 5).hits[0].chunk.id == f"{subject}-26"


def test_a_stop_word_takes_no_place_of_a_word_that_is_looked_for(
    portion_large: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All chunks say `for`, and as many `attack`; half as many would have room.
    monkeypatch.setattr(first_stage, "SCORED_WHOLE", 0)
    monkeypatch.setattr(first_stage, "WORDED", 1000)
    asked = first_stage.Asked(portion_large.snapshot, "for a bardok", None)
    some = first_stage.worded_chunks(asked, 960, None)
    assert {portion_large.snapshot.chunks[int(position)].table_id for position in some} == {"bardok"}


def test_of_rows_that_are_equally_good_the_nearest_are_found(portion_large: Retriever) -> None:
    snapshot, vector = portion_large.snapshot, portion_large.vector_of("combat")
    lexical, cosines = snapshot.lexical.scores("combat"), np.vecdot(snapshot.vectors, vector)
    assert len(np.unique(lexical)) == 1

    some = first_stage.worded_chunks(first_stage.Asked(snapshot, "combat", vector), 30, None)

    assert some.tolist() == np.argsort(-cosines, kind="stable")[:30].tolist()


def test_where_too_few_are_candidates_a_ranking_is_filled_up(
    portion_large: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = portion_large.retrieve("zyzzyva", 400)
    assert len(set(whole.chunk_ids)) == 400
    monkeypatch.setattr(first_stage, "SCORED_WHOLE", 0)
    assert portion_large.retrieve("zyzzyva", 400).hits == whole.hits
