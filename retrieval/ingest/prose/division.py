"""A text that is too long for a passage, cut where it hurts least."""

import re
from collections.abc import Callable, Iterator, Sequence

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def bytes_of(text: str) -> int:
    """Its length in UTF-8."""
    return len(text.encode())


def divided(text: str, size: int, length: Callable[[str], int] = bytes_of) -> Iterator[str]:
    """Parts of at most `size`: cut between lines, else sentences, else words, else anywhere.

    Args:
        text: what is too long.
        size: in bytes, or in what `length` counts; no character has more than four of them.
        length: of a text; two joined by a blank or a line end have at most one more than both.
    """
    for separator in (re.compile(r"\n"), _SENTENCE_END, re.compile(r"\s+")):
        parts = separator.split(text)
        if len(parts) > 1 and all(length(part) <= size for part in parts):
            yield from _joined(parts, "\n" if separator.pattern == r"\n" else " ", size, length)
            return
    step = size // 4
    yield from (text[start : start + step] for start in range(0, len(text), step))


def _joined(parts: Sequence[str], glue: str, size: int, length: Callable[[str], int]) -> Iterator[str]:
    current: list[str] = []
    total = 0
    for part in parts:
        cost = length(part) + len(glue)
        if current and total + cost > size:
            yield glue.join(current)
            current, total = [], 0
        current.append(part)
        total += cost
    yield glue.join(current)
