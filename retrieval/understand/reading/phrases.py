"""Whether a value is a condition (`rejected proposals`), is negated, or is a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile

from retrieval.language.english import word_sets
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.words import Word, stem
from retrieval.understand.reading.grammar import (
    ADVERBS,
    ASKING,
    AUXILIARIES,
    CARRIERS,
    CONJUNCTIONS,
    MADE,
    NEGATIONS,
    PREPOSITIONS,
    QUESTION_WORDS,
    QUOTES,
    RELATIVES,
    SUBJECTS,
    is_denial,
    is_noun_like,
    is_past,
)
from retrieval.understand.reading.value_names import TITLES, Mention

ANYTHING = frozenset({"anything", "everything", "something", "nothing"})
_NEGATION_REACH = 6
"""The most words between a negation and the value."""
_BETWEEN = (
    AUXILIARIES | ADVERBS | RELATIVES | PREPOSITIONS | QUOTES | {"but", "-", "a", "an", "the", "any", "those", "these"}
)
"""Words that may be between a negation and the value, besides nouns for documents and words of the field's name."""


def is_negated(words: Sequence[Word], mention: Mention, catalog: Catalog) -> bool:
    """Whether a value is negated by `not`, `except`, `never ... by`, `anything but` or `other than` after the last
    noun."""
    stems = {stem(word) for word in mention.field.words}
    for at in range(mention.first - 1, max(-1, mention.first - 1 - _NEGATION_REACH), -1):
        key, before = words[at].key, words[at - 1].key if at else ""
        if is_denial(key):
            return (key, words[at + 1].key) != ("nothing", "but")  # `nothing but globes` is globes
        if (key == "but" and before in ANYTHING) or (key == "than" and before == "other"):
            return before != "nothing"
        is_verb = key in CARRIERS or key.endswith("ing") or (words[at + 1].key in PREPOSITIONS and is_past(words[at]))
        if not is_verb and key not in _BETWEEN and key not in catalog.nouns and stem(key) not in stems:
            return False
    return False


_REACH = 5
"""The most words between a value and its noun."""
_NAMED = 0.95
ATTACHING = QUESTION_WORDS["attaching"]
HAVING = frozenset({"with", "containing", "contain", "including", "include", "having", "using", "featuring", "w"})
_PASSED = ADVERBS | CONJUNCTIONS | NEGATIONS | MADE | {"-"}
"""Words that may be between a value and the noun before it."""
_LISTING = CONJUNCTIONS | {"the", "a", "an", "our", "my", "your", "either", "both"}
_ABOUT = frozenset({"about", "regarding", "concerning"})
_WHICH = frozenset({"which", "what", "many"})
"""Words that ask for documents, whatever noun is used for them."""
SORTS = frozenset({"type", "kind", "category", "course", "genre", "format", "class", "form", "sort"})
"""Fields whose values are nouns for the documents: a bug, a dessert."""


@dataclass(frozen=True, eq=False)
class Phrases:
    """The words of a question around its values."""

    words: Sequence[Word]
    mentions: Sequence[Mention]
    catalog: Catalog
    skipped: frozenset[int] = field(default=frozenset())
    """Positions of words that are already read, such as times and numbers."""

    @cached_property
    def heads(self) -> frozenset[int]:
        """Positions of the nouns for the documents: `proposals`, or a value, `bugs`."""
        nouns = {at for at, word in enumerate(self.words) if word.key in self.catalog.nouns and self._is_head(at)}
        which_nouns = {at for at in range(1, len(self.words) - 1) if self._is_asked_for(at)}
        return frozenset(
            nouns | which_nouns | {mention.stop - 1 for mention in self.mentions if self.certainty_as_noun(mention)}
        )

    def _is_asked_for(self, at: int) -> bool:
        """Whether a plural is a noun for documents, because the question asks for it: `which books are lost`."""
        named = self.words[at].is_plural and not self.valued(at) and is_noun_like(self.words[at].key)
        return named and self.words[at - 1].key in _WHICH and self.words[at + 1].key in AUXILIARIES

    def _is_head(self, at: int) -> bool:
        """Whether a noun ends its phrase and is not a verb, as in `maps print` after a plural."""
        before = self.words[at - 1] if at else None
        does = before is not None and before.is_plural and is_noun_like(before.key) and not self.valued(at - 1)
        return self.ends_phrase(at) and (self.words[at].is_plural or not does)

    def certainty_as_noun(self, mention: Mention) -> float:
        """Return how certain it is that the value itself is the noun for documents: `invoices from May`, `a closed bug
        about`."""
        if mention.field.kind != "text":
            return 0.0
        before = self.words[mention.first - 1].key if mention.first else ""
        if before in RELATIVES - SUBJECTS:
            return 0.0  # `that falls` is a verb
        opens = not before or before in ASKING | SUBJECTS | CONJUNCTIONS | NEGATIONS or self.valued(mention.first - 1)
        if any(word.is_plural for word in self.words[mention.first : mention.stop]):
            # After a plural there is a verb: `bugs reported by`. After `about` there is the topic: `about drinks`.
            return 0.9 if opens else 0.5 if before in _ABOUT else 0.8 if before not in PREPOSITIONS else 0.6
        return 0.0

    def before_noun(self, mention: Mention) -> float:
        """Return the certainty of a value before a noun: `final typing PEPs`, `governance model proposals`, `release
        schedule`, `open bugs`."""
        typical = frozenset(
            word for value in mention.values for word in self.catalog.companions.get((mention.field.name, value), ())
        )
        others = 0
        for at in range(mention.stop, min(len(self.words), mention.stop + _REACH)):
            word = self.words[at]
            goes_with = word.key in typical and not self.valued(at) and self.ends_phrase(at)
            if at in self.heads or goes_with:
                return _NAMED if not others else 0.8
            if self.valued(at) or word.key == "-" or (word.key in CONJUNCTIONS and self.valued(at + 1)):
                continue
            if not is_noun_like(word.key):
                return 0.0
            others += 1
        return 0.0

    def after_noun(self, mention: Mention) -> float:
        """Return the certainty of a value after a noun: `PEPs rejected`, `PEPs that are still draft`, `what was
        rejected`, `features that did not become final`."""
        following = self.words[mention.stop] if mention.stop < len(self.words) else None
        is_noun = following is not None and is_noun_like(following.key) and not following.text.lower().endswith("ed")
        if is_noun and not self.valued(mention.stop):
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
            elif not (key in _PASSED or self.valued(at) or at in self.skipped):
                return 0.8 if verbs and relative else 0.0
            at -= 1
        return 0.0

    def attached(self, mention: Mention) -> float:
        """Return the certainty of a value after a noun and a preposition, without a noun after it: `questions on
        billing`, `bugs in the mobile app`."""
        following = self.words[mention.stop] if mention.stop < len(self.words) else None
        if following is not None and is_noun_like(following.key):
            return 0.0
        at = mention.first - 1
        while at >= 0 and at not in self.heads and (self.words[at].key in _LISTING or self.valued(at)):
            at -= 1
        if at in self.heads and self.words[mention.first - 1].key in _LISTING and following is None:
            return 0.8  # `rice dishes, Nigerian or Lebanese`
        if at < 1 or self.words[at].key not in (
            ATTACHING | HAVING if mention.field.listed or mention.field.kind == "flag" else ATTACHING
        ):
            return 0.0
        noun = at - 1
        while noun > 0 and not self.valued(noun) and (self.words[noun].key in CARRIERS or is_past(self.words[noun])):
            noun -= 1  # `prints shot on film`
        behind = noun in self.heads or noun in self.skipped or self.words[noun].key in ANYTHING | NEGATIONS
        return 0.8 if behind else 0.0

    def ends_phrase(self, at: int) -> bool:
        """Whether a noun is the last of its phrase."""
        following = self.words[at + 1] if at + 1 < len(self.words) else None
        return following is None or not is_noun_like(following.key) or self.words[at].is_plural or self.valued(at + 1)

    def valued(self, at: int) -> bool:
        """Whether a word belongs to a value."""
        return any(mention.first <= at < mention.stop for mention in self.mentions)


_BY = frozenset({"by", "from", "author", "writer"})
_FOR = frozenset({"to", "for", "of", "with", "is", "are", "was"})
MAKERS = tuple(sorted(word_sets("fields")["makers"]))
"""Beginnings of the names of fields for the author of a document."""
ACTS: Mapping[str, frozenset[str]] = {
    "author": frozenset({"write", "wrote", "written", "writes", "pen", "published", "publish", "invent", "invented"}),
    "report": frozenset(
        {"file", "filed", "files", "raise", "raised", "open", "opened", "submit", "submitted", "report"}
    ),
    "assig": frozenset({"work", "working", "works", "own", "owns", "handle", "handles", "fix", "fixing", "assigned"}),
}
"""Verbs with the meaning of a field, by the beginning of its name."""


@dataclass(frozen=True, eq=False)
class People:
    """The words of a question around its names of people."""

    words: Sequence[Word]
    mentions: Sequence[Mention]

    def certainty(self, mention: Mention) -> float:
        """Return 0 to 1: how certain it is that a name is a condition."""
        before = self._before(mention.first)
        if self.words[mention.stop - 1].owns or before in _BY:
            return mention.certainty
        if before in _FOR and self.closeness(mention):
            return 0.95 * mention.certainty
        if mention.first and self.words[mention.first - 1].key in mention.field.words:
            return 0.95 * mention.certainty  # `Judge Sorensen`
        acts = before in ("did", "doe", "do", "has", "have", "is") and mention.stop < len(self.words)
        is_whole = mention.certainty == 1.0 and mention.stop - mention.first > 1
        following = self.words[mention.stop].key if mention.stop < len(self.words) else ","
        alone = not before and following in CONJUNCTIONS
        return 0.9 * mention.certainty if is_whole or acts or alone else 0.0

    def closeness(self, mention: Mention) -> int:
        """Return how many nearby words indicate this field instead of another with the same name."""
        behind = takewhile(lambda word: word.key != ",", self.words[mention.stop : mention.stop + 3])
        window = (*self.words[max(0, mention.first - 4) : mention.stop], *behind)
        near = [word for word in window if word.key.isalpha()]
        stems = {stem(word) for word in mention.field.words if len(word) > 3}
        acts = {verb for start, verbs in ACTS.items() for verb in verbs if mention.field.name.lower().startswith(start)}
        terms = sum(stem(word.key) in stems or word.text.lower() in acts for word in near)
        made = self._before(mention.first) == "by" and mention.field.name.lower().startswith(MAKERS)
        return 2 * terms + made

    def _before(self, at: int) -> str:
        """Return the word before a name, or before the list of names that it ends."""
        at -= 1
        skipped = CONJUNCTIONS | NEGATIONS | ADVERBS | TITLES | {"the", "a", "an", "."}
        while at >= 0 and (
            self.words[at].key in skipped
            or (self.words[at].key not in _BY and any(mention.first <= at < mention.stop for mention in self.mentions))
        ):
            at -= 1
        return self.words[at].key if at >= 0 else ""
