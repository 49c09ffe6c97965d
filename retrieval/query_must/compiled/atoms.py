"""The distinct atoms of an index, and which hold for a question: phrases by hash, intervals."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import Integers, distinct, load_array, save_array
from retrieval.language.canonical import Canonical, as_number, as_point
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.operators import Atom, Range, Term

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class IntervalIndex:
    """Intervals [low, high] with an id each, grouped by label.

    Within a label's stretch the first three arrays rise by low end, the last three by high end.
    """

    stretches: dict[str, tuple[int, int]]
    """First and last + 1 row of each label; the empty label stands for any free number."""
    lows: Floats
    low_highs: Floats
    low_ids: Integers
    highs: Floats
    high_lows: Floats
    high_ids: Integers

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
        """Return the ids of a label's intervals that meet [low, high]; a number x is [x, x]."""
        start, stop = self.stretches.get(label, (0, 0))
        begun = int(np.searchsorted(self.lows[start:stop], high, side="right"))
        ended = int(np.searchsorted(self.highs[start:stop], low, side="left"))
        # Those that begin in time and those that do not end too early: the smaller set is asked the other question.
        if begun <= stop - start - ended:
            return self.low_ids[start : start + begun][self.low_highs[start : start + begun] >= low]
        return self.high_ids[start + ended : stop][self.high_lows[start + ended : stop] <= high]

    def save(self, folder: Path, name: str) -> None:
        """Write one JSON and two .npy files."""
        (folder / f"{name}.json").write_text(json.dumps(self.stretches, ensure_ascii=False), encoding="utf-8")
        ends = np.stack([self.lows, self.low_highs, self.highs, self.high_lows])
        save_array(folder / f"{name}.ends.npy", ends)
        save_array(folder / f"{name}.ids.npy", np.stack([self.low_ids, self.high_ids]))

    @staticmethod
    def load(folder: Path, name: str) -> "IntervalIndex":
        """Map the arrays into memory. Raises OSError, ValueError or IndexCorruptError."""
        stretches = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        ends = load_array(folder / f"{name}.ends.npy", np.float64)
        ids = load_array(folder / f"{name}.ids.npy", np.int64)
        if ends.shape[:1] != (4,) or ids.shape != (2, *ends.shape[1:]):
            raise ValueError(f"{name}: arrays of shape {ends.shape} and {ids.shape} do not belong together")
        lows, low_highs, highs, high_lows = ends
        return IntervalIndex(
            {label: (start, stop) for label, (start, stop) in stretches.items()},
            lows, low_highs, ids[0], highs, high_lows, ids[1],
        )  # fmt: skip


class PhraseTable:
    """Canonical terms by their position. Word boundaries hold by construction."""

    def __init__(self, terms: Sequence[str], longest: dict[str, int] | None = None) -> None:
        self.terms = tuple(terms)
        self._index = dict(zip(self.terms, range(len(self.terms)), strict=True))
        self._longest = _longest_by_first_token(self.terms) if longest is None else longest

    def __len__(self) -> int:
        return len(self.terms)

    def find(self, tokens: Sequence[str]) -> Iterator[int]:
        """Yield the position of each term that is in the tokens; one that is there twice comes twice."""
        size = len(tokens)
        for start, first in enumerate(tokens):
            longest = self._longest.get(first, 0)
            if not longest:
                continue
            run = first
            if (matches := self._index.get(run)) is not None:
                yield matches
            for token in tokens[start + 1 : min(start + longest, size)]:
                run = f"{run} {token}"
                if (matches := self._index.get(run)) is not None:
                    yield matches

    def save(self, path: Path) -> None:
        """Write the terms as JSON."""
        text = json.dumps({"terms": self.terms, "longest": self._longest}, ensure_ascii=False)
        path.write_text(text, encoding="utf-8")

    @staticmethod
    def load(path: Path) -> "PhraseTable":
        """Read what `save` wrote. Raises OSError, ValueError or KeyError if it is something else."""
        data = json.loads(path.read_text(encoding="utf-8"))
        return PhraseTable(data["terms"], data["longest"])


def _longest_by_first_token(terms: Sequence[str]) -> dict[str, int]:
    longest: dict[str, int] = {}
    for term in terms:
        first, count = term.partition(" ")[0], term.count(" ") + 1
        if count > longest.get(first, 0):
            longest[first] = count
    return longest


class AtomNumbers:
    """Gives each distinct atom a number while an index is built."""

    def __init__(self) -> None:
        self._numbers: dict[Atom, int] = {}

    def of(self, atom: Atom) -> int:
        """Return the atom's number. A bare number is asked as a range, as `Canonical.has` does."""
        if isinstance(atom, Term) and (number := as_number(atom.text)) is not None:
            atom = Range(number, number)
        return self._numbers.setdefault(atom, len(self._numbers))

    def __iter__(self) -> Iterator[Atom]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class AtomIndex:
    """Answers, in one walk over a question, which atoms hold."""

    def __init__(self, phrases: PhraseTable, numbers: Integers, ranges: IntervalIndex, points: IntervalIndex) -> None:
        self._phrases = phrases
        self._numbers = numbers
        """Atom number of each phrase."""
        self._ranges = ranges
        self._points = points
        """Terms that are a label and a value: an open bound of the question can cover them."""

    @staticmethod
    def build(atoms: Iterable[Atom], vocabulary: Vocabulary) -> "AtomIndex":
        """Arrange the atoms; each one's number is its place in the iteration."""
        terms: list[str] = []
        numbers: list[int] = []
        ranges: list[tuple[str, float, float, int]] = []
        points: list[tuple[str, float, float, int]] = []
        for number, atom in enumerate(atoms):
            if isinstance(atom, Range):
                # The empty label is the free numbers' own; one that somebody wrote has no numbers.
                labels = ("",) if atom.labels is None else filter(None, atom.labels)
                ranges.extend((label, atom.low, atom.high, number) for label in labels)
                continue
            terms.append(atom.text)
            numbers.append(number)
            if (point := as_point(atom.text, vocabulary)) is not None:
                points.append((point[0], point[1], point[1], number))
        return AtomIndex(
            PhraseTable(terms), np.array(numbers, np.int64), IntervalIndex.build(ranges), IntervalIndex.build(points)
        )

    def holding(self, question: Canonical) -> Integers:
        """Return the numbers of the atoms that hold, rising, each once."""
        matches = [self._numbers[np.fromiter(self._phrases.find(question.tokens), dtype=np.int64)]]
        if self._ranges.stretches:
            matches.extend(self._ranges.overlapping("", number, number) for number in question.free_numbers)
            for label, values in question.bound.items():
                matches.extend(self._ranges.overlapping(label, value, value) for value in values)
        for span in question.intervals:
            matches.append(self._ranges.overlapping(span.label, span.low, span.high))
            matches.append(self._points.overlapping(span.label, span.low, span.high))
        return distinct(np.concatenate(matches))

    def save(self, folder: Path) -> None:
        """Write JSON and .npy files."""
        self._phrases.save(folder / "terms.json")
        save_array(folder / "terms.npy", self._numbers)
        self._ranges.save(folder, "ranges")
        self._points.save(folder, "points")

    @staticmethod
    def load(folder: Path) -> "AtomIndex":
        """Read what `save` wrote. Raises OSError, ValueError, KeyError or IndexCorruptError if it is something else."""
        phrases = PhraseTable.load(folder / "terms.json")
        numbers = load_array(folder / "terms.npy", np.int64)
        if numbers.shape != (len(phrases),):
            raise ValueError(f"{len(phrases)} terms and {len(numbers)} numbers of terms do not belong together")
        ranges, points = IntervalIndex.load(folder, "ranges"), IntervalIndex.load(folder, "points")
        return AtomIndex(phrases, numbers, ranges, points)


Hashes = npt.NDArray[np.uint64]

_FACTOR = 0x9E3779B97F4A7C15
_WHOLE = (1 << 64) - 1


def hash_of(run: Iterable[str]) -> int:
    """The number of a run of tokens."""
    number = 0
    for token in run:
        number = _longer(number, token)
    return number


def hashes_of_spans(tokens: Sequence[str], longest: int) -> tuple[list[tuple[int, int]], Hashes]:
    """Every span of at most `longest` tokens, and its number."""
    spans: list[tuple[int, int]] = []
    numbers: list[int] = []
    for start in range(len(tokens)):
        number = 0
        for stop in range(start + 1, min(start + longest, len(tokens)) + 1):
            number = _longer(number, tokens[stop - 1])
            spans.append((start, stop))
            numbers.append(number)
    return spans, np.array(numbers, dtype=np.uint64)


def places_of(numbers: Hashes, among: Hashes) -> npt.NDArray[np.int64]:
    """Where each number is in a rising array; -1 where it is not."""
    if not len(among):
        return np.full(len(numbers), -1, dtype=np.int64)
    position = np.minimum(np.searchsorted(among, numbers), len(among) - 1)
    return np.where(among[position] == numbers, position, -1)


def _longer(number: int, token: str) -> int:
    return (number * _FACTOR + _token(token)) & _WHOLE


@lru_cache(maxsize=1 << 17)
def _token(token: str) -> int:
    return int.from_bytes(blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
