"""What every first stage does, whichever engine it is on."""

import numpy as np
import pytest

from retrieval.query_must.predicate import satisfies_query_must
from retrieval.search.cosines import similarity
from retrieval.search.first_stage.own_vectors import AllowedChunks
from retrieval.search.metadata_filter import And, Contains, Eq, Filter, Gt, Ne, Not
from tests.retrieval.search.first_stage.conftest import StagedLibrary

QUESTIONS = (
    "What does a cleric need to hit armor class 6?",
    "fighter against armor class -3",
    "What does a mace do for damage?",
    "the price of a night in the tavern by the sea",
    "zyzzyva",
)
FILTERS = (
    None,
    Eq("book", "book-2"),
    And((Contains("tags", "even"), Not(Eq("author", "ann")))),
    Ne("draft", True),
    Gt("page", 90),
)
ALL = 10_000


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("where", FILTERS, ids=lambda where: type(where).__name__)
def test_the_nearest_that_may_come_back_come(staged: StagedLibrary, question: str, where: Filter | None) -> None:
    passing, may = passing_of(staged, question, where)
    vector = staged.retriever.vector_of(question)
    scores = similarity(np.asarray(staged.snapshot.vectors), vector)
    for k in (1, 7, ALL):
        nearest = staged.stage.nearest(vector, k, passing)
        wanted = sorted(scores[may], reverse=True)[:k]
        assert np.allclose(sorted(scores[nearest], reverse=True), wanted, atol=1e-5)
        assert len(set(nearest.tolist())) == len(nearest)
        assert set(nearest.tolist()) <= set(may)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("where", FILTERS, ids=lambda where: type(where).__name__)
def test_those_with_a_word_of_the_question_come_by_their_words(staged, question, where):
    passing, may = passing_of(staged, question, where)
    index = staged.snapshot.lexical
    words = set((index.ask or index.tokenize)(question))
    worded = [position for position in may if words & set(index.tokenize(staged.chunks[position].search_text))]
    result = staged.stage.worded(question, ALL, passing)
    assert sorted(result.tolist()) == worded
    first = staged.stage.worded(question, 5, passing)
    scores = index.scores(question)
    assert len(first) == min(5, len(worded))
    if worded:
        # Two formulas of BM25 differ a little, and never by half.
        assert scores[first].min() >= 0.5 * sorted(scores[worded], reverse=True)[: len(first)][-1]


def test_the_rarest_word_decides(staged: StagedLibrary) -> None:
    result = staged.stage.worded("halberd level class dragon", 1, AllowedChunks())
    assert staged.chunks[int(result[0])].row_key == "halberd"


@pytest.mark.parametrize("where", FILTERS, ids=lambda where: type(where).__name__)
def test_rows_come_by_their_names(staged: StagedLibrary, where: Filter | None) -> None:
    question = "What does a cleric need to hit armor class 6?"
    passing, may = passing_of(staged, question, where)
    tolist = staged.stage.named(staged.question(question), ALL, passing).tolist()
    assert tolist == sorted(set(tolist))
    assert set(tolist) <= set(may)
    called = {position for position in may if "armor class 6" in staged.chunks[position].names}
    assert called <= set(tolist)
    (one,) = staged.stage.named(staged.question("a halberd"), 1, AllowedChunks()).tolist()
    assert staged.chunks[one].row_key == "halberd"


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_a_predicate_keeps_out_never_comes(staged: StagedLibrary, question: str) -> None:
    passing, may = passing_of(staged, question, None)
    read = staged.question(question)
    vector = staged.retriever.vector_of(question)
    candidates = staged.stage.candidates(read, vector, ALL, passing)
    assert candidates.tolist() == may, "with so many candidates all that may come back are among them"
    for position in may:
        must = staged.chunks[position].query_must
        assert must is None or "contain_no_rival" in must or satisfies_query_must(question, must)
    everything = staged.stage.candidates(read, vector, ALL, AllowedChunks())
    assert len(everything) == len(staged.chunks)


@pytest.mark.parametrize("question", QUESTIONS)
def test_candidates_are_what_each_way_finds(staged: StagedLibrary, question: str) -> None:
    passing, _ = passing_of(staged, question, None)
    read, vector = staged.question(question), staged.retriever.vector_of(question)
    candidates = staged.stage.candidates(read, vector, 6, passing)
    assert candidates.tolist() == sorted(set(candidates.tolist()))
    named, may = staged.stage.named(read, 6, passing), passing.mask(staged.snapshot)
    worded = staged.stage.worded(question, 6, passing)
    lexical = staged.snapshot.lexical.scores(question)
    # Of those that are equally good by their words any may be found.
    sure = worded[lexical[worded] > lexical[worded].min(initial=np.inf)]
    assert may is not None
    assert may[candidates].all()
    assert set(sure.tolist()) | set(named.tolist()) <= set(candidates.tolist())
    scores = similarity(np.asarray(staged.snapshot.vectors), vector)
    assert (
        scores[staged.stage.nearest(vector, 6, passing)].min() >= np.sort(scores[candidates])[: len(candidates)].min()
    )
    without = staged.stage.candidates(read, None, 6, passing)
    assert without.tolist() == sorted({*worded.tolist(), *named.tolist()})


def test_a_filter_that_nothing_passes_finds_nothing(staged: StagedLibrary) -> None:
    nothing = AllowedChunks(None, np.zeros(len(staged.chunks), dtype=np.bool_))
    question = staged.question(QUESTIONS[0])
    vector = staged.retriever.vector_of(QUESTIONS[0])
    for result in (
        staged.stage.nearest(vector, 5, nothing),
        staged.stage.worded(QUESTIONS[0], 5, nothing),
        staged.stage.named(question, 5, nothing),
        staged.stage.candidates(question, vector, 5, nothing),
    ):
        assert result.tolist() == []


def passing_of(staged: StagedLibrary, question: str, where: Filter | None) -> tuple[AllowedChunks, list[int]]:
    """What may come back for a question, and the positions of it."""
    mask = None if where is None else where.mask(staged.snapshot.metadata)
    passing = AllowedChunks(staged.retriever.admitted(staged.question(question)), mask)
    may = passing.mask(staged.snapshot)
    assert may is not None
    return passing, np.flatnonzero(may).tolist()
