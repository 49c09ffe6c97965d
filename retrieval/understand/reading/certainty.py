"""Estimates how certain it is that a value in a question is a condition: `rejected proposals`, not `rejected data`."""

from collections.abc import Collection, Iterator, Mapping, Sequence
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


_PROPER, _SURE, _UNSURE = 0.85, 0.75, 0.4
"""`_UNSURE` is below the threshold of a condition."""
_WITH_VALUES = CONJUNCTIONS | ADVERBS | NEGATIONS | MADE | {"the", "a", "an", "please", "-"}
_WITH_VALUES |= {"on", "in", "from", "at", "by", "with", "for"}
_BREAKS = frozenset({",", ":", ";", "(", ")"})
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
