"""What a rule of the gate is: one proposition about a candidate index, and what was found against it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from evals.statistics.aggregates import ALL

Evidence = TypeVar("Evidence")

_NAMED = 10


@dataclass(frozen=True, slots=True)
class Objection:
    """One objection to a rule."""

    message: str
    strategy: str = ALL
    """Name, or `*` if no strategy is at fault."""
    question_ids: tuple[str, ...] = ()
    only_warns: bool = False
    """True: this one does not block, though its rule may."""

    def __str__(self) -> str:
        shown = ", ".join(self.question_ids[:_NAMED])
        more = len(self.question_ids) - _NAMED
        questions = f" ({shown}{f' and {more} more' if more > 0 else ''})" if shown else ""
        return ("" if self.strategy == ALL else f"{self.strategy}: ") + self.message + questions


@dataclass(frozen=True, slots=True)
class Reason:
    """An objection under the name of its rule; `str(reason)` says all of it."""

    rule: str
    objection: Objection
    blocks: bool

    def __str__(self) -> str:
        return f"{self.rule}: {self.objection}"


@dataclass(frozen=True, slots=True)
class Rule(Generic[Evidence]):
    """A proposition about a candidate. Key: name, which is also that of its Dagster check."""

    name: str
    says: str
    """One sentence: what holds when the rule holds."""
    asset: str
    """Whose check it is: what has to be materialized before it can be judged."""
    judge: Callable[[Evidence], Iterable[Objection]]
    blocks: bool = True
    """False: it only warns."""
    against: Literal["live", "best"] | None = None
    """The other index that the judge looks at: what is live, or the best that was live. None: it needs none."""
    measures: Callable[[Evidence], Mapping[str, float]] = lambda _: {}
    """Numbers that its check reports besides; the same names for all evidence."""

    def reasons(self, evidence: Evidence) -> tuple[Reason, ...]:
        """Every objection to the rule; empty where it holds."""
        return tuple(Reason(self.name, each, self.blocks and not each.only_warns) for each in self.judge(evidence))
