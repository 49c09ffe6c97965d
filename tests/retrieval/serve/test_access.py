"""Who may ask."""

from __future__ import annotations

import json
import logging
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from retrieval.errors import UnknownNameError, UnreadableSettingsError
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.serve.api_keys import KEYS_FILE, REQUIRED_FILE, ApiKeys
from tests.retrieval.serve.conftest import events, served

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.home import Home
    from retrieval.types import Vector


ASKED = {"query": "a very private question about axes"}


@pytest.fixture(scope="module")
def home(sample: Home, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guarded") / "home"
    shutil.copytree(sample.root, folder)
    return folder


def test_once_there_is_a_key_it_is_asked_for_and_its_scope_holds(home: Path) -> None:
    keys = ApiKeys(home)
    with served(home) as client:
        assert client.post("/v1/retrieve", json=ASKED).status_code == 200
        reader, writer = keys.add("bot", "read"), keys.add("clerk", "write")
        refused = client.post("/v1/retrieve", json=ASKED)
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        wrong = client.post("/v1/retrieve", json=ASKED, headers={"authorization": "Bearer qm_wrong"})
        assert wrong.json()["error"]["message"].startswith("this key is unknown")
        assert client.get("/healthz").status_code == 200
        for headers in ({"authorization": f"Bearer {reader}"}, {"x-api-key": reader}):
            assert client.post("/v1/retrieve", json=ASKED, headers=headers).status_code == 200
        ingest = {"documents": []}
        headers = {"authorization": f"Bearer {reader}"}
        assert client.post("/v1/ingest", json=ingest, headers=headers).status_code == 403
        headers = {"authorization": f"Bearer {writer}"}
        assert client.post("/v1/ingest", json=ingest, headers=headers).status_code == 422
        keys.remove("bot")
        headers = {"authorization": f"Bearer {reader}"}
        assert client.post("/v1/retrieve", json=ASKED, headers=headers).status_code == 401
    forget(keys)


def forget(keys: ApiKeys) -> None:
    for name in (KEYS_FILE, REQUIRED_FILE):
        keys.file.with_name(name).unlink(missing_ok=True)


def removed(keys: ApiKeys) -> None:
    keys.remove("bot")


def lost(keys: ApiKeys) -> None:
    keys.file.unlink()


def lost_of_an_older_version(keys: ApiKeys) -> None:
    keys.file.with_name(REQUIRED_FILE).unlink()
    with served(keys.file.parent):
        keys.file.unlink()


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("gone", [removed, lost, lost_of_an_older_version])
def test_a_home_that_once_had_a_key_stays_shut_when_its_keys_are_gone(home, gone, restarted):
    keys = ApiKeys(home)
    secret = keys.add("bot", "write")
    with ExitStack() as stack:
        client = None if restarted else stack.enter_context(served(home))
        gone(keys)
        client = client or stack.enter_context(served(home))
        for path, body in (("/v1/retrieve", ASKED), ("/v1/ingest", {"documents": []})):
            assert client.post(path, json=body).status_code == 401
            assert client.post(path, json=body, headers={"x-api-key": secret}).status_code == 401
    with served(home, no_keys=True) as client:
        assert client.post("/v1/retrieve", json=ASKED).status_code == 200
    with served(home, no_keys=True, host="0.0.0.0") as client:
        assert client.post("/v1/retrieve", json=ASKED).status_code == 401
    forget(keys)


def test_off_loopback_a_key_is_needed_while_there_is_none(home: Path) -> None:
    with served(home, host="0.0.0.0") as client:
        assert client.post("/v1/retrieve", json=ASKED).status_code == 401
        assert client.get("/healthz").status_code == 200


def test_a_name_that_points_here_is_not_ours(home: Path) -> None:
    with served(home) as client:
        response = client.post("/v1/retrieve", json=ASKED, headers={"host": "evil.example"})
        assert (response.status_code, response.json()["error"]["type"]) == (421, "WrongHost")
        assert client.get("/healthz", headers={"host": "localhost:1"}).status_code == 200


def test_a_log_line_tells_everything_but_the_question(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="retrieval.serve"), served(home) as client:
        client.post("/v1/retrieve", json=ASKED)
    lines = [json.loads(record.message) for record in caplog.records if record.name == "retrieval.serve"]
    assert lines[0] | {"id": "", "ms": 0} == {
        "id": "",
        "method": "POST",
        "path": "/v1/retrieve",
        "status": 200,
        "ms": 0,
        "key": "-",
    }
    assert "private" not in caplog.text


def test_a_log_has_the_question_where_that_is_asked_for(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="retrieval.serve"), served(home, log_questions=True) as client:
        client.post("/v1/retrieve", json=ASKED)
        client.post("/v1/retrieve", content=b"[]")
        client.get("/v1/status")
    lines = [json.loads(record.message) for record in caplog.records if record.name == "retrieval.serve"]
    assert [line.get("question") for line in lines] == [ASKED["query"], None, None]


class Breaking:
    """An embedder that breaks, and says on what."""

    def __init__(self, home: Path) -> None:
        snapshot = open_snapshot(home)
        self.identity = snapshot.manifest.embedder
        snapshot.close()

    def embed(self, texts: Sequence[str]) -> Vector:
        raise ZeroDivisionError(texts)

    def embed_query(self, query: str) -> Vector:
        raise ZeroDivisionError(query)


@pytest.mark.parametrize("told", [False, True])
def test_an_error_that_nobody_foresaw_is_logged_once_and_says_the_question_only_where_asked(home, caplog, told):
    with caplog.at_level(logging.INFO), served(home, embedder=Breaking(home), log_questions=told) as client:
        response = client.post("/v1/retrieve", json=ASKED)
        name, told_of = events(client.post("/v1/query", json=ASKED | {"how": "read"}))[-1]
    assert (response.status_code, response.json()["error"]["type"]) == (500, "InternalError")
    broken = [record.getMessage() for record in caplog.records if "ZeroDivisionError" in record.getMessage()]
    assert len(broken) == 2
    assert all("embed_query" in each for each in broken)
    assert (name, told_of["data"]) == ("error", response.json()["error"]["message"])
    assert "private" not in response.text
    assert ("private" in caplog.text) is told


def test_a_file_of_keys_that_is_damaged_lets_nobody_in(home: Path) -> None:
    keys = ApiKeys(home)
    keys.file.write_text("[{")
    with served(home) as client:
        response = client.post("/v1/retrieve", json=ASKED)
    keys.file.unlink()
    assert response.status_code == 500
    assert "keys add" in response.json()["error"]["message"]
    assert "delete" not in response.json()["error"]["message"]
    assert str(home) not in response.text


def test_a_key_is_kept_as_a_hash_that_only_its_owner_reads(tmp_path: Path) -> None:
    keys = ApiKeys(tmp_path)
    secret = keys.add("bot", "read")
    assert secret not in keys.file.read_text()
    assert keys.file.stat().st_mode & 0o077 == 0
    result = ApiKeys(tmp_path).find(secret)
    assert result.name == "bot"
    assert result.allows("read")
    assert not result.allows("write")
    assert keys.find(secret + "x") is None


def test_keys_that_are_changed_at_a_time_are_all_kept_and_none_comes_back(tmp_path: Path) -> None:
    removed = ApiKeys(tmp_path).add("removed", "read")
    names = [f"key {number}" for number in range(16)]
    with ThreadPoolExecutor(8) as threads:
        added = [threads.submit(ApiKeys(tmp_path).add, name, "read") for name in names]
        threads.submit(ApiKeys(tmp_path).remove, "removed").result()
        assert all(each.result() for each in added)
    assert {key.name for key in ApiKeys(tmp_path).all} == set(names)
    assert ApiKeys(tmp_path).find(removed) is None


def test_the_first_key_may_come_before_anything_else(tmp_path: Path) -> None:
    keys = ApiKeys(tmp_path / "new" / "home")
    assert keys.find(keys.add("bot", "read"))


def test_names_are_not_given_twice_and_unknown_ones_are_told(tmp_path: Path) -> None:
    keys = ApiKeys(tmp_path)
    keys.add("bot", "write")
    with pytest.raises(UnreadableSettingsError, match="another key has it"):
        keys.add("bot", "read")
    with pytest.raises(UnreadableSettingsError):
        keys.add(" ", "read")
    with pytest.raises(UnknownNameError, match="bot"):
        keys.remove("boat")
    keys.remove("bot")
    assert keys.all == ()


def test_clients_of_several_processes_connect_again_now_and_then(sample: Home) -> None:
    ends = [True, False, False, True, False]
    with served(sample.root, responses_until_close=3) as client:
        responses = [client.get("/v1/books") for _ in ends]
    assert [response.headers.get("connection") == "close" for response in responses] == ends
    assert {response.status_code for response in responses} == {200}
