"""Whatever file of a snapshot is damaged, and however: nobody answers from it, and the next build heals it."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from retrieval.errors import IndexCorruptError
from retrieval.index.chroma.soundness import NeighbourSearch
from retrieval.index.chroma.store import ChromaStore
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.index.snapshot.verification import verify_snapshot
from tests.retrieval.index.conftest import ask_graphs, build, only_id, vectors_of

ENOUGH = 1200
"""So many chunks that Chroma writes the graph of the open ones out."""
GRAPH = ("data_level0.bin", "header.bin", "index_metadata.pickle", "length.bin", "link_lists.bin")


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def garble(path: Path) -> None:
    content = path.read_bytes()
    third = len(content) // 3
    path.write_bytes(content[:third] + b"\xa5" * (len(content) - 2 * third) + content[len(content) - third :])


def can_mount() -> bool:
    unshare = shutil.which("unshare")
    return (
        unshare is not None
        and subprocess.run([unshare, "-rm", "true"], check=False, capture_output=True).returncode == 0
    )


DAMAGES: dict[str, Callable[[Path], object]] = {"truncated": truncate, "garbled": garble, "missing": Path.unlink}
damaged = pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("large")
    build(home, ENOUGH)
    ask_graphs(home)
    return home


@pytest.fixture
def graphs(large: Path, tmp_path: Path) -> Path:
    """A home whose searches ask Chroma."""
    shutil.copytree(large, tmp_path / "home")
    return tmp_path / "home"


def folder_of(home: Path) -> Path:
    return home / "snapshots" / only_id(home)


def graph_of(home: Path) -> Path:
    (mark,) = (folder_of(home) / "chroma").glob("*/index_metadata.pickle")
    return mark.parent


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
    beside = {folder / "neighbour_search.json"}  # without it every vector is compared
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path not in beside)
    ours = [path for path in paths if "chroma" not in path.relative_to(folder).parts]
    assert len(ours) > 40
    for path in each_damaged(ours, damage):
        with pytest.raises(IndexCorruptError, match="build"):
            open_snapshot(home, folder.name)
        assert path.name  # the loop went there
    assert verify_snapshot(open_snapshot(home, folder.name)) == ()


@damaged
@pytest.mark.parametrize("name", ["chroma.sqlite3", "seal.json", *GRAPH])
def test_no_search_asks_damaged_files_of_chroma(graphs: Path, name: str, damage: Callable[[Path], object]) -> None:
    chroma = folder_of(graphs) / "chroma"
    damage(graph_of(graphs) / name if name in GRAPH else chroma / name)
    with open_snapshot(graphs, only_id(graphs)) as snapshot:
        assert not snapshot.scans
        with pytest.raises(IndexCorruptError, match=f"{name}.*build the index again"):
            snapshot.collections.nearest("open", vectors_of(1)[0], 3)
        assert {fault.check for fault in verify_snapshot(snapshot)} == {"files"}


@pytest.mark.parametrize(
    ("name", "damage"), [("header.bin", garble), ("data_level0.bin", truncate), ("../chroma.sqlite3", garble)]
)
def test_the_next_build_heals_what_chroma_could_not_open(
    graphs: Path, name: str, damage: Callable[[Path], object]
) -> None:
    damage(graph_of(graphs) / name)
    name = only_id(graphs)
    assert build(graphs, ENOUGH).id == name == only_id(graphs)
    with open_snapshot(graphs, name) as snapshot:
        assert verify_snapshot(snapshot) == ()


@damaged
def test_the_next_build_heals_what_is_known_of_the_graphs(home: Path, damage: Callable[[Path], object]) -> None:
    path = folder_of(home) / "neighbour_search.json"
    before = NeighbourSearch.read(path.parent)
    assert before is not None
    damage(path)
    with open_snapshot(home, only_id(home)) as snapshot:
        assert snapshot.scans
    build(home)
    after = NeighbourSearch.read(path.parent)
    assert after is not None
    assert replace(after, tried="") == replace(before, tried=""), "Chroma's files are others in each build"


def test_chroma_changes_nothing_that_is_sealed(graphs: Path) -> None:
    def content() -> list[str]:
        sealed = [folder_of(graphs) / "chroma" / "chroma.sqlite3", *sorted(graph_of(graphs).iterdir())]
        return [sha256(path.read_bytes()).hexdigest() for path in sealed]

    before = content()
    for _ in range(2):
        with closing(ChromaStore.existing(folder_of(graphs) / "chroma")) as store:
            assert store.nearest("open", vectors_of(2)[1], 3).ids
            assert store.nearest("guarded", vectors_of(1)[0], 3).ids
    assert content() == before


def test_a_snapshot_that_cannot_be_written_is_searched_by_comparing_every_vector(
    graphs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write what nobody may
    with open_snapshot(graphs, only_id(graphs)) as snapshot:
        assert snapshot.scans
        assert verify_snapshot(snapshot) == ()


@pytest.mark.skipif(not can_mount(), reason="no folder can be mounted here")
@pytest.mark.parametrize(
    "mount",
    [
        "mount --bind {home} {place} && mount -o remount,ro,bind {place}",
        "mount -t tmpfs -o size=12m none {place} && cp -r {home}/. {place}/ && (cat /dev/zero >{place}/full; true)",
    ],
    ids=["read-only", "full"],
)
def test_a_search_works_on_a_disk_that_takes_nothing(graphs: Path, tmp_path: Path, mount: str) -> None:
    position = tmp_path / "place"
    position.mkdir()
    program = (
        "import sys; from pathlib import Path; import numpy as np\n"
        "from retrieval.index.snapshot.snapshot import open_snapshot\n"
        "from retrieval.search.prefilter import nearest_in\n"
        "with open_snapshot(Path(sys.argv[1]), sys.argv[2]) as snapshot:\n"
        "    assert len(nearest_in(snapshot, 'open', np.asarray(snapshot.vectors[3]), 5)) >= 5\n"
        "    print('scans' if snapshot.scans else 'asks')\n"
    )
    script = mount.format(home=graphs, place=position) + ' 2>/dev/null; "$@"'
    run = ["unshare", "-rm", "sh", "-c", script, "sh", sys.executable, "-c", program, str(position), only_id(graphs)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == ("scans" if "--bind" in mount else "asks"), done.stderr
