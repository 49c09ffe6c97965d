"""Raises chunks that the graph connects with the best ones.

The published plan walks from each of the best chunks and adds, to every chunk it meets first after d edges, boost times
decay to the power of d - 1; what several seeds reach gains from each. Two things are ours: only chunks that may come
back are seeds, and a row never gains from a row of its own table, whatever the way there.
The numbers are in `GraphBoost` of `retrieval/strategy.py`.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from retrieval.index.graph.graph import Graph, Nodes
from retrieval.index.graph.names import longest_names, runs
from retrieval.index.words.tokenizer import Tokenize
from retrieval.quantities.words import FUNCTION_WORDS
from retrieval.search.fusion import Scores, best
from retrieval.strategy import GraphBoost


def graph_boost(
    scores: Scores, graph: Graph, boost: GraphBoost, allowed: npt.NDArray[np.bool_] | None = None
) -> Scores:
    """What each chunk gains, (n,); add it to the scores and mask again.

    The last edge of a walk is looked up from the candidates: a section or a trait with thousands of chunks is never
    unfolded at the recommended depth of 2, so the cost follows the candidates and not the library.

    Args:
        scores: (n,) fused scores.
        graph: over the same chunks.
        boost: the numbers.
        allowed: (n,); chunks that may not come back are False, and are neither seeds nor raised.
    """
    gains = np.zeros(len(scores))
    candidates = best(scores, boost.candidates, allowed)
    owners, ends = graph.neighbours(candidates, boost.relations)
    tables = graph.table_of(candidates)
    for seed in candidates[: boost.seeds].tolist():
        node = np.asarray([seed])
        table = graph.table_of(node)[0]
        waiting = (candidates != seed) & ((tables != table) | (tables < 0))
        layer, seen = node, node
        for depth in range(boost.depth):
            if depth:
                layer = np.setdiff1d(graph.neighbours(layer, boost.relations)[1], seen)
                seen = np.union1d(seen, layer)
            met = np.zeros(len(candidates), dtype=np.bool_)
            met[owners[np.isin(ends, layer)]] = True
            gains[candidates[met & waiting]] += boost.boost * boost.decay**depth
            waiting &= ~met
    return gains


def named_entities(graph: Graph, question: str, tokenize: Tokenize) -> Nodes:
    """The things that a question names, rising; a name within a longer one that is named too counts for nothing.

    What every question may say names nothing: there are rows that are called `A`, and a question with "a monster" in it
    is not about them.

    Args:
        graph: whose entities.
        question: as it was asked.
        tokenize: cuts words as names were cut.
    """
    words, empty = tokenize(question), _function_words(tokenize)
    found = graph.entities([name for name, _ in runs(words)])
    known = {name: node for name, node in found.items() if not empty.issuperset(name.split())}
    return np.asarray(sorted(known[name] for name in longest_names(words, known)), dtype=np.int64)


@lru_cache(maxsize=8)
def _function_words(tokenize: Tokenize) -> frozenset[str]:
    return frozenset(token for word in FUNCTION_WORDS for token in tokenize(word))
