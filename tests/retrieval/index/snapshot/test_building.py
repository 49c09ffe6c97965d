"""A snapshot that begins as another is the snapshot that a build from nothing gives, after whatever was edited."""

import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.errors import IndexCorruptError
from retrieval.index.chroma import collections
from retrieval.index.chroma.soundness import NAMES, NeighbourSearch
from retrieval.index.snapshot import building, verification
from retrieval.index.snapshot.live import snapshot_folder
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.index.snapshot.verification import verify_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Chunk
from tests.retrieval.index.conftest import MODEL, MUST, ask_graphs, chunk, held, vectors_of

COUNT = 90
SPARE = 200
VECTORS = vectors_of(COUNT + SPARE)

Library = dict[str, tuple[Chunk, int]]
"""By id: a chunk, and which of the vectors is its own."""


def library() -> Library:
    return {chunk(number).id: (chunk(number), number) for number in range(COUNT)}


def make(home: Path, chunks: Library) -> str:
    rows = [number for _, number in chunks.values()]
    return build_snapshot(home, [each for each, _ in chunks.values()], VECTORS[rows], MODEL, Vocabulary.default()).id


def edit(chunks: Library, rng: random.Random, step: int) -> None:
    """One of the things that happen to a library, at a random place."""
    chosen = rng.choice(sorted(chunks))
    entry, number = chunks[chosen]
    match rng.randrange(6):
        case 0:
            del chunks[chosen]
        case 1:
            new = chunk(COUNT + step)
            chunks[new.id] = new, COUNT + step
        case 2:
            chunks[chosen] = replace(entry, text=f"{entry.text} again"), number
        case 3:
            chunks[chosen] = entry, COUNT + SPARE - 1 - step  # the same record, embedded otherwise
        case 4:
            chunks[chosen] = replace(entry, query_must=None if entry.query_must else MUST), number
        case _:
            chunks[chosen] = replace(entry, metadata={"draft": True}), number


def changed(home: Path, name: str) -> int:
    search = NeighbourSearch.read(snapshot_folder(home, name))
    assert search is not None
    return search.changed


@pytest.mark.slow
def test_any_edits_one_after_another_give_what_a_build_from_nothing_gives(tmp_path: Path) -> None:
    rng, chunks, home = random.Random(1), library(), tmp_path / "home"
    make(home, chunks)
    begun = 0
    for step in range(4):
        for _ in range(rng.choice([1, 1, 2])):
            edit(chunks, rng, step)
        name = make(home, chunks)
        begun += changed(home, name) > 0
        fresh = tmp_path / f"fresh-{step}"
        assert make(fresh, chunks) == name, "every file of ours is the same, byte for byte"
        assert changed(fresh, name) == 0
        with open_snapshot(home, name) as one, open_snapshot(fresh, name) as other:
            assert verify_snapshot(one) == ()
            assert held(one) == held(other)
            for query in VECTORS[-3:]:
                for each in NAMES:
                    assert one.collections.nearest(each, query, 5).ids == other.collections.nearest(each, query, 5).ids
    assert begun >= 3


def test_graphs_that_changed_much_are_built_whole_again(tmp_path: Path) -> None:
    chunks = library()
    make(tmp_path, chunks)
    counts = []
    for step in range(6):
        one = sorted(chunks)[step]
        chunks[one] = replace(chunks[one][0], text=f"edited {step}"), chunks[one][1]
        counts.append(changed(tmp_path, make(tmp_path, chunks)))
    assert counts == [2, 4, 6, 8, 0, 2], "more than a tenth of 90 records is too many"
    less = dict(list(chunks.items())[:60])
    assert changed(tmp_path, make(tmp_path, less)) == 0


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def other_recipe(folder: Path) -> None:
    search = NeighbourSearch.read(folder)
    assert search is not None
    replace(search, recipe="another").write(folder)


SPOILED: dict[str, Callable[[Path], object]] = {
    "a damaged database": lambda folder: flip(folder / "chroma" / "chroma.sqlite3"),
    "damaged chunks": lambda folder: flip(folder / "chunks.jsonl"),
    "no seal": lambda folder: (folder / "chroma" / "seal.json").unlink(),
    "no manifest": lambda folder: (folder / "manifest.json").unlink(),
    "another recipe": other_recipe,
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("built")
    make(home, library())
    return home


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED.keys())
def test_nothing_begins_as_a_copy_of_what_is_not_whole(
    built: Path, tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    home = tmp_path / "home"
    shutil.copytree(built, home)
    (folder,) = (home / "snapshots").iterdir()
    spoil(folder)
    chunks = library()
    chunks.pop(min(chunks))
    name = make(home, chunks)
    assert changed(home, name) == 0
    with open_snapshot(home, name) as snapshot:
        assert verify_snapshot(snapshot) == ()


@pytest.mark.parametrize("fault", ["an error", "a record not put in", "a record lost"])
def test_a_copy_that_does_not_come_out_sound_is_built_whole(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    home, put_in = tmp_path / "home", collections._put_in
    shutil.copytree(built, home)
    calls: list[int] = []

    def wrong(store, members, *rest) -> None:
        calls.append(sum(map(len, members.values())))
        if len(calls) > 1:
            put_in(store, members, *rest)
        elif fault == "an error":
            raise IndexCorruptError("Chroma says no")
        elif fault == "a record lost":
            put_in(store, members, *rest)
            store.collection("open").delete(ids=[chunk(1).id])

    monkeypatch.setattr(collections, "_put_in", wrong)
    chunks = library()
    last = max(chunks)
    chunks[last] = replace(chunks[last][0], text="other"), chunks[last][1]
    name = make(home, chunks)
    assert calls == [1, COUNT]
    assert changed(home, name) == 0
    with open_snapshot(home, name) as snapshot:
        assert verify_snapshot(snapshot) == ()


def test_graphs_that_are_asked_find_what_came_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collections, "EXACT_UP_TO", 100)
    count, late = 2000, 60
    matrix = vectors_of(count + late)
    rows = [chunk(number) for number in range(count + late)]
    first = build_snapshot(tmp_path, rows[:count], matrix[:count], MODEL, Vocabulary.default())
    kept = [*range(30, count), *range(count, count + late)]
    second = build_snapshot(tmp_path, [rows[at] for at in kept], matrix[kept], MODEL, Vocabulary.default())
    assert (changed(tmp_path, first.id), changed(tmp_path, second.id)) == (0, 90)
    ask_graphs(tmp_path)
    with open_snapshot(tmp_path, second.id) as snapshot:
        assert not snapshot.scans
        assert verify_snapshot(snapshot) == ()
        for at in range(count, count + late):
            name = "guarded" if rows[at].query_must else "open"
            assert snapshot.collections.nearest(name, matrix[at], 1).ids == (rows[at].id,)
        for at in range(30):
            for name in NAMES:
                assert rows[at].id not in snapshot.collections.nearest(name, matrix[at], 15).ids


def test_what_was_tried_is_tried_again_unless_it_is_known_byte_for_byte(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, tries = tmp_path / "home", []
    shutil.copytree(built, home)
    (folder,) = (home / "snapshots").iterdir()
    tried = verification.try_collections
    monkeypatch.setattr(
        verification, "try_collections", lambda *given, **named: tries.append(1) or tried(*given, **named)
    )

    def verified(*, again: bool) -> tuple[set[str], int]:
        tries.clear()
        with open_snapshot(home, folder.name, hashes=False) as snapshot:
            return {fault.check for fault in verify_snapshot(snapshot, again=again)}, len(tries)

    assert verified(again=True) == (set(), 1)
    assert verified(again=False) == (set(), 0)
    search = NeighbourSearch.read(folder)
    assert search is not None
    for unsure in (replace(search, tried=""), replace(search, tried="0" * 64), replace(search, faults=("deaf",))):
        unsure.write(folder)
        assert verified(again=False) == (set(), 1)
    search.write(folder)
    flip(folder / "lexical" / "weights.npy")
    assert verified(again=False) == ({"files"}, 1)
    flip(folder / "chroma" / "chroma.sqlite3")
    assert verified(again=False) == ({"files"}, 0)


def test_a_server_begins_with_nothing_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is on a server is filled by name; there are no files of it to copy."""
    query: list[object] = []
    monkeypatch.setattr(building, "nearest_base", lambda *_: query.append(1))
    with pytest.MonkeyPatch.context() as during:
        during.setenv("QUERYMUST_CHROMA", "http://127.0.0.1:9")
        with pytest.raises(Exception, match="127"):
            make(tmp_path, library())
    assert query == []
    make(tmp_path, library())
    assert query == [1]
