import sys
from pathlib import Path

import pytest

from retrieval.errors import TransferError
from retrieval.index.places import Place
from tests.retrieval.index.conftest import FileServer


def test_what_is_written_is_read_back(remote: Place, tmp_path: Path) -> None:
    source, told = tmp_path / "source", []
    source.write_bytes(b"content" * 1000)
    assert (remote.read("deep/one"), remote.size("deep/one"), remote.sha256("deep/one")) == (None, None, None)
    remote.send(source, "deep/one", told.append)
    remote.write("two", b"small")
    assert sum(told) == remote.size("deep/one") == 7000
    assert (remote.read("deep/one"), remote.read("two")) == (source.read_bytes(), b"small")
    target = tmp_path / "far" / "target"
    remote.fetch("deep/one", target, 7000, told.append)
    assert target.read_bytes() == source.read_bytes()
    assert sum(told) == 14_000
    assert remote.folders("deep") == ("one",)
    for _ in range(2):
        remote.remove("deep")
    assert (remote.read("deep/one"), remote.folders("deep")) == (None, ())


def test_what_changed_since_it_was_looked_up_is_read_anew(folder: Place, server: FileServer) -> None:
    served = Place(server.url)
    folder.write("live", b"one")
    assert (served.read("live"), served.size("live")) == (b"one", 3)
    folder.write("live", b"other")
    assert (served.read("live"), served.size("live")) == (b"other", 5)


def test_a_url_is_shown_without_its_password() -> None:
    assert Place("memory://me:secret@store/rules/").name == "memory://store/rules"


@pytest.mark.parametrize("url", ["strange://bucket/rules", "zip://inside"])
def test_an_address_that_is_none_is_refused_in_a_sentence(url: str) -> None:
    with pytest.raises(TransferError, match=f"{url} is not a location for snapshots .*s3://BUCKET/FOLDER"):
        Place(url)


@pytest.mark.parametrize(("url", "library"), [("s3://bucket", "s3fs"), ("gs://bucket", "gcsfs")])
def test_a_package_that_is_missing_is_named(url: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(TransferError, match=f"{url} cannot be reached without another package; run: pip.*{library}"):
        Place(url)


@pytest.mark.parametrize("status", [401, 403])
def test_a_place_that_forbids_reading_says_so(folder: Place, server: FileServer, status: int, tmp_path: Path) -> None:
    folder.write("live", b"x")
    server.statuses["live"] = status
    for read in (Place(server.url).read, lambda path: Place(server.url).fetch(path, tmp_path / "x", 1, print)):
        with pytest.raises(TransferError, match=r"/live may not be read .*give this process permission"):
            read("live")


def test_a_place_that_fails_says_how(folder: Place, server: FileServer) -> None:
    folder.write("live", b"x")
    server.statuses["live"] = 500
    with pytest.raises(TransferError, match=r"/live could not be read .*500.*run the same command again"):
        Place(server.url).read("live")
    server.close()
    with pytest.raises(TransferError, match=r"could not be read .*check that http://127.0.0.1:\d+ responds"):
        Place(server.url).read("live")


def test_a_folder_that_is_a_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    position = Place(str(tmp_path / "file"))
    assert position.read("live") is None
    with pytest.raises(TransferError, match=r"file/live could not be written"):
        position.write("live", b"x")
