"""The leaderboard at a glance."""

import base64
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from evals.evaluation import HEADLINE, evaluation_of
from evals.noise import Relatives
from evals.showing import (
    MOST,
    MOST_POINTS,
    Curve,
    ScoredSnapshot,
    SinceLive,
    board,
    live_scores,
    since_live,
    trend,
    worst_questions,
)
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import embedding_text
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.strategies import STRATEGIES

SINCE = {
    "default": SinceLive(0.9, 0.8),
    "bm25": SinceLive(0.4, 0.45),
    "dense": SinceLive(0.5, 0.5001),  # less than is shown is neither more nor less
}


def test_what_ships_is_bold_and_every_strategy_is_beside_what_is_live() -> None:
    headline = {
        "bm25": {"mrr": 0.4},
        "dense": {"mrr": 0.5},
        "iterative": {"mrr": 0.5},
        "default": {"mrr": 0.9, "noise@15": 3.25},
    }
    lines = board(headline, SINCE).splitlines()
    assert lines[0] == "| strategy | mrr | mrr - live | hit@1 | hit@5 | noise@15 | false_exclusions |"
    assert lines[2:] == [
        "| bm25 | 0.400 | -0.050 | - | - | - | - |",
        "| dense | 0.500 | +0.000 | - | - | - | - |",
        "| iterative | 0.500 | - | - | - | - | - |",
        "| **default** | **0.900** | **+0.100** | **-** | **-** | **3.2** | **-** |",
    ]


def test_it_is_short_enough_to_be_shown_at_once_and_says_if_there_is_nothing() -> None:
    numbers = dict.fromkeys(HEADLINE, 0.123456)
    since = dict.fromkeys(STRATEGIES, SinceLive(0.123456, 0.9))
    assert len(board(dict.fromkeys(STRATEGIES, numbers), since)) < 1000
    assert board({}, {}) == "No questions were given, so nothing was scored."


SVG = "{http://www.w3.org/2000/svg}"


def drawn(curve: Curve) -> ET.Element:
    (encoded,) = re.findall(r"\(data:image/svg\+xml;base64,([\w+/=]+)\)$", curve.image())
    return ET.fromstring(base64.b64decode(encoded))


def points(curve: Curve, at: int = 0) -> list[tuple[int, int]]:
    path = drawn(curve).findall(f".//{SVG}path")[at].attrib["d"]
    return [(int(x), int(y)) for x, y in re.findall(r"(\d+) (\d+)", path)]


def test_more_is_higher_and_later_is_to_the_right() -> None:
    (x0, y0), (x1, y1), (x2, y2) = points(Curve(["a", "b", "c"], {"mrr": [0.1, 0.3, 0.2]}))
    assert x0 < x1 < x2
    assert y1 < y2 < y0


def test_a_place_without_a_value_is_left_out_and_one_place_is_a_point() -> None:
    assert len(points(Curve(["a", "b", "c"], {"mrr": [0.1, None, 0.2]}))) == 2
    one = Curve(["now"], {"mrr": [0.5]})
    assert len(points(one)) == 1
    assert [each.text for each in drawn(one).iter(f"{SVG}text")].count("now") == 1
    assert Curve([], {"mrr": []}).image() == Curve(["a"], {"mrr": [None]}).image() == ""


@pytest.mark.parametrize("count", [MOST_POINTS, 40])
def test_the_largest_picture_is_shown_at_once(count: int) -> None:
    places = [f"2026-11-{number:02}" for number in range(count)]
    values = [0.123 + number / 97 for number in range(count)]
    full = Curve(places, {"mrr": values, "mrr of live": values[::-1]})
    assert len(full.image()) < 1000
    assert len(points(full)) == MOST_POINTS


def test_a_name_is_text() -> None:
    assert [each.text for each in drawn(Curve(["<a>"], {"a & b": [1.0]})).iter(f"{SVG}text")][-2:] == ["<a>", "a & b"]


def test_what_is_live_differs_in_nothing_from_itself(sample: Home) -> None:
    result = since_live(sample, evaluation_of(sample, sample.candidate, *STRATEGIES.values()))
    assert list(result) == list(STRATEGIES)
    assert {each.delta for each in result.values()} == {0.0}


@pytest.mark.slow
def test_a_candidate_that_finds_nothing_is_below_live(sample_copy: Home, few_questions: Path) -> None:
    home = replace(sample_copy, settings=replace(sample_copy.settings, questions=(few_questions,)))
    query = (STRATEGIES["bm25"], STRATEGIES["default"])
    live = evaluation_of(home, home.candidate, *query)
    with open_snapshot(home.root) as snapshot:
        chunks = [replace(chunk, search_text=chunk.id, names=()) for chunk in snapshot.chunks]
    embedder = load_embedder(home.settings.embedder)
    vectors = embedder.embed([embedding_text(chunk) for chunk in chunks])
    home.nominate(build_snapshot(home.root, chunks, vectors, embedder.identity, Vocabulary.default()).id)
    result = since_live(home, evaluation_of(home, home.candidate, *query))
    assert list(result) == ["bm25", "default"]
    assert result["default"].live == pytest.approx(live.headline()["default"]["mrr"])
    assert all(each.delta < -0.1 for each in result.values())


def test_where_nothing_is_live_there_is_nothing_to_compare(sample_copy: Home) -> None:
    (sample_copy.root / "live").unlink()
    assert live_scores(sample_copy).evaluation is None
    assert since_live(sample_copy, evaluation_of(sample_copy, sample_copy.candidate, STRATEGIES["default"])) == {}


def test_the_oldest_comes_first_and_a_snapshot_that_was_scored_twice_counts_once() -> None:
    newest_first = [
        ScoredSnapshot("b", "now", 0.5, 0.4),
        ScoredSnapshot("b", "2", 0.3, 0.4),
        ScoredSnapshot("a", "1", 0.4, None),
    ]
    assert trend(newest_first) == Curve(["1", "now"], {"mrr": [0.4, 0.5], "mrr of live": [None, 0.4]}).image()


def test_without_scores_and_with_one_snapshot_it_is_a_sentence() -> None:
    assert trend([ScoredSnapshot("a", "now", None, None)]) == "Nothing was scored yet."
    wanted = "mrr 0.500 on the first snapshot that was scored; a picture begins with the second."
    assert trend([ScoredSnapshot("a", "now", 0.5, None), ScoredSnapshot("a", "1", 0.4, None)]) == wanted


def test_they_fail_and_the_lowest_gold_comes_first(sample: Home) -> None:
    scores = evaluation_of(sample, sample.candidate, STRATEGIES["dense"])
    rows = scores.rows("dense")
    with open_snapshot(sample.root, sample.candidate) as snapshot:
        relatives, read = Relatives.of(tuple(snapshot.chunks)), snapshot.canonical_of
    result = worst_questions(rows, relatives, read)
    assert len(result) == MOST
    ranks = [each["rank"] or 101 for each in result]
    assert ranks == sorted(ranks, reverse=True)
    by_id = {row.question_id: row for row in rows}
    assert max(row.gold_rank or 101 for row in rows if row.gold) == ranks[0]
    assert all(by_id[each["question"]].values["hit@1"] == 0 and each["first"] != each["gold"] for each in result)
    last = by_id[result[-1]["question"]]
    lost = replace(last, excluded_gold=last.gold)
    again = worst_questions([lost, *(row for row in rows if row.question_id != lost.question_id)], relatives, read)
    assert again[0]["question"] == lost.question_id
    assert "the filter excluded gold" in again[0]["why"]
    assert worst_questions([row for row in rows if row.values.get("hit@1")], relatives, read) == ()
