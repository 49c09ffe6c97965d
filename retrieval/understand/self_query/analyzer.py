"""Analyzes questions by the values in the index: without a model, with the same answer every time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.understand.analysis import Entity, QueryAnalysis, QueryIntent, TemporalRef, require_readable
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.words import Word, words
from retrieval.understand.reading.grammar import ADVERBS, CONJUNCTIONS, is_noun_like
from retrieval.understand.reading.reader import ConditionReader

_COUNTING = (("how", "many"), ("number", "of"), ("count", "of"), ("count",), ("total",))
_COUNTED = frozenset({"count", "number", "total"})
_BY = frozenset({"by", "per", "each", "every"})
_MOST = frozenset({"most", "fewest", "least"})
_REACH = 6


@dataclass(frozen=True, slots=True)
class IntentExtractor:
    """Distinguishes searches, filters and counts."""

    catalog: Catalog

    def extract(self, query: str, *, has_conditions: bool, topic: str) -> tuple[QueryIntent, str | None]:
        """Return the intent, and for an aggregate by value, the field whose values are counted.

        Args:
            has_conditions: whether it has conditions on metadata.
            topic: the question without its conditions.
        """
        terms = words(query)
        grouped = self._grouped_by(terms)
        # Only documents are counted: `how many spells can a wizard cast` asks for the content of a text.
        if grouped or (self._counts(terms) and _COUNTED.issuperset(topic.lower().split())):
            return QueryIntent.AGGREGATE, grouped
        if not has_conditions:
            return QueryIntent.SEARCH, None
        return (QueryIntent.COMBINED if topic else QueryIntent.FILTER), None

    def _counts(self, terms: Sequence[Word]) -> bool:
        """Whether documents are counted: `how many final PEPs`, but not `how many bytes`."""
        for at in range(len(terms)):
            for phrase in _COUNTING:
                if tuple(word.key for word in terms[at : at + len(phrase)]) != phrase:
                    continue
                for word in terms[at + len(phrase) : at + len(phrase) + _REACH]:
                    if word.key in self.catalog.nouns:
                        return True
                    if not is_noun_like(word.key) and word.key not in CONJUNCTIONS | ADVERBS | {"the"}:
                        break
        return False

    def _grouped_by(self, terms: Sequence[Word]) -> str | None:
        """Return the field of `per status`, `for each author`, `by year` after a count, `which author has the most
        PEPs`."""
        keyed = [word.key for word in terms]
        counts = self._counts(terms) or bool(
            {"group", "grouped", "breakdown", "distribution", "summarize"} & set(keyed)
        )
        asks_most = bool(_MOST & set(keyed)) and keyed[:1] in (["which"], ["who"], ["what"])
        for at in range(1, len(keyed)):
            field = self._named(keyed, at)
            if field and ((keyed[at - 1] in _BY and counts) or (asks_most and at <= 2)):
                return field
        return "author" if asks_most and keyed[0] == "who" and "author" in self.catalog.fields else None

    def _named(self, keyed: Sequence[str], at: int) -> str | None:
        for catalog_field in self.catalog.fields.values():
            words = catalog_field.words
            if words and tuple(keyed[at : at + len(words)]) == words:
                return catalog_field.name
        return None


@dataclass(frozen=True, slots=True)
class QueryAnalyzer:
    """Reads questions by the values and fields of a catalogue.

    `analyze` is asynchronous as in seed 003; `read` is the same without an event loop.
    """

    catalog: Catalog
    today: Callable[[], date] = date.today
    """Returns the date from which `last month` is counted."""
    reader: ConditionReader = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reader", ConditionReader.of(self.catalog))

    async def analyze(self, query: str) -> QueryAnalysis:
        """Return the analysis of a question. Raises the same errors as `read`."""
        return self.read(query)

    def read(self, query: str) -> QueryAnalysis:
        """Return the analysis of a question.

        Raises:
            QueryAnalysisError: it is empty, or longer than 2,000 characters.
        """
        require_readable(query)
        reading = self.reader.read(query, self.today())
        sure = [entity.confidence for entity in reading.entities] + [ref.confidence for ref in reading.temporal_refs]
        intent, grouped_by = IntentExtractor(self.catalog).extract(
            query, has_conditions=bool(sure), topic=reading.topic
        )
        return QueryAnalysis(
            original_query=query,
            intent=intent,
            entities=reading.entities,
            temporal_refs=reading.temporal_refs,
            attributes=_attributes(reading.entities),
            confidence=min(sure, default=1.0),
            topic=reading.topic,
            grouped_by=grouped_by,
            explanation=_explained(reading.entities, reading.temporal_refs, reading.topic),
            unknown=reading.unknown,
        )

    def _extract_entities(self, query: str) -> list[Entity]:
        return list(self.read(query).entities)

    def _extract_temporal_refs(self, query: str) -> list[TemporalRef]:
        return list(self.read(query).temporal_refs)


def _attributes(entities: tuple[Entity, ...]) -> dict[str, tuple[Scalar, ...]]:
    attributes: dict[str, tuple[Scalar, ...]] = {}
    for entity in entities:
        attributes[entity.field] = (*attributes.get(entity.field, ()), entity.value)
    return attributes


def _explained(entities: tuple[Entity, ...], times: tuple[TemporalRef, ...], topic: str) -> str:
    terms = [
        f"{entity.text!r} as {'not ' if entity.negated else ''}{entity.field} {entity.operator.value} {entity.value!r}"
        for entity in entities
    ]
    terms += [
        f"{time.text!r} as {'not ' if time.negated else ''}{time.field} from {time.start or 'the first'} "
        f"to {time.end or 'the last'}"
        for time in times
    ]
    read = "read " + ", ".join(terms) if terms else "no condition found"
    return f"{read}; topic: {topic}" if topic else f"{read}; no topic is left"
