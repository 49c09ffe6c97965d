from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.rag import statements as module
from retrieval.rag.passages import Gatherer
from retrieval.rag.question_words import QuestionWords
from retrieval.rag.rag_context import ContextSource
from retrieval.rag.relevance import calibration_of
from retrieval.rag.statements import FALLING, FEATURES, NAMES, RIVAL, candidates, shipped_models, statements
from retrieval.search.retriever import Retriever

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retrieval.home import Home
    from retrieval.rag.passages import Passage

QUESTION = "What does a 7th level cleric need to roll to hit AC 6?"


@pytest.fixture(scope="module")
def gatherer(sample: Home) -> Iterator[Gatherer]:
    retriever = Retriever.open(sample.root)
    with retriever.snapshot as snapshot:
        calibration = calibration_of(snapshot.folder, snapshot.manifest.embedder.name)
        yield Gatherer(ContextSource(retriever, calibration, "default"))


def passages(gatherer: Gatherer) -> tuple[Passage, ...]:
    hits = gatherer.reader.retriever.retrieve(QUESTION, 5, decisions=False).hits
    return gatherer.measured(QUESTION, hits)


def test_the_row_that_answers_is_the_most_probable(gatherer: Gatherer) -> None:
    found = statements(QUESTION, passages(gatherer), gatherer.reader.retriever.snapshot)
    best = max(found, key=lambda statement: statement.probability)
    assert best.passage.number == 1
    assert [(cell.column, cell.text) for cell in best.cells] == [("Level 7-9", "10")]
    assert best.probability > 0.7


def test_features_are_shares_and_of_each_candidate(gatherer: Gatherer) -> None:
    snapshot = gatherer.reader.retriever.snapshot
    words = QuestionWords.of(QUESTION, snapshot)
    rivals = candidates(words, passages(gatherer), snapshot)
    values = module.statement_features(words, rivals)
    assert values.shape == (len(rivals), len(NAMES))
    assert (np.abs(values) <= 1.0 + 1e-9).all()
    gap = NAMES.index("gap")
    assert (np.delete(values, gap, axis=1) >= 0.0).all()


def test_a_name_that_the_passage_lacks_makes_it_less_probable(gatherer: Gatherer) -> None:
    snapshot = gatherer.reader.retriever.snapshot
    plain = statements(QUESTION, passages(gatherer), snapshot)
    named = statements(QUESTION.replace("cleric", "cleric of Zanzibar"), passages(gatherer), snapshot)
    assert named[0].probability < plain[0].probability
    assert named[0].missing[0] == "Zanzibar"


@given(st.sampled_from(sorted(FEATURES)), st.sampled_from(NAMES), st.floats(0, 1), st.floats(0, 1))
def test_shipped_models_are_monotone(kind: str, name: str, low: float, high: float) -> None:
    low, high = sorted((low, high))
    values = np.full((2, len(NAMES)), 0.5)
    values[:, NAMES.index(name)] = (low, high)
    first, second = shipped_models()[kind].of(values)
    assert first >= second if name in FALLING else first <= second


def test_a_passage_without_words_states_nothing(gatherer: Gatherer) -> None:
    (first, *_) = passages(gatherer)
    empty = replace(first, hit=replace(first.hit, chunk=replace(first.hit.chunk, cells=(), columns=(), text="---")))
    assert statements(QUESTION, (empty,), gatherer.reader.retriever.snapshot) == ()


@pytest.mark.parametrize("question", [QUESTION, "armor class of a druid", "what does a cleric need?", "cost of a mace"])
def test_rows_that_are_not_read_could_neither_be_the_answer_nor_an_alternative(
    question: str, gatherer: Gatherer
) -> None:
    snapshot = gatherer.reader.retriever.snapshot
    hits = gatherer.reader.retriever.retrieve(question, 5, decisions=False).hits
    measured = gatherer.measured(question, hits)
    stated = statements(question, measured, snapshot)
    words = QuestionWords.of(question, snapshot)
    rivals = candidates(words, measured, snapshot)
    rows = module.statement_features(words, rivals)
    read = [float(shipped_models()[rival.kind].of(row[None, :])[0]) for rival, row in zip(rivals, rows, strict=True)]
    assert len(stated) == len(rivals)
    for statement, rival, probability in zip(stated, rivals, read, strict=True):
        if statement.cells:
            assert (statement.cells, statement.probability) == (rival.cells, round(probability, 4))
        else:
            assert probability <= statement.probability + 1e-4 < RIVAL * max(read) + 2e-4


def test_some_rows_are_not_read(gatherer: Gatherer) -> None:
    stated = statements(QUESTION, passages(gatherer), gatherer.reader.retriever.snapshot)
    assert any(not statement.cells for statement in stated)
