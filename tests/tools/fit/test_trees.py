import shutil
from pathlib import Path

import numpy as np
import pytest

from retrieval.index.embedding.embedders import load_embedder
from retrieval.search.rerank.features import NAMES
from retrieval.search.rerank.trees import LEAF, Trees
from tools.corpora.books import BenchmarkDataError
from tools.fit import trees
from tools.fit.trees import (
    MOST_GROUPS,
    Crowd,
    LeftOut,
    Score,
    TreesReport,
    folds_of,
    learn,
    learn_trees,
    leave_out,
    pooled,
    trees_without,
    worse_groups,
)

EMBEDDER = load_embedder("wordllama")
TREES = Trees(
    ("less_covered",),
    np.asarray([2], dtype=np.int32),
    np.asarray([LEAF, LEAF, 0], dtype=np.int32),
    np.asarray([0.0, 0.0, 0.1 + 0.2]),
    np.asarray([0, 0, 0], dtype=np.int32),
    np.asarray([0, 0, 1], dtype=np.int32),
    np.asarray([-1.0, 1.0, 1 / 3]),
)


def row(group: str, kind: str, n: int, hit: float) -> LeftOut:
    score = Score(n, hit, 1.0, 1.0, 0.75)
    return LeftOut(group, kind, score, score, score, Crowd(3.0, 0.9), Crowd(1.0, hit))


@pytest.fixture(scope="module")
def learned(lightgbm: None, small_sets: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[TreesReport, ...]:
    """The same sets twice; the second time the indexes are there."""
    home = tmp_path_factory.mktemp("learning")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trees, "MOST_QUESTIONS", 8)
        return tuple(learn_trees(home, small_sets, "open", EMBEDDER) for _ in range(2))


def test_every_set_and_the_sample_are_left_out_in_turn(learned: tuple[TreesReport, ...]) -> None:
    result = {(row.group, row.kind): row.left_out.n for row in learned[0].found}

    assert {group for group, _ in result} == {"arms", "camp", "wikisql-rows.open"}
    assert result["arms", "matrix-lookup"] == result["camp", "matrix-lookup"] == 5


def test_of_a_large_set_some_questions_are_asked(learned: tuple[TreesReport, ...]) -> None:
    result = {(row.group, row.kind): row.left_out.n for row in learned[0].found}

    assert sum(n for (group, _), n in result.items() if group == "wikisql-rows.open") == 8


def test_the_trees_see_the_features_of_a_search(learned: tuple[TreesReport, ...]) -> None:
    assert learned[0].trees.names == NAMES
    assert len(learned[0].trees.roots) > 0


def test_leaving_a_book_out_is_as_if_it_were_not_there(lightgbm: None, small_sets: Path, tmp_path: Path) -> None:
    shutil.copytree(small_sets / "wikisql-rows", tmp_path / "data" / "wikisql-rows")
    absent = learn_trees(tmp_path / "home", tmp_path / "data", "open", EMBEDDER)

    files = trees_without(["arms"], tmp_path / "home", small_sets, "open", EMBEDDER)

    assert list(files) == ["arms"]
    assert Trees.read(files["arms"]).to_json() == absent.trees.to_json()
    assert files["arms"].read_text() == absent.trees.written


def test_a_second_run_is_the_same(learned: tuple[TreesReport, ...]) -> None:
    first, second = learned

    assert first.trees.to_json() == second.trees.to_json()
    assert first.page() == second.page()
    assert first.to_json() == second.to_json()


def test_a_report_is_written_twice_alike(tmp_path: Path) -> None:
    report = TreesReport(
        TREES, "wordllama", (row("a", "rule", 10, 0.5), row("b", "rule", 30, 0.9), row("b", "", 4, 0.25))
    )

    report.write(tmp_path / "docs", tmp_path / "trees.json")
    files = [tmp_path / "docs" / "trees.md", tmp_path / "trees.json"]
    first = [path.read_bytes() for path in files]
    report.write(tmp_path / "docs", tmp_path / "trees.json")

    assert [path.read_bytes() for path in files] == first
    assert b"| all | rule | 40 | 0.800 / 1.000 / 1.000 / 0.750 |" in first[0]
    assert b"| b | search | 4 | 0.250 / " in first[0]
    assert Trees.read(tmp_path / "trees.json").to_json() == TREES.to_json()


def test_numbers_are_told_without_the_trees() -> None:
    told = TreesReport(TREES, "wordllama", (row("a", "rule", 10, 0.5),)).to_json()

    assert told["n_nodes"] == 3
    assert told["found"][0]["left_out"] == {"n": 10, "hit_1": 0.5, "hit_5": 1.0, "hit_10": 1.0, "mrr": 0.75}
    assert "trees" not in told


def test_a_folder_without_question_sets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkDataError, match="no set with the split"):
        learn_trees(tmp_path, tmp_path, "open", EMBEDDER)


def leaving_out_row(group, kind, n, value):
    score = Score(n, value, value, value, value)
    return LeftOut(group, kind, score, score, Score(n, 0.0, 0.0, 0.0, 0.0), Crowd(value, 1.0), Crowd(0.0, value))


def test_scores_are_means_over_ranks_and_what_is_not_found_counts_0():
    score = Score.of([1, 6, None, 2])

    assert (score.n, score.hit_1, score.hit_5, score.hit_10) == (4, 0.25, 0.5, 0.75)
    assert score.mrr == pytest.approx((1 + 1 / 6 + 1 / 2) / 4)


def test_pooled_means_count_every_question_the_same():
    result = pooled(
        [
            leaving_out_row("a", "rule", 10, 0.5),
            leaving_out_row("b", "rule", 30, 0.9),
            leaving_out_row("b", "lookup", 99, 0.1),
        ],
        "rule",
    )

    assert (result.group, result.kind, result.left_out.n) == ("all", "rule", 40)
    assert result.left_out.hit_1 == result.left_out.mrr == result.shipped.hit_10 == pytest.approx(0.8)
    assert result.first_sight.mrr == 0


def test_a_kind_that_nobody_asked_has_no_mean():
    assert pooled([leaving_out_row("a", "rule", 10, 0.5)], "lookup") is None
    assert pooled([], "rule") is None


def test_of_one_fold_alone_nothing_is_left_out(make_example, names, small):
    groups = {"one": [make_example(1)], "two": [make_example(2)]}

    assert leave_out(groups, [("one", "two")], names, None, small) == ()
    assert leave_out(groups, [("one",), ("gone",)], names, None, small) == ()
    assert leave_out({}, [("one",), ("two",)], names, None, small) == ()


ALONE = (("one",), ("two",), ("odd",))


def test_the_books_of_a_set_are_left_out_together_and_those_of_a_large_one_some_at_a_time():
    small, large = [("few", "b"), ("few", "a")], [("many", f"book {number:02}") for number in range(MOST_GROUPS + 2)]
    books = [book for _, book in large]

    assert folds_of([*large[::-1], *small]) == (tuple(books[:MOST_GROUPS]), tuple(books[MOST_GROUPS:]), ("a", "b"))
    assert folds_of([]) == ()


def test_a_group_is_scored_by_trees_that_have_not_seen_the_others_of_its_fold(lightgbm, make_example, names, small):
    groups = {name: [make_example(start + number) for number in range(20)] for start, name in enumerate("abc")}
    told = []
    shipped = learn(groups, names, small)
    result = leave_out(groups, [("c",), ("b", "gone", "a")], names, shipped, small, tell=told.append)

    assert told == ["c", "b, a"]
    assert [row.group for row in result] == ["a", "b", "c"]
    without = {"c": learn({name: groups[name] for name in "ab"}, names, small)}
    without |= dict.fromkeys("ab", learn({"c": groups["c"]}, names, small))
    for row in result:
        ranks = [group.rank(without[row.group].scores(group.values)) for group in groups[row.group]]
        assert row.left_out == Score.of(ranks)


def test_a_group_is_scored_by_trees_that_have_not_seen_it(lightgbm, make_example, names, small):
    groups = {
        "odd": [make_example(number, "told") for number in range(40)],
        "one": [make_example(100 + number) for number in range(40)],
        "two": [make_example(200 + number) for number in range(40)],
    }
    told = []
    shipped = learn(groups, names, small)
    result = {each.group: each for each in leave_out(groups, ALONE, names, shipped, small, tell=told.append)}

    assert told == ["one", "two", "odd"]
    assert result["odd"].left_out.mrr < result["odd"].shipped.mrr
    assert result["one"].left_out.mrr > result["one"].first_sight.mrr
    without = learn({name: groups[name] for name in ("one", "two")}, names, small)
    expected = Score.of([group.rank(without.scores(group.values)) for group in groups["odd"]])
    assert result["odd"].left_out == expected


def test_kinds_of_questions_are_scored_apart(lightgbm, make_example, names, small):
    mixed = [make_example(number, kind="rule" if number % 2 else "lookup") for number in range(10)]
    groups = {"one": mixed, "two": [make_example(50 + number) for number in range(10)]}
    shipped = learn(groups, names, small)
    result = [(each.group, each.kind, each.left_out.n) for each in leave_out(groups, ALONE, names, shipped, small)]

    assert result == [("one", "lookup", 5), ("one", "rule", 5), ("two", "lookup", 10)]


def test_a_group_that_loses_more_than_the_gate_lets_through_is_named() -> None:
    same = ([1, 2, None], [1, 2, None])
    one_of_twenty = ([2, *[1] * 19], [1] * 20)
    assert worse_groups({"same": same, "little": one_of_twenty, "better": ([1] * 9, [3] * 9)}) == ()
    (sentence,) = worse_groups({"same": same, "lost": ([None] * 3 + [1] * 17, [1] * 20)})
    assert sentence.startswith("lost: mrr is below that of what ships, -0.150 (-0.3")
    assert sentence.endswith("over 20 questions")
