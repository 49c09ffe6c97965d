"""The distinct atoms of an index, numbered, and the numbers of those that hold for a question."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from retrieval.arrays import Integers, distinct, load_array, save_array
from retrieval.query_must.canonical.canonical import Canonical, as_number, as_point
from retrieval.query_must.compiled.intervals import IntervalIndex
from retrieval.query_must.compiled.phrases import PhraseTable
from retrieval.query_must.conditions import Atom, Range, Term
from retrieval.query_must.vocabulary.vocabulary import Vocabulary


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
        found = [self._numbers[np.fromiter(self._phrases.find(question.tokens), dtype=np.int64)]]
        if self._ranges.stretches:
            found.extend(self._ranges.overlapping("", number, number) for number in question.free_numbers)
            for label, values in question.bound.items():
                found.extend(self._ranges.overlapping(label, value, value) for value in values)
        for span in question.intervals:
            found.append(self._ranges.overlapping(span.label, span.low, span.high))
            found.append(self._points.overlapping(span.label, span.low, span.high))
        return distinct(np.concatenate(found))

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
