"""A question as its conditions and the topic that is left, without a model: by the values that the index has."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import count

from retrieval.understand.analysis import Entity, FilterOperator, Span, TemporalRef, UnknownValue
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.fields import CatalogField
from retrieval.understand.catalog.words import STEM, Word, stem, words
from retrieval.understand.reading.certainty import Certainty
from retrieval.understand.reading.coverage import Coverage
from retrieval.understand.reading.grammar import GLUE
from retrieval.understand.reading.negation import is_negated
from retrieval.understand.reading.numbers import alternatives, numeric_conditions
from retrieval.understand.reading.people import People
from retrieval.understand.reading.phrases import Phrases
from retrieval.understand.reading.times.temporal_refs import temporal_refs
from retrieval.understand.reading.unknown_heads import unknown_heads
from retrieval.understand.reading.unknown_values import unknown_values
from retrieval.understand.reading.values.chains import are_alternatives, chained, or_between, without_rivals
from retrieval.understand.reading.values.mention import Mention
from retrieval.understand.reading.values.mentions import Mentions
from retrieval.understand.reading.verbs import MADE, is_event
from retrieval.understand.reading.versions import version_conditions

_LEAST = 0.5
"""A mention that is less certain is a word of the topic and is not reported."""
_WRITING = frozenset(
    {"author", "by", "written", "wrote", "write", "proposed", "version", "number", "numbered", "named", "containing"}
    | {"including", "having", "featuring"}
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a question says beside its topic, and what is left."""

    entities: tuple[Entity, ...]
    temporal_refs: tuple[TemporalRef, ...]
    topic: str
    unknown: tuple[UnknownValue, ...] = ()
    """Values that no document has; they stay in the topic."""


@dataclass(frozen=True, eq=False)
class Reader:
    """Reads questions about the documents of a catalogue."""

    catalog: Catalog
    mentions: Mentions

    @classmethod
    def of(cls, catalog: Catalog) -> "Reader":
        """A reader for these documents."""
        return cls(catalog, Mentions(catalog))

    def read(self, text: str, today: date) -> Reading:
        """The conditions of a question and its topic.

        Args:
            text: the question.
            today: what `last month` goes back from.
        """
        said = words(text)
        mentions = self.mentions.within(said)
        heads = Phrases(said, mentions, self.catalog).heads
        valued = {at for each in mentions if each.is_exact for at in range(each.first, each.stop)}
        versions = tuple(version_conditions(text, said, self.catalog))
        taken = [each.span for group in versions for each in group]
        times = tuple(
            each
            for each in temporal_refs(text, said, self.catalog, today, heads, valued)
            if each.field and not _meets(each.span, taken)
        )
        taken += [each.span for each in times]
        numbers = tuple(numeric_conditions(text, said, self.catalog, taken, valued))
        taken += [each.span for each in numbers]
        number_of = count(1)
        asked = [(each.span, each.field) for each in times if each.field]
        asked += [(each.span, each.entities[0].field) for each in numbers if each.entities]
        happening = [*self._events(said, times)]
        found = [
            each
            for each in mentions
            if not _meets(_span(said, each), [*taken, *self._calling(said, asked)])
            and (each.likeness == 1.0 or not _meets(_span(said, each), happening))
        ]
        entities = [*self._values(text, said, found, taken, number_of)]
        for group in _joined_versions(text, versions):
            entities += _grouped(group, number_of)
        for group in alternatives(text, numbers):
            number = next(number_of)
            entities += [replace(entity, group=number) for entity in group]
        entities.sort(key=lambda each: (each.span, each.field, each.group))
        taken += [each.span for each in entities] + happening
        named = {each.field for each in entities} | {each.field for each in times if each.field}
        unknown = tuple(unknown_values(said, taken, self.catalog))
        return Reading(tuple(entities), times, self._topic(said, taken, entities, named), unknown)

    def _values(
        self, text: str, said: Sequence[Word], found: Sequence[Mention], taken: Sequence[Span], number_of: Iterator[int]
    ) -> Iterator[Entity]:
        read = frozenset(at for at, word in enumerate(said) if _meets((word.start, word.end), taken))
        phrases, people = Phrases(said, found, self.catalog, read), People(said, found)
        coverage = Coverage(said, found, read, phrases.heads, self.catalog)
        sure = coverage.raised(_certainties(found, phrases, people))
        stated = bool(read) or any(certainty >= _LEAST for certainty in sure.values())
        if stated or coverage.is_of_several:
            phrases = replace(phrases, unknown_heads=unknown_heads(phrases, stated=stated))
            coverage = replace(coverage, heads=phrases.heads)
            sure = coverage.raised(_certainties(found, phrases, people))
        chains = [chain for chain in chained(found, said) if max(sure[each] for each in chain) >= _LEAST]
        groups: dict[str, int] = {}
        last: tuple[int, int, bool, CatalogField] | None = None
        for chain in sorted(without_rivals(chains, people), key=lambda each: each[0].first):
            best = max(sure[each] for each in chain)
            negated = is_negated(said, chain[0], self.catalog) != chain[0].denied
            field = chain[0].field
            apart = field.listed and not negated and not are_alternatives(chain, said)
            group = next(number_of)
            if not field.listed and not negated:
                group = groups.setdefault(field.name, group)  # no document has two single values
            called = (*last[3].words, *field.words) if last else ()
            if last and last[2] == negated and not negated and or_between(said[last[0] : chain[0].first], called):
                group, apart = last[1], False  # `critical or escalated`
            for mention in chain:
                group = next(number_of) if apart else group
                span = _span(said, mention)
                operator = FilterOperator.CONTAINS if field.listed else FilterOperator.EQ
                for value in mention.values:
                    yield Entity(text[slice(*span)], field.name, value, operator, best, span, negated, group)
            last = chain[-1].stop, group, negated, field

    def _events(self, said: Sequence[Word], times: Sequence[TemporalRef]) -> Iterator[Span]:
        """The verbs that times go with: `that came in during`."""
        for each in times:
            at = next(place for place, word in enumerate(said) if word.end > each.span[0]) - 1
            while at >= 0 and (said[at].key in GLUE or is_event(said[at], self.catalog)):
                if is_event(said[at], self.catalog):
                    yield said[at].start, said[at].end
                    break
                at -= 1

    def _calling(self, said: Sequence[Word], asked: Sequence[tuple[Span, str]]) -> Iterator[Span]:
        """The word before a time or number that is its field's name: `resolved in 2024` asks no status."""
        for span, name in asked:
            before = [word for word in said if word.end <= span[0]]
            stems = {stem(word) for word in self.catalog.fields[name].words if len(word) >= STEM}
            if before and (before[-1].key in self.catalog.fields[name].words or stem(before[-1].key) in stems):
                yield before[-1].start, before[-1].end

    def _topic(
        self, said: Sequence[Word], taken: Sequence[Span], entities: Sequence[Entity], named: Collection[str]
    ) -> str:
        """What is left: the words from the first to the last that say something, conditions left out."""
        companions = {
            word for each in entities for word in self.catalog.companions.get((each.field, each.value), frozenset())
        }
        fields = {stem(word) for name in named for word in self.catalog.fields[name].words}
        empty = GLUE | self.catalog.nouns | companions | MADE | _WRITING
        left = [word for word in said if not _meets((word.start, word.end), taken)]
        speaking = [
            place
            for place, word in enumerate(left)
            if word.key[0].isalnum()
            and stem(word.key) not in fields
            and empty.isdisjoint({word.key, word.text.lower()})
        ]
        if not speaking:
            return ""
        return " ".join(word.text for word in left[speaking[0] : speaking[-1] + 1] if word.key[0].isalnum())


def _certainties(found: Sequence[Mention], phrases: Phrases, people: People) -> dict[Mention, float]:
    certainty = Certainty(phrases)
    return {each: people.certainty(each) if each.field.kind == "person" else certainty.of(each) for each in found}


def _joined_versions(text: str, versions: Sequence[tuple[Entity, ...]]) -> Iterator[tuple[Entity, ...]]:
    """Versions of one list as alternatives."""
    group: tuple[Entity, ...] = ()
    for each in filter(None, versions):
        if group and text[group[-1].span[1] : each[0].span[0]].strip().lower() in ("or", "and", ",", "/", ", or"):
            group += each
            continue
        if group:
            yield group
        group = each
    if group:
        yield group


def _grouped(group: Sequence[Entity], number_of: Iterator[int]) -> list[Entity]:
    ordered = {FilterOperator.GT, FilterOperator.GTE, FilterOperator.LT, FilterOperator.LTE}
    if all(each.operator in ordered for each in group):
        return [replace(each, group=next(number_of)) for each in group]
    number = next(number_of)
    return [replace(each, group=number) for each in group]


def _span(said: Sequence[Word], mention: Mention) -> Span:
    return said[mention.first].start, said[mention.stop - 1].end


def _meets(one: Span, others: Sequence[Span]) -> bool:
    return any(one[0] < other[1] and other[0] < one[1] for other in others)
