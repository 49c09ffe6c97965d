"""Whether a word that is a value also is a condition: `rejected proposals` is one, `rejected pickle data` is none."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.words import Word, stem
from retrieval.understand.reading.grammar import (
    ADVERBS,
    ASKING,
    AUXILIARIES,
    CARRIERS,
    CONJUNCTIONS,
    NEGATIONS,
    PREPOSITIONS,
    RELATIVES,
    SUBJECTS,
    is_noun_like,
)
from retrieval.understand.reading.mentions import Mention
from retrieval.understand.reading.negation import ANYTHING
from retrieval.understand.reading.verbs import MADE, is_past

_VERB = 4
"""Letters of a field's name that may be a verb."""
_REACH = 5
"""Words between a value and the noun that it goes with."""
_NAMED = 0.95
_PROPER = 0.85
_ATTACHING = frozenset(
    {"in", "on", "at", "for", "about", "of", "regarding", "concerning", "within", "from", "to", "under"}
)
_WITH_VALUES = CONJUNCTIONS | ADVERBS | NEGATIONS | MADE | {"done", "the", "a", "an", "please", "but", "-"}
_HAVING = frozenset({"with", "containing", "contain", "including", "include", "having", "using", "featuring", "w"})
_PASSED = ADVERBS | CONJUNCTIONS | NEGATIONS | MADE | {"-"}
"""What may stand between a value and the noun before it."""
_LISTING = CONJUNCTIONS | {"the", "a", "our", "either"}
_ABOUT = frozenset({"about", "regarding", "concerning"})
_WHICH = frozenset({"which", "what", "many"})
"""What asks for documents, whatever they are called."""
_SORTS = frozenset({"type", "kind", "category", "course", "genre", "format", "class", "form", "sort"})
"""Fields whose values are nouns for the documents: a bug, a dessert."""


@dataclass(frozen=True, eq=False)
class Phrases:
    """The question around its values."""

    words: Sequence[Word]
    mentions: Sequence[Mention]
    catalog: Catalog
    skipped: frozenset[int] = field(default=frozenset())
    """Places of words that are read already, as times and numbers are."""
    unknown_heads: frozenset[int] = field(default=frozenset())
    """Places of nouns that nobody told the catalogue of: what documents seem to be called in this question."""

    def certainty(self, mention: Mention) -> float:
        """0 to 1: how sure it is that a value is meant as a condition; 0 for a word of the topic."""
        if mention.certainty < 1.0:
            if mention.first and self.words[mention.first - 1].key in ("except", "excluding", "besides"):
                return mention.certainty
            return self._is_noun(mention) * mention.certainty if self.words[mention.stop - 1].is_plural else 0.0
        if mention.field.kind == "code" or self._field_is_said(mention):
            return _NAMED
        if self._is_whole_name(mention) or self._is_alone(mention):
            return _PROPER
        ways = (self._is_noun, self._before_noun, self._after_noun, self._attached)
        return max(way(mention) for way in ways)

    @cached_property
    def heads(self) -> frozenset[int]:
        """Places of the nouns that the documents are called by here: `proposals`, or a value, `bugs`."""
        nouns = {at for at, word in enumerate(self.words) if word.key in self.catalog.nouns and self._ends_phrase(at)}
        which = {at for at in range(1, len(self.words) - 1) if self._is_asked_for(at)}
        return self.unknown_heads | nouns | which | {each.stop - 1 for each in self.mentions if self._is_noun(each)}

    def _is_asked_for(self, at: int) -> bool:
        """`which books are lost`: the plural is what documents are called."""
        named = self.words[at].is_plural and not self._valued(at) and is_noun_like(self.words[at].key)
        return named and self.words[at - 1].key in _WHICH and self.words[at + 1].key in AUXILIARIES

    def _is_whole_name(self, mention: Mention) -> bool:
        """Of several words: written as a name, a flag's, or of what documents are called (`labour court`)."""
        if mention.field.kind == "flag":
            return mention.stop - mention.first > 1
        said = [word for word in self.words[mention.first : mention.stop] if is_noun_like(word.key)]
        if len(said) < 2:
            return False
        spoken_about = mention.first > 0 and self.words[mention.first - 1].key in _ABOUT
        called = said[-1].key in self.catalog.nouns and not spoken_about
        return called or all(word.is_capital for word in said)

    def _is_alone(self, mention: Mention) -> bool:
        """Between two commas with nothing but other values: `car carriers, delayed`; never the whole question."""
        first, stop = mention.first, mention.stop
        while first > 0 and self.words[first - 1].key != ",":
            first -= 1
        while stop < len(self.words) and self.words[stop].key != ",":
            stop += 1
        if stop - first == len(self.words):
            return False
        return all(
            self._valued(at) or at in self.skipped or self.words[at].key in _WITH_VALUES for at in range(first, stop)
        )

    def _is_noun(self, mention: Mention) -> float:
        """`invoices from May`, `a closed bug about`: the value itself is what the documents are called."""
        following = self.words[mention.stop] if mention.stop < len(self.words) else None
        if mention.field.kind != "text":
            return 0.0
        before = self.words[mention.first - 1].key if mention.first else ""
        opens = not before or before in ASKING | SUBJECTS | CONJUNCTIONS | NEGATIONS or self._valued(mention.first - 1)
        if any(word.is_plural for word in self.words[mention.first : mention.stop]):
            # What follows a plural is a verb: `bugs reported by`. What is spoken about is the topic: `about drinks`.
            return 0.9 if opens else 0.5 if before in _ABOUT else 0.8 if before not in PREPOSITIONS else 0.6
        if following and is_noun_like(following.key) and not self._valued(mention.stop):
            return 0.0
        is_sort = bool(_SORTS & set(mention.field.words))
        return 0.85 if is_sort and self._valued(mention.first - 1) else 0.0

    def _before_noun(self, mention: Mention) -> float:
        """`final typing PEPs`, `governance model proposals`, `release schedule`, `open bugs`."""
        typical = frozenset(
            word for value in mention.values for word in self.catalog.companions.get((mention.field.name, value), ())
        )
        others = 0
        for at in range(mention.stop, min(len(self.words), mention.stop + _REACH)):
            word = self.words[at]
            goes_with = word.key in typical and not self._valued(at) and self._ends_phrase(at)
            if at in self.heads or goes_with:
                return _NAMED if not others else 0.8
            if self._valued(at) or word.key == "-" or (word.key in CONJUNCTIONS and self._valued(at + 1)):
                continue
            if not is_noun_like(word.key):
                return 0.0
            others += 1
        return 0.0

    def _after_noun(self, mention: Mention) -> float:
        """`PEPs rejected`, `PEPs that are still draft`, `what was rejected`, `features that did not become final`."""
        following = self.words[mention.stop] if mention.stop < len(self.words) else None
        is_noun = following is not None and is_noun_like(following.key) and not following.text.lower().endswith("ed")
        if is_noun and not self._valued(mention.stop):
            return 0.0  # `that are final classes` is about classes
        at, verbs, relative = mention.first - 1, 0, False
        while at >= 0 and mention.first - at <= 2 * _REACH:
            key = self.words[at].key
            if key in RELATIVES and key not in SUBJECTS:
                relative = True
            elif key in AUXILIARIES or key.endswith(("n't", "n’t")):
                verbs += 1
            elif at in self.heads:
                return 0.92 if verbs or relative else 0.85
            elif key in ANYTHING and not verbs:
                return 0.85
            elif key in SUBJECTS:
                return 0.9 if verbs else 0.0
            elif verbs and at and self.words[at - 1].key == "whose":
                relative = True
            elif not (key in _PASSED or self._valued(at) or at in self.skipped):
                return 0.8 if verbs and relative else 0.0
            at -= 1
        return 0.0

    def _attached(self, mention: Mention) -> float:
        """`questions on billing`, `bugs in the mobile app`: behind the noun, and nothing behind the value."""
        following = self.words[mention.stop] if mention.stop < len(self.words) else None
        if following is not None and is_noun_like(following.key):
            return 0.0
        at = mention.first - 1
        while at >= 0 and at not in self.heads and (self.words[at].key in _LISTING or self._valued(at)):
            at -= 1
        if at in self.heads and self.words[mention.first - 1].key in _LISTING and following is None:
            return 0.8  # `rice dishes, Nigerian or Lebanese`
        if at < 1 or self.words[at].key not in (_ATTACHING | _HAVING if mention.field.listed else _ATTACHING):
            return 0.0
        behind = at - 1 in self.heads or at - 1 in self.skipped or self.words[at - 1].key in ANYTHING
        return 0.8 if behind else 0.0

    def _field_is_said(self, mention: Mention) -> bool:
        """`the typing topic`, `status: final`, `priority is high`, `high priority`."""
        said = set(mention.field.words)
        after = [word.key for word in self.words[mention.stop : mention.stop + 1]]
        at = mention.first - 1
        linking = AUXILIARIES | NEGATIONS | ADVERBS | {":", "=", "of", "a", "the", "as"}
        while at >= 0 and self.words[at].key in linking:
            at -= 1
        before = [self.words[at].key] if at >= 0 else []
        return bool(said & {*after, *before}) or self._field_is_done(mention)

    def _field_is_done(self, mention: Mention) -> bool:
        """`tested for lead and not for arsenic` asks the field `tests`."""
        stems = {stem(word) for word in mention.field.words if len(word) >= _VERB}
        at = mention.first - 1
        passed = CONJUNCTIONS | NEGATIONS | ADVERBS | {"for", "the", "a", "an"}
        while at >= 0 and (self.words[at].key in passed or self._valued(at)):
            at -= 1
        is_done = at >= 0 and is_past(self.words[at]) and stem(self.words[at].key) in stems
        return is_done and any(word.key == "for" for word in self.words[at + 1 : mention.first])

    def _ends_phrase(self, at: int) -> bool:
        following = self.words[at + 1] if at + 1 < len(self.words) else None
        return following is None or not is_noun_like(following.key) or self.words[at].is_plural or self._valued(at + 1)

    def _valued(self, at: int) -> bool:
        return any(each.first <= at < each.stop for each in self.mentions)


def unknown_heads(phrases: Phrases, *, stated: bool) -> frozenset[int]:
    """Nouns that nobody told the catalogue of: `delayed calls in July`, `a sold house in Ghent`, `gifts of Rey`.

    Only where the question states another condition, or a plural stands behind several values: `closed captions` alone
    are a topic.

    Args:
        phrases: the question around its values.
        stated: whether another condition is sure.
    """
    words, valued = phrases.words, {at for each in phrases.mentions for at in range(each.first, each.stop)}
    turns = RELATIVES | AUXILIARIES | NEGATIONS | CARRIERS

    def attaches(at: int) -> bool:
        behind = at + 2 if at + 1 < len(words) and words[at + 1].key in ("the", "a", "an") else at + 1
        return words[at].key in _ATTACHING | _HAVING and (behind in valued or behind in phrases.skipped)

    def ends(at: int) -> bool:
        if at >= len(words) or words[at].key in {",", "?", "."} | turns or at in phrases.skipped:
            return True
        return attaches(at)

    found = set()
    for at, word in enumerate(words):
        if at in valued or not is_noun_like(word.key):
            continue
        following = at + 1 < len(words) and attaches(at + 1)
        opens = not at or words[at - 1].key in ASKING
        behind = at - 1 in valued and (word.is_plural or stated) and (following or (word.is_plural and ends(at + 1)))
        if behind or (stated and opens and word.is_plural and following):
            found.add(at)
    return frozenset(found)
