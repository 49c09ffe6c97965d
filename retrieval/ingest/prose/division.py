"""A text that is too long for a passage, cut where it hurts least."""

import re
from collections.abc import Iterator, Sequence

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def divided(text: str, size: int) -> Iterator[str]:
    """Parts of at most `size` UTF-8 bytes: cut between lines, else sentences, else words, else anywhere."""
    for separator in (re.compile(r"\n"), _SENTENCE_END, re.compile(r"\s+")):
        parts = separator.split(text)
        if len(parts) > 1 and all(len(part.encode()) <= size for part in parts):
            yield from _joined(parts, "\n" if separator.pattern == r"\n" else " ", size)
            return
    step = size // 4
    yield from (text[start : start + step] for start in range(0, len(text), step))


def _joined(parts: Sequence[str], glue: str, size: int) -> Iterator[str]:
    current: list[str] = []
    length = 0
    for part in parts:
        cost = len(part.encode()) + len(glue)
        if current and length + cost > size:
            yield glue.join(current)
            current, length = [], 0
        current.append(part)
        length += cost
    yield glue.join(current)
