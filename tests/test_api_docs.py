"""What docs/reference/api.md shows, as it is written there, over a real server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from retrieval.search.query import MAX_CHARACTERS
from retrieval.serve.request_limits import Limits
from tests.retrieval.serve.conftest import served
from tests.test_docs import blocks, printed

if TYPE_CHECKING:
    from retrieval.home import Home

PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "api.md").read_text("utf-8")


def test_the_python_runs(sample: Home, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = blocks("python", PAGE)
    with served(sample.root) as client:
        exec(compile(block.replace("http://127.0.0.1:8377", str(client.base_url)), "api.md", "exec"), {})
    told = capsys.readouterr().out
    assert "Opponent Armor Class 6" in told
    assert '"event": "complete"' in told


def test_the_commands_for_keys_run(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("QUERYMUST_HOME", str(tmp_path))
    _, _, keys = blocks("sh", PAGE)
    assert any("bot  write" in ran.out for ran in printed(keys, monkeypatch, capsys))


def test_the_limits_are_those_of_the_server(sample: Home) -> None:
    limits = Limits()
    assert f"{limits.body_bytes // 1024} KiB" in PAGE
    assert f"{limits.ingest_bytes // 1024**2} MiB" in PAGE
    assert f"{MAX_CHARACTERS:,} characters" in PAGE
    assert f"{limits.requests_per_minute} requests a minute" in PAGE
    assert f"more than {limits.seconds:g} seconds" in PAGE
    with served(sample.root) as client:
        routes = client.get("/openapi.json").json()["paths"]
    assert [route for route in routes if route not in PAGE] == []
