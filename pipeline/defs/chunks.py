"""chunks → embeddings: what of one book is indexed, and its vectors."""

from collections import Counter

import dagster as dg

from evals.asset_options import AGAIN, as_table, columns_of, with_reason
from pipeline.building.book_records import enter_book, kept_losses
from pipeline.building.hosted_models import HostedModels
from pipeline.building.materialization import content_version, losses_metadata, materialized
from pipeline.building.model_passages import keep_report, make_chunks, told
from pipeline.building.plan import cost_of
from pipeline.defs.books import OF_A_BOOK
from retrieval.files.records import dump_record, read_jsonl, write_jsonl
from retrieval.home import Home
from retrieval.index.embedding.embedders import cuts_for, load_embedder
from retrieval.index.embedding.embedding_store import EmbeddingStore, embed_chunks, embedding_key, logged_progress
from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.density import TableDensity, table_densities
from retrieval.ingest.parsed_book import read_parsed_book
from retrieval.ingest.tables.strictness import MIN_DENSITY
from retrieval.models.access import Access
from retrieval.types import Chunk, Row


@dg.asset(deps=["predicates"], kinds={"python"}, **OF_A_BOOK)
@with_reason
def chunks(
    context: dg.AssetExecutionContext, home: dg.ResourceParam[Home], models: dg.ResourceParam[HostedModels]
) -> dg.MaterializeResult[None]:
    """The units that are embedded, indexed and returned: a chunk for each table row, and the prose around them."""
    folder = home.book(context.partition_key)
    cuts = cuts_for(home.settings, load_embedder(home.settings.embedder))
    book = read_parsed_book(folder / "book.jsonl")
    with kept_losses(folder, "chunks") as losses:
        by_rules = chunk_book(book, read_jsonl(folder / "predicates.jsonl", Row), cuts)
    access = Access() if home.settings.passages.enrichment == "rules" else models.access
    documents = [parsed.document for parsed in book.documents]
    made = make_chunks(home.settings, home.models, documents, by_rules, access)
    cut = made.chunks
    write_jsonl(folder / "chunks.jsonl", cut)
    keep_report(folder, made.described)
    kinds = Counter(chunk.kind for chunk in cut)
    densities = table_densities(cut)
    context.log.info(f"{context.partition_key}: {len(cut)} chunks, {kinds['row']} of them rows{told(made.described)}")
    return materialized(
        content_version(map(dump_record, cut)),
        {
            "n_chunks": len(cut),
            "dagster/partition_row_count": len(cut),
            "dagster/column_schema": columns_of(Chunk),
            "n_rows": kinds["row"],
            "n_records": kinds["record"],
            "n_prose": kinds["prose"],
            "n_guarded": sum(chunk.query_must is not None for chunk in cut),
            "n_crowded_tables": sum(table.density >= MIN_DENSITY for table in densities),
            "near_duplicate_density": as_table(densities, TableDensity),
            "longest_characters": max((len(chunk.search_text) for chunk in cut), default=0),
            **made.numbers,
            **losses_metadata(losses),
        },
    )


@dg.asset(deps=[chunks], kinds={"numpy"}, retry_policy=AGAIN, **OF_A_BOOK)
@with_reason
def embeddings(
    context: dg.AssetExecutionContext, home: dg.ResourceParam[Home], models: dg.ResourceParam[HostedModels]
) -> dg.MaterializeResult[None]:
    """A vector for each chunk, kept by (model, text hash): only what the store lacks is embedded."""
    folder = home.book(context.partition_key)
    result = read_jsonl(folder / "chunks.jsonl", Chunk)
    embedder = models.embedder(home.settings.embedder)
    store = EmbeddingStore(home.embeddings, embedder.identity)
    cost = cost_of(store, embedder, result)
    cost.require_within(home.settings.budget_usd)
    before = models.embedded
    with models.embedding(last=context.retry_number >= AGAIN.max_retries):
        tally = embed_chunks(store, embedder, result, folder / "embedded.txt", logged_progress(context.log.info))
    enter_book(folder, home.vocabulary)
    context.log.info(
        f"{context.partition_key}: {tally.n_embedded} embedded, {tally.n_reused} reused, {tally.n_deleted} deleted; "
        "readers find it once the library is indexed and live"
    )
    model = f"{embedder.identity.name} {embedder.identity.version}"
    return materialized(
        content_version([model, *map(embedding_key, result)]),
        {
            "n_chunks": len(result),
            "dagster/partition_row_count": len(result),
            "n_embedded": tally.n_embedded,
            "n_reused": tally.n_reused,
            "n_deleted": tally.n_deleted,
            "n_tokens": cost.tokens,
            "usd": cost.usd,
            "n_model_tokens": models.embedded - before,
            "model_usd": cost.price.of(models.embedded - before) if cost.price else 0.0,
            "dimensions": embedder.identity.dimensions,
            "embedder": model,
        },
    )
