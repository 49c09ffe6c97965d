import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import EmbedderMismatchError, IndexCorruptError, RetrievalError
from retrieval.index.embedding import embedding_store
from retrieval.index.embedding.embedding_store import (
    MAX_CHARACTERS,
    EmbeddingStore,
    EmbeddingTally,
    embed_chunks,
    embedding_key,
    embedding_text,
    logged_progress,
    text_key,
)
from retrieval.types import Chunk, EmbedderIdentity, Vector
from tests.chunks import EMPTY

MODEL = EmbedderIdentity("toy", "1", 3)


def vectors(*first: float) -> np.ndarray:
    return np.asarray([[number, 0.5, -1] for number in first], dtype=np.float32)


def test_what_was_added_is_not_missing_and_comes_back_in_the_order_asked(tmp_path: Path) -> None:
    store = EmbeddingStore(tmp_path, MODEL)
    assert store.missing(["b", "a", "b"]) == ("b", "a")
    store.add(["a", "b"], vectors(1, 2))
    again = EmbeddingStore(tmp_path, MODEL)
    assert again.missing(["a", "c", "b"]) == ("c",)
    assert np.array_equal(again.get(["b", "a", "b"]), vectors(2, 1, 2))
    assert again.get([]).shape == (0, 3)
    assert again.keys() == {text_key(text).hex() for text in "ab"}


def test_another_model_or_version_has_vectors_of_its_own(tmp_path: Path) -> None:
    EmbeddingStore(tmp_path, MODEL).add(["a"], vectors(1))
    for other in (EmbedderIdentity("toy", "2", 3), EmbedderIdentity("toy/1", "1", 3), EmbedderIdentity("toy", "1", 4)):
        assert EmbeddingStore(tmp_path, other).missing(["a"]) == ("a",)


def test_two_models_whose_names_are_written_alike_have_files_of_their_own(tmp_path: Path) -> None:
    one, other = (EmbeddingStore(tmp_path, EmbedderIdentity(name, "1", 3)) for name in ("st:B/bge-m3", "st:B_bge-m3"))
    one.add(["a"], vectors(1))
    other.add(["a"], vectors(2))
    assert one.path != other.path
    assert (one.get(["a"])[0, 0], other.get(["a"])[0, 0]) == (1, 2)
    assert EmbeddingStore(tmp_path, one.identity).path == one.path


def test_a_missing_vector_is_an_error_and_never_zeros(tmp_path: Path) -> None:
    store = EmbeddingStore(tmp_path, MODEL)
    store.add(["a"], vectors(1))
    with pytest.raises(IndexCorruptError, match=r"1 of 2 texts have no vector.*'lost'"):
        store.get(["a", "lost"])


@pytest.mark.parametrize("wrong", [np.zeros((1, 4)), np.zeros((2, 3)), np.full((1, 3), np.nan)])
def test_a_vector_that_does_not_fit_is_refused(tmp_path: Path, wrong: np.ndarray) -> None:
    store = EmbeddingStore(tmp_path, MODEL)
    with pytest.raises(EmbedderMismatchError, match="embed"):
        store.add(["a"], wrong.astype(np.float32))
    assert len(store) == 0


def test_pruning_forgets_all_other_texts(tmp_path: Path) -> None:
    store = EmbeddingStore(tmp_path, MODEL)
    store.add(["a", "b", "c"], vectors(1, 2, 3))
    assert store.prune(["b", "unknown"]) == 2
    assert store.missing(["a", "b", "c"]) == ("a", "c")


def test_a_damaged_file_is_set_aside_and_its_texts_are_embedded_again(tmp_path: Path) -> None:
    store = EmbeddingStore(tmp_path, MODEL)
    store.add(list("abcdefgh") * 50, vectors(*range(400)))
    whole = store.path.read_bytes()
    for damaged in (b"not a database, but long enough to be looked at" * 100, whole[: len(whole) // 2]):
        store.path.write_bytes(damaged)
        assert store.missing(["a", "b"]) == ("a", "b")
        store.add(["a"], vectors(1))
        assert store.missing(["a", "b"]) == ("b",)
        assert store.path.with_suffix(".damaged").read_bytes() == damaged


def test_damage_that_shows_later_says_what_to_do(tmp_path: Path) -> None:
    store = EmbeddingStore(tmp_path, MODEL)
    store.path.write_bytes(b"not a database, but long enough to be looked at" * 100)
    with pytest.raises(IndexCorruptError, match="build again, which embeds its texts again"):
        store.get(["a"])
    assert len(store) == 0


def test_a_store_in_use_is_to_be_waited_for_and_never_to_be_deleted(tmp_path, monkeypatch):
    monkeypatch.setattr("retrieval.index.embedding.embedding_store._WAIT", 0.05)
    store = EmbeddingStore(tmp_path, MODEL)
    store.add(["a"], vectors(1))
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for use in (lambda: store.missing(["a"]), lambda: store.add(["b"], vectors(2)), lambda: len(store)):
            with pytest.raises(RetrievalError, match=r"in use or cannot be written \(.*locked\); wait") as raised:
                use()
            assert "delete" not in str(raised.value)
    assert store.missing(["a", "b"]) == ("b",)


def test_a_folder_in_place_of_the_store_is_no_bare_error(tmp_path: Path) -> None:
    store = EmbeddingStore(tmp_path, MODEL)
    store.path.mkdir()
    with pytest.raises(RetrievalError, match="in use or cannot be written"):
        store.missing(["a"])


KILLED = """
import os, signal, sys, numpy as np
from pathlib import Path
from retrieval.index.embedding.embedding_store import EmbeddingStore, text_key
from retrieval.types import EmbedderIdentity
store = EmbeddingStore(Path(sys.argv[1]), EmbedderIdentity("toy", "1", 3))
store.add(["whole"], np.ones((1, 3), dtype=np.float32))
class Dying(list):
    def __iter__(self):
        for place, text in enumerate(super().__iter__()):
            if place == 1500:
                os.kill(os.getpid(), signal.SIGKILL)
            yield text
texts = Dying(str(number) for number in range(2000))
store.add(texts, np.ones((2000, 3), dtype=np.float32))
"""


def test_a_killed_process_leaves_whole_batches_only(tmp_path: Path) -> None:
    died = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=Path.cwd(), check=False)
    assert died.returncode == -signal.SIGKILL
    store = EmbeddingStore(tmp_path, MODEL)
    assert len(store) == 1
    assert store.missing(["whole", "0"]) == ("0",)


class CountingEmbedder:
    """One-hot vectors by length; remembers what it was asked for, and fails on a word."""

    def __init__(self) -> None:
        self.identity = EmbedderIdentity("counting", "1", 8)
        self.batches: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Vector:
        if any("poison" in text for text in texts):
            raise RuntimeError("poison")
        self.batches.append(list(texts))
        return np.eye(8, dtype=np.float32)[[len(text) % 8 for text in texts]]

    def embed_query(self, text: str) -> Vector:
        return self.embed([text])[0]


def prose(text: str) -> Chunk:
    return replace(EMPTY, id=text, text=text, search_text=text, source=text)


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def store(tmp_path: Path, embedder: CountingEmbedder) -> EmbeddingStore:
    return EmbeddingStore(tmp_path / "store", embedder.identity)


def test_what_the_store_has_is_not_embedded_again(store, embedder, tmp_path):
    ledger = tmp_path / "embedded.txt"
    first = [prose("one"), prose("two"), prose("two")]
    assert embed_chunks(store, embedder, first, ledger) == EmbeddingTally(2, 0, 0)
    assert embed_chunks(store, embedder, first, ledger) == EmbeddingTally(0, 2, 0)
    assert embed_chunks(store, embedder, [prose("one"), prose("three")], ledger) == EmbeddingTally(1, 1, 1)
    assert embedder.batches == [["one", "two"], ["three"]]


def test_a_cell_that_the_embedder_does_not_see_is_embedded_once_all_the_same() -> None:
    row = replace(
        prose("x"),
        kind="row",
        columns=("Level", "Roll"),
        cells=("6", "14"),
        row_key="6",
        search_text="Level: 6; Roll: 14",
    )
    changed = replace(row, cells=("6", "15"), search_text="Level: 6; Roll: 15")
    assert embedding_key(row) != embedding_key(changed)


def test_a_pass_that_dies_keeps_the_batches_before(store, embedder, tmp_path, monkeypatch):
    monkeypatch.setattr(embedding_store, "BATCH", 2)
    chunks = [prose("one"), prose("two"), prose("poison"), prose("four")]
    with pytest.raises(RuntimeError, match="poison"):
        embed_chunks(store, embedder, chunks, tmp_path / "embedded.txt")
    assert len(store) == 2
    assert not (tmp_path / "embedded.txt").exists()
    rest = [chunk for chunk in chunks if chunk.text != "poison"]
    assert embed_chunks(store, embedder, rest, tmp_path / "embedded.txt") == EmbeddingTally(1, 2, 0)


def test_a_garbled_ledger_costs_a_count_and_no_vector(store, embedder, tmp_path):
    ledger = tmp_path / "embedded.txt"
    embed_chunks(store, embedder, [prose("one")], ledger)
    whole = ledger.read_bytes()
    ledger.write_bytes(b"\xff\x00" * 40)
    assert embed_chunks(store, embedder, [prose("one")], ledger) == EmbeddingTally(0, 1, 0)
    assert ledger.read_bytes() == whole


def test_how_far_the_embedding_is_is_logged_at_most_once_in_ten_seconds(store, embedder, tmp_path, monkeypatch):
    monkeypatch.setattr(embedding_store, "BATCH", 1)
    times, lines = iter([0.0, 3.0, 9.9, 10.0, 10.0, 12.0, 25.0, 25.0]), []
    tell = logged_progress(lines.append, timer=lambda: next(times))
    chunks = [prose(str(number)) for number in range(5)]
    embed_chunks(store, embedder, chunks, tmp_path / "embedded.txt", tell)
    assert lines == ["2 of 5 chunks embedded", "4 of 5 chunks embedded"]


ROW = replace(
    EMPTY,
    id="1",
    kind="row",
    text="{}",
    search_text="all of it",
    heading_path=("Combat", "Matrices"),
    caption="Clerics",
    row_key="6",
    columns=("Armor Class", "Level 1", "Level 2", "Note"),
    cells=("6", "14", "13", "as cleric"),
    names=("ac 6", "ac 7", "the sixth"),
    metadata={"row_label": "Holy orders"},
)


def test_a_row_is_its_title_and_cells_with_their_headings_prose_itself_and_both_are_cut():
    assert embedding_text(ROW) == ("Matrices - Clerics - 6. Armor Class: 6. Level 1: 14. Level 2: 13. Note: as cleric")
    assert (
        embedding_text(replace(ROW, cells=("6", "", "13", ""))) == "Matrices - Clerics - 6. Armor Class: 6. Level 2: 13"
    )
    matrix = replace(ROW, columns=("Armor Class", *(f"Level {level}" for level in range(5)), "Note"))
    assert embedding_text(replace(matrix, cells=("6", "14", "13", "12", "11", "10", "as cleric"))) == (
        "Matrices - Clerics - 6. Armor Class: 6. Note: as cleric. Level. the sixth, ac 6"
    )
    prose = replace(EMPTY, id="1", text="t", search_text="A\nwords", heading_path=("A",))
    assert embedding_text(prose) == "A\nwords"
    assert len(embedding_text(replace(ROW, cells=("6", "14", "13", "word " * 1_000_000)))) == MAX_CHARACTERS
