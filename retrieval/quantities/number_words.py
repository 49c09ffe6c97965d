"""Numbers in words: `twenty-one`, `one hundred and five thousand`, `fourteen hundred`, `third`, `two thirds`."""

from collections.abc import Sequence
from typing import NamedTuple

from retrieval.quantities.pieces import Piece, hyphen_at, mark_at, word_at
from retrieval.quantities.words import CARDINALS, MULTIPLES, ORDINALS, SCALES


class Spelled(NamedTuple):
    """A number in words, and the place of the piece after it."""

    value: float
    next: int
    ordinal: bool = False


def spelled(found: Sequence[Piece], at: int, *, joined: bool = True) -> Spelled | None:
    """Read a number in words at a place; without `joined` it ends at `and`: `between one hundred and two hundred`."""
    word = word_at(found, at)
    if word in ("a", "an") and word_at(found, at + 1) in MULTIPLES:
        return _Reader(found, joined, group=1.0).read(at + 1)
    return _Reader(found, joined, group=0.0).read(at) if word in CARDINALS or word in ORDINALS else None


class _Reader:
    """Adds up one number in words; `room` is what the next word must be smaller than."""

    def __init__(self, found: Sequence[Piece], joined: bool, group: float) -> None:
        self.found, self.joined = found, joined
        self.total, self.group = 0.0, group
        self.room = 0.0 if group else 1e3
        self.scale = 1e15
        self.before_and: Spelled | None = None

    def read(self, at: int) -> Spelled:
        end = at
        while True:
            word = word_at(self.found, at)
            if word in ORDINALS and ORDINALS[word] < self.room and self._fits_second(word, at, end):
                return Spelled(self.total + self.group + ORDINALS[word], at + 1, ordinal=True)
            if not self._take(word):
                if word in MULTIPLES and self.before_and:
                    return self.before_and
                break
            at = end = at + 1
            if hyphen_at(self.found, at) or self._goes_on_after_comma(at):
                at += 1
            elif self.joined and self.room >= 100 and word_at(self.found, at) == "and":
                self.before_and = Spelled(self.total + self.group, end)
                at += 1
        return Spelled(self.total + self.group, end)

    def _fits_second(self, word: str, at: int, end: int) -> bool:
        """`twenty second` is a time; `twenty-second` and `one hundred and second` are ordinals, and so is `second`."""
        return word != "second" or at != end or not self.group

    def _goes_on_after_comma(self, at: int) -> bool:
        """`one thousand, two hundred`; a comma before anything smaller begins the next number of a list."""
        return (
            self.room >= 1e3
            and mark_at(self.found, at) == ","
            and word_at(self.found, at + 1) in CARDINALS
            and word_at(self.found, at + 2) == "hundred"
        )

    def _take(self, word: str) -> bool:
        if word in CARDINALS:
            value = CARDINALS[word]
            if value >= self.room or (value == 0 and self.room < 1e3):
                return False
            self.group += value
            self.room = 10.0 if value >= 20 else 0.0
            if value == 0:
                self.scale = 0.0
        elif word == "hundred":
            if not 0 < self.group < 100:
                return False
            self.group, self.room = self.group * 100, 100.0
        elif word == "dozen":
            if not 0 < self.group < 100 or self.total:
                return False
            self.group, self.room, self.scale = self.group * 12, 0.0, 0.0
        elif word in SCALES and self.group and SCALES[word] < self.scale:
            self.scale = SCALES[word]
            self.total, self.group, self.room = self.total + self.group * self.scale, 0.0, 1e3
        else:
            return False
        return True
