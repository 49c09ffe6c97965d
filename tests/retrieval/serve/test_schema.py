"""The server keeps its own schema, whatever is sent: schemathesis sends it what nobody would."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

from retrieval.search.query import MAX_CHARACTERS
from retrieval.serve.access import content_of
from tests.retrieval.serve.conftest import served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import httpx

    from retrieval.home import Home

ROUTES = {
    "/v1/retrieve": "POST",
    "/v1/query": "POST",
    "/v1/explain": "POST",
    "/v1/feedback": "POST",
    "/v1/books": "GET",
    "/v1/books/{book}": "GET",
    "/v1/books/{book}/{document}": "GET",
    "/v1/tables/{chunk_id}": "GET",
    "/v1/evaluation": "GET",
    "/v1/status": "GET",
    "/healthz": "GET",
}


@pytest.fixture(scope="module")
def own(sample: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Over a copy, which may be written."""
    folder = tmp_path_factory.mktemp("schema") / "home"
    shutil.copytree(sample.root, folder)
    with served(folder) as made:
        yield made


@pytest.mark.parametrize("route", ROUTES)
def test_whatever_is_sent_the_answer_is_one_of_the_schema(own: httpx.Client, route: str) -> None:
    send_anything(own, route, ROUTES[route], 20)


def test_whatever_is_brought_in_the_answer_is_one_of_the_schema(tmp_path: Path) -> None:
    with served(tmp_path / "home") as client:
        send_anything(client, "/v1/ingest", "POST", 10)


def send_anything(client: httpx.Client, route: str, method: str, n: int) -> None:
    schema = schemathesis.openapi.from_dict(client.get("/openapi.json").json())
    cases = schema[route][method].as_strategy()

    @given(case=cases)
    @settings(
        max_examples=n,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    def sent(case: Any) -> None:
        case.call_and_validate(base_url=str(client.base_url))

    sent()


def test_the_page_takes_questions_as_long_as_the_server_does() -> None:
    content, _ = content_of("index.html")
    assert f'maxlength="{MAX_CHARACTERS}"' in content.decode()
