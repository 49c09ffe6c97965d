from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from retrieval.errors import TransferError
from retrieval.index.file_entry import FileEntry
from retrieval.index.travel.listing import Listing
from tests.retrieval.index.conftest import only_id


@pytest.fixture
def snapshot(home: Path) -> Path:
    return home / "snapshots" / only_id(home)


def test_every_file_of_a_snapshot_goes_and_the_manifest_last(snapshot: Path) -> None:
    (snapshot / ".live.1-2.partial").write_bytes(b"half")
    (snapshot / "relevance.json").write_bytes(b"{}")
    found = Listing.of(snapshot)
    paths = [each.path for each in found.files]
    assert paths[-1] == "manifest.json"
    assert {"chunks.jsonl", "relevance.json", "neighbour_search.json", "lexical/weights.npy"} <= set(paths)
    assert [path for path in paths if path.startswith("chroma/")] == ["chroma/chroma.sqlite3", "chroma/seal.json"]
    assert not any(path.startswith(".") for path in paths)
    assert Listing.parse(found.dump(), snapshot.name, "there") == found
    assert found.size == sum((snapshot / path).stat().st_size for path in paths)


def test_what_chroma_writes_beside_its_sealed_files_stays(snapshot: Path) -> None:
    (snapshot / "chroma" / "0-1-2").mkdir()
    (snapshot / "chroma" / "0-1-2" / "data_level0.bin").write_bytes(b"made again")
    assert not [each.path for each in Listing.of(snapshot).files if "data_level0" in each.path]


@pytest.mark.parametrize("damage", ["half", "other", "lost", "renamed"])
def test_a_damaged_list_says_so(snapshot: Path, damage: str) -> None:
    whole = Listing.of(snapshot)
    content = {
        "half": whole.dump()[: len(whole.dump()) // 2],
        "other": b"[]",
        "lost": replace(whole, files=whole.files[1:]).dump(),
        "renamed": replace(whole, snapshot="0123456789abcdef").dump(),
    }[damage]
    with pytest.raises(TransferError, match=r"there is damaged.*push again with --check"):
        Listing.parse(content, snapshot.name, "there")


@pytest.mark.parametrize("path", ["../live", "/etc/passwd", "a/../../b", "a//b", "", ".", "files.json"])
def test_a_list_that_leads_out_of_its_folder_is_refused(snapshot: Path, path: str) -> None:
    content = Listing.over(snapshot.name, (FileEntry(path, 1, "0"),), datetime.now(UTC)).dump()
    with pytest.raises(TransferError, match="which is no file of a snapshot; do not pull from there"):
        Listing.parse(content, snapshot.name, "there")
