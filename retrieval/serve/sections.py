"""The section that a chunk stands in, whole."""

import numpy as np

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.types import Chunk

LONGEST = 20_000
"""Characters of a section that are read at once."""


def section_text(snapshot: Snapshot, chunk: Chunk) -> str:
    """What stands under the headings of a chunk, in reading order; cut at `LONGEST` characters, and says so."""
    same = [snapshot.metadata.mask(key, "eq", getattr(chunk, key)) for key in ("book", "document")]
    document = [snapshot.chunks[int(place)] for place in np.flatnonzero(np.logical_and.reduce(same))]
    own = [each for each in document if each.heading_path[: len(chunk.heading_path)] == chunk.heading_path]
    pieces, under = [" > ".join((chunk.book, *chunk.heading_path)), ""], chunk.heading_path
    for each in sorted(own, key=lambda each: each.position):
        if each.heading_path != under:
            under = each.heading_path
            pieces += ["", " > ".join(under)]
        pieces.append(each.source)
    text = "\n".join(pieces)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n[cut at {LONGEST:,} characters]"
