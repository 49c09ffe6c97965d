"""Files of a snapshot whose last bits depend on the processor: floats that a model or linear algebra made.

The same library gives other last bits where another processor, or another build of numpy's libraries, adds in another
order. Measured on the sample with the instruction sets of an older processor: the vectors, the word vectors and those
of columns differ; all else is the same byte for byte, whatever the locale, the time zone, the hash seed and the number
of threads. So the id of a snapshot does not rest on these files, nor on the regions, which follow from the vectors.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt

VECTORS = "vectors.npy"
_REGIONS = frozenset(f"regions/{name}.npy" for name in ("centres", "guarded", "starts", "chunks", "vectors"))
DERIVED = _REGIONS | frozenset({VECTORS, "columns/vectors.npy", "words/vectors.npy", "lexical/weights.npy"})
"""Paths in a snapshot's folder. What they are made of is in its other files, but for the vectors: see `trace`."""

_DECIMALS = 2
_TOLERANCE = 1e-3
_ROWS = 65_536


def trace(folder: Path) -> tuple[int, ...]:
    """The mean of all vectors in hundredths, a number for each dimension: the same for every processor, and another
    one for another model behind the same name."""
    vectors = np.load(folder / VECTORS, mmap_mode="r")
    total = np.zeros(vectors.shape[1])
    for start in range(0, len(vectors), _ROWS):
        total += np.asarray(vectors[start : start + _ROWS], dtype=np.float64).sum(axis=0)
    mean: npt.NDArray[np.float64] = total / max(1, len(vectors))
    return tuple(int(each) for each in np.round(mean * 10**_DECIMALS))


def agree(left: Path, right: Path) -> bool:
    """Whether these files are the same in two snapshots' folders, but for their last bits.

    They are not where another version of this program made them otherwise. Word vectors may also be turned by another
    processor, all of them together, and a chunk between two regions may fall into the other: then the snapshot is made
    anew, under the same id.
    """
    return all(_close(left / name, right / name) for name in sorted(DERIVED))


def _close(left: Path, right: Path) -> bool:
    ours, theirs = (np.load(path, mmap_mode="r") for path in (left, right))
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return False
    return all(
        np.allclose(ours[start : start + _ROWS], theirs[start : start + _ROWS], rtol=_TOLERANCE, atol=_TOLERANCE)
        for start in range(0, len(ours), _ROWS)
    )
