"""How much a snapshot holds, against how much its manifest says that it does."""

from typing import TYPE_CHECKING

from retrieval.errors import IndexCorruptError

if TYPE_CHECKING:
    from retrieval.index.snapshot.snapshot import Snapshot


def require_counts(snapshot: "Snapshot") -> None:
    """Compare what is there with what the manifest says; nothing of it is parsed.

    Raises:
        IndexCorruptError: two of them disagree, or a file cannot be read.
    """
    manifest = snapshot.manifest
    counts = {
        "chunks": (len(snapshot.chunks), manifest.n_chunks),
        "vectors": (len(snapshot.vectors), manifest.n_chunks),
        "dimensions": (snapshot.vectors.shape[-1], manifest.embedder.dimensions),
        "documents of the lexical index": (snapshot.lexical.n_documents, manifest.n_chunks),
        "nodes of the graph": (snapshot.graph.n_nodes, manifest.n_nodes),
        "edges of the graph": (snapshot.graph.n_edges, manifest.n_edges),
        "chunks in the graph": (snapshot.graph.n_chunks, manifest.n_chunks),
        "chunks, open and guarded": (manifest.n_open + manifest.n_guarded, manifest.n_chunks),
    }
    for name, (found, expected) in counts.items():
        if found != expected:
            raise IndexCorruptError(
                f"snapshot {manifest.id} has {found} {name}, its manifest says {expected}; build the index again"
            )
