"""How sure it is that a value is meant as a condition: in `rejected proposals`, not in `rejected pickle data`."""

from dataclasses import dataclass

from retrieval.understand.catalog.words import stem
from retrieval.understand.reading.grammar import ADVERBS, AUXILIARIES, CONJUNCTIONS, NEGATIONS, is_noun_like
from retrieval.understand.reading.past import is_past
from retrieval.understand.reading.phrases import Phrases
from retrieval.understand.reading.values.mention import Mention
from retrieval.understand.reading.verbs import MADE

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
        said = [word for word in self.phrases.words[mention.first : mention.stop] if is_noun_like(word.key)]
        if len(said) < 2:
            return False
        spoken_about = mention.first > 0 and self.phrases.words[mention.first - 1].key in _ABOUT
        called = said[-1].key in self.phrases.catalog.nouns and not spoken_about
        return called or all(word.is_capital for word in said)

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
        said = set(mention.field.words)
        if mention.stop - mention.first > 1 and any(
            word.key in said for word in self.phrases.words[mention.first : mention.stop]
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
        return bool(said & {*after, *before}) or self._field_is_done(mention)

    def _field_is_done(self, mention: Mention) -> bool:
        """`tested for lead and not for arsenic` asks the field `tests`."""
        stems = {stem(word) for word in mention.field.words if len(word) >= _VERB}
        at = mention.first - 1
        passed = CONJUNCTIONS | NEGATIONS | ADVERBS | {"for", "the", "a", "an"}
        while at >= 0 and (self.phrases.words[at].key in passed or self.phrases.valued(at)):
            at -= 1
        is_done = at >= 0 and is_past(self.phrases.words[at]) and stem(self.phrases.words[at].key) in stems
        return is_done and any(word.key == "for" for word in self.phrases.words[at + 1 : mention.first])
