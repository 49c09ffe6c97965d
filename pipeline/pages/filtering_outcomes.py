"""One question with a filter off and on: what came back, what of it answers, and what asking again took."""

from collections.abc import Sequence
from dataclasses import dataclass

from evals.noise import Relatives, noise, refused_gold
from evals.questions.gold import resolve
from evals.questions.questions import Question
from retrieval.query_must import satisfies_query_must
from retrieval.query_must.conditional import always_asks
from retrieval.search.retriever import Retriever
from retrieval.strategy import DEFAULT_K
from retrieval.types import Retrieval


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question with the filter off and on. Key: query."""

    query: str
    off: Retrieval
    on: Retrieval
    rounds: int
    """Of the published loop for the same question."""
    noise: tuple[int, int]
    gold: tuple[int, int, int]
    """Gold chunks: how many there are, how many of them are in the list with the filter off, and on."""
    ranks: tuple[int, ...]
    """Of the gold with the filter on."""
    stopped: str
    """Why the published loop ended."""
    refused: tuple[str, ...]
    """Gold that its own predicate refuses."""

    @property
    def guarded(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The guarded rows of both lists as `I.A. 6`, in the order of the book."""
        return _guarded(self.off), _guarded(self.on)


def ask_all(
    retriever: Retriever, questions: Sequence[Question], off: str = "dense", on: str = "prefilter"
) -> tuple[Outcome, ...]:
    """Ask every question with the filter off, on, and in rounds; `off` and `on` are strategies."""
    chunks = tuple(retriever.snapshot.chunks)
    relatives = Relatives.of(chunks)
    gold = resolve([question for question in questions if question.gold], chunks).gold
    return tuple(
        _ask(retriever, question.query, frozenset(gold.get(question.id, ())), relatives, (off, on))
        for question in questions
    )


def _ask(
    retriever: Retriever, query: str, gold: frozenset[str], relatives: Relatives, names: tuple[str, str]
) -> Outcome:
    off, on, rounds = (retriever.retrieve(query, DEFAULT_K, name) for name in (*names, "iterative"))
    return Outcome(
        query=query,
        off=off,
        on=on,
        rounds=rounds.receipt.rounds,
        noise=(noise(off.chunk_ids, gold, relatives), noise(on.chunk_ids, gold, relatives)),
        gold=(len(gold), len(gold.intersection(off.chunk_ids)), len(gold.intersection(on.chunk_ids))),
        ranks=tuple(hit.rank for hit in on.hits if hit.chunk.id in gold),
        stopped=str(rounds.receipt.stopped),
        refused=refused_gold(query, gold, relatives, satisfies_query_must),
    )


def _guarded(retrieval: Retrieval) -> tuple[str, ...]:
    guarded = [hit.chunk for hit in retrieval.hits if always_asks(hit.chunk.query_must)]
    guarded.sort(key=lambda chunk: (chunk.document, chunk.position))
    return tuple(f"{chunk.heading_path[-1].split(' ')[0]} {chunk.row_key}" for chunk in guarded)
