"""The plan of a build: what it would leave alone is asked of what the builds before left, without a run."""

from pipeline.building.book_entry import read_for_index
from pipeline.building.kept_work import KeptWork
from pipeline.building.plan import BuildPlan, plan_build
from pipeline.runs.unchanged import BOOK_FILE, book_key
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.token_counts import cuts_for
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.library.library import BookFolder


def planned(home: Home) -> BuildPlan:
    """What a build of `home` would do; a book that would be read again is read and cut here, and kept nowhere.

    Raises:
        LibraryError: the library cannot be read.
        UnknownNameError: no embedder is called what the settings say.
    """
    embedder = load_embedder(home.settings.embedder)
    identity, cuts = embedder.identity, cuts_for(home.settings, embedder)

    def is_kept(folder: BookFolder) -> bool:
        records = home.book(folder.slug)
        kept = KeptWork.read(records / BOOK_FILE)
        return kept is not None and kept.key == book_key(folder, identity, home.settings) and kept.is_whole(records)

    return plan_build(home, lambda folder: chunks_of_book(read_for_index(home, folder), home.vocabulary, cuts), is_kept)
