"""The four jobs that the command, the sensor and the schedule run, in the order in which a build runs them."""

import dagster as dg

BOOK_ASSETS = ("books", "tables", "table_rows", "predicates", "chunks", "embeddings")
BOOK_CHECKS = dg.AssetSelection.checks_for_assets(*(dg.AssetKey(name) for name in BOOK_ASSETS))

# The checks on books look at the whole library, so they run once before the snapshot and not once for each book.
index_book = dg.define_asset_job("index_book", dg.AssetSelection.assets(*BOOK_ASSETS).without_checks())
index_library = dg.define_asset_job(
    "index_library", dg.AssetSelection.assets("lexical", "graph", "candidate_index") | BOOK_CHECKS
)
evaluate = dg.define_asset_job("evaluate", dg.AssetSelection.assets("evaluation"))
go_live = dg.define_asset_job("go_live", dg.AssetSelection.assets("leaderboard", "live_index"))
