"""LightGBM, wrapped here alone: trees that put gold first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evals.errors import FittingError
from evals.learning.examples import Example
from retrieval.extras import install
from retrieval.search.rerank.paths import LEAF
from retrieval.search.rerank.trees import Node, Trees

HUMAN = 3.0
"""How much more a person's question counts than a generated one of the same group."""
ROW = 0.5
"""What a row has before a passage. What is learned leans to prose: the books to learn from are asked for both, and a
reference book is asked for its rows. Chosen on books that were not learned from."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How trees are grown. Few leaves and many examples a leaf: what is learned must hold in other books."""

    rounds: int = 200
    leaves: int = 6
    rate: float = 0.08
    least_examples: int = 40
    features_a_tree: float = 0.4
    seeds: tuple[int, ...] = (0, 1)
    """Trees are grown once with each, and what they say is the mean: one growing alone is the luck of its draws."""


SETTINGS = Settings()

_RISING = (
    *("part_", "covered", "said_", "order", "best_cell", "whole_", "distinct", "only_row", "number_", "code_key"),
    *("column_said", "meaning", "together", "alike", "less_"),
)
_FALLING = ("behind_", "missing", "other_", "number_other", "number_unexplained")
_FREE = ("covered_further", "covered_above", "said_above", "number_wide", "number_cell")


def direction(feature: str) -> int:
    """1 where more of a feature can only speak for a candidate, -1 where only against it, 0 where either may be."""
    if feature.startswith(_FALLING):
        return -1
    return 1 if feature.startswith(_RISING) and feature not in _FREE else 0


def learn(groups: Mapping[str, Sequence[Example]], names: Sequence[str], settings: Settings = SETTINGS) -> Trees:
    """Trees that put gold before the other candidates; every group counts the same.

    LambdaRank (Burges 2010, "From RankNet to LambdaRank to LambdaMART: An Overview") with monotone constraints: a
    feature that speaks for a candidate in one book may not speak against it in another.

    Raises:
        FittingError: LightGBM cannot be loaded, or no example has gold among its candidates.
    """
    lightgbm = _lightgbm()
    found = [
        (example.thinned(place), weight)
        for group in sorted(groups)
        for place, (example, weight) in enumerate(_weighed(groups[group]))
    ]
    if not found:
        raise FittingError("no question has gold among its candidates; nothing can be learned from these sets")
    sizes = [len(example.gold) for example, _ in found]
    data = lightgbm.Dataset(
        np.concatenate([example.values for example, _ in found]),
        np.concatenate([example.gold for example, _ in found]).astype(np.int32),
        group=sizes,
        weight=np.repeat([weight for _, weight in found], sizes),
        params={"max_bin": 127, "verbosity": -1},
    )
    parameters = {
        "objective": "lambdarank",
        "lambdarank_truncation_level": 10,
        "learning_rate": settings.rate,
        "num_leaves": settings.leaves,
        "min_data_in_leaf": settings.least_examples,
        "lambda_l2": 5.0,
        "feature_fraction": settings.features_a_tree,
        "bagging_fraction": 0.7,
        "bagging_freq": 1,
        "monotone_constraints": [direction(name) for name in names],
        "max_bin": 127,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "verbosity": -1,
    }
    grown: list[Mapping[str, Any]] = []
    for seed in settings.seeds:
        booster = lightgbm.train({**parameters, "seed": seed}, data, settings.rounds)
        grown += booster.dump_model()["tree_info"]
    return _trees(grown, names, 1.0 / len(settings.seeds))


def _weighed(examples: Sequence[Example]) -> Sequence[tuple[Example, float]]:
    """Examples that have gold, with weights that sum up to 1,000."""
    told = [each for each in examples if each.gold.any()]
    weights = [1.0 if each.generated else HUMAN for each in told]
    return [(each, 1000.0 * weight / sum(weights)) for each, weight in zip(told, weights, strict=True)]


def _trees(dumped: Sequence[Mapping[str, Any]], names: Sequence[str], share: float) -> Trees:
    nodes: list[Node] = []

    def add(node: Mapping[str, Any]) -> tuple[int, float, int]:
        """(number, value, examples) of a node, after its children."""
        if "leaf_value" in node:
            value = share * float(node["leaf_value"])
            nodes.append(Node(LEAF, 0.0, 0, 0, value))
            return len(nodes) - 1, value, int(node.get("leaf_count", 1))
        left, left_value, left_count = add(node["left_child"])
        right, right_value, right_count = add(node["right_child"])
        count = left_count + right_count
        value = (left_value * left_count + right_value * right_count) / max(count, 1)
        nodes.append(Node(int(node["split_feature"]), float(node["threshold"]), left, right, value))
        return len(nodes) - 1, value, count

    roots = [add(tree["tree_structure"])[0] for tree in dumped]
    if "is_row" in names:
        nodes += [Node(LEAF, 0.0, 0, 0, 0.0), Node(LEAF, 0.0, 0, 0, ROW)]
        nodes.append(Node(list(names).index("is_row"), 0.5, len(nodes) - 2, len(nodes) - 1, 0.0))
        roots.append(len(nodes) - 1)
    return Trees.of_nodes(names, roots, nodes)


def _lightgbm() -> Any:
    try:
        import lightgbm
    except (ImportError, OSError) as error:
        raise FittingError(f"LightGBM cannot be loaded ({error}); {install('fit')}, and libgomp1 on Linux") from error
    return lightgbm
