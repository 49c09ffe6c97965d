"""Questions analyzed by what the index holds: no model, the same answer every time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.understand.analysis import Entity, QueryAnalysis, TemporalRef, require_readable
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.reading.reader import Reader
from retrieval.understand.self_query.intent import IntentExtractor


@dataclass(frozen=True, slots=True)
class QueryAnalyzer:
    """Reads questions by the values and fields of a catalogue.

    `analyze` is asynchronous as in seed 003; `read` is the same without an event loop.
    """

    catalog: Catalog
    today: Callable[[], date] = date.today
    """What `last month` goes back from."""
    reader: Reader = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reader", Reader.of(self.catalog))

    async def analyze(self, query: str) -> QueryAnalysis:
        """What a question says. Raises as `read`."""
        return self.read(query)

    def read(self, query: str) -> QueryAnalysis:
        """What a question says.

        Raises:
            QueryAnalysisError: it is empty, or longer than 2,000 characters.
        """
        require_readable(query)
        found = self.reader.read(query, self.today())
        sure = [each.confidence for each in found.entities] + [each.confidence for each in found.temporal_refs]
        intent, grouped_by = IntentExtractor(self.catalog).extract(query, has_conditions=bool(sure), topic=found.topic)
        return QueryAnalysis(
            original_query=query,
            intent=intent,
            entities=found.entities,
            temporal_refs=found.temporal_refs,
            attributes=_attributes(found.entities),
            confidence=min(sure, default=1.0),
            topic=found.topic,
            grouped_by=grouped_by,
            explanation=_explained(found.entities, found.temporal_refs, found.topic),
            unknown=found.unknown,
        )

    def _extract_entities(self, query: str) -> list[Entity]:
        return list(self.read(query).entities)

    def _extract_temporal_refs(self, query: str) -> list[TemporalRef]:
        return list(self.read(query).temporal_refs)


def _attributes(entities: tuple[Entity, ...]) -> dict[str, tuple[Scalar, ...]]:
    found: dict[str, tuple[Scalar, ...]] = {}
    for each in entities:
        found[each.field] = (*found.get(each.field, ()), each.value)
    return found


def _explained(entities: tuple[Entity, ...], times: tuple[TemporalRef, ...], topic: str) -> str:
    said = [
        f"{each.text!r} as {'not ' if each.negated else ''}{each.field} {each.operator.value} {each.value!r}"
        for each in entities
    ]
    said += [
        f"{each.text!r} as {'not ' if each.negated else ''}{each.field} from {each.start or 'the first'} "
        f"to {each.end or 'the last'}"
        for each in times
    ]
    read = "read " + ", ".join(said) if said else "no condition found"
    return f"{read}; topic: {topic}" if topic else f"{read}; no topic is left"
