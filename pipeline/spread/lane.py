"""One of the processes that index books: it takes one book after the other that no other has taken."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from pipeline.building.hosted_models import HostedModels
from pipeline.spread.job_run import run_job
from retrieval.book_lock import book_turn, book_turn_now
from retrieval.home import Home
from retrieval.ingest.library.book_files import book_files
from retrieval.ingest.library.library import BookFolder
from retrieval.models.access import Access, Limits
from retrieval.write_lock import Holder, holder


@dataclass(frozen=True, slots=True)
class LaneOrder:
    """What all lanes of one run are told."""

    home: Home
    books: tuple[str, ...]
    """Slugs, in the order in which they are begun."""
    build: str
    """Whose books these are: what one lane is done with, the others leave alone."""
    tags: dict[str, str]
    """Of the run of each book."""
    lanes: int
    holder: Holder | None = None
    """Who has the home, where lanes work for a build: once somebody else has it, or nobody, they end."""


def largest_first(folders: Sequence[BookFolder]) -> tuple[str, ...]:
    """The slugs of books by their size: the last ones to begin are short, so that no lane waits long for another."""
    sizes = {folder.slug: sum(path.stat().st_size for path in _files(folder)) for folder in folders}
    return tuple(sorted(sizes, key=lambda slug: (-sizes[slug], slug)))


def _files(folder: BookFolder) -> Sequence[Path]:
    return (folder.path,) if folder.path.is_file() else book_files(folder.path, folder.library).markdown


def index_books(
    order: LaneOrder, job: dg.JobDefinition, instance: dg.DagsterInstance, tell: Callable[[str], None]
) -> list[str]:
    """Index what no other lane is at or was at; those that failed.

    A second look waits for the books that somebody else is in: what another lane leaves unfinished, because it was
    killed, is done here.

    Args:
        order: what is to be done.
        job: the one that indexes a book.
        instance: whose history the run of each book is in.
        tell: told of each book.
    """
    models = HostedModels(lambda: _share(Access.of_environment(), order.lanes))
    failed: list[str] = []
    for turn_of in (book_turn_now, book_turn):
        for slug in order.books:
            if order.holder is not None and holder(order.home.root) != order.holder:
                return failed  # the build was stopped, and another one may be at work
            with turn_of(order.home.root, slug) as turn:
                if turn is None or turn.was_done_by(order.build):
                    continue
                tell(slug)
                if not run_job(job, instance, order.home, models, order.tags, partition_key=slug).success:
                    failed.append(slug)
                turn.is_done_by(order.build)
    return failed


def _share(access: Access, lanes: int) -> Access:
    """The limits are of all lanes together."""
    limits = access.limits
    per_minute = limits.tokens_per_minute and max(1, limits.tokens_per_minute // lanes)
    return Access(access.key, access.address, Limits(max(1, limits.concurrency // lanes), per_minute))
