"""Number ranges by label, sorted at both ends, so that those that hold a number are found without asking each."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.arrays import Integers, load_array, save_array

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
