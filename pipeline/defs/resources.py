"""The resources of the assets, from the environment, and the jobs."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import dagster as dg
from pydantic import Field

from pipeline.building.hosted_models import HostedModels
from retrieval.files.locks import alive, among_books, book_turn, write_lock_when_free
from retrieval.home import Home, is_book_key
from retrieval.models.access import Access, Limits
from retrieval.settings import REMEMBERED, SETTINGS_FILE

BOOK_ASSETS = ("books", "tables", "table_rows", "predicates", "chunks", "embeddings")
LIBRARY_ASSETS = ("lexical", "graph", "candidate_index", "leaderboard", "live_index", "chroma_collections")
BOOK_CHECKS = dg.AssetSelection.checks_for_assets(*(dg.AssetKey(name) for name in BOOK_ASSETS))

# The checks on books look at the whole library, so they run once before the snapshot and not once for each book.
index_book = dg.define_asset_job(
    "index_book",
    dg.AssetSelection.assets(*BOOK_ASSETS).without_checks(),
    description="Read one book, cut it into chunks and embed what is new. Readers do not see it yet.",
    tags={"domain": "books"},
)
index_library = dg.define_asset_job(
    "index_library",
    dg.AssetSelection.assets("lexical", "graph", "candidate_index") | BOOK_CHECKS,
    description="Check the books and put all of them into one snapshot, the candidate. Readers do not see it yet.",
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
fill_chroma = dg.define_asset_job(
    "fill_chroma",
    dg.AssetSelection.assets("chroma_collections"),
    description="Update Chroma's collections to the live index, for other programs.",
    tags={"domain": "live"},
)
build_library = dg.define_asset_job(
    "build_library",
    dg.AssetSelection.assets(*BOOK_ASSETS, *LIBRARY_ASSETS),
    description="One book, then the whole library up to what is live: check, index, score, promote.",
    tags={"domain": "live"},
)
OF_ASSETS = (index_book, index_library, evaluate, go_live, promote, fill_chroma, build_library)
"""Jobs of assets. `lanes.py` makes the only other job, because its executor is a setting."""


PARTITION, PARTITION_RANGE = "dagster/partition", "dagster/asset_partition_range_start"
UNNAMED_BOOK = (
    "this run does not name one book; choose its partition when you launch the run, "
    "or launch index_books, which indexes every book that changed"
)
UNNAMED_STRATEGY = (
    "this run names no strategy; choose one or several partitions when you launch it, "
    "or launch go_live, which scores all of them"
)


class PartitionMissingError(dg.DagsterError):
    """A run does not name its book or its strategy.

    It derives from Dagster's own error, because Dagster shows those as they are.
    """


class HomeResource(dg.ConfigurableResource[Home]):
    """Gives assets a `retrieval.home.Home`; no asset sees a Dagster resource."""

    path: str = Field(description="Folder of the index and its records.")

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[Home]:
        """The home with the settings that its last build left there; a run has it to itself until it ends.

        A run of one book shares it with runs of other books. A run waits for a build of the command, and a build says
        who is at work. A sensor has no run, and locks the home itself if it changes it.
        """
        root = Path(self.path).expanduser().resolve()
        with ExitStack() as stack:
            if context.run is not None and context.log is not None:
                if missing := _missing_partition(context.run):
                    raise PartitionMissingError(missing)
                stack.enter_context(alive(root, context.run.run_id))
                slug = _book_of(context.run)
                if slug is None:
                    stack.enter_context(write_lock_when_free(root, context.log.info))
                else:
                    stack.enter_context(among_books(root, context.log.info))
                    stack.enter_context(book_turn(root, slug, context.log.info))
            yield Home.at(root)


def _book_of(run: dg.DagsterRun) -> str | None:
    """Return the book that a run works on; None if it works on several, or on the whole library."""
    slug = run.tags.get(PARTITION)
    if slug is None or not is_book_key(slug):
        return None
    chosen = {key.to_user_string() for key in run.asset_selection or ()}
    is_of_books = chosen <= set(BOOK_ASSETS) if chosen else run.job_name == index_book.name
    return slug if is_of_books and not run.asset_check_selection else None


def _missing_partition(run: dg.DagsterRun) -> str | None:
    """Return what to do about a run that does not name its book or its strategy, or None if it does.

    Without this check Dagster would fail with a message of its own before the asset can.
    """
    chosen = {key.to_user_string() for key in run.asset_selection or ()}
    is_of_books = bool(chosen & set(BOOK_ASSETS)) if chosen else run.job_name in {index_book.name, build_library.name}
    is_of_strategies = "evaluation" in chosen if chosen else run.job_name == evaluate.name
    if PARTITION in run.tags or not (is_of_books or is_of_strategies):
        return None
    if is_of_books:
        return UNNAMED_BOOK
    return None if PARTITION_RANGE in run.tags else UNNAMED_STRATEGY


class ModelsResource(dg.ConfigurableResource[HostedModels]):
    """Gives assets the hosted models: one client, with its limits, for all that a run asks.

    The key is read from the environment when it is needed and is no field: no run's configuration shows it.
    """

    base_url: str | None = Field(
        default=None, description="Address of a server other than OpenAI's; default: OPENAI_BASE_URL."
    )
    concurrency: int | None = Field(
        default=None, ge=1, description="Concurrent requests; default: QUERYMUST_MODEL_CONCURRENCY."
    )
    tokens_per_minute: int | None = Field(
        default=None, ge=1, description="Sent and received per minute; default: QUERYMUST_MODEL_TOKENS_PER_MINUTE."
    )

    def create_resource(self, context: dg.InitResourceContext) -> HostedModels:  # noqa: ARG002
        """What the assets of one run ask."""
        return HostedModels(self._access)

    def _access(self) -> Access:
        environment = Access.of_environment()
        limits = Limits(
            self.concurrency or environment.limits.concurrency,
            self.tokens_per_minute or environment.limits.tokens_per_minute,
        )
        return Access(environment.key, self.base_url or environment.address, limits)


def default_home(environment: Mapping[str, str] = os.environ) -> Path:
    """`QUERYMUST_HOME`, else the folder that holds DAGSTER_HOME if a build wrote it, else `.querymust`."""
    if named := environment.get("QUERYMUST_HOME"):
        return Path(named)
    dagster_home = environment.get("DAGSTER_HOME")
    if dagster_home:
        parent = Path(dagster_home).parent
        if any((parent / name).is_file() for name in (REMEMBERED, SETTINGS_FILE)):
            return parent
    return Path(".querymust")
