"""What every way of the first stage finds in a library, compared with plain reading of all chunks."""

import shutil
from collections.abc import Iterator

import numpy as np
import pytest

from retrieval.index import regions
from retrieval.index.snapshot.snapshot import Snapshot, build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.predicate import satisfies_query_must
from retrieval.search import first_stage
from retrieval.search.first_stage import (
    AllowedChunks,
    Asked,
    first_stage_chunks,
    named_rows,
    nearest_chunks,
    worded_chunks,
)
from retrieval.search.fusion import Positions, similarity
from retrieval.search.metadata_filter import And, Contains, Eq, Filter, Gt, Ne, Not
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk
from tests.retrieval.search.conftest import ToyEmbedder

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


class StagedLibrary:
    """A snapshot, and what its candidates are compared with."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.retriever = Retriever(snapshot, ToyEmbedder())
        self.chunks = list(snapshot.chunks)

    def question(self, text: str) -> Query:
        """A question before the keyed tables of the index."""
        return Query.ask(text, self.snapshot.vocabulary).among(self.snapshot.rivals)

    def worded(self, question: str, k: int, passing: AllowedChunks) -> Positions:
        """The best chunks by their words alone."""
        return worded_chunks(Asked(self.snapshot, question, None), k, passing.mask(self.snapshot))


@pytest.fixture(scope="module", params=["scan", "regions"])
def staged(
    request: pytest.FixtureRequest, library: tuple[Chunk, ...], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StagedLibrary]:
    """The same library without regions and with many."""
    # Other tests of the module ask without these settings.
    with pytest.MonkeyPatch.context() as patch, pytest.MonkeyPatch.context() as meanwhile:
        if request.param == "regions":
            patch.setattr(regions, "UNDIVIDED", 0)
            patch.setattr(regions, "SIZE", 4)
            # So many that all regions are looked through: then what they hold is all that there is.
            meanwhile.setattr(first_stage, "COMPARED", len(library) - 1)
        root = tmp_path_factory.mktemp("asked")
        vectors = ToyEmbedder().embed([chunk.search_text for chunk in library])
        manifest = build_snapshot(root, library, vectors, ToyEmbedder.identity, Vocabulary.default())
        patch.undo()
        with open_snapshot(root, manifest.id) as snapshot:
            yield StagedLibrary(snapshot)
        shutil.rmtree(root)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("where", FILTERS, ids=lambda where: type(where).__name__)
def test_the_nearest_that_may_come_back_come(staged: StagedLibrary, question: str, where: Filter | None) -> None:
    passing, may = passing_of(staged, question, where)
    vector = staged.retriever.vector_of(question)
    scores = similarity(np.asarray(staged.snapshot.vectors), vector)
    for k in (1, 7, ALL):
        nearest = nearest_chunks(staged.snapshot, vector, k, passing)
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
    result = staged.worded(question, ALL, passing)
    assert sorted(result.tolist()) == worded
    first = staged.worded(question, 5, passing)
    scores = index.scores(question)
    assert len(first) == min(5, len(worded))
    assert scores[first].tolist() == sorted(scores[worded], reverse=True)[: len(first)]


def test_the_rarest_word_decides(staged: StagedLibrary) -> None:
    result = staged.worded("halberd level class dragon", 1, AllowedChunks())
    assert staged.chunks[int(result[0])].row_key == "halberd"


@pytest.mark.parametrize("where", FILTERS, ids=lambda where: type(where).__name__)
def test_rows_come_by_their_names(staged: StagedLibrary, where: Filter | None) -> None:
    question = "What does a cleric need to hit armor class 6?"
    passing, may = passing_of(staged, question, where)
    tolist = named_rows(staged.snapshot, staged.question(question), ALL, passing).tolist()
    assert tolist == sorted(set(tolist))
    assert set(tolist) <= set(may)
    called = {position for position in may if "armor class 6" in staged.chunks[position].names}
    assert called <= set(tolist)
    (one,) = named_rows(staged.snapshot, staged.question("a halberd"), 1, AllowedChunks()).tolist()
    assert staged.chunks[one].row_key == "halberd"


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_a_predicate_keeps_out_never_comes(staged: StagedLibrary, question: str) -> None:
    passing, may = passing_of(staged, question, None)
    read = staged.question(question)
    vector = staged.retriever.vector_of(question)
    candidates = first_stage_chunks(staged.snapshot, read, vector, ALL, passing)
    assert candidates.tolist() == may, "with so many candidates all that may come back are among them"
    for position in may:
        must = staged.chunks[position].query_must
        assert must is None or "contain_no_rival" in must or satisfies_query_must(question, must)
    everything = first_stage_chunks(staged.snapshot, read, vector, ALL, AllowedChunks())
    assert len(everything) == len(staged.chunks)


@pytest.mark.parametrize("question", QUESTIONS)
def test_candidates_are_what_each_way_finds(staged: StagedLibrary, question: str) -> None:
    passing, _ = passing_of(staged, question, None)
    read, vector = staged.question(question), staged.retriever.vector_of(question)
    candidates = first_stage_chunks(staged.snapshot, read, vector, 6, passing)
    assert candidates.tolist() == sorted(set(candidates.tolist()))
    named, may = named_rows(staged.snapshot, read, 6, passing), passing.mask(staged.snapshot)
    worded = staged.worded(question, 6, passing)
    lexical = staged.snapshot.lexical.scores(question)
    # Of those that are equally good by their words any may be found.
    sure = worded[lexical[worded] > lexical[worded].min(initial=np.inf)]
    assert may is not None
    assert may[candidates].all()
    assert set(sure.tolist()) | set(named.tolist()) <= set(candidates.tolist())
    scores = similarity(np.asarray(staged.snapshot.vectors), vector)
    assert (
        scores[nearest_chunks(staged.snapshot, vector, 6, passing)].min()
        >= np.sort(scores[candidates])[: len(candidates)].min()
    )
    without = first_stage_chunks(staged.snapshot, read, None, 6, passing)
    assert without.tolist() == sorted({*worded.tolist(), *named.tolist()})


def passing_of(staged: StagedLibrary, question: str, where: Filter | None) -> tuple[AllowedChunks, list[int]]:
    """What may come back for a question, and the positions of it."""
    mask = None if where is None else where.mask(staged.snapshot.metadata)
    passing = AllowedChunks(staged.retriever.admitted(staged.question(question)), mask)
    may = passing.mask(staged.snapshot)
    assert may is not None
    return passing, np.flatnonzero(may).tolist()
