"""Codes of questions, and whether anything says them."""

from __future__ import annotations

import json
from dataclasses import replace
from math import exp
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import IndexCorruptError
from retrieval.index.snapshot.live import live_id, snapshot_folder
from retrieval.rag import relevance
from retrieval.rag.pipeline import RAGPipeline
from retrieval.rag.relevance import (
    ANY,
    N_CANDIDATES,
    NAMES,
    Calibration,
    calibration_of,
    codes_of,
    keep_calibration,
    measures,
    nowhere,
    relevance_of,
    relevances,
    search,
    shipped,
    subject_of,
)
from retrieval.search.retriever import Retriever
from retrieval.types import RELEVANCE, Chunk

FALLING = {"unknown", "unexplained", "beyond", "nowhere", "untold", "uncounted"}
PLAIN = Calibration("wordllama", "default", ("alike", "unknown"), (2.0, -1.0), -1.0)


def row(**values: float) -> list[float]:
    return [values.get(name, 0.0) for name in NAMES]


def test_relevance_is_the_logistic_of_the_weighted_measures_and_no_hit_has_none() -> None:
    result = PLAIN.of(np.asarray([row(alike=0.5), row(alike=1.0), row(alike=0.5, unknown=1.0)]))
    assert result == pytest.approx([0.5, 0.5, 1 / (1 + np.e)])
    assert PLAIN.of(np.empty((0, len(NAMES)))).tolist() == []


def test_what_ships_rises_with_evidence_and_falls_with_the_unknown() -> None:
    for name in ("wordllama", "another"):
        result = shipped(name)
        assert result.embedder == (name if name == "wordllama" else ANY)
        assert result.strategy == "default"
        for measure, weight in zip(result.names, result.weights, strict=True):
            assert weight <= 0 if measure in FALLING else weight >= 0
        nothing = np.asarray([row(unknown=1.0, untold=1.0)])
        everything = np.asarray([row(**dict.fromkeys(set(NAMES) - FALLING, 1.0))])
        assert result.of(nothing)[0] < 0.1
        assert result.of(everything)[0] > 0.95
    assert not any("cosine" in measure for measure in shipped("another").names)


def test_a_snapshot_s_own_calibration_wins(tmp_path: Path) -> None:
    assert calibration_of(tmp_path, "wordllama") == shipped("wordllama")
    PLAIN.write(tmp_path)
    assert calibration_of(tmp_path, "wordllama") == PLAIN
    assert calibration_of(tmp_path, "minilm") == shipped("minilm"), "it is of another embedder"
    (tmp_path / "snapshot").mkdir()
    keep_calibration(tmp_path, tmp_path / "snapshot", "wordllama")
    assert calibration_of(tmp_path / "snapshot", "wordllama") == PLAIN


def test_an_ingested_snapshot_keeps_what_it_was_built_with(skirmish_home: Path) -> None:
    folder = snapshot_folder(skirmish_home, str(live_id(skirmish_home)))
    assert (folder / relevance.RELEVANCE_FILE).is_file()
    assert calibration_of(folder, "minilm") == shipped("minilm")


@pytest.mark.parametrize("change", [{"weights": [1.0]}, {"names": ["luck", "alike"]}, {"intercept": "x"}, {"names": 5}])
def test_what_is_no_calibration_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    PLAIN.write(tmp_path)
    path = tmp_path / relevance.RELEVANCE_FILE
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(IndexCorruptError, match=r"relevance\.json"):
        calibration_of(tmp_path, "wordllama")


def test_a_file_that_ships_damaged_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relevance, "SHIPPED", tmp_path / "calibrations.json")
    for text in (None, "{", "[]", '[{"embedder": "any"}]'):
        if text is not None:
            (tmp_path / "calibrations.json").write_text(text)
        with pytest.raises(IndexCorruptError, match="install the program again"):
            shipped("wordllama")


@pytest.fixture(scope="module")
def retriever(skirmish_home: Path) -> Retriever:
    return Retriever.open(skirmish_home)


def measured(retriever: Retriever, question: str) -> dict[str, float]:
    ids = [hit.chunk.id for hit in retriever.retrieve(question, k=N_CANDIDATES).hits]
    return dict(zip(NAMES, measures(retriever, question, ids)[0].tolist(), strict=True))


def test_measures_are_shares_and_what_any_question_says_changes_none(retriever: Retriever) -> None:
    query = measured(retriever, "What is the range of the long rifle?")
    assert all(0 <= value <= 1 for value in query.values())
    assert query["alike"] == query["best_alike"] == pytest.approx(1.0)
    assert query["unknown"] == query["untold"] == query["uncounted"] == 0.0
    assert query["told"] == pytest.approx(1.0)
    ids = [hit.chunk.id for hit in retriever.retrieve("range long rifle", k=N_CANDIDATES).hits]
    assert np.array_equal(
        measures(retriever, "Can you tell me what the range of the long rifle is", ids),
        measures(retriever, "range long rifle", ids),
    )


def test_a_word_that_tells_nothing_anywhere_costs_little_though_the_library_does_not_have_it(retriever):
    plain = measured(retriever, "range of the long rifle")
    chatty, other = (measured(retriever, f"range of the long rifle {word}") for word in ("anyway", "hovercraft"))
    assert chatty["unknown"] == other["unknown"] > 0
    assert plain["told"] >= chatty["told"] > other["told"]
    assert chatty["untold"] < 0.5 < other["untold"]


def test_two_words_of_four_are_more_than_one_of_two(retriever: Retriever) -> None:
    one, two = (measured(retriever, text) for text in ("rifle hovercraft", "long rifle hovercraft submarine"))
    assert two["told"] < one["told"]
    assert two["much"] > one["much"]


def test_words_and_numbers_that_are_not_there_are_unknown_or_uncounted(retriever: Retriever) -> None:
    assert measured(retriever, "How do I cook pasta?")["unknown"] == 1.0
    assert 0 < measured(retriever, "damage of a flamethrower")["unknown"] < 1
    assert measured(retriever, "range of the long rifle at level 77")["uncounted"] == 1.0


def test_a_hit_alone_is_ahead_of_nothing(retriever: Retriever) -> None:
    ids = [hit.chunk.id for hit in retriever.retrieve("range of the long rifle", k=N_CANDIDATES).hits]
    index = NAMES.index("ahead")
    assert measures(retriever, "range of the long rifle", ids)[0, index] > 0
    assert measures(retriever, "range of the long rifle", ids[::-1])[0, index] == 0.0
    assert measures(retriever, "range of the long rifle", ids[:1])[0, index] == 0.0


def test_measures_are_in_the_order_of_the_ranking(retriever: Retriever) -> None:
    ids = [hit.chunk.id for hit in retriever.retrieve("Barricade rules", k=8).hits]
    forth, back = measures(retriever, "Barricade rules", ids), measures(retriever, "Barricade rules", ids[::-1])
    own = [NAMES.index(name) for name in ("alike", "numbered", "meant", "unknown")]
    assert np.array_equal(forth[:, own], back[::-1][:, own])
    assert measures(retriever, "Barricade rules", []).shape == (0, len(NAMES))


ON_THE_RIGHT_SIDE = {
    "What can I do during movement?": True,
    "How do I cook pasta?": False,
    "Who is the president of France?": False,
    "best laptop for gaming": False,
    "damage of a flamethrower": False,
    "How many wounds does the pump mate have?": True,
    "Does a blast hit a member behind a closed door?": True,
    "damage at the furnace of the foundry": True,
    "range of the long rifle": True,
    "mission carry the coals": True,
}


@pytest.mark.parametrize("question", ON_THE_RIGHT_SIDE)
def test_questions_fall_on_the_right_side_of_the_threshold(skirmish: RAGPipeline, question: str) -> None:
    assert skirmish.retrieve(question, "a:b").meets_threshold == ON_THE_RIGHT_SIDE[question]


def test_relevances_are_what_the_calibration_makes_of_the_measures(retriever: Retriever) -> None:
    ids = [hit.chunk.id for hit in retriever.retrieve("Barricade rules", k=5).hits]
    result = relevances(retriever, "Barricade rules", ids, PLAIN)
    assert np.array_equal(result, PLAIN.of(measures(retriever, "Barricade rules", ids)))


@pytest.mark.parametrize("k", [1, 3, 15])
def test_a_hit_is_as_relevant_as_its_score_is_near_the_best(retriever: Retriever, k: int) -> None:
    question = "What does a club cost?"
    hits = search(retriever, question, k, "default", measured=True)[0].hits
    whole = retriever.retrieve(question, max(k, N_CANDIDATES)).chunk_ids
    calibrated = relevance_of(retriever)(question, whole)
    odds = [exp(hit.score - hits[0].score) for hit in hits]
    assert [hit.evidence[RELEVANCE] for hit in hits] == pytest.approx(
        [share * most for share, most in zip(odds, calibrated, strict=False)]
    )
    assert odds[0] == 1.0
    assert odds == sorted(odds, reverse=True)


def test_relevance_of_other_scores_is_that_of_the_calibration(retriever: Retriever) -> None:
    hits = search(retriever, "What does a club cost?", 5, "bm25", measured=True)[0].hits
    calibrated = relevance_of(retriever)("What does a club cost?", [hit.chunk.id for hit in hits])
    assert [hit.evidence[RELEVANCE] for hit in hits] == calibrated


def test_the_least_relevance_leaves_out_hits_that_the_ranking_puts_far_behind(retriever: Retriever) -> None:
    every = search(retriever, "What does a club cost?", 15, "default", measured=True)[0].hits
    least = every[0].evidence[RELEVANCE] / 2
    kept, reason = search(retriever, "What does a club cost?", 15, "default", least=least)
    assert reason is None
    assert kept.chunk_ids == tuple(hit.chunk.id for hit in every if hit.evidence[RELEVANCE] >= least)
    assert 0 < len(kept.hits) < len(every)


def test_the_receipt_of_relevant_hits_is_that_of_as_many_as_were_asked_for(retriever: Retriever) -> None:
    plain, _ = search(retriever, "What does a club cost?", 1, "default", debug=True)
    relevant, _ = search(retriever, "What does a club cost?", 1, "default", least=0.0, debug=True)
    assert relevant.chunk_ids == plain.chunk_ids
    assert relevant.receipt.decisions == plain.receipt.decisions


PROSE = Chunk("a", "b", "d", "prose", "", "", "", (1, 1), ())
CODES = [
    ("torque of the M54-60", ("M54-60",)),
    ("a BTR-80, or two BTR-80", ("BTR-80",)),
    ("pins of the 7I92 (or SV8_4)", ("7I92", "SV8_4")),
    ("mx64 at 2Mbps, 12V and 3.5A", ("mx64",)),
    ("12th level, 7th-lvl, 3-phase, 20-sided, 2d6, d20, 8x8, P7, 24", ()),
    ("an M12x1.5 bolt for the under-21s", ()),
    ("no code at all", ()),
]


@pytest.mark.parametrize(("question", "codes"), CODES, ids=range(len(CODES)))
def test_codes_are_no_amounts_ranks_or_dice(question: str, codes: tuple[str, ...]) -> None:
    assert codes_of(question) == codes


WRITTEN = [
    ("torque of the M54-60", "M54-60-S250-R", 0.0),
    ("torque of the M54-80", "M54-60-S250-R, 80 W", 1.0),
    ("mx64 limits", "MX-64T/R", 0.0),
    ("price of a BTR-7", "BTR-70", 1.0),
    ("price of a BTR-7", "the btr 7 carries", 0.0),
    ("AC16 to hit", "to hit AC 16", 0.0),
    ("K22-1 or K22-9", "the K22-1 alone", 0.5),
    ("what does it cost", "nothing", 0.0),
]


@pytest.mark.parametrize(("question", "text", "share"), WRITTEN, ids=range(len(WRITTEN)))
def test_a_code_is_written_however_its_parts_are_joined(question: str, text: str, share: float) -> None:
    assert nowhere(question, [PROSE, replace(PROSE, search_text=text)]) == share


def test_the_book_its_documents_and_other_names_of_a_row_say_a_code_too() -> None:
    for chunk in (replace(PROSE, book="ext4"), replace(PROSE, document="ext4"), replace(PROSE, searched_as=("Ext 4",))):
        assert nowhere("largest file of ext4", [chunk]) == 0.0
    assert nowhere("largest file of ext4", []) == 1.0


@given(st.lists(st.text("Mk0179-_/ .", max_size=12), max_size=4).map(" ".join))
def test_a_question_finds_its_own_codes(question: str) -> None:
    assert nowhere(question, [replace(PROSE, search_text=question)]) == 0.0


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What can I do during movement?", "movement?"),
        ("How do I cook pasta?", "cook pasta?"),
        ("range of the long rifle", "range long rifle"),
        ("What is it?", "What is it?"),
        ("What's the range of (it's) the long rifle's shot?", "range long rifle's shot?"),
        ("  AC -2  ", "AC -2"),
    ],
)
def test_what_any_question_says_is_left_out(question: str, subject: str) -> None:
    assert subject_of(question) == subject
