"""What became of each passage that a model was to describe, and of all of them."""

from dataclasses import dataclass

from retrieval.ingest.model_passages.believing import NotBelieved
from retrieval.ingest.model_tables.outcome import Reason, is_waiting
from retrieval.models.bill import Bill
from retrieval.types import Chunk


@dataclass(frozen=True, slots=True)
class PassageOutcome:
    """One passage. Key: chunk_id."""

    chunk_id: str
    document: str
    line: int
    """1-based, of the file."""
    title: str
    reason: Reason
    """Why all is as the rules said it; empty where a model's answer was used."""
    said: str
    """The reason in words."""
    n_answers: int
    """That were paid in this run; 0 where an earlier one paid."""
    dropped: tuple[NotBelieved, ...] = ()


@dataclass(frozen=True, slots=True)
class Described:
    """The chunks of a book, and how their metadata came about."""

    chunks: tuple[Chunk, ...]
    """All of them, in their order."""
    offline: tuple[Chunk, ...]
    """The same as the rules alone describe them."""
    outcomes: tuple[PassageOutcome, ...]
    """Of every passage of prose, in their order."""
    bill: Bill

    @property
    def by_model(self) -> frozenset[str]:
        """Ids of the chunks that have the model's words."""
        return frozenset(each.chunk_id for each in self.outcomes if not each.reason)

    @property
    def n_waiting(self) -> int:
        """Passages that the rules described and that a later run may send."""
        return sum(is_waiting(each.reason) for each in self.outcomes)

    @property
    def dropped(self) -> tuple[NotBelieved, ...]:
        """Everything that was not believed of answers that were used."""
        return tuple(each for outcome in self.outcomes for each in outcome.dropped)

    @property
    def agreement(self) -> float | None:
        """Share of the model's passages that are of the kind that the rules say; None where it described none."""
        ids = self.by_model
        pairs = [pair for pair in zip(self.chunks, self.offline, strict=True) if pair[0].id in ids]
        same = sum(one.metadata["content_kind"] == other.metadata["content_kind"] for one, other in pairs)
        return same / len(pairs) if pairs else None
