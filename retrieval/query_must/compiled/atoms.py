"""The distinct atoms of an index, and those that hold for a question: phrases by hash, intervals."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import Integers, distinct
from retrieval.language.canonical import Canonical, as_number, as_point
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.operators import Atom, Range, Term

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class IntervalIndex:
    """Intervals [low, high] with an id each, grouped by label.

    Within the rows of a label, the first three arrays are in ascending order of low end, the last three of high end.
    """

    stretches: dict[str, tuple[int, int]]
    """First row and last row + 1 of each label; the empty label is for any free number."""
    lows: Floats
    low_highs: Floats
    low_ids: Integers
    highs: Floats
    high_lows: Floats
    high_ids: Integers

    def __post_init__(self) -> None:
        sizes = list(map(len, (self.lows, self.low_highs, self.low_ids, self.highs, self.high_lows, self.high_ids)))
        if len(set(sizes)) > 1:
            raise ValueError(f"arrays of {sizes} intervals do not belong together")

    @staticmethod
    def build(entries: Iterable[tuple[str, float, float, int]]) -> "IntervalIndex":
        """Arrange (label, low, high, id) entries."""
        rows = sorted(entries)
        stretches: dict[str, tuple[int, int]] = {}
        for at, (label, *_) in enumerate(rows):
            stretches[label] = (stretches.get(label, (at, at))[0], at + 1)
        by_high = sorted(rows, key=lambda row: (row[0], row[2], row[1], row[3]))
        return IntervalIndex(
            stretches,
            np.array([row[1] for row in rows], np.float64),
            np.array([row[2] for row in rows], np.float64),
            np.array([row[3] for row in rows], np.int64),
            np.array([row[2] for row in by_high], np.float64),
            np.array([row[1] for row in by_high], np.float64),
            np.array([row[3] for row in by_high], np.int64),
        )

    def overlapping(self, label: str, low: float, high: float) -> Integers:
        """Return the ids of a label's intervals that overlap [low, high]; a number x is [x, x]."""
        start, stop = self.stretches.get(label, (0, 0))
        begun = int(np.searchsorted(self.lows[start:stop], high, side="right"))
        ended = int(np.searchsorted(self.highs[start:stop], low, side="left"))
        # Of the intervals that begin in time and those that end late enough, the smaller set gets the other test.
        if begun <= stop - start - ended:
            return self.low_ids[start : start + begun][self.low_highs[start : start + begun] >= low]
        return self.high_ids[start + ended : stop][self.high_lows[start + ended : stop] <= high]


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """Canonical terms by position. Matches are always whole words, because tokens are compared."""

    terms: tuple[str, ...]
    longest: dict[str, int]
    """Number of tokens of the longest term that begins with each token."""

    @classmethod
    def of(cls, terms: Iterable[str]) -> "PhraseTable":
        """Return the table of distinct terms."""
        longest: dict[str, int] = {}
        for term in (ordered := tuple(terms)):
            first, count = term.partition(" ")[0], term.count(" ") + 1
            longest[first] = max(count, longest.get(first, 0))
        return cls(ordered, longest)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {term: position for position, term in enumerate(self.terms)}

    def __len__(self) -> int:
        return len(self.terms)

    def find(self, tokens: Sequence[str]) -> Iterator[int]:
        """Yield the position of each term that occurs in the tokens, once for each occurrence."""
        size = len(tokens)
        for start, first in enumerate(tokens):
            longest = self.longest.get(first, 0)
            if not longest:
                continue
            run = first
            if (position := self._positions.get(run)) is not None:
                yield position
            for token in tokens[start + 1 : min(start + longest, size)]:
                run = f"{run} {token}"
                if (position := self._positions.get(run)) is not None:
                    yield position


class AtomNumbers:
    """Numbers each distinct atom while an index is built."""

    def __init__(self) -> None:
        self._numbers: dict[Atom, int] = {}

    def of(self, atom: Atom) -> int:
        """Return the atom's number. A bare number is treated as a range, as in `Canonical.has`."""
        if isinstance(atom, Term) and (number := as_number(atom.text)) is not None:
            atom = Range(number, number)
        return self._numbers.setdefault(atom, len(self._numbers))

    def __iter__(self) -> Iterator[Atom]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


@dataclass(frozen=True, slots=True, eq=False)
class AtomIndex:
    """Finds in one pass over a question which atoms hold."""

    phrases: PhraseTable
    numbers: Integers
    """Atom number of each phrase."""
    ranges: IntervalIndex
    points: IntervalIndex
    """Terms that consist of a label and a value: an open bound of the question can cover them."""

    def __post_init__(self) -> None:
        if self.numbers.shape != (len(self.phrases),):
            raise ValueError(f"{len(self.phrases)} terms and {len(self.numbers)} numbers of terms do not fit")

    @staticmethod
    def build(atoms: Iterable[Atom], vocabulary: Vocabulary) -> "AtomIndex":
        """Arrange the atoms; each one's number is its position in the iteration."""
        terms: list[str] = []
        numbers: list[int] = []
        ranges: list[tuple[str, float, float, int]] = []
        points: list[tuple[str, float, float, int]] = []
        for number, atom in enumerate(atoms):
            if isinstance(atom, Range):
                # The empty label is reserved for free numbers; one written in a predicate has no numbers.
                labels = ("",) if atom.labels is None else filter(None, atom.labels)
                ranges.extend((label, atom.low, atom.high, number) for label in labels)
                continue
            terms.append(atom.text)
            numbers.append(number)
            if (point := as_point(atom.text, vocabulary)) is not None:
                points.append((point[0], point[1], point[1], number))
        return AtomIndex(
            PhraseTable.of(terms),
            np.array(numbers, np.int64),
            IntervalIndex.build(ranges),
            IntervalIndex.build(points),
        )

    def holding(self, question: Canonical) -> Integers:
        """Return the numbers of the atoms that hold, ascending, each once."""
        holding = [self.numbers[np.fromiter(self.phrases.find(question.tokens), dtype=np.int64)]]
        if self.ranges.stretches:
            holding.extend(self.ranges.overlapping("", number, number) for number in question.free_numbers)
            for label, values in question.bound.items():
                holding.extend(self.ranges.overlapping(label, value, value) for value in values)
        for span in question.intervals:
            holding.append(self.ranges.overlapping(span.label, span.low, span.high))
            holding.append(self.points.overlapping(span.label, span.low, span.high))
        return distinct(np.concatenate(holding))


Hashes = npt.NDArray[np.uint64]

_FACTOR = 0x9E3779B97F4A7C15
_WHOLE = (1 << 64) - 1


def hash_of(run: Iterable[str]) -> int:
    """Return the hash of a run of tokens."""
    number = 0
    for token in run:
        number = _longer(number, token)
    return number


def hashes_of_spans(tokens: Sequence[str], longest: int) -> tuple[list[tuple[int, int]], Hashes]:
    """Return every span of at most `longest` tokens, and its hash."""
    spans: list[tuple[int, int]] = []
    numbers: list[int] = []
    for start in range(len(tokens)):
        number = 0
        for stop in range(start + 1, min(start + longest, len(tokens)) + 1):
            number = _longer(number, tokens[stop - 1])
            spans.append((start, stop))
            numbers.append(number)
    return spans, np.array(numbers, dtype=np.uint64)


def places_of(numbers: Hashes | Integers, among: Hashes | Integers) -> Integers:
    """Return the index of each number in an ascending array; -1 if it is not there."""
    if not len(among):
        return np.full(len(numbers), -1, dtype=np.int64)
    nearest = np.minimum(np.searchsorted(among, numbers), len(among) - 1)
    return np.where(among[nearest] == numbers, nearest, -1)


def _longer(number: int, token: str) -> int:
    return (number * _FACTOR + _token(token)) & _WHOLE


@lru_cache(maxsize=1 << 17)
def _token(token: str) -> int:
    return int.from_bytes(blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
