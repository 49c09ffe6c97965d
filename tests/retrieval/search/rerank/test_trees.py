import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import IndexCorruptError
from retrieval.search.rerank.trees import LEAF, MOST_LEAVES, Paths, Trees
from tests.retrieval.search.rerank.conftest import random_trees

FEATURES = ("a", "b", "c")
THRESHOLDS = [-1.0, 0.0, 0.1, 0.30000000000000004, 2.5]
values = st.sampled_from([*THRESHOLDS, -2.0, 0.05, 0.2, 3.0]).map(np.float32)


@st.composite
def small_trees(draw):
    """Trees of any shape; an inner node has any value, as shares need no mean to sum up."""
    nodes = []

    def add(depth):
        if not depth or draw(st.booleans()):
            nodes.append((LEAF, 0.0, 0, 0, draw(st.floats(-5, 5))))
        else:
            left, right = add(depth - 1), add(depth - 1)
            feature, threshold = draw(st.integers(0, 2)), draw(st.sampled_from(THRESHOLDS))
            nodes.append((feature, threshold, left, right, draw(st.floats(-5, 5))))
        return len(nodes) - 1

    roots = [add(3) for _ in range(draw(st.integers(1, 4)))]
    feature, threshold, left, right, value = zip(*nodes, strict=True)
    return Trees(FEATURES, *map(np.asarray, (roots, feature, threshold, left, right, value)))


def walk(trees, root, row):
    """The leaf's value, and what each step added, by a plain loop."""
    node, added = root, dict.fromkeys(range(len(trees.names)), 0.0)
    while (query := int(trees.feature[node])) != LEAF:
        below = int(trees.left[node] if float(row[query]) <= trees.threshold[node] else trees.right[node])
        added[query] += float(trees.value[below] - trees.value[node])
        node = below
    return float(trees.value[node]), added


matrices = st.lists(st.tuples(values, values, values), min_size=1, max_size=4).map(
    lambda rows: np.asarray(rows, dtype=np.float32)
)


@given(small_trees(), matrices)
def test_scores_are_those_of_a_plain_walk(trees, rows):
    plain = [sum(walk(trees, root, row)[0] for root in trees.roots) for row in rows]

    assert trees.scores(rows) == pytest.approx(plain, abs=1e-12)


@given(small_trees(), matrices)
def test_shares_are_the_steps_of_a_plain_walk_and_sum_up_to_the_score(trees, rows):
    shares = trees.shares(rows)
    plain = [[sum(walk(trees, root, row)[1][name] for root in trees.roots) for name in range(3)] for row in rows]

    assert shares == pytest.approx(np.asarray(plain), abs=1e-9)
    assert trees.start + shares.sum(axis=1) == pytest.approx(trees.scores(rows), abs=1e-9)


def test_a_value_at_the_threshold_goes_left():
    nodes = [[0, LEAF, LEAF], [0.5, 0.0, 0.0], [1, 0, 0], [2, 0, 0], [0.0, -1.0, 1.0]]
    trees = Trees(("a",), np.asarray([0]), *map(np.asarray, nodes))

    assert trees.scores(np.asarray([[0.5], [0.50001], [0.4]], dtype=np.float32)).tolist() == [-1, 1, -1]


def test_a_tree_that_is_a_leaf_says_the_same_of_everything():
    trees = Trees(("a",), *map(np.asarray, ([0], [LEAF], [0.0], [0], [0], [0.25])))

    assert trees.scores(np.zeros((2, 1), dtype=np.float32)).tolist() == [0.25, 0.25]
    assert not trees.shares(np.zeros((2, 1), dtype=np.float32)).any()


def test_no_candidate_has_no_score():
    trees = random_trees(FEATURES, seed=1)

    assert trees.scores(np.zeros((0, 3), dtype=np.float32)).shape == (0,)
    assert trees.shares(np.zeros((0, 3), dtype=np.float32)).shape == (0, 3)


def test_written_trees_read_back_exactly(tmp_path):
    trees = random_trees(FEATURES, seed=3)
    (tmp_path / "trees.json").write_text(json.dumps(trees.to_json()))
    read = Trees.read(tmp_path / "trees.json")

    assert read.names == trees.names
    assert read.to_json() == trees.to_json()
    for name in ("roots", "feature", "threshold", "left", "right", "value"):
        assert getattr(read, name).dtype == getattr(trees, name).dtype


def damaged(**given):
    return json.dumps({**random_trees(FEATURES, seed=3).to_json(), **given})


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "{}"),
        *(damaged(threshold=[0.5]), damaged(names=None), damaged(value=["x"]), damaged(left=None)),
        *(damaged(names=["a"]), damaged(roots=[10**6]), damaged(roots=[-1])),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, text):
    (tmp_path / "trees.json").write_text(text)

    with pytest.raises(IndexCorruptError, match=r"trees\.json.*install the program again"):
        Trees.read(tmp_path / "trees.json")


def test_nodes_that_lead_back_to_themselves_are_refused(tmp_path):
    nodes = {"feature": [0, LEAF], "threshold": [0.0, 0.0], "left": [0, 0], "right": [1, 0], "value": [0.0, 1.0]}
    (tmp_path / "trees.json").write_text(json.dumps({"names": ["a"], "roots": [0], **nodes}))

    with pytest.raises(IndexCorruptError, match="lead nowhere"):
        Trees.read(tmp_path / "trees.json")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(IndexCorruptError, match="holds no trees"):
        Trees.read(tmp_path / "trees.json")


def test_a_tree_with_too_many_leaves_is_refused(tmp_path):
    inner, leaves = range(64), 65
    nodes = {
        "feature": [LEAF] * leaves + [0 for _ in inner],
        "threshold": [0.0] * leaves + [float(number) for number in inner],
        "left": [0] * leaves + [0 if not number else leaves + number - 1 for number in inner],
        "right": [0] * leaves + [number + 1 for number in inner],
        "value": [0.0] * (leaves + 64),
    }
    (tmp_path / "trees.json").write_text(json.dumps({"names": ["a"], "roots": [leaves + 63], **nodes}))

    with pytest.raises(IndexCorruptError, match=r"65 leaves, at most 64.*install the program again"):
        Trees.read(tmp_path / "trees.json")


def chain(leaves, *, to_the_left):
    """One tree that asks on along one side: is the only feature at most 0, 1, 2 ...; leaf n is worth n."""
    feature, threshold, left, right, value = [LEAF], [0.0], [0], [0], [float(leaves - 1 if not to_the_left else 0)]
    for number in range(leaves - 1):
        bound = leaves - 2 - number if not to_the_left else number
        feature += [LEAF, 0]
        threshold += [0.0, bound + 0.5]
        value += [float(bound + to_the_left), 0.0]
        inner, leaf = len(feature) - 3, len(feature) - 2
        left += [0, inner if to_the_left else leaf]
        right += [0, leaf if to_the_left else inner]
    arrays = (np.asarray(each, dtype=np.int32) for each in (feature, left, right))
    features, lefts, rights = arrays
    return np.asarray([len(feature) - 1], np.int32), features, np.asarray(threshold), lefts, rights, np.asarray(value)


@pytest.mark.parametrize("leaves", [2, 8, 9, 16, 17, 33, MOST_LEAVES])
@pytest.mark.parametrize("to_the_left", [True, False])
def test_a_deep_tree_of_any_width_leads_to_the_leaf_of_a_walk(leaves, to_the_left):
    paths = Paths.of(*chain(leaves, to_the_left=to_the_left))
    query = np.arange(leaves, dtype=np.float32)[:, None]

    assert paths.values[paths.ends(query)][:, 0].tolist() == list(range(leaves))


def test_more_leaves_than_can_be_told_apart_are_refused():
    with pytest.raises(ValueError, match=f"{MOST_LEAVES + 1} leaves, at most {MOST_LEAVES}"):
        Paths.of(*chain(MOST_LEAVES + 1, to_the_left=True))


def test_trees_of_different_sizes_keep_to_their_own_leaves():
    alone = np.asarray([LEAF], np.int32)
    roots, feature, threshold, left, right, value = chain(3, to_the_left=True)
    paths = Paths.of(
        np.asarray([roots[0], len(feature)], np.int32),
        np.concatenate([feature, alone]),
        np.append(threshold, 0.0),
        np.append(left, np.int32(0)),
        np.append(right, np.int32(0)),
        np.append(value, 7.0),
    )

    assert paths.values[paths.ends(np.asarray([[0.0], [1.0], [2.0]], np.float32))].tolist() == [[0, 7], [1, 7], [2, 7]]
