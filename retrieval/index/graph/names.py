"""What a heading calls the thing that it stands over, and which names a text says."""

import re
from collections.abc import Container, Iterator, Sequence

from retrieval.types import Chunk

MAX_WORDS = 6
"""Words of a name at most."""

_KIND = re.compile(r"\s*\[[^\]]*\]\s*$")
"""`Prone [Condition]` is called prone."""


def plain_heading(chunk: Chunk) -> str:
    """The last heading over a chunk without the kind of thing in brackets; empty where there is no heading."""
    return _KIND.sub("", chunk.heading_path[-1]) if chunk.heading_path else ""


def runs(words: Sequence[str]) -> Iterator[tuple[str, range]]:
    """Everything in a text that may be a name, with the places of its words; the longest first, then as they stand."""
    for length in range(MAX_WORDS, 0, -1):
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length]), range(start, start + length)


def longest_names(words: Sequence[str], names: Container[str]) -> list[str]:
    """Those of these names that a text says, in its order, each once; one within a longer one counts for nothing."""
    taken: set[int] = set()
    found: dict[int, str] = {}
    for name, span in runs(words):
        if name in names and taken.isdisjoint(span):
            taken.update(span)
            found[span.start] = name
    return list(dict.fromkeys(found[start] for start in sorted(found)))
