"""The reader of questions: conditions by the values of an index, and the remaining topic."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import count, takewhile

from retrieval.understand.analysis import Entity, FilterOperator, Span, TemporalRef, UnknownValue
from retrieval.understand.catalog.catalog import Catalog, CatalogField
from retrieval.understand.catalog.words import STEM, Word, stem, words
from retrieval.understand.reading.certainty import ACTS, MAKERS, Certainty, Coverage, People, Phrases, is_negated
from retrieval.understand.reading.grammar import (
    CONJUNCTIONS,
    GLUE,
    MADE,
    is_noun_like,
)
from retrieval.understand.reading.numbers import alternatives, numeric_conditions, version_conditions
from retrieval.understand.reading.periods import is_calendar_word
from retrieval.understand.reading.times import is_event, temporal_refs
from retrieval.understand.reading.value_mentions import (
    ValueMentions,
    are_alternatives,
    chained,
    or_between,
    without_rivals,
)
from retrieval.understand.reading.value_names import Mention

_ENDS = CONJUNCTIONS | {",", ".", "?", "!"}
_SIGNS = frozenset({":", "="})


def unknown_values(terms: Sequence[Word], taken: Sequence[Span], catalog: Catalog) -> Iterator[UnknownValue]:
    """Yield values that no document has, in the order of the question.

    Args:
        taken: spans of the question that are already read, which include all known values.
    """
    free = [not any(word.start < end and start < word.end for start, end in taken) for word in terms]
    for at in range(1, len(terms) - 1):
        run: Sequence[Word] = ()
        field = None
        if terms[at].key == "by" and free[at + 1]:
            field = _maker(terms[at - 1], catalog)
            run = _name(terms, free, at + 1, catalog)
        elif terms[at].text in _SIGNS and free[at + 1]:
            field = _named(terms, at, catalog)
            run = list(takewhile(lambda word: word.key not in _ENDS, terms[at + 1 :]))
        if field and run:
            yield UnknownValue(" ".join(word.text for word in run), field.name)


def _maker(before: Word, catalog: Catalog) -> CatalogField | None:
    """Return the field of the person in `documents by` and `directed by`; None if the words ask for no person."""
    people = [field for field in catalog.fields.values() if field.kind == "person"]
    verb = before.text.lower()
    for field in people:
        acts = {act for start, verbs in ACTS.items() for act in verbs if field.name.lower().startswith(start)}
        if verb in acts or stem(verb) in {stem(word) for word in field.words if len(word) > 3}:
            return field
    if before.key not in catalog.nouns and verb not in MADE:
        return None
    makers = [field for field in people if field.name.lower().startswith(MAKERS)]
    return next(iter(makers or (people if len(people) == 1 else ())), None)


def _name(terms: Sequence[Word], free: Sequence[bool], at: int, catalog: Catalog) -> Sequence[Word]:
    """Return the capitalised words that follow, or one word that no text contains; empty if they are a time."""
    stop = at
    while stop < len(terms) and free[stop] and terms[stop].is_capital and not is_calendar_word(terms[stop]):
        stop += 1
    word = terms[at]
    strange = is_noun_like(word.key) and not catalog.says(word.text) and not is_calendar_word(word)
    return terms[at:stop] or (terms[at : at + 1] if strange else ())


def _named(terms: Sequence[Word], at: int, catalog: Catalog) -> CatalogField | None:
    """Return the field of classes or people whose name precedes a sign."""
    for field in catalog.fields.values():
        words = tuple(word.key for word in terms[max(0, at - len(field.words)) : at])
        if field.kind in ("text", "person") and field.words and words == field.words:
            return field
    return None


_LEAST = 0.5
"""A mention that is less certain is a word of the topic and is not reported."""
_WRITING = frozenset(
    {"author", "by", "written", "wrote", "write", "proposed", "version", "number", "numbered", "named", "containing"}
    | {"including", "having", "featuring"}
)


@dataclass(frozen=True, slots=True)
class QuestionConditions:
    """The conditions of a question, and its remaining topic."""

    entities: tuple[Entity, ...]
    temporal_refs: tuple[TemporalRef, ...]
    topic: str
    unknown: tuple[UnknownValue, ...] = ()
    """Values that no document has; they remain in the topic."""


@dataclass(frozen=True, eq=False)
class ConditionReader:
    """Reads questions about the documents of a catalogue."""

    catalog: Catalog
    mentions: ValueMentions

    @classmethod
    def of(cls, catalog: Catalog) -> "ConditionReader":
        """Return a reader for these documents."""
        return cls(catalog, ValueMentions(catalog))

    def read(self, text: str, today: date) -> QuestionConditions:
        """Return the conditions of a question and its topic.

        Args:
            today: the date from which `last month` is counted.
        """
        terms = words(text)
        mentions = self.mentions.within(terms)
        heads = Phrases(terms, mentions, self.catalog).heads
        valued = {at for mention in mentions if mention.certainty == 1.0 for at in range(mention.first, mention.stop)}
        versions = tuple(version_conditions(text, terms, self.catalog))
        taken = [entity.span for group in versions for entity in group]
        times = tuple(
            ref
            for ref in temporal_refs(text, terms, self.catalog, today, heads, valued)
            if ref.field and not _meets(ref.span, taken)
        )
        taken += [time.span for time in times]
        numbers = tuple(numeric_conditions(text, terms, self.catalog, taken, valued))
        taken += [number.span for number in numbers]
        number_of = count(1)
        field_spans = [(time.span, time.field) for time in times if time.field]
        field_spans += [(number.span, number.entities[0].field) for number in numbers if number.entities]
        happening = [*self._events(terms, times)]
        unread = [
            mention
            for mention in mentions
            if not _meets(_span(terms, mention), [*taken, *self._calling(terms, field_spans)])
        ]
        entities = [*self._values(text, terms, unread, taken, number_of)]
        for group in _joined_versions(text, versions):
            entities += _grouped(group, number_of)
        for group in alternatives(text, numbers):
            number = next(number_of)
            entities += [replace(entity, group=number) for entity in group]
        entities.sort(key=lambda entity: (entity.span, entity.field, entity.group))
        taken += [entity.span for entity in entities] + happening
        named = {entity.field for entity in entities} | {time.field for time in times if time.field}
        unknown = tuple(unknown_values(terms, taken, self.catalog))
        return QuestionConditions(tuple(entities), times, self._topic(terms, taken, entities, named), unknown)

    def _values(
        self,
        text: str,
        terms: Sequence[Word],
        mentions: Sequence[Mention],
        taken: Sequence[Span],
        number_of: Iterator[int],
    ) -> Iterator[Entity]:
        read = frozenset(at for at, word in enumerate(terms) if _meets((word.start, word.end), taken))
        phrases, people = Phrases(terms, mentions, self.catalog, read), People(terms, mentions)
        coverage = Coverage(terms, mentions, read, phrases.heads, self.catalog)
        sure = coverage.raised(_certainties(mentions, phrases, people))
        chains = [chain for chain in chained(mentions, terms) if max(sure[mention] for mention in chain) >= _LEAST]
        groups: dict[str, int] = {}
        last: tuple[int, int, bool, CatalogField] | None = None
        for chain in sorted(without_rivals(chains, people), key=lambda rival: rival[0].first):
            best = max(sure[mention] for mention in chain)
            negated = is_negated(terms, chain[0], self.catalog)
            field = chain[0].field
            apart = field.listed and not negated and not are_alternatives(chain, terms)
            group = next(number_of)
            if not field.listed and not negated:
                group = groups.setdefault(field.name, group)  # a document has only one value of such a field
            called = (*last[3].words, *field.words) if last else ()
            if last and last[2] == negated and not negated and or_between(terms[last[0] : chain[0].first], called):
                group, apart = last[1], False  # `critical or escalated`
            for mention in chain:
                group = next(number_of) if apart else group
                span = _span(terms, mention)
                operator = FilterOperator.CONTAINS if field.listed else FilterOperator.EQ
                for value in mention.values:
                    yield Entity(text[slice(*span)], field.name, value, operator, best, span, negated, group)
            last = chain[-1].stop, group, negated, field

    def _events(self, terms: Sequence[Word], times: Sequence[TemporalRef]) -> Iterator[Span]:
        """Yield the spans of verbs that times belong to: `that came in during`."""
        for time in times:
            at = next(position for position, word in enumerate(terms) if word.end > time.span[0]) - 1
            while at >= 0 and (terms[at].key in GLUE or is_event(terms[at], self.catalog)):
                if is_event(terms[at], self.catalog):
                    yield terms[at].start, terms[at].end
                    break
                at -= 1

    def _calling(self, terms: Sequence[Word], field_spans: Sequence[tuple[Span, str]]) -> Iterator[Span]:
        """Yield the span of the word before a time or number that is its field's name: `resolved in 2024` does not ask
        for a status."""
        for span, name in field_spans:
            before = [word for word in terms if word.end <= span[0]]
            stems = {stem(word) for word in self.catalog.fields[name].words if len(word) >= STEM}
            if before and (before[-1].key in self.catalog.fields[name].words or stem(before[-1].key) in stems):
                yield before[-1].start, before[-1].end

    def _topic(
        self, terms: Sequence[Word], taken: Sequence[Span], entities: Sequence[Entity], named: Collection[str]
    ) -> str:
        """Return the topic: the words from the first meaningful one to the last, without conditions."""
        companions = {
            word
            for entity in entities
            for word in self.catalog.companions.get((entity.field, entity.value), frozenset())
        }
        fields = {stem(word) for name in named for word in self.catalog.fields[name].words}
        empty = GLUE | self.catalog.nouns | companions | MADE | _WRITING
        left = [word for word in terms if not _meets((word.start, word.end), taken)]
        speaking = [
            position
            for position, word in enumerate(left)
            if word.key[0].isalnum()
            and stem(word.key) not in fields
            and empty.isdisjoint({word.key, word.text.lower()})
        ]
        if not speaking:
            return ""
        return " ".join(word.text for word in left[speaking[0] : speaking[-1] + 1] if word.key[0].isalnum())


def _certainties(mentions: Sequence[Mention], phrases: Phrases, people: People) -> dict[Mention, float]:
    certainty = Certainty(phrases)
    return {
        mention: people.certainty(mention) if mention.field.kind == "person" else certainty.of(mention)
        for mention in mentions
    }


def _joined_versions(text: str, versions: Sequence[tuple[Entity, ...]]) -> Iterator[tuple[Entity, ...]]:
    """Yield versions of one list as alternatives."""
    group: tuple[Entity, ...] = ()
    for version in filter(None, versions):
        if group and text[group[-1].span[1] : version[0].span[0]].strip().lower() in ("or", "and", ",", "/", ", or"):
            group += version
            continue
        if group:
            yield group
        group = version
    if group:
        yield group


def _grouped(group: Sequence[Entity], number_of: Iterator[int]) -> list[Entity]:
    ordered = {FilterOperator.GT, FilterOperator.GTE, FilterOperator.LT, FilterOperator.LTE}
    if all(entity.operator in ordered for entity in group):
        return [replace(entity, group=next(number_of)) for entity in group]
    number = next(number_of)
    return [replace(entity, group=number) for entity in group]


def _span(terms: Sequence[Word], mention: Mention) -> Span:
    return terms[mention.first].start, terms[mention.stop - 1].end


def _meets(one: Span, others: Sequence[Span]) -> bool:
    return any(one[0] < other[1] and other[0] < one[1] for other in others)
