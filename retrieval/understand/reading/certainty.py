"""How certain it is that a value of a question is a condition."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.words import Word, stem
from retrieval.understand.reading.grammar import (
    ADVERBS,
    AUXILIARIES,
    CARRIERS,
    CONJUNCTIONS,
    MADE,
    NEGATIONS,
    PREPOSITIONS,
    RELATIVES,
    SUBJECTS,
    is_noun_like,
    is_past,
)
from retrieval.understand.reading.phrases import Phrases
from retrieval.understand.reading.value_names import Mention

_NAMED = 0.95
_VERB = 4
"""Letters of a field's name that may be a verb."""
_PROPER = 0.85
_NOUN = 0.5
"""Cosine from which a plural is what documents are called: `boats` are no fishing vessels."""
LIKE = 0.45
"""Cosine from which a word may be any value that it is like."""
_MEANT = 0.93
"""What a word for a value takes off the certainty of the value itself."""
_WITH_VALUES = CONJUNCTIONS | ADVERBS | NEGATIONS | MADE | {"done", "the", "a", "an", "please", "but", "-", "i.e."}
_WITH_VALUES |= {"on", "in", "from", "at", "by", "with", "for"}
_BREAKS = frozenset({",", ":", ";", "(", ")"})
_CLASSES = frozenset(
    {"class", "grade", "rating", "band", "category", "level", "type", "tier", "rank", "label", "group"}
)
_GRADE = 3
"""Letters at most of the values that stand behind such a word."""
_SAME = 0.6
"""Cosine from which several words are a value in other words: `part of a garden` is a garden share."""
_ABOUT = frozenset({"about", "regarding", "concerning"})


@dataclass(frozen=True)
class Certainty:
    """The certainties of the values of a question."""

    phrases: Phrases

    def of(self, mention: Mention) -> float:
        """0 to 1: how sure it is that a value is meant as a condition; 0 for a word of the topic."""
        if mention.granted:
            return _NAMED
        if mention.certainty < 1.0:
            return self._of_part(mention)
        if mention.likeness < 1.0:
            return self._of_meaning(mention)
        if mention.field.kind == "code" or self._field_is_said(mention):
            return _NAMED
        if self._is_whole_name(mention) or self._is_alone(mention):
            return _PROPER
        return max(self.phrases.is_noun(mention), self._of_place(mention))

    def _of_place(self, mention: Mention) -> float:
        """Before what documents are called, behind it, or attached to it."""
        phrases = self.phrases
        return max(way(mention) for way in (phrases.before_noun, phrases.after_noun, phrases.attached))

    def _of_part(self, mention: Mention) -> float:
        """One word of a value stands for it as the noun that documents are called, or where it is excepted."""
        words = self.phrases.words
        excepted = mention.first > 0 and words[mention.first - 1].key in ("except", "excluding", "besides")
        if excepted or self._is_what_they_are(mention):
            return mention.certainty
        return self.phrases.is_noun(mention) * mention.certainty if words[mention.stop - 1].is_plural else 0.0

    def _is_what_they_are(self, mention: Mention) -> bool:
        """`that is not a sparrow`."""
        at = mention.first - 1
        if at < 1 or self.phrases.words[at].key not in ("a", "an") or not self.phrases.ends_phrase(mention.stop - 1):
            return False
        before = self.phrases.words[at - 1].key
        return before in AUXILIARIES | NEGATIONS or before.endswith(("n't", "n’t"))

    def _of_meaning(self, mention: Mention) -> float:
        """A word for a value is one where the value would be; one that documents have may be a topic, and is none.

        What is said of documents is no topic (`trials that are done`), nor what is much like a value (`scary films`).
        """
        phrases = self.phrases
        run = [word for word in phrases.words[mention.first : mention.stop] if is_noun_like(word.key)]
        if mention.first > 0 and phrases.words[mention.first - 1].key in _ABOUT:
            return 0.0
        if mention.likeness >= _SAME and mention.stop - mention.first > 1:
            alone = _PROPER if self._is_alone(mention) or self._field_is_said(mention) else 0.0
            return _MEANT * max(alone, self._of_place(mention))
        if any(phrases.catalog.says(word.text) for word in run):
            if self._is_said_of(mention):
                return _MEANT * phrases.after_noun(mention)
            stands = max(phrases.before_noun(mention), phrases.attached(mention))  # `object finalization` is one noun
            return _MEANT * stands if mention.likeness >= LIKE else 0.0
        if self._field_is_said(mention) or self._is_alone(mention):
            return _MEANT * _PROPER
        noun = phrases.is_noun(mention) if mention.likeness >= _NOUN else 0.0
        return _MEANT * max(noun, self._of_place(mention))

    def _is_said_of(self, mention: Mention) -> bool:
        before = self.phrases.words[mention.first - 1].key if mention.first else ""
        return before in AUXILIARIES and self.phrases.after_noun(mention) > 0.8

    def _is_whole_name(self, mention: Mention) -> bool:
        """Of several words: written as a name, a flag's, or of what documents are called (`labour court`)."""
        if mention.field.kind == "flag":
            return mention.stop - mention.first > 1
        words = [word for word in self.phrases.words[mention.first : mention.stop] if is_noun_like(word.key)]
        if len(words) < 2:
            return False
        spoken_about = mention.first > 0 and self.phrases.words[mention.first - 1].key in _ABOUT
        called = words[-1].key in self.phrases.catalog.nouns and not spoken_about
        return called or all(word.is_capital for word in words)

    def _is_alone(self, mention: Mention) -> bool:
        """Between two commas with nothing but other values: `car carriers, delayed`; never the whole question."""
        first, stop = mention.first, mention.stop
        while first > 0 and self.phrases.words[first - 1].key not in _BREAKS:
            first -= 1
        while stop < len(self.phrases.words) and self.phrases.words[stop].key not in _BREAKS:
            stop += 1
        if stop - first == len(self.phrases.words):
            return False
        return all(
            self.phrases.valued(at) or at in self.phrases.skipped or self.phrases.words[at].key in _WITH_VALUES
            for at in range(first, stop)
        )

    def _field_is_said(self, mention: Mention) -> bool:
        """`the typing topic`, `status: final`, `priority is high`, `high priority`."""
        words = set(mention.field.words)
        if mention.stop - mention.first > 1 and any(
            word.key in words for word in self.phrases.words[mention.first : mention.stop]
        ):
            return True
        stop = mention.stop
        stop += stop < len(self.phrases.words) and self.phrases.words[stop].key == "-"  # `high-priority`
        after = [word.key for word in self.phrases.words[stop : stop + 1]]
        at = mention.first - 1
        linking = AUXILIARIES | NEGATIONS | ADVERBS | {":", "=", "of", "a", "the", "as"}
        while at >= 0 and self.phrases.words[at].key in linking:
            at -= 1
        before = [self.phrases.words[at].key] if at >= 0 else []
        if before and before[0] in _CLASSES and max(len(str(value)) for value in mention.field.counts) <= _GRADE:
            return True  # `energy class B`
        return bool(words & {*after, *before}) or self._field_is_done(mention)

    def _field_is_done(self, mention: Mention) -> bool:
        """`tested for lead and not for arsenic` asks the field `tests`."""
        stems = {stem(word) for word in mention.field.words if len(word) >= _VERB}
        at = mention.first - 1
        passed = CONJUNCTIONS | NEGATIONS | ADVERBS | {"for", "the", "a", "an"}
        while at >= 0 and (self.phrases.words[at].key in passed or self.phrases.valued(at)):
            at -= 1
        is_done = at >= 0 and is_past(self.phrases.words[at]) and stem(self.phrases.words[at].key) in stems
        return is_done and any(word.key == "for" for word in self.phrases.words[at + 1 : mention.first])


_SURE = 0.75
_UNSURE = 0.4
"""Less than a condition has."""
_EXPLAINING = frozenset({"how", "why", "explain", "describe", "should", "when"})
"""What begins a question for an explanation, which a document gives, not for documents."""
_PLACES = frozenset({"in", "at", "from", "outside", "near", "to", "within", "inside"})
_LISTED = CONJUNCTIONS | NEGATIONS | ADVERBS | {"the", "a", "an"}
_SAID_OF = SUBJECTS | RELATIVES | AUXILIARIES | ADVERBS | NEGATIONS
"""What a verb of the past stands behind, that is said of documents."""


@dataclass(frozen=True)
class Coverage:
    """A question and what of it is read.

    Args:
        words: of the question.
        mentions: of values in it.
        read: places of words that times and numbers are made of.
        heads: places of nouns for the documents.
        catalog: what the documents are called.
    """

    words: Sequence[Word]
    mentions: Sequence[Mention]
    read: Collection[int]
    heads: Collection[int]
    catalog: Catalog

    def raised(self, sure: Mapping[Mention, float]) -> dict[Mention, float]:
        """The certainties of mentions, those raised that the whole question speaks for."""
        if self._explains():
            return {each: self._explained(each, certainty) for each, certainty in sure.items()}
        whole = self._is_whole()
        return {
            each: max(certainty, _SURE) if self._speaks_for(each, whole=whole) else certainty
            for each, certainty in sure.items()
        }

    def _speaks_for(self, mention: Mention, *, whole: bool) -> bool:
        if mention.likeness < 1.0:
            return whole and mention.likeness >= LIKE
        return mention.certainty == 1.0 and (whole or self._apart(mention) or self._is_unsaid(mention))

    def _is_unsaid(self, mention: Mention) -> bool:
        """A value whose words no document has can be nobody's topic, wherever it stands: `vegan soup`."""
        run = [word for word in self.words[mention.first : mention.stop] if is_noun_like(word.key)]
        told = any(len(word.key) > 2 for word in run)
        return mention.field.kind == "text" and told and not any(self.catalog.says(word.text) for word in run)

    @property
    def is_of_several(self) -> bool:
        """Whether whole values of several fields are in it, and it asks for documents."""
        return (
            not self._explains()
            and len({mention.field.name for mention in self.mentions if mention.certainty == 1.0}) > 1
        )

    def _explains(self) -> bool:
        keys = [word.key for word in self.words[:2]]
        if "should" in keys:
            return True
        return bool(keys) and keys[0] in _EXPLAINING and keys[1:] not in (["many"], ["much"])

    def _explained(self, mention: Mention, certainty: float) -> float:
        """`why are clocks late` is about clocks, unless the question says something else of the documents."""
        of_one = len({mention.field.name for mention in self.mentions}) == 1 and not self.read
        advised = any(word.key == "should" for word in self.words[:2])
        spoken_of = mention.field.kind == "text" and (advised or self.words[mention.stop - 1].is_plural)
        named = any(word.key in self.catalog.nouns for _, word in self._others())
        return min(certainty, _UNSURE) if of_one and spoken_of and not named else certainty

    def _is_whole(self) -> bool:
        """Whether the question says nothing but values, times, numbers and what documents are called."""
        if any(True for _ in self._left()):
            return False
        fields = {mention.field.name for mention in self.mentions}
        if len(fields) > 1 or self.read:
            return True
        first = next(iter(self.mentions), None)
        denied = any(word.key in NEGATIONS for word in self.words)
        if first is not None and (denied or self._lists_values()):
            return True
        if first is None or not any(self._is_asked_for(at) for at, _ in self._others()):
            return False  # a value alone may be a topic
        opening = [word.key for word in self.words[: first.first] if word.key not in ("a", "an", "the")]
        return opening not in (["what", "is"], ["what", "are"], ["what", "doe"])  # it asks what the word means

    def _is_asked_for(self, at: int) -> bool:
        """A word for documents: a noun, a field's name, what asks, or a plural that no document has."""
        word = self.words[at]
        named = any(word.key in field.words for field in self.catalog.fields.values())
        plural = word.is_plural and is_noun_like(word.key) and not self.catalog.says(word.text)
        return named or plural or word.key in SUBJECTS | CARRIERS or self._is_noun(at)

    def _lists_values(self) -> bool:
        """`feeding or roosting`: nothing but values."""
        listed = len(self.mentions) > 1 and any(word.key == "or" for word in self.words)
        return listed and all(word.key in _LISTED or not word.key.isalnum() for _, word in self._others())

    def _left(self) -> Iterator[int]:
        """Places of words that say something and are not read."""
        named = {word for mention in self.mentions for word in mention.field.words}
        for at, word in self._others():
            tells = word.key[0].isdigit() or (is_noun_like(word.key) and "'" not in word.key and "’" not in word.key)
            carries = word.key in CARRIERS | MADE | named or self._is_predicate(at) or not self.catalog.says(word.text)
            if tells and not carries and not self._is_noun(at):
                yield at

    def _is_predicate(self, at: int) -> bool:
        """`what broke in billing`, `incidents that hit Ghent`: what was done says nothing of a topic."""
        before = self.words[at - 1].key if at else ""
        following = self.words[at + 1].key if at + 1 < len(self.words) else ""
        if not is_past(self.words[at]):
            return False
        if before in SUBJECTS - RELATIVES or before == "who":
            return following in PREPOSITIONS  # `who invented the clock` is about clocks
        return before in _SAID_OF or (at > 0 and self._is_noun(at - 1))

    def _others(self) -> Iterator[tuple[int, Word]]:
        valued = {at for mention in self.mentions for at in range(mention.first, mention.stop)}
        return ((at, word) for at, word in enumerate(self.words) if at not in valued and at not in self.read)

    def _is_noun(self, at: int) -> bool:
        return at in self.heads or self.words[at].key in self.catalog.nouns

    def _apart(self, mention: Mention) -> bool:
        """A place (`in Ghent`), or several words that are a whole value (`a forklift licence`)."""
        if mention.field.kind != "text":
            return False
        following = self.words[mention.stop] if mention.stop < len(self.words) else None
        if following is not None and is_noun_like(following.key) and not self._known(mention.stop):
            return False
        at = mention.first - 1
        while at >= 0 and (self.words[at].key in _LISTED or self._same_field(at, mention)):
            at -= 1
        before = self.words[at].key if at >= 0 else ""
        words = [word for word in self.words[mention.first : mention.stop] if is_noun_like(word.key)]
        if before in _PLACES and all(word.is_capital for word in words):
            return True
        return len(words) > 1 and before not in _ABOUT and (not is_noun_like(before or "a") or self._known(at))

    def _known(self, at: int) -> bool:
        carries = self.words[at].key in CARRIERS | MADE or self._is_predicate(at)
        return carries or self._is_noun(at) or any(one.first <= at < one.stop for one in self.mentions)

    def _same_field(self, at: int, mention: Mention) -> bool:
        return any(each.first <= at < each.stop and each.field is mention.field for each in self.mentions)
