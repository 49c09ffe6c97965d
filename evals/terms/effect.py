"""What another vocabulary, or other predicates, would do to questions and scores: tried on a copy of the index."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from evals.evaluation import SHIPPED, Evaluation, evaluate
from evals.gate import decide
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES
from retrieval.types import Chunk


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change does. Questions are told by their texts."""

    admitted: tuple[str, ...]
    """Questions for which a chunk may come back that could not before."""
    excluded: tuple[str, ...]
    """Questions that keep a chunk out which could come back before."""
    moved: tuple[str, ...]
    """Questions whose first hit is another."""
    n_scored: int = 0
    """Questions with gold that the scores rest on."""
    mrr_before: float | None = None
    mrr_after: float | None = None
    reasons: tuple[str, ...] = ()
    """What the gate has against it."""
    passes: bool = True
    """Whether the gate would let an index with it go live instead of one without; yes where nothing is scored."""

    @property
    def is_none(self) -> bool:
        """Whether nothing that was asked comes out otherwise."""
        return not (self.admitted or self.excluded or self.moved) and self.mrr_before == self.mrr_after

    @property
    def scores(self) -> str:
        """Its effect on the scores in words."""
        if self.mrr_before is None or self.mrr_after is None:
            return "nothing was scored: there are no questions with gold"
        told = f"mrr {self.mrr_before:.4f} to {self.mrr_after:.4f} on {self.n_scored} questions"
        return (
            f"{told}; {'the gate lets it pass' if self.passes else 'the gate refuses it: ' + '; '.join(self.reasons)}"
        )


class Trial:
    """Tries changes against one live index.

    Args:
        live: what readers have.
        asked: questions whose hits are compared.
        files: of questions with gold.
        store: folder that keeps scores of what is live; None keeps nothing.
    """

    def __init__(self, live: Retriever, asked: Sequence[str], files: Sequence[Path], store: Path | None = None) -> None:
        self._live, self._asked, self._files = live, tuple(dict.fromkeys(asked)), tuple(files)
        self._before = [_seen(live, query) for query in self._asked]
        self._scores = _scored(live, files, store)

    def of(self, vocabulary: Vocabulary | None = None, chunks: Sequence[Chunk] | None = None) -> Effect:
        """What another vocabulary, or chunks with other predicates, would do; nothing of the home changes."""
        snapshot = self._live.snapshot
        with TemporaryDirectory() as folder:
            made = build_snapshot(
                Path(folder),
                tuple(chunks or snapshot.chunks),
                np.array(snapshot.vectors),
                snapshot.manifest.embedder,
                vocabulary or snapshot.vocabulary,
            )
            with open_snapshot(Path(folder), made.id) as changed:
                return self._compared(Retriever(changed, self._live.embedder))

    def _compared(self, changed: Retriever) -> Effect:
        admitted, excluded, moved = [], [], []
        for query, (before, first) in zip(self._asked, self._before, strict=True):
            after, now = _seen(changed, query)
            if (after & ~before).any():
                admitted.append(query)
            if (before & ~after).any():
                excluded.append(query)
            if now != first:
                moved.append(query)
        scores = _scored(changed, self._files, None)
        told = Effect(tuple(admitted), tuple(excluded), tuple(moved))
        if scores.experiment is None or self._scores.experiment is None:
            return told
        decision = decide(scores.experiment, self._scores.experiment)
        return Effect(
            told.admitted,
            told.excluded,
            told.moved,
            scores.n_questions,
            self._scores.headline()[SHIPPED]["mrr"],
            scores.headline()[SHIPPED]["mrr"],
            tuple(str(each) for each in decision.reasons if each.blocks),
            decision.passed,
        )


def _seen(retriever: Retriever, query: str) -> tuple[np.ndarray, str]:
    """(n,) which chunks may come back, and the id of the first hit."""
    snapshot = retriever.snapshot
    question = Query.of(query, snapshot).among(snapshot.rivals)
    found = retriever.retrieve(query, 1, decisions=False)
    return retriever.admitted(question).mask(snapshot), "".join(found.chunk_ids)


def _scored(retriever: Retriever, files: Sequence[Path], store: Path | None) -> Evaluation:
    return evaluate(retriever.snapshot, retriever.embedder, files, (STRATEGIES[SHIPPED],), store, foreign=True)
