"""Work that a build need not repeat: books with up-to-date records, and the whole library if it is live."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import dagster as dg

from evals.questions.question_sets import questions_version
from pipeline.building.kept_work import VERDICT_PREFIX, KeptWork, Numbers, program_version
from pipeline.building.materialization import content_version
from pipeline.runs.outcomes import RunOutcome
from retrieval.errors import RetrievalError
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import EmbeddingStore
from retrieval.index.snapshot.live import live_id
from retrieval.index.snapshot.snapshot import is_as_built
from retrieval.ingest.library.library import BookFolder, book_files
from retrieval.ingest.model_names.naming import names_prompt_version
from retrieval.ingest.model_passages.describing import passages_prompt_version
from retrieval.ingest.model_tables.request import prompt_version, read_table_list
from retrieval.settings import Settings
from retrieval.types import EmbedderIdentity

BOOK_FILE = "finished.json"
"""File in a book's folder of records, present once it was indexed to the end."""
WHOLE_FILE = "finished.json"
"""File in the home, present once the result of a build is live."""
LAST_ASSET = dg.AssetKey("embeddings")
"""The last asset of a book."""


class Unchanged:
    """Compares the results of earlier builds with the current library.

    Files are compared byte for byte, so that damaged ones are made again even if nothing changed. Nothing is reused
    after a change of the program's version, the embedder or the vocabulary.
    """

    def __init__(self, home: Home, instance: dg.DagsterInstance, folders: Iterable[BookFolder]) -> None:
        self._home, self._instance = home, instance
        self._embedder = _identity(home)
        self._keys = {folder.slug: book_key(folder, self._embedder, home.settings) for folder in folders}
        self._vectors = self._present_vectors()

    def books(self) -> dict[str, RunOutcome]:
        """Return the books that no run has to read again, with the numbers that a run would report now."""
        finished = self._instance.get_materialized_partitions(LAST_ASSET) if self._vectors else set()
        records = {slug: self._book(slug) for slug in self._keys if slug in finished}
        return {slug: RunOutcome((), _again(record.numbers)) for slug, record in records.items() if record is not None}

    def whole(self) -> Numbers | None:
        """Return the numbers of the whole-library assets if a build would make exactly what is live; else None.

        Call it only if every book is among `books`.
        """
        kept = KeptWork.read(self._home.root / WHOLE_FILE, self._whole_key())
        if kept is None:
            return None
        try:
            candidate = self._home.candidate
            is_live = live_id(self._home.root) == candidate == kept.numbers["candidate_index"]["snapshot"]
            is_sound = is_live and is_as_built(self._home.root, candidate)
        except (RetrievalError, KeyError):
            return None
        return _again(kept.numbers) if is_sound else None

    def forget(self, slug: str) -> None:
        """Delete the mark of a finished book; call it before a run changes its records."""
        (self._home.book(slug) / BOOK_FILE).unlink(missing_ok=True)

    def forget_whole(self) -> None:
        """Delete the mark of a finished build; call it before a run changes anything."""
        (self._home.root / WHOLE_FILE).unlink(missing_ok=True)

    def keep(self, slug: str, numbers: Numbers) -> None:
        """Record that a run has indexed a book to the end."""
        folder = self._home.book(slug)
        KeptWork.of(self._keys[slug], folder, _files(folder), numbers).write(folder / BOOK_FILE)

    def keep_whole(self, numbers: Numbers) -> None:
        """Record that the result of a build is live."""
        root = self._home.root
        places = (self._home.lexical, self._home.graph, self._home.evaluations / self._home.candidate)
        files = [path for position in places for path in _files(position)]
        KeptWork.of(self._whole_key(), root, files, numbers).write(root / WHOLE_FILE)

    def _book(self, slug: str) -> KeptWork | None:
        folder = self._home.book(slug)
        kept = KeptWork.read(folder / BOOK_FILE, self._keys[slug])
        has_vectors = kept and self._vectors.issuperset((folder / "embedded.txt").read_text("ascii").split())
        return kept if has_vectors else None

    def _whole_key(self) -> str:
        settings = self._home.settings
        query = [questions_version(settings.questions), *map(str, settings.questions)]
        books = [f"{slug} {key}" for slug, key in sorted(self._keys.items())]
        return content_version([program_version(), str(settings.chroma), *query, *books])

    def _present_vectors(self) -> frozenset[str]:
        """Return the keys of the stored vectors; none if the store cannot be read, which its asset reports."""
        if self._embedder is None:
            return frozenset()
        try:
            return EmbeddingStore(self._home.embeddings, self._embedder).keys()
        except RetrievalError:
            return frozenset()


def book_key(folder: BookFolder, embedder: EmbedderIdentity | None, settings: Settings) -> str:
    """Return a hash of all inputs of a book's records."""
    # Names of ignored files count, because the end of a build reports them and the digest does not cover them.
    files = book_files(folder.path, folder.library)
    others = [str(path) for path in files.ignored] + [f"{path} {why}" for path, why in files.refused]
    names = sorted(name.removeprefix(str(folder.path)) for name in others)
    how = [program_version(), str(embedder), _settings_of_books(settings), *_models_of(settings)]
    return content_version([*how, folder.digest, folder.path.name, *map(ascii, names)])


def _settings_of_books(settings: Settings) -> str:
    """Return the settings without those that no book's records depend on; a new setting is assumed to matter."""
    usual = Settings()
    return repr(
        replace(
            settings,
            library=None,
            questions=(),
            chroma=None,
            nightly=usual.nightly,
            timezone=usual.timezone,
            executor=usual.executor,
            processes=usual.processes,
            budget_usd=None,
            retrieval=usual.retrieval,
            strategy=usual.strategy,
            answer=usual.answer,
            understand=usual.understand,
        )
    )


def _models_of(settings: Settings) -> list[str]:
    """Return the inputs of a model's answers besides the settings; empty if only the rules are used."""
    passages = [passages_prompt_version()] if settings.passages.enrichment == "model" else []
    if settings.tables.transformer == "rules":
        return passages
    path = settings.tables.table_list
    chosen = read_table_list(Path(path).expanduser()) if path else ()
    tables = names_prompt_version() if settings.tables.transformer == "names" else prompt_version()
    return [tables, *chosen, *passages]


def _again(numbers: Mapping[str, Mapping[str, object]]) -> Numbers:
    """Return the numbers that a run would report if it found the results of this run present."""
    again = {asset: dict(values) for asset, values in numbers.items()}
    if embedded := again.get("embeddings"):
        fresh, reused = embedded["n_embedded"], embedded["n_reused"]
        total = fresh + reused if isinstance(fresh, int) and isinstance(reused, int) else reused
        embedded |= {"n_embedded": 0, "n_reused": total, "n_deleted": 0, "n_tokens": 0, "usd": 0.0}
    for values in again.values():
        if "n_model_tokens" in values:
            values |= {"n_model_tokens": 0, "model_usd": None if values["model_usd"] is None else 0.0}
    if index := again.get("candidate_index"):
        index |= {"n_forgotten": 0, "is_live": 1}
    if live := again.get("live_index"):
        live |= {"n_promoted": 0, "previous": live["snapshot"]}
    return again


def _files(folder: Path) -> list[Path]:
    # Excludes the verdicts of checks: they are written after the book is finished and have keys of their own.
    left = (path for path in folder.rglob("*") if path.is_file())
    return [path for path in left if path.name != BOOK_FILE and not path.name.startswith(VERDICT_PREFIX)]


def _identity(home: Home) -> EmbedderIdentity | None:
    try:
        return load_embedder(home.settings.embedder).identity
    except RetrievalError:
        return None
