"""Our own metrics: near-twins of the right row, and what filtering them out costs.

*Twins* are tables with the same header signature. A *sibling* of a gold row is another row of its table or of a twin.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from evals.metrics import SHOWN
from retrieval.query_must.conditional import always_asks
from retrieval.types import Chunk, Embedder, Retrieval, Vector

NOISE = f"noise@{SHOWN}"
"""Name of what `noise` gives at its own cutoff."""

Admits = Callable[[str, str], bool]
"""(question, query_must as JSON) -> whether the question satisfies it."""


@dataclass(frozen=True, slots=True)
class Relatives:
    """The chunks of a library by id, and the table family of every row: what noise is measured against."""

    chunks: Mapping[str, Chunk]
    family: Mapping[str, str]
    """Signature of the table of every row chunk (its table id where it has no signature)."""

    @classmethod
    def of(cls, chunks: Sequence[Chunk]) -> "Relatives":
        """Index the chunks of a library."""
        families = {chunk.id: chunk.signature or chunk.table_id or "" for chunk in chunks if chunk.kind == "row"}
        return cls({chunk.id: chunk for chunk in chunks}, {name: family for name, family in families.items() if family})

    def families(self, gold: Collection[str]) -> frozenset[str]:
        """The table families that these gold chunks come from."""
        return frozenset(self.family[name] for name in gold if name in self.family)


def noise(ranking: Sequence[str], gold: Collection[str], relatives: Relatives, cutoff: int = SHOWN) -> int:
    """`noise@k`: siblings of a gold row among the first k; for a question without gold, guarded chunks.

    A number of chunks, 0 to k; lower is better. Chunks of other tables and prose are not noise: they may be useful.
    """
    return len(_noisy(ranking, gold, relatives, cutoff))


def guarded_noise(ranking: Sequence[str], gold: Collection[str], relatives: Relatives, cutoff: int = SHOWN) -> int:
    """How much of `noise@k` has a predicate: what a filter can do something about."""
    return sum(_guarded(relatives, name) for name in _noisy(ranking, gold, relatives, cutoff))


def wrong_row(ranking: Sequence[str], gold: Collection[str], relatives: Relatives) -> float | None:
    """`wrong_row_rate`: 1 if the first hit is a sibling of the gold row, else 0: a plausible wrong number.

    None if no gold chunk is a row. Lower is better.
    """
    if not relatives.families(gold):
        return None
    return float(noise(ranking, gold, relatives, cutoff=1))


def noise_reduction(before: Sequence[float], after: Sequence[float]) -> float | None:
    """1 - sum(after) / sum(before), pooled over questions; None if nothing was there before.

    Pooled, because a mean of per-question ratios would let questions with one noisy chunk decide.
    """
    total = sum(before)
    return 1.0 - sum(after) / total if total else None


def refused_gold(question: str, gold: Collection[str], relatives: Relatives, admits: Admits) -> tuple[str, ...]:
    """Gold chunks whose own predicate the question does not satisfy, in id order."""
    guarded = [(name, relatives.chunks[name].query_must) for name in sorted(gold) if name in relatives.chunks]
    return tuple(name for name, query_must in guarded if query_must is not None and not admits(question, query_must))


def excluded_gold(gold: Collection[str], retrieval: Retrieval) -> tuple[str, ...]:
    """Gold chunks that the receipt says were kept out, in id order."""
    excluded = {decision.chunk_id for decision in retrieval.receipt.decisions if not decision.kept}
    return tuple(sorted(excluded.intersection(gold)))


def lost_gold(gold: Collection[str], unfiltered: Sequence[str], filtered: Sequence[str]) -> tuple[str, ...]:
    """Gold chunks among the first 15 without the filter that the whole ranking with it does not hold, in id order.

    This looks only at rankings, so it finds a filter that excludes and does not say so. A filter moves what it
    leaves upwards; hence 15 against the whole list leaves room for small shifts of normalised scores.
    """
    return tuple(sorted(set(unfiltered[:SHOWN]).intersection(gold).difference(filtered)))


def cross_book_contamination(ranking: Sequence[str], book: str, relatives: Relatives, cutoff: int = SHOWN) -> float:
    """Share of the first k hits (of those returned) that come from another book; 0 if there are none."""
    shown = ranking[:cutoff]
    wrong = sum(relatives.chunks[name].book != book for name in shown)
    return wrong / len(shown) if shown else 0.0


def no_answer_accuracy(ranking: Sequence[str]) -> float:
    """For a question without gold: 1 if nothing was returned, else 0. Never part of hit or mrr."""
    return 0.0 if ranking else 1.0


class AnswerSimilarity:
    """`answer_similarity`: the largest cosine between a reference answer and one of the first k chunk texts.

    The largest, not the mean: one chunk that says the answer is enough. -1 to 1; comparable only for one embedder.
    Vectors of chunks are kept, so a chunk that many questions retrieve is embedded once.
    """

    def __init__(self, embedder: Embedder, relatives: Relatives, cutoff: int = SHOWN) -> None:
        self._embedder, self._relatives, self._cutoff = embedder, relatives, cutoff
        self._vectors: dict[str, Vector] = {}

    def __call__(self, answer: str, ranking: Sequence[str]) -> float | None:
        """Return the similarity, or None if nothing was retrieved."""
        shown = list(ranking[: self._cutoff])
        if not shown:
            return None
        new = [name for name in shown if name not in self._vectors]
        embedded = self._embedder.embed([answer, *(self._relatives.chunks[name].text for name in new)])
        self._vectors.update(zip(new, embedded[1:], strict=True))
        return float(max(embedded[0] @ self._vectors[name] for name in shown))


def _noisy(ranking: Sequence[str], gold: Collection[str], relatives: Relatives, cutoff: int) -> list[str]:
    shown = ranking[:cutoff]
    if not gold:
        return [name for name in shown if _guarded(relatives, name)]
    families = relatives.families(gold)
    return [name for name in shown if relatives.family.get(name) in families and name not in gold]


def _guarded(relatives: Relatives, chunk_id: str) -> bool:
    return always_asks(relatives.chunks[chunk_id].query_must)
