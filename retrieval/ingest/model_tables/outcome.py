"""What became of each table that a model was to read, and of all of them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from retrieval.ingest.model_tables.checking import Dropped
from retrieval.models.bill import Bill
from retrieval.models.inquiry import Reason as Waiting
from retrieval.types import Row

Reason = Waiting | Literal["not sent", "refused or wrong"]
"""Why the rules made the rows; empty where the model did."""
_FOR_GOOD: frozenset[Reason] = frozenset({"", "not sent", "refused or wrong"})


def is_waiting(reason: Reason) -> bool:
    """Whether it may be gone at another time."""
    return reason not in _FOR_GOOD


@dataclass(frozen=True, slots=True)
class TableOutcome:
    """One chosen table. Key: table_id."""

    table_id: str
    document: str
    line: int
    """1-based, in the document's text."""
    title: str
    n_rows: int
    reason: Reason
    said: str
    """The reason in words."""
    n_answers: int
    """That were paid in this run; 0 where an earlier one paid."""
    dropped: tuple[Dropped, ...] = ()

    @property
    def by_model(self) -> bool:
        """Whether the rows have the model's words."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class Transformed:
    """The rows of a book, and how they came about."""

    rows: tuple[Row, ...]
    """Of all its tables, in their order."""
    offline: tuple[Row, ...]
    """The same as the rules alone make them."""
    outcomes: tuple[TableOutcome, ...]
    """Of the tables that were chosen, in their order."""
    bill: Bill

    @property
    def by_model(self) -> frozenset[str]:
        """Ids of the tables whose rows have the model's words."""
        return frozenset(outcome.table_id for outcome in self.outcomes if outcome.by_model)

    @property
    def n_waiting(self) -> int:
        """Tables that the rules made and that a later run may send."""
        return sum(is_waiting(outcome.reason) for outcome in self.outcomes)

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """Everything that was not believed of tables that were."""
        return tuple(each for outcome in self.outcomes for each in outcome.dropped)


class Ended(Protocol):
    """Whatever was asked about and ended in some way."""

    @property
    def reason(self) -> Reason:
        """Why the rules did the work; empty where the model did."""


def reasons(outcomes: Iterable[Ended]) -> dict[str, int]:
    """How many the rules were left with, for each reason."""
    return dict(Counter(outcome.reason for outcome in outcomes if outcome.reason))
