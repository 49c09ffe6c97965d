import shutil
from pathlib import Path

import pytest

from retrieval.errors import IndexCorruptError, IndexMissingError, RetrievalError
from retrieval.index.snapshot.live import live_id, promote, snapshot_folder
from retrieval.index.snapshot.snapshot import open_snapshot
from tests.retrieval.index.conftest import only_id

STRANGE = "0123456789abcdef"


@pytest.mark.parametrize("wrong", ["{outside}", "../../outside", "../snapshots/{id}", "{id}/", "{id}\n", "ABCDEF", ""])
def test_what_is_no_id_opens_nothing_and_never_goes_live(home: Path, tmp_path: Path, wrong: str) -> None:
    name = only_id(home)
    shutil.copytree(snapshot_folder(home, name), tmp_path / "outside")
    named = wrong.format(outside=tmp_path / "outside", id=name)
    with pytest.raises(IndexMissingError, match="16 hexadecimal digits"):
        open_snapshot(home, named)
    with pytest.raises(IndexMissingError, match="16 hexadecimal digits"):
        promote(home, named)
    assert live_id(home) is None


def test_a_renamed_snapshot_is_not_taken_for_the_one_of_that_name(home: Path) -> None:
    name = only_id(home)
    snapshot_folder(home, name).rename(snapshot_folder(home, STRANGE))
    with pytest.raises(IndexCorruptError, match=f"{STRANGE}.* holds snapshot '{name}'.*build"):
        open_snapshot(home, STRANGE)
    with pytest.raises(IndexCorruptError, match=f"holds snapshot '{name}'"):
        promote(home, STRANGE)
    assert live_id(home) is None


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"", b"short\n", b"../outside\n", b"0123456789ABCDEF\n"])
def test_a_damaged_pointer_says_what_to_do_and_is_fixed_by_it(home: Path, content: bytes) -> None:
    (home / "live").write_bytes(content)
    for read in (live_id, open_snapshot):
        with pytest.raises(IndexCorruptError, match=r"live names no snapshot.*delete it"):
            read(home)
    (home / "live").unlink()
    promote(home, only_id(home))
    assert live_id(home) == only_id(home)


def test_promoting_a_folder_without_a_manifest_is_refused(home: Path) -> None:
    (snapshot_folder(home, only_id(home)) / "manifest.json").unlink()
    with pytest.raises(IndexMissingError, match="no complete snapshot"):
        promote(home, only_id(home))
    with pytest.raises(RetrievalError):
        open_snapshot(home)
