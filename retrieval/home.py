"""The home: one folder, with one layout, that contains everything that was built.

::

    <home>/rag.yaml                               the user's settings; no program writes it
    <home>/remembered.yaml                        what the last build used
    <home>/books/<slug>/<records>.jsonl           the records of each book, step by step
    <home>/books/<slug>/finished.json             the inputs of those records, and their hashes
    <home>/embeddings/                            vectors by (model, text hash), shared by all books
    <home>/models/                                answers of hosted models, and their cost
    <home>/lexical/                               the lexical index of the last build
    <home>/graph/                                 its graph
    <home>/snapshots/<id>/                        complete indexes
    <home>/candidate                              id of the newest snapshot, live or not
    <home>/live                                   id of the snapshot that searches use
    <home>/documents.jsonl                        the ingested documents, while an index is made again from them
    <home>/live.jsonl                             which snapshots were live, and since when
    <home>/evaluations/<snapshot>/<strategy>/     scores
    <home>/finished.json                          the inputs of the last build that went live, and its reported numbers
    <home>/artifacts.sqlite                       the live snapshot as `querymust export` wrote it, for other programs
    <home>/dagster/                               run history
"""

import shlex
import shutil
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from retrieval.artifacts.sqlite_store import ARTIFACTS_FILE as ARTIFACTS
from retrieval.errors import (
    IndexCorruptError,
    LibraryError,
    NothingLiveError,
    UnknownNameError,
    UnreadableSettingsError,
)
from retrieval.files.atomic_files import write_atomically
from retrieval.index.snapshot.live import is_id
from retrieval.ingest.library.library import VOCABULARY_FILE
from retrieval.ingest.library.slugs import slugify
from retrieval.language.vocabulary import Vocabulary, load_vocabulary
from retrieval.settings import SETTINGS_FILE, Settings


@cache
def _read_vocabulary(path: Path, _changed: int) -> Vocabulary:
    # One object for one file: canonical forms are cached by vocabulary.
    return load_vocabulary(path)


def is_book_key(key: str) -> bool:
    """Whether a book can have this slug; any other key could refer to a folder outside of the records."""
    try:
        return slugify(key) == key
    except LibraryError:
        return False


USUAL_HOME = ".querymust"
"""A command that is run in the folder that contains a home of this name finds it without `--home`."""


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of one library's index. Key: root."""

    root: Path
    settings: Settings = field(default_factory=Settings)

    @classmethod
    def at(cls, root: Path) -> "Home":
        """Return the home at `root` with its stored settings; nothing is created."""
        root = root.expanduser().resolve()
        return cls(root, Settings.read(root))

    @property
    def option(self) -> str:
        """The option with which a command finds this home, quoted for a shell; empty for the one of this folder."""
        return "" if self.root == Path.cwd() / USUAL_HOME else f" --home {shlex.quote(str(self.root))}"

    @property
    def library(self) -> Path:
        """Folder of the books.

        Raises:
            LibraryError: no build has named a library yet.
        """
        if self.settings.library is None:
            raise LibraryError(f"{self.root} has no library yet; run: querymust build --library DIR")
        return self.settings.library

    def strategy(self, name: str | None = None) -> str:
        """Return the name of the strategy to search with: the given one, else that of the settings.

        Raises:
            UnknownNameError: there is no such strategy.
        """
        from retrieval.search.strategies import strategy

        if name is not None:
            return strategy(name).name
        try:
            return strategy(self.settings.strategy).name
        except UnknownNameError as error:
            raise UnreadableSettingsError(f"{self.root / SETTINGS_FILE}: {error}") from error

    @property
    def vocabulary(self) -> Vocabulary:
        """The library's vocabulary: its `vocabulary.toml` combined with the generic one; without that file, only the
        generic one.

        Raises:
            LibraryError: the file cannot be read as a vocabulary.
        """
        path = self.settings.library / VOCABULARY_FILE if self.settings.library else None
        return _read_vocabulary(path, path.stat().st_mtime_ns) if path and path.is_file() else Vocabulary.default()

    @property
    def dagster(self) -> Path:
        """The folder for DAGSTER_HOME."""
        return self.root / "dagster"

    @property
    def embeddings(self) -> Path:
        """The store of vectors."""
        return self.root / "embeddings"

    @property
    def models(self) -> Path:
        """Answers of hosted models, and their cost."""
        return self.root / "models"

    @property
    def lexical(self) -> Path:
        """The lexical index of the last build."""
        return self.root / "lexical"

    @property
    def graph(self) -> Path:
        """The graph of the last build."""
        return self.root / "graph"

    @property
    def chroma(self) -> Path:
        """The live index as Chroma collections, if they are not on a server."""
        return self.root / "chroma"

    @property
    def artifacts(self) -> Path:
        """The embedded artifact store."""
        return self.root / ARTIFACTS

    def book(self, slug: str) -> Path:
        """Return the folder of one book's records.

        Raises:
            LibraryError: no book can have this key. This is checked because Dagster does not check partition keys, and
                the folder may be deleted.
        """
        if not is_book_key(slug):
            raise LibraryError(
                f"{slug!r} cannot be a book's key: a key is lower-case letters and digits with dots or dashes between "
                "them; delete the partition of that name"
            )
        return self.root / "books" / slug

    def forget(self, slug: str) -> None:
        """Delete one book's records; snapshots with the book stay as they are.

        Raises:
            LibraryError: no book can have this key; nothing was deleted.
        """
        shutil.rmtree(self.book(slug), ignore_errors=True)

    @property
    def evaluations(self) -> Path:
        """Scores, in a folder for each snapshot."""
        return self.root / "evaluations"

    @property
    def candidate(self) -> str:
        """Id of the newest snapshot.

        Raises:
            IndexMissingError: no snapshot was built here.
            IndexCorruptError: the file with the id is damaged.
        """
        pointer = self.root / "candidate"
        if not pointer.is_file():
            raise NothingLiveError.of(self.root, "no snapshot was built")
        snapshot_id = pointer.read_text(encoding="utf-8", errors="replace").strip()
        if not is_id(snapshot_id):
            raise IndexCorruptError(f"{pointer} names no snapshot ({snapshot_id[:40]!r}); build the index again")
        return snapshot_id

    def nominate(self, snapshot: str) -> None:
        """Make `snapshot` the candidate for going live."""
        write_atomically(self.root / "candidate", snapshot + "\n")
