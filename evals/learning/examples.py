"""What trees are learned on: the candidates of judged questions, measured as a search measures them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evals.questions.question_sets import QuestionSet
from retrieval.search.dense.cosine import Cosines
from retrieval.search.evidence.evidence import gather
from retrieval.search.evidence.weights import WEIGHTS
from retrieval.search.query import Query
from retrieval.search.rerank.candidates import candidates
from retrieval.search.rerank.features import matrix, measure
from retrieval.search.rerank.paths import Matrix
from retrieval.search.rerank.rerank import pool
from retrieval.search.retriever import Retriever

MOST_CANDIDATES = 40
"""Candidates of a question that are learned on: its gold, the best of the first look, and some of the others."""
OTHERS = 12


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """One question and its candidates. Key: (group, question_id)."""

    question_id: str
    kind: str
    generated: bool
    values: Matrix
    """(n, features), in the order of `names`."""
    gold: npt.NDArray[np.bool_]
    """(n,)."""
    first: npt.NDArray[np.float64]
    """(n,) score of the first look."""

    def rank(self, scores: npt.NDArray[np.float64]) -> int | None:
        """1-based rank of the best gold, by these scores of the candidates and then by position; None if none is."""
        order = np.lexsort((np.arange(len(scores)), -np.round(scores, 9)))
        found = np.flatnonzero(self.gold[order])
        return int(found[0]) + 1 if len(found) else None

    def thinned(self, seed: int) -> "Example":
        """Fewer candidates, gold always."""
        if len(self.gold) <= MOST_CANDIDATES:
            return self
        order = np.argsort(-self.first, kind="stable")
        others = np.random.default_rng(seed).permutation(order[MOST_CANDIDATES - OTHERS :])[:OTHERS]
        kept = np.unique(np.concatenate([order[: MOST_CANDIDATES - OTHERS], others, np.flatnonzero(self.gold)]))
        return replace(self, values=self.values[kept], gold=self.gold[kept], first=self.first[kept])


def examples_of(retriever: Retriever, questions: QuestionSet, names: Sequence[str]) -> Iterator[Example]:
    """The questions of a set that have gold in the index.

    Candidates are those of a search: what the question's predicates exclude is none, nor is a chunk whose judgement
    nobody can read.

    Args:
        retriever: over the index.
        questions: the set.
        names: the features.
    """
    snapshot = retriever.snapshot
    for each in questions.scored:
        gold = snapshot.chunks.positions(list(questions.gold(each)))
        if not len(gold):
            continue
        asked = Query.of(each.query, snapshot)
        allowed = retriever.admitted(asked).mask(snapshot)
        allowed[snapshot.chunks.positions(sorted(questions.unexplained.get(each.id, ())))] = False
        lexical = snapshot.lexical.scores(each.query)
        evidence = gather(
            snapshot, asked, lexical, Cosines(snapshot.vectors, retriever.embedder.embed_query(each.query))
        )
        first = evidence.total(WEIGHTS)
        positions = pool(first, lexical, allowed)
        values = matrix(measure(snapshot, asked, candidates(snapshot, evidence, positions)), names)
        yield Example(each.id, each.kind, each.generated, values, np.isin(positions, gold), first[positions])
