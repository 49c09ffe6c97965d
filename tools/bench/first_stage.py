"""How often a first stage elsewhere gives the hits that our own files give."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrieval.clock import Clock
from retrieval.errors import IndexMissingError
from retrieval.search.first_stage.choosing import FirstStage
from retrieval.search.retriever import Retriever

STRATEGIES = ("default", "prefilter", "dense", "hybrid")
TOP = 10


@dataclass(frozen=True, slots=True)
class Agreement:
    """One strategy, asked the same questions through both stages. Key: strategy."""

    strategy: str
    n_questions: int
    same_first: float
    """Share of the questions whose first hit is the same."""
    same_hits: float
    """Share of them whose first ten hits are the same chunks in the same order."""
    p50_embedded: float
    """Milliseconds."""
    p50_store: float


@dataclass(frozen=True, slots=True)
class FirstStageReport:
    """What both stages gave over one live index."""

    snapshot: str
    n_chunks: int
    agreements: tuple[Agreement, ...]

    def lines(self) -> Sequence[str]:
        """A table for a person to read."""
        head = f"snapshot {self.snapshot}, {self.n_chunks:,} chunks"
        columns = f"{'strategy':<10} {'questions':>9} {'same first':>10} {'same ten':>9} {'embedded':>9} {'store':>9}"
        rows = (
            f"{agreement.strategy:<10} {agreement.n_questions:>9,} "
            f"{agreement.same_first:>10.3f} {agreement.same_hits:>9.3f} "
            f"{agreement.p50_embedded:>6.1f} ms {agreement.p50_store:>6.1f} ms"
            for agreement in self.agreements
        )
        return (head, columns, *rows)


def compare_stages(home: Path, questions: Sequence[str], tell: Callable[[str, int, int], None]) -> FirstStageReport:
    """Ask questions through the stage that the home's settings name, and through the snapshot's own files.

    Args:
        home: with a live index and the setting `store`.
        questions: what is asked.
        tell: called as the work goes on.

    Raises:
        NothingLiveError: nothing is live.
        IndexMissingError: the settings name no store.
        StoreUnavailableError: it does not answer.
    """
    elsewhere, own = Retriever.open(home), Retriever.open(home)
    if elsewhere.stage.scores_all:
        raise IndexMissingError(
            f"the settings of {home} name no store to compare with; set `store: milvus+http://HOST:PORT` in rag.yaml, "
            "or QUERYMUST_STORE, and build again"
        )
    own.stage = FirstStage(own.snapshot)
    result = []
    for number, strategy in enumerate(STRATEGIES):
        tell(strategy, number, len(STRATEGIES))
        result.append(_agreement(elsewhere, own, strategy, questions))
    elsewhere.stage.close()
    return FirstStageReport(own.snapshot.id, len(own.snapshot), tuple(result))


def _agreement(elsewhere: Retriever, own: Retriever, strategy: str, questions: Sequence[str]) -> Agreement:
    first = hits = 0
    took: tuple[list[float], list[float]] = ([], [])
    for question in questions:
        ids = []
        for retriever, milliseconds in zip((own, elsewhere), took, strict=True):
            clock = Clock()
            answer = retriever.retrieve(question, TOP, strategy, decisions=False)
            milliseconds.append(clock.milliseconds)
            ids.append([hit.chunk.id for hit in answer.hits])
        first += ids[0][:1] == ids[1][:1]
        hits += ids[0] == ids[1]
    count = max(len(questions), 1)
    p50 = [statistics.median(each or [0.0]) for each in took]
    return Agreement(strategy, len(questions), first / count, hits / count, p50[0], p50[1])
