import numpy as np
import pytest

from retrieval.search.rerank.paths import LEAF, MOST_LEAVES, Paths


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
    asked = np.arange(leaves, dtype=np.float32)[:, None]

    assert paths.values[paths.ends(asked)][:, 0].tolist() == list(range(leaves))


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
