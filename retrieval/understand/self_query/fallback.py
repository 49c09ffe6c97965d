"""When a filter is dropped, and what is said about it."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from threading import Lock

from retrieval.understand.analysis import QueryAnalysis, UnknownValue
from retrieval.understand.catalog.fields import CatalogField
from retrieval.understand.self_query.conditions import FieldCondition
from retrieval.understand.self_query.config import SelfQueryConfig

_NAMED = 5
"""Values of a field that a person is told, the most frequent."""


class Trigger(Enum):
    """Why a filter was dropped. A question with a topic and no condition has none to drop."""

    LOW_CONFIDENCE = "the analysis is not certain enough"
    NO_RESULTS = "no document meets the conditions"
    UNKNOWN_VALUE = "no document has the value"
    UNPARSED = "the model could not analyze the question, so it was read without one"


@dataclass(frozen=True, slots=True)
class Fallback:
    """One step back from a filter."""

    trigger: Trigger
    dropped: tuple[str, ...]
    """The conditions that no longer count, as the question says them."""
    fields: tuple[str, ...]
    left: int
    """Documents that meet what is left."""
    detail: str = ""
    """What went wrong, where something did."""

    def __str__(self) -> str:
        if self.trigger is Trigger.UNKNOWN_VALUE:
            return f"no document has {self.dropped[0]!r} as {self.fields[0]}{self.detail}; it is searched as a word"
        if not self.dropped:
            return f"{self.trigger.value}: {self.detail}" if self.detail else self.trigger.value
        return f"{self.trigger.value}; dropped {', '.join(map(repr, self.dropped))}, which leaves {self.left} documents"


@dataclass(slots=True)
class FallbackHandler:
    """Decides when filters are dropped, and counts by what. Safe to share between threads."""

    config: SelfQueryConfig = field(default_factory=SelfQueryConfig)
    _counts: Counter[tuple[Trigger, str]] = field(default_factory=Counter)
    _lock: Lock = field(default_factory=Lock)

    def before(
        self, analysis: QueryAnalysis, conditions: Sequence[FieldCondition], n_documents: int
    ) -> Fallback | None:
        """Whether the conditions are not to be used at all, and why."""
        sure = min((each.confidence for each in conditions), default=1.0)
        if conditions and min(sure, analysis.confidence) < self.config.fallback_threshold:
            return self._told(_dropped(Trigger.LOW_CONFIDENCE, conditions, n_documents))
        return None

    def unparsed(self, detail: str, n_documents: int) -> Fallback:
        """The step back from a model that did not answer."""
        return self._told(Fallback(Trigger.UNPARSED, (), (), n_documents, detail))

    def unknown(self, value: UnknownValue, field: CatalogField, n_documents: int) -> Fallback:
        """The step back from a value that no document has."""
        often = sorted(field.counts, key=lambda known: (-field.counts[known], str(known)))
        more = ", ..." if len(often) > _NAMED else ""
        detail = f" (there are {', '.join(map(str, often[:_NAMED]))}{more})"
        return self._told(Fallback(Trigger.UNKNOWN_VALUE, (value.text,), (value.field,), n_documents, detail))

    def relaxed(
        self, conditions: Sequence[FieldCondition], n_left: Callable[[Sequence[FieldCondition]], int]
    ) -> tuple[tuple[FieldCondition, ...], tuple[Fallback, ...]]:
        """Conditions that some document meets, after dropping the least certain, then all; and the steps.

        Args:
            conditions: that no document meets together.
            n_left: how many documents meet some of them.
        """
        least = min(conditions, key=lambda each: each.confidence)
        steps = []
        others = tuple(each for each in conditions if each is not least)
        for kept, gone in ((others, (least,)), ((), others)):
            if not gone:
                continue
            left = n_left(kept)
            steps.append(self._told(_dropped(Trigger.NO_RESULTS, gone, left)))
            if left:
                return kept, tuple(steps)
        return (), tuple(steps)

    def patterns(self) -> dict[tuple[str, str], int]:
        """How often each field was dropped, by (why, field), the most often first."""
        with self._lock:
            return {(trigger.value, name): count for (trigger, name), count in self._counts.most_common()}

    def _told(self, fallback: Fallback) -> Fallback:
        with self._lock:
            self._counts.update((fallback.trigger, name) for name in fallback.fields or ("",))
        return fallback


def _dropped(trigger: Trigger, conditions: Sequence[FieldCondition], left: int) -> Fallback:
    fields = tuple(dict.fromkeys(name for each in conditions for name in each.fields))
    return Fallback(trigger, tuple(each.text for each in conditions), fields, left)
