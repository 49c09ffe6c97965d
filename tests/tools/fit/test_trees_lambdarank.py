import sys

import numpy as np
import pytest

from retrieval.search.rerank.features import NAMES as FEATURES
from retrieval.search.rerank.rerank import TREES_FILE
from retrieval.search.rerank.trees import Trees
from tools.fit.logit import FittingError
from tools.fit.trees import direction, learn


@pytest.fixture(scope="module")
def groups(make_example):
    return {
        "one": [make_example(number) for number in range(40)],
        "two": [make_example(100 + number, "told") for number in range(40)],
    }


@pytest.fixture(scope="module")
def trees(lightgbm, groups, names, small):
    return learn(groups, names, small)


@pytest.mark.parametrize("telling", ["less_covered", "told", "behind_section_alike"])
def test_a_feature_that_tells_gold_is_learned(lightgbm, make_example, names, small, telling):
    learned = learn({"one": [make_example(number, telling) for number in range(60)]}, names, small)
    new = [make_example(1000 + number, telling) for number in range(30)]
    ranks = [each.rank(learned.scores(each.values)) for each in new]

    assert np.mean([rank == 1 for rank in ranks]) > 0.9
    assert np.mean([each.rank(each.first) == 1 for each in new]) < 0.5


def test_a_second_fit_is_the_same(trees, groups, names, small):
    assert learn(dict(reversed(groups.items())), names, small).to_json() == trees.to_json()


def test_the_trees_score_as_lightgbm_itself_does(lightgbm, groups, names, small, monkeypatch):
    boosters = []
    train = lightgbm.train
    monkeypatch.setattr(lightgbm, "train", lambda *given: boosters.append(train(*given)) or boosters[-1])
    learned = learn(groups, names, small)
    values = np.concatenate([group.values for group in groups["one"]])
    thresholds = learned.threshold[learned.feature >= 0].astype(np.float32)
    at_them = np.repeat(thresholds[:, None], len(names), axis=1)

    for query in (values, at_them, np.zeros((1, len(names)), dtype=np.float32)):
        mean = np.mean([booster.predict(query) for booster in boosters], axis=0)
        assert learned.scores(query) == pytest.approx(mean, abs=1e-9)


def test_an_inner_node_has_a_value_between_its_children(trees):
    inner = np.flatnonzero(trees.feature >= 0)
    below = np.stack([trees.value[trees.left[inner]], trees.value[trees.right[inner]]])

    assert len(inner) > len(trees.roots)
    assert (trees.value[inner] >= below.min(axis=0) - 1e-12).all()
    assert (trees.value[inner] <= below.max(axis=0) + 1e-12).all()


@pytest.mark.parametrize(("feature", "sign"), [("less_covered", 1), ("lexical", 1), ("behind_section_alike", -1)])
def test_more_of_a_feature_only_speaks_in_its_direction(lightgbm, make_example, names, small, feature, sign):
    # What is learned here speaks against the feature: gold has little of what should be much.
    groups = {"one": [make_example(number) for number in range(40)]}
    column = names.index(feature)
    for group in groups["one"]:
        group.values[:, column] = np.where(group.gold, 0.5 - 0.4 * sign, group.values[:, column])
    learned = learn(groups, names, small)
    values = np.random.default_rng(5).random((200, len(names))).astype(np.float32)
    before = learned.scores(values)
    for step in (0.01, 0.1, 0.5, 1.0):
        more = values.copy()
        more[:, column] += np.float32(step)
        assert (sign * (learned.scores(more) - before) >= -1e-12).all()


@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        ("lexical", 1),
        ("covered_key", 1),
        ("less_covered", 1),
        ("less_table_dense", 1),
        ("table_lexical", 1),
        ("number_key", 1),
        ("number_key_labelled", 1),
        ("meaning", 1),
        ("told_words", 1),
        ("less_dense", 1),
        ("number_unexplained", -1),
        ("behind_number_labelled", -1),
        ("behind_section_alike", -1),
        ("untold", -1),
        ("is_row", 0),
    ],
)
def test_a_feature_has_the_direction_that_its_name_says(feature, expected):
    assert feature in FEATURES
    assert direction(feature) == expected


def test_how_far_a_feature_is_below_its_best_has_the_direction_of_the_feature():
    relative = [name for name in FEATURES if name.startswith("less_")]

    assert relative
    assert {name: direction(name) for name in relative} == {
        name: direction(name.removeprefix("less_")) for name in relative
    }


def test_without_gold_nothing_can_be_learned(lightgbm, make_example, names, small):
    example = make_example(1)
    example.gold[:] = False

    for groups in ({}, {"one": [example]}):
        with pytest.raises(FittingError, match="no question has gold"):
            learn(groups, names, small)


def test_a_missing_lightgbm_is_named_with_what_to_install(groups, names, small, monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)

    with pytest.raises(FittingError, match=r"pip install .*'lightgbm"):
        learn(groups, names, small)


def test_a_lightgbm_without_its_library_is_named_too(groups, names, small, monkeypatch, tmp_path):
    (tmp_path / "lightgbm.py").write_text("raise OSError('libgomp.so.1: cannot open shared object file')\n")
    monkeypatch.delitem(sys.modules, "lightgbm", raising=False)
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(FittingError, match=r"libgomp\.so\.1.*libgomp1"):
        learn(groups, names, small)


def test_the_trees_that_ship_keep_every_direction():
    shipped = Trees.read(TREES_FILE)
    near = np.unique(np.nextafter(shipped.threshold.astype(np.float32), np.float32(np.inf)))
    values = np.random.default_rng(2).choice(near, size=(400, len(shipped.names))).astype(np.float32)
    before = shipped.scores(values)
    for column, name in enumerate(shipped.names):
        more = values.copy()
        more[:, column] += np.random.default_rng(column).choice([0.01, 0.1, 1.0], size=len(values)).astype(np.float32)
        assert (direction(name) * (shipped.scores(more) - before) >= -1e-9).all(), name
