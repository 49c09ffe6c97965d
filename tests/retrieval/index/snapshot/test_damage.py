"""Whatever file of a snapshot is damaged, and however: nobody answers from it, and the next build heals it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from retrieval.errors import IndexCorruptError
from retrieval.index.snapshot.snapshot import is_as_built, open_snapshot
from tests.retrieval.index.conftest import build, only_id


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def garble(path: Path) -> None:
    content = path.read_bytes()
    third = len(content) // 3
    path.write_bytes(content[:third] + b"\xa5" * (len(content) - 2 * third) + content[len(content) - third :])


DAMAGES: dict[str, Callable[[Path], object]] = {"truncated": truncate, "garbled": garble, "missing": Path.unlink}
damaged = pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())


def folder_of(home: Path) -> Path:
    return home / "snapshots" / only_id(home)


def each_damaged(paths: list[Path], damage: Callable[[Path], object]) -> Iterator[Path]:
    """One path after the other, damaged as long as it is looked at."""
    for path in paths:
        content = path.read_bytes()
        if not content and damage is not Path.unlink:
            continue  # of an empty file nothing can be cut
        damage(path)
        yield path
        path.write_bytes(content)


@damaged
def test_no_snapshot_opens_with_a_damaged_file_of_ours(home: Path, damage: Callable[[Path], object]) -> None:
    folder = folder_of(home)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    assert len(paths) > 40
    for path in each_damaged(paths, damage):
        with pytest.raises(IndexCorruptError, match="build"):
            open_snapshot(home, folder.name)
        assert path.name  # the loop went there
    assert is_as_built(home, folder.name)


@damaged
def test_the_next_build_heals_it(home: Path, damage: Callable[[Path], object]) -> None:
    name = only_id(home)
    for file in ("vectors.npy", "lexical/weights.npy", "chunks.jsonl"):
        damage(folder_of(home) / file)
        assert not is_as_built(home, name)
        assert build(home).id == name == only_id(home)
        assert is_as_built(home, name)
