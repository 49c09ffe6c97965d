"""What a heading calls the thing that it stands over."""

import re

from retrieval.types import Chunk

_KIND = re.compile(r"\s*\[[^\]]*\]\s*$")
"""`Prone [Condition]` is called prone."""


def plain_heading(chunk: Chunk) -> str:
    """The last heading over a chunk without the kind of thing in brackets; empty where there is no heading."""
    return _KIND.sub("", chunk.heading_path[-1]) if chunk.heading_path else ""
