"""Where the collections of a snapshot belong: into its folder, on a server, or, of a large library, nowhere."""

from retrieval.index.chroma.server import ChromaServer

EMBEDDED = "embedded"
"""The place of collections in the folder of their snapshot."""
NOWHERE = "nowhere"
"""The place of the collections of a large library that no server holds: there are none."""
EMBEDDED_UP_TO: int = 200_000
"""Chunks of a library that has embedded collections. No search needs them, and their graphs are most of a large build:
of a million chunks 23 minutes of 28."""


def place_of(server: ChromaServer | None, n_chunks: int) -> str:
    """Where those of so many chunks belong, as `NeighbourSearch.place` calls it: a server's is its host and port."""
    if server is not None:
        return f"{server.host}:{server.port}"
    return EMBEDDED if n_chunks <= EMBEDDED_UP_TO else NOWHERE


def why_nowhere(n_chunks: int) -> str:
    """A sentence: why so many chunks have no collections."""
    return f"{n_chunks:,} chunks have no graphs, which are made of {EMBEDDED_UP_TO:,} at most, or on a Chroma server"
