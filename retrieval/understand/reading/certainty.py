"""Estimates how certain it is that a value in a question is a condition."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.grammar import (
    ADVERBS,
    AUXILIARIES,
    CARRIERS,
    CONJUNCTIONS,
    MADE,
    NEGATIONS,
    PREPOSITIONS,
    QUOTES,
    RELATIVES,
    SUBJECTS,
    is_noun_like,
    is_past,
)
from retrieval.understand.reading.phrases import Phrases
from retrieval.understand.reading.value_names import Mention

_NAMED, _PROPER, _SURE, _UNSURE = 0.95, 0.85, 0.75, 0.4
"""`_UNSURE` is below the threshold of a condition."""
_WITH_VALUES = CONJUNCTIONS | ADVERBS | NEGATIONS | MADE | {"the", "a", "an", "please", "-"}
_WITH_VALUES |= {"on", "in", "from", "at", "by", "with", "for"}
_BREAKS = frozenset({",", ":", ";", "(", ")"})
_ABOUT = frozenset({"about", "regarding", "concerning"})
_EXPLAINING = frozenset({"how", "why", "explain", "describe", "should"})
"""Words that begin a question for an explanation in a document, instead of for documents."""
_SAID_OF = SUBJECTS | RELATIVES | AUXILIARIES | ADVERBS | NEGATIONS
"""Words that precede a past verb whose subject is documents."""
_PLACES = frozenset({"in", "at", "from", "outside", "near", "to", "within", "inside"})
_LISTED = CONJUNCTIONS | NEGATIONS | ADVERBS | {"the", "a", "an"}


@dataclass(frozen=True)
class Certainty:
    """The certainty of each value in a question."""

    phrases: Phrases

    def of(self, mention: Mention) -> float:
        """Return 0 to 1: how certain it is that a value is a condition; 0 for a word of the topic."""
        if mention.granted or mention.field.kind == "code":
            return _NAMED
        if self._is_quoted(mention) or self._field_is_named(mention):
            return _NAMED
        if self._is_whole_name(mention) or self._is_alone(mention):
            return _PROPER
        phrases = self.phrases
        ways = (phrases.certainty_as_noun, phrases.before_noun, phrases.after_noun, phrases.attached)
        return max(way(mention) for way in ways)

    def _is_quoted(self, mention: Mention) -> bool:
        words = self.phrases.words
        inside = mention.first > 0 and mention.stop < len(words)
        return inside and {words[mention.first - 1].key, words[mention.stop].key} <= QUOTES

    def _is_whole_name(self, mention: Mention) -> bool:
        """Whether a value of several words is written as a name, is a flag's name, or ends in a noun for documents
        (`labour court`)."""
        if mention.field.kind == "flag":
            return mention.stop - mention.first > 1
        words = [word for word in self.phrases.words[mention.first : mention.stop] if is_noun_like(word.key)]
        if len(words) < 2:
            return False
        spoken_about = mention.first > 0 and self.phrases.words[mention.first - 1].key in _ABOUT
        called = words[-1].key in self.phrases.catalog.nouns and not spoken_about
        return called or all(word.is_capital for word in words)

    def _is_alone(self, mention: Mention) -> bool:
        """Whether there are only values between two commas: `car carriers, delayed`; False if it is the whole
        question."""
        first, stop = mention.first, mention.stop
        while first > 0 and self.phrases.words[first - 1].key not in _BREAKS:
            first -= 1
        while stop < len(self.phrases.words) and self.phrases.words[stop].key not in _BREAKS:
            stop += 1
        return stop - first < len(self.phrases.words) and all(
            self.phrases.valued(at) or at in self.phrases.skipped or self.phrases.words[at].key in _WITH_VALUES
            for at in range(first, stop)
        )

    def _field_is_named(self, mention: Mention) -> bool:
        """Whether the field is named beside the value: `the typing topic`, `status: final`, `priority is high`,
        `high-priority`."""
        words = self.phrases.words
        stop = mention.stop + (mention.stop < len(words) and words[mention.stop].key in QUOTES | {"-"})
        at = mention.first - 1
        linking = AUXILIARIES | NEGATIONS | ADVERBS | QUOTES | {":", "=", "of", "a", "the", "as"}
        while at >= 0 and words[at].key in linking:
            at -= 1
        beside = {word.key for word in (*words[max(at, 0) : at + 1], *words[stop : stop + 1])}
        inside = (
            {word.key for word in words[mention.first : mention.stop]} if mention.stop - mention.first > 1 else set()
        )
        return not (beside | inside).isdisjoint(mention.field.words)


@dataclass(frozen=True)
class Coverage:
    """A question and the parts of it that are read.

    Args:
        mentions: the mentions of values in it.
        read: positions of words in times and numbers.
        heads: positions of nouns for the documents.
        catalog: the catalogue, with the names for documents.
    """

    words: Sequence[Word]
    mentions: Sequence[Mention]
    read: Collection[int]
    heads: Collection[int]
    catalog: Catalog

    def raised(self, sure: Mapping[Mention, float]) -> dict[Mention, float]:
        """Return the certainties of mentions, raised for those that the whole question supports."""
        if self._explains():
            return {mention: self._explained(mention, certainty) for mention, certainty in sure.items()}
        whole = self._is_whole()

        def speaks_for(mention: Mention) -> bool:
            return mention.certainty == 1.0 and (whole or self._apart(mention) or self._is_unsaid(mention))

        return {
            mention: max(certainty, _SURE) if speaks_for(mention) else certainty for mention, certainty in sure.items()
        }

    def _is_unsaid(self, mention: Mention) -> bool:
        """Whether a value consists of words that no document contains and so cannot be a topic: `vegan soup`."""
        run = [word for word in self.words[mention.first : mention.stop] if is_noun_like(word.key)]
        told = any(len(word.key) > 2 for word in run)
        return mention.field.kind == "text" and told and not any(self.catalog.says(word.text) for word in run)

    def _explains(self) -> bool:
        keys = [word.key for word in self.words[:2]]
        if not keys:
            return False
        return "should" in keys or (keys[0] in _EXPLAINING and keys[1:] not in (["many"], ["much"]))

    def _explained(self, mention: Mention, certainty: float) -> float:
        """Return a certainty lowered for topics: `why are clocks late` is about clocks, unless the question has other
        conditions on the documents."""
        of_one = len({mention.field.name for mention in self.mentions}) == 1 and not self.read
        advised = any(word.key == "should" for word in self.words[:2])
        spoken_of = mention.field.kind == "text" and (advised or self.words[mention.stop - 1].is_plural)
        named = any(word.key in self.catalog.nouns for _, word in self._others())
        return min(certainty, _UNSURE) if of_one and spoken_of and not named else certainty

    def _is_whole(self) -> bool:
        """Whether the question contains only values, times, numbers and names for documents."""
        if any(True for _ in self._left()):
            return False
        first = next(iter(self.mentions), None)
        several = len({mention.field.name for mention in self.mentions}) > 1 or bool(self.read)
        if several or first is None:
            return several
        if any(word.key in NEGATIONS for word in self.words):
            return True
        if not any(self._is_asked_for(at) for at, _ in self._others()):
            return False  # a value alone may be a topic
        opening = [word.key for word in self.words[: first.first] if word.key not in ("a", "an", "the")]
        return opening not in (["what", "is"], ["what", "are"], ["what", "doe"])  # it asks what the word means

    def _is_asked_for(self, at: int) -> bool:
        """Whether a word asks for documents: a noun for them, a field's name, or a question word."""
        key = self.words[at].key
        named = any(key in field.words for field in self.catalog.fields.values())
        return named or key in SUBJECTS | CARRIERS or self._is_noun(at)

    def _left(self) -> Iterator[int]:
        """Yield the positions of meaningful words that are not read."""
        carrying = CARRIERS | MADE | {word for mention in self.mentions for word in mention.field.words}
        for at, word in self._others():
            tells = word.key[0].isdigit() or (is_noun_like(word.key) and "'" not in word.key and "’" not in word.key)
            carries = word.key in carrying or self._is_predicate(at) or not self.catalog.says(word.text)
            if tells and not carries and not self._is_noun(at):
                yield at

    def _is_predicate(self, at: int) -> bool:
        """Whether a word is a past verb about documents, `trials that were stopped`, `incidents that hit Ghent`, and so
        not part of a topic."""
        before = self.words[at - 1].key if at else ""
        following = self.words[at + 1].key if at + 1 < len(self.words) else ""
        if not is_past(self.words[at]) or (before == "who" and following not in PREPOSITIONS):
            return False  # `who invented the clock` is about clocks
        return before in _SAID_OF or (at > 0 and self._is_noun(at - 1))

    def _others(self) -> Iterator[tuple[int, Word]]:
        valued = {at for mention in self.mentions for at in range(mention.first, mention.stop)}
        return ((at, word) for at, word in enumerate(self.words) if at not in valued and at not in self.read)

    def _is_noun(self, at: int) -> bool:
        return at in self.heads or self.words[at].key in self.catalog.nouns

    def _apart(self, mention: Mention) -> bool:
        """Whether a value is a place (`in Ghent`), or several words that are a whole value (`a forklift licence`)."""
        if mention.field.kind != "text":
            return False
        following = self.words[mention.stop] if mention.stop < len(self.words) else None
        if following is not None and is_noun_like(following.key) and not self._known(mention.stop):
            return False
        at = mention.first - 1
        while at >= 0 and (self.words[at].key in _LISTED or self._valued(at, mention)):
            at -= 1
        before = self.words[at].key if at >= 0 else ""
        words = [word for word in self.words[mention.first : mention.stop] if is_noun_like(word.key)]
        if before in _PLACES and all(word.is_capital for word in words):
            return True
        return len(words) > 1 and before not in _ABOUT and (not is_noun_like(before or "a") or self._known(at))

    def _known(self, at: int) -> bool:
        carries = self.words[at].key in CARRIERS | MADE or self._is_predicate(at)
        return carries or self._is_noun(at) or self._valued(at)

    def _valued(self, at: int, like: Mention | None = None) -> bool:
        """Whether a word belongs to a value, or to one of the same field as `like` if it is given."""
        return any(one.first <= at < one.stop and (not like or one.field is like.field) for one in self.mentions)
