"""The jobs that the command, the sensors and the schedule run, in the order in which a build runs them."""

import dagster as dg

BOOK_ASSETS = ("books", "tables", "table_rows", "predicates", "chunks", "embeddings")
LIBRARY_ASSETS = ("lexical", "graph", "candidate_index", "leaderboard", "live_index")
BOOK_CHECKS = dg.AssetSelection.checks_for_assets(*(dg.AssetKey(name) for name in BOOK_ASSETS))

# The checks on books look at the whole library, so they run once before the snapshot and not once for each book.
index_book = dg.define_asset_job(
    "index_book",
    dg.AssetSelection.assets(*BOOK_ASSETS).without_checks(),
    description="Read one book, cut it into chunks and embed what is new. Readers see nothing of it yet.",
    tags={"domain": "books"},
)
index_library = dg.define_asset_job(
    "index_library",
    dg.AssetSelection.assets("lexical", "graph", "candidate_index") | BOOK_CHECKS,
    description="Check the books and put all of them into one snapshot, the candidate. Readers see nothing of it yet.",
    tags={"domain": "index"},
)
evaluate = dg.define_asset_job(
    "evaluate",
    dg.AssetSelection.assets("evaluation"),
    description="Score one strategy, or several, on the candidate with the home's questions.",
    tags={"domain": "scores"},
)
go_live = dg.define_asset_job(
    "go_live",
    dg.AssetSelection.assets("leaderboard", "live_index"),
    description="Score the candidate and let it go live if every blocking check holds for it.",
    tags={"domain": "live"},
)
promote = dg.define_asset_job(
    "promote",
    dg.AssetSelection.assets("live_index").without_checks(),
    description="Let the candidate go live on the checks that ran; with a reason (config: force) past those on scores.",
    tags={"domain": "live"},
)
build_library = dg.define_asset_job(
    "build_library",
    dg.AssetSelection.assets(*BOOK_ASSETS, *LIBRARY_ASSETS),
    description="One book, then the whole library up to what is live: check, index, score, promote.",
    tags={"domain": "live"},
)
OF_ASSETS = (index_book, index_library, evaluate, go_live, promote, build_library)
"""`lanes.py` makes the one that is of none: its executor is a setting."""
