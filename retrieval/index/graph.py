"""The graph of a library: chunks, sections, the things they describe and traits, with edges between them.

::

    section ──contains──▶ section, chunk        chunk ──describes──▶ entity        chunk ──see──▶ chunk
    chunk ──next──▶ chunk (reading order)       chunk ──has_trait──▶ trait         chunk ──similar──▶ chunk
    chunk ──mentions──▶ section (with a table)

Stored as sparse rows: the neighbours of a node, in both directions, are contiguous. Opening it only maps files.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from retrieval.files.arrays import RaggedArray
from retrieval.index.term_table import TermTable
from retrieval.strategy import Relation

NodeKind = Literal["section", "entity", "trait"]
Nodes = npt.NDArray[np.int64]

RELATIONS: tuple[Relation, ...] = get_args(Relation)
"""Relations by their number on disk."""
SEPARATOR = "\x1f"
"""The separator between the kind and the name of a node, and between the parts of a section's name."""


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Nodes 0 to n_chunks - 1 are the chunks by position; the others follow in the order of `names`."""

    fingerprint: str
    """SHA-256 of the chunks' ids, which identifies the library of this graph."""
    names: TermTable
    """Kind and name of every node that is not a chunk."""
    targets: RaggedArray[np.int32]
    """The nodes at the other ends of each node's edges, ascending."""
    relations: npt.NDArray[np.int8]
    """The relation of each edge, as an index into RELATIONS; aligned with the items of `targets`, as is `forward`."""
    forward: npt.NDArray[np.bool_]
    """Whether the edge leads from this node; every edge is stored twice, once at each end."""
    tables: npt.NDArray[np.int32]
    """(n_chunks,): number of a chunk's table; -1 for none."""
    reading: npt.NDArray[np.int32]
    """(n_chunks,): a chunk's place in reading order, one document after another."""

    def __post_init__(self) -> None:
        if self.n_nodes != self.n_chunks + len(self.names):
            raise ValueError(f"{self.n_nodes} nodes, {self.n_chunks} chunks and {len(self.names)} names do not fit")

    @property
    def n_chunks(self) -> int:
        """The number of nodes that are chunks."""
        return len(self.tables)

    @property
    def n_nodes(self) -> int:
        """The number of all nodes."""
        return len(self.targets)

    @property
    def n_edges(self) -> int:
        """The number of edges, each counted once."""
        return len(self.targets.items) // 2

    def name_of(self, node: int) -> str:
        """Return the name of a node that is not a chunk, without its kind."""
        return self.names.text_of(node - self.n_chunks).partition(SEPARATOR)[2]

    def neighbours(self, nodes: Nodes, relations: Collection[Relation] = RELATIONS) -> tuple[Nodes, Nodes]:
        """Return two aligned arrays, (found,): places in `nodes`, in their order, and a neighbour of each.

        Edges between rows of one table are omitted: adjacent rows there do not belong together.
        """
        owners = np.repeat(np.arange(len(nodes)), self.targets.sizes(nodes))
        edges = self.targets.places(nodes)
        targets = self.targets.items[edges].astype(np.int64)
        wanted = np.zeros(len(RELATIONS), dtype=np.bool_)
        wanted[[RELATIONS.index(relation) for relation in relations]] = True
        mine, theirs = self.table_of(nodes[owners]), self.table_of(targets)
        is_wanted = wanted[self.relations[edges]] & ~((mine == theirs) & (mine >= 0))
        return owners[is_wanted], targets[is_wanted]

    def holder(self, node: int) -> int | None:
        """Return the section that contains a chunk or a section; None for the section of a whole document."""
        edges = self.targets.span(node)
        above = ~self.forward[edges] & (self.relations[edges] == RELATIONS.index("contains"))
        sections = self.targets.items[edges][above]
        return int(sections[0]) if len(sections) else None

    def chunks_of(self, section: int) -> Nodes:
        """Return the chunks directly in a section, not in its subsections, in reading order."""
        edges = self.targets.span(section)
        below = self.forward[edges] & (self.relations[edges] == RELATIONS.index("contains"))
        nodes: Nodes = self.targets.items[edges][below].astype(np.int64)
        nodes = nodes[nodes < self.n_chunks]
        return nodes[np.argsort(self.reading[nodes])]

    def label_of(self, node: int) -> str:
        """Return `kind:name` of a node that is not a chunk."""
        return self.names.text_of(node - self.n_chunks).replace(SEPARATOR, ":", 1)

    def kind_of(self, node: int) -> NodeKind:
        """Return the kind of a node that is not a chunk."""
        kind: NodeKind = self.names.text_of(node - self.n_chunks).partition(SEPARATOR)[0]  # type: ignore[assignment]
        return kind

    def edges_from(self, nodes: Nodes) -> Iterator[tuple[int, int, Relation]]:
        """Yield the edges that lead from these nodes, in their order: source, target, relation."""
        sources = np.repeat(nodes, self.targets.sizes(nodes))
        edges = self.targets.places(nodes)
        for at in np.flatnonzero(self.forward[edges]).tolist():
            edge = edges[at]
            yield int(sources[at]), int(self.targets.items[edge]), RELATIONS[self.relations[edge]]

    def count_from(self, nodes: Nodes) -> int:
        """Return how many edges lead from these nodes."""
        return int(self.forward[self.targets.places(nodes)].sum())

    def table_of(self, nodes: Nodes) -> npt.NDArray[np.int32]:
        """Return the number of each node's table; -1 for none."""
        tables = np.full(len(nodes), -1, dtype=np.int32)
        chunks = nodes < self.n_chunks
        tables[chunks] = self.tables[nodes[chunks]]
        return tables


def node_key(kind: NodeKind, name: str) -> bytes:
    """Return the stored form of a node that is not a chunk: kind, separator, name."""
    return f"{kind}{SEPARATOR}{name}".encode("utf-8", "surrogatepass")
