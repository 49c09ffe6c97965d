"""Runs of tokens as 64-bit numbers: what a mapped array can be asked for without reading any text."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

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
    place = np.minimum(np.searchsorted(among, numbers), len(among) - 1)
    return np.where(among[place] == numbers, place, -1)


def _longer(number: int, token: str) -> int:
    return (number * _FACTOR + _token(token)) & _WHOLE


@lru_cache(maxsize=1 << 17)
def _token(token: str) -> int:
    return int.from_bytes(blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
