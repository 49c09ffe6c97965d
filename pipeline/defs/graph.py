"""The graph of the whole library: what leads from one chunk to another."""

import shutil
from collections import Counter

import dagster as dg

from evals.assets import SETTLED, with_reason
from pipeline.building.materialization import materialized
from pipeline.defs.chunks import chunks, embeddings
from pipeline.defs.index import graph_folder, library_records
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import EmbeddingStore
from retrieval.index.graph.building import build_graph
from retrieval.index.graph.graph import RELATIONS


@dg.asset(
    deps=[chunks, embeddings],
    group_name="index",
    kinds={"numpy"},
    owners=["team:search"],
    tags={"domain": "index"},
    automation_condition=SETTLED,
)
@with_reason
def graph(context: dg.AssetExecutionContext, home: dg.ResourceParam[Home]) -> dg.MaterializeResult[None]:
    """Sections, things described and traits beside the chunks, and the edges between them."""
    records = library_records(context.instance, home)
    found = records.chunks
    store = EmbeddingStore(home.embeddings, load_embedder(home.settings.embedder).identity)
    vectors = store.get(records.keys)
    built = build_graph(found, vectors, home.vocabulary)
    folder = graph_folder(home, records, vectors)
    shutil.rmtree(home.graph, ignore_errors=True)
    built.save(folder)
    context.log.info(f"{built.n_nodes} nodes, {built.n_edges} edges over {len(found)} chunks")
    kinds = Counter(RELATIONS[relation] for relation in built.relations[built.forward].tolist())
    return materialized(
        folder.name,
        {
            "n_chunks": len(found),
            "n_nodes": built.n_nodes,
            "n_edges": built.n_edges,
            **{f"n_{relation}": kinds[relation] for relation in RELATIONS},
        },
    )
