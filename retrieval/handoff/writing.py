"""Write a snapshot's artifacts into a store."""

from collections.abc import Callable
from dataclasses import dataclass

from retrieval.artifacts.artifacts import BookKey, TraversalIndexEntry
from retrieval.artifacts.store import ArtifactStore
from retrieval.handoff.projection import Choice, Projection

Progress = Callable[[str, int, int], None]
"""Called with the book that is written, how many are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written, and what was removed because the snapshot no longer has it."""

    run_id: str
    entries: tuple[TraversalIndexEntry, ...]
    removed: tuple[BookKey, ...]
    rulesets: tuple[str, ...]
    """Those whose config was written too."""


def write_artifacts(
    projection: Projection, store: ArtifactStore, choice: Choice, tell: Progress = lambda *_: None
) -> Written:
    """Write the chosen books and the configs of their rulesets. Books that the snapshot does not have are removed.

    Raises:
        UnknownNameError: there is no such book or ruleset; nothing was written.
        VectorDBWriteError: what was written is not whole; readers are told.
    """
    chosen = choice.of(projection.books)
    gone = tuple(sorted({entry.book for entry in store.entries()} - set(projection.books)))
    for book in gone:
        store.remove_book(book)
    entries = []
    for done, book in enumerate(chosen):
        tell(book.book_id, done, len(chosen))
        artifacts = projection.book(book)
        store.replace_book(artifacts)
        entries.append(artifacts.entry)
    rulesets = tuple(sorted({book.ruleset_id for book in chosen}))
    for ruleset in rulesets:
        store.save_config(projection.config(ruleset))
    return Written(projection.run_id, tuple(entries), gone, rulesets)
