"""Fields that are true or false, as questions say them: `pets allowed`, `take dogs`, `sponsors visas`, `unsigned`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.index.words.word_vectors import word_vector
from retrieval.understand.catalog.catalog import ALLOWED, EMPTY, Catalog, Flag, flag_of
from retrieval.understand.catalog.words import Word, stem
from retrieval.understand.reading.grammar import ADVERBS, AUXILIARIES, NEGATIONS, is_noun_like
from retrieval.understand.reading.value_names import Mention

_PREFIX = 3
"""Letters from which a word of a name may be short for one of the question: `vols` for volunteers."""
_ALIKE, _NEAR = 0.35, 0.45
"""Cosine from which a word beside one that grants is the thing of a flag: `bring my cat` of pets_allowed; and beside
one that only says `with`."""
_STEMMED = 4
_GRANTING = frozenset({"allow", "take", "accept", "permit", "welcome", "bring", "keep", "support", "enable"})
_GIVING = _GRANTING | {"with", "have", "ha", "had", "include", "offer", "provide", "get", "need"}
"""What stands before the thing of a flag: `that take pets` of pets_allowed. All are keys."""
_LACKING = frozenset({"without", "no", "lack", "lacking"})
_DENIED = ("un", "non")
"""What a word that denies a flag begins with: `unsigned`."""
_PASSED = frozenset({"a", "an", "the", "my", "our", "any", "your", "their"})


@dataclass(frozen=True, eq=False)
class Flags:
    """Finds the flags of a catalogue in questions."""

    catalog: Catalog

    def within(self, words: Sequence[Word]) -> Iterator[Mention]:
        """Flags that words say or deny."""
        for first in range(len(words)):
            for flag in self._flags:
                yield from self._named(words, first, flag)
                yield from self._called(words, first, flag)
                yield from self._granted(words, first, flag)
                yield from self._unsaid(words, first, flag)

    @cached_property
    def _flags(self) -> Sequence[Flag]:
        return [flag for field in self.catalog.fields.values() if (flag := flag_of(field))]

    def _called(self, words: Sequence[Word], first: int, flag: Flag) -> Iterator[Mention]:
        """`on display`, `healthy volunteers` for healthyVols; of one word as a verb, or as the whole name."""
        stop = first + len(flag.things)
        keys = [word.key for word in words[first:stop]]
        if len(keys) < len(flag.things) or not _all_akin(keys, flag.things):
            return
        verb = first > 0 and words[first].text.lower().endswith("ed")
        named = keys == [word for word in flag.field.words if word not in EMPTY]
        if len(keys) > 1 or verb or named:
            yield _mention(flag, first, stop, denied=False)

    def _named(self, words: Sequence[Word], first: int, flag: Flag) -> Iterator[Mention]:
        """`accident-free`: the whole name of a flag that is true where there is none of its thing."""
        terms = [word for word in words[first : first + len(flag.field.words) + 1] if word.key != "-"]
        stop = first + (len(flag.field.words) + any(word.key == "-" for word in words[first : first + 2]))
        if flag.opposed and tuple(word.key for word in terms[: len(flag.field.words)]) == flag.field.words:
            yield Mention(flag.field, (flag.yes,), first, stop, 1.0, granted=True)

    def _granted(self, words: Sequence[Word], first: int, flag: Flag) -> Iterator[Mention]:
        """`dogs are welcome`, `pet friendly`, `where I can bring my cat`, `without a licence`."""
        given, lacking = words[first].key in _GIVING, words[first].key in _LACKING
        at = first
        if given or lacking:
            at += 1
            while at < len(words) and words[at].key in _PASSED:
                at += 1
        end, exact = self._thing(words, at, flag, grants=given or lacking)
        stop = end
        while stop < len(words) and words[stop].key in AUXILIARIES | NEGATIONS | ADVERBS | {"-"}:
            stop += 1
        allowed = stop < len(words) and words[stop].key in ALLOWED
        if end == at or not (allowed or given or lacking):
            return
        if not exact:
            grants = allowed or words[first].key in _GRANTING
            is_food = not allowed and end < len(words) and is_noun_like(words[end].key)  # `take dog food`
            if is_food or self._likeness(words[at], flag) < (_ALIKE if grants else _NEAR):
                return
        stop = stop + 1 if allowed else end
        denied = any(word.key in NEGATIONS or word.key.endswith(("n't", "n’t")) for word in words[end:stop])
        start = at if words[first].key in NEGATIONS else first
        yield _mention(flag, start, stop, denied=denied != (lacking and start < at), granted=True)

    def _thing(self, words: Sequence[Word], at: int, flag: Flag, *, grants: bool) -> tuple[int, bool]:
        """The place behind what a flag is about, and whether its name says so: all its words, or one behind a verb."""
        if at >= len(words) or not words[at].key[0].isalnum():
            return at, False
        terms = [word for word in words[at : at + len(flag.things) + 1] if word.key != "-"][: len(flag.things)]
        if len(terms) == len(flag.things) and _all_akin([word.key for word in terms], flag.things):
            return next(number for number in range(at, len(words)) if words[number] is terms[-1]) + 1, True
        if grants and words[at].key in flag.things:
            return at + 1, True
        return (at + 1, False) if len(flag.things) == 1 else (at, False)

    def _likeness(self, word: Word, flag: Flag) -> float:
        if not is_noun_like(word.key) or word.key in self.catalog.nouns:
            return 0.0
        return float(word_vector(word.key) @ word_vector(flag.things[0]))

    def _unsaid(self, words: Sequence[Word], first: int, flag: Flag) -> Iterator[Mention]:
        """`unsigned`, `non-toxic`."""
        if len(flag.things) != 1:
            return
        key, stop = words[first].key, first + 1
        if key == "non" and stop < len(words):
            stop += words[stop].key == "-"
            key = "non" + words[stop].key if stop < len(words) else key
            stop += 1
        bare = next((key.removeprefix(un) for un in _DENIED if key.startswith(un)), "")
        if bare and _all_akin([bare], flag.things):
            yield _mention(flag, first, stop, denied=True, granted=True)


def _mention(flag: Flag, first: int, stop: int, *, denied: bool, granted: bool = False) -> Mention:
    denied = denied != flag.opposed
    value: Scalar = False if denied and flag.yes is True else flag.yes
    return Mention(flag.field, (value,), first, stop, 1.0, denied=denied and value is not False, granted=granted)


def _all_akin(said: Sequence[str], things: Sequence[str]) -> bool:
    """Whether these are the words of a name, in whatever order and form."""
    left = list(said)
    for thing in things:
        match = next((key for key in left if _akin(key, thing)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _akin(key: str, thing: str) -> bool:
    if key == thing or (min(len(key), len(thing)) >= _STEMMED and stem(key) == stem(thing)):
        return True
    return len(thing) >= _PREFIX and len(key) > len(thing) and key.startswith(thing) and not key.startswith("un")
