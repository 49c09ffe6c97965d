"""The routes over a real socket."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING
from uuid import UUID

import httpx
import pytest

from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.live import live_id
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.rag.contract import RuleDocument
from retrieval.rag.pipeline import RAGPipeline
from retrieval.serve.logs import FEEDBACK_FILE
from retrieval.serve.request_limits import Limits
from retrieval.serve.schema import RetrievalRecord
from tests.retrieval.serve.conftest import events, served

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.home import Home
    from retrieval.types import Vector
    from tests.openai_server.server import FakeOpenAi

LOOK_UP = "What does a 7th level cleric need to roll to hit AC 6?"
QUERY = "/v1/query"


def test_a_search_gives_hits_whose_addends_sum_up_and_the_index_that_answered(client, sample):
    result = client.post("/v1/retrieve", json={"query": LOOK_UP, "k": 3}).json()
    assert RetrievalRecord.model_validate(result)
    assert result["snapshot"] == live_id(sample.root)
    assert [hit["rank"] for hit in result["hits"]] == [1, 2, 3]
    assert result["hits"][0]["cells"][3] == "10"
    for hit in result["hits"]:
        assert sum(each["contribution"] for each in hit["addends"]) == pytest.approx(hit["score"], abs=1e-5)


def test_the_filter_can_be_left_out_and_chunks_be_filtered_by_metadata(client: httpx.Client) -> None:
    query = {"query": LOOK_UP, "k": 15, "strategy": "dense"}
    off = client.post("/v1/retrieve", json=query | {"query_must": False}).json()
    assert off["receipt"]["excluded"] == 0
    prose = client.post("/v1/retrieve", json=query | {"where": ["kind=prose"]}).json()
    assert {hit["kind"] for hit in prose["hits"]} == {"prose"}


def test_nothing_relevant_is_told_with_a_reason(client: httpx.Client) -> None:
    result = client.post("/v1/retrieve", json={"query": "How do I cook pasta?", "min_relevance": 0.6}).json()
    assert result["hits"] == []
    assert "nothing in these books answers" in result["reason"]


def test_documents_are_asked_for_with_their_conditions_and_nothing_else_is_left_out(client, sample):
    result = client.post("/v1/ask", json={"query": "rulebooks about psionics", "top_k": 3}).json()
    assert (result["read_by"], result["conditions"], len(result["documents"])) == ("rules", [], 3)
    assert result["snapshot"] == live_id(sample.root)
    named = result["documents"][0]
    assert 0 <= named["relevance"] <= 1
    only = {"query": "psionics", "where": [f"document={named['document']}"]}
    assert [each["document"] for each in client.post("/v1/ask", json=only).json()["documents"]] == [named["document"]]
    assert client.post("/v1/ask", json={"query": "psionics", "where": ["psionics"]}).status_code == 422
    assert "nothing in these books answers" in client.post("/v1/ask", json={"query": "a pasta recipe"}).json()["reason"]


def test_the_strategy_of_the_settings_searches_unless_a_request_names_another(tiny: Home) -> None:
    (tiny.root / "rag.yaml").write_text("strategy: bm25\n", "utf-8")
    with served(tiny.root) as client:
        assert client.get("/v1/status").json()["strategy"] == "bm25"
        assert client.post("/v1/retrieve", json={"query": "swords"}).json()["strategy"] == "bm25"
        named = client.post("/v1/retrieve", json={"query": "swords", "strategy": "dense"})
        assert named.json()["strategy"] == "dense"


def test_a_model_of_the_settings_reads_where_there_is_a_key(tiny: Home, chat_server: FakeOpenAi) -> None:
    (tiny.root / "rag.yaml").write_text("understand: {model: reader}\n", "utf-8")
    chat_server.answering = lambda _: "no JSON"
    with served(tiny.root, environment=chat_server.environment) as client:
        told = client.post("/v1/ask", json={"query": "swords"}).json()
        assert {body["model"] for body in chat_server.asked} == {"reader"}
        assert any("read without one" in note for note in told["fallbacks"])
        chat_server.asked.clear()
        by_rules = client.post("/v1/ask", json={"query": "swords", "how": "rules"}).json()
    assert (by_rules["read_by"], by_rules["fallbacks"], chat_server.asked) == ("rules", [], [])
    with served(tiny.root) as client:
        told = client.post("/v1/ask", json={"query": "swords"}).json()
    assert told["read_by"] == "rules"
    assert "OPENAI_API_KEY is not set" in told["fallbacks"][0]


@pytest.mark.parametrize("path", [QUERY, "/api/ruleslawyer/query"])
def test_an_answer_comes_as_events(client: httpx.Client, path: str) -> None:
    response = client.post(path, json={"query": LOOK_UP, "how": "read"})
    assert response.headers["content-type"].startswith("text/event-stream")
    names = [name for name, _ in events(response)]
    assert list(dict.fromkeys(names)) == ["search", "context", "generation", "token", "complete"]
    answer = events(response)[-1][1]["answer"]
    assert answer["cells"][0]["text"] == "10"  # type: ignore[index,call-overload]


class Counting:
    """The embedder of an index, and how many questions it was asked."""

    def __init__(self, sample: Home) -> None:
        snapshot = open_snapshot(sample.root)
        self._asked = load_embedder(snapshot.manifest.embedder.name)
        self.identity, self.embed, self.questions = self._asked.identity, self._asked.embed, 0
        snapshot.close()

    def embed_query(self, query: str) -> Vector:
        self.questions += 1
        return self._asked.embed_query(query)


def test_the_same_question_of_the_same_conversation_is_answered_once(sample: Home) -> None:
    embedder = Counting(sample)
    query = {"query": LOOK_UP, "how": "read"}
    told, searched = [], []
    with served(sample.root, embedder=embedder) as client:
        at_start = embedder.questions
        for key in ("tavern:ann", "tavern:ann", "tavern:bob", None):
            told.append(events(client.post(QUERY, json=query | ({"context_key": key} if key else {}))))
            searched.append(embedder.questions - at_start)
        wrong = client.post(QUERY, json=query | {"context_key": "nobody"})
    assert searched == [searched[0], searched[0], 2 * searched[0], 3 * searched[0]]
    assert all(each == told[0] for each in told)
    assert told[0][-1][0] == "complete"
    assert (wrong.status_code, wrong.json()["error"]["type"]) == (422, "InvalidBody")


def test_a_chunk_is_explained_by_the_beginning_of_its_id(client: httpx.Client) -> None:
    (hit,) = client.post("/v1/retrieve", json={"query": LOOK_UP, "k": 1}).json()["hits"]
    result = client.post("/v1/explain", json={"query": "cleric, AC 2", "chunk_id": hit["short_id"]}).json()
    assert result["chunk"]["id"] == hit["id"]
    assert result["excluded"] is True
    assert result["rank"] is None
    assert result["in_words"] == 'This row is about Opponent Armor Class 6; your question names "AC 2".'
    assert result["verdict"].startswith("contain_one_of failed group: ")


def test_the_schema_says_that_an_error_is_json_also_where_an_answer_is_a_stream(client: httpx.Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    for path in ("/v1/retrieve", "/v1/query"):
        responses = paths[path]["post"]["responses"]
        assert {"408", "422", "504"} <= responses.keys()
        for status in responses.keys() - {"200"}:
            schema = {"$ref": "#/components/schemas/ErrorResponse"}
            assert responses[status]["content"] == {"application/json": {"schema": schema}}


def test_feedback_is_kept_a_line_each(sample: Home, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(sample.root, home)
    with served(home) as client:
        (hit,) = client.post("/v1/retrieve", json={"query": LOOK_UP, "k": 1}).json()["hits"]
        output = {"query": LOOK_UP, "chunk_id": hit["id"], "verdict": "irrelevant", "note": "wrong class"}
        assert client.post("/v1/feedback", json=output | {"chunk_id": hit["short_id"]}).status_code == 204
        assert client.post("/v1/feedback", json=output | {"chunk_id": "nothing"}).status_code == 404
    (line,) = (home / FEEDBACK_FILE).read_text().splitlines()
    assert (json.loads(line)["note"], json.loads(line)["chunk_id"]) == ("wrong class", hit["id"])


def test_an_answer_is_read_from_what_meets_the_conditions(client: httpx.Client) -> None:
    def answer(where: list[str]) -> tuple[str, dict[str, object]]:
        return events(client.post(QUERY, json={"query": LOOK_UP, "where": where, "context_key": "tavern:ann"}))[-1]

    assert answer(["kind=row"])[1]["answer"]["citations"]
    assert answer(["kind=poem"])[1]["answer"]["citations"] == []
    assert answer(["nothing=1"])[0] == answer(["="])[0] == "error"


def test_a_filter_that_leaves_nothing_is_the_reason(client: httpx.Client) -> None:
    retrieval = client.post("/v1/retrieve", json={"query": LOOK_UP, "where": ["kind=poem"]}).json()
    assert (retrieval["hits"], retrieval["reason"]) == (
        [],
        "no chunk has kind=poem; kind is one of: prose, record, row",
    )


def test_status_health_and_counters_are_told(client: httpx.Client, sample: Home) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    status = client.get("/v1/status").json()
    assert status["live"] == live_id(sample.root)
    assert status["model"] is None
    assert "default" in status["strategies"]
    client.post("/v1/retrieve", json={"query": LOOK_UP})
    text = client.get("/metrics").text
    assert 'querymust_requests_total{method="POST",route="/v1/retrieve",status="200"}' in text
    assert "querymust_request_seconds_bucket" in text


@pytest.mark.parametrize(
    ("path", "body", "status", "kind"),
    [
        ("/v1/retrieve", {"query": "   "}, 422, "InvalidQueryError"),
        ("/v1/retrieve", {"query": "x" * 2001}, 422, "InvalidBody"),
        ("/v1/retrieve", {"query": "x", "k": 0}, 422, "InvalidBody"),
        ("/v1/retrieve", {"query": "x", "what": 1}, 422, "InvalidBody"),
        ("/v1/retrieve", {"query": "x", "strategy": "best"}, 404, "UnknownNameError"),
        ("/v1/retrieve", {"query": "x", "strategy": "default+chat:gpt-4.1"}, 404, "UnknownNameError"),
        ("/v1/retrieve", {"query": "x", "where": ["nothing=1"]}, 404, "UnknownNameError"),
        ("/v1/explain", {"query": "x", "chunk_id": "zz"}, 404, "UnknownNameError"),
        ("/v1/nothing", {}, 404, "NoSuchRoute"),
    ],
)
def test_what_cannot_be_used_is_one_clear_error(client, path, body, status, kind):
    response = client.post(path, json=body)
    assert (response.status_code, response.json()["error"]["type"]) == (status, kind)
    assert response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("content", "kind", "status", "message"),
    [
        (b"{", "application/json", 400, "JSON"),
        (b'{"query": "\xff\xfe"}', "application/json", 400, "UTF-8"),
        (b'{"query": "lamp"}', "application/x-www-form-urlencoded", 422, "Content-Type: application/json"),
    ],
)
def test_a_body_that_is_not_json_is_told(client, content, kind, status, message):
    response = client.post("/v1/retrieve", content=content, headers={"content-type": kind})
    assert (response.status_code, response.json()["error"]["type"]) == (status, "InvalidBody")
    assert message in response.json()["error"]["message"]


def test_a_home_without_an_index_is_told_without_its_path(tmp_path: Path) -> None:
    with served(tmp_path / "secret-place") as client:
        response = client.post("/v1/retrieve", json={"query": LOOK_UP})
        assert (response.status_code, response.json()["error"]["type"]) == (503, "NothingLiveError")
        assert "secret-place" not in response.text
        assert client.get("/healthz").status_code == 503
        assert client.get("/v1/status").json()["live"] is None
        told = events(client.post(QUERY, json={"query": LOOK_UP}))
        assert told[-1][0] == "error"
        assert "secret-place" not in json.dumps(told)


def document(number: int, filename: str, rule: str) -> dict[str, object]:
    return {
        "document_id": str(UUID(int=number)),
        "filename": filename,
        "content": f"# House rules\n\n## {filename}\n\n{rule}\n",
        "metadata": {"source": "House", "doc_type": "faq", "last_update_date": "2026-01-01"},
    }


def test_documents_come_in_and_another_index_answers_as_soon_as_it_is_live(tmp_path: Path) -> None:
    falling = document(7, "falling.md", "Whoever falls from a roof loses one die for each storey.")
    swimming = document(8, "swimming.md", "Whoever swims in armour sinks at once.")
    with served(tmp_path / "home") as client:
        done = client.post("/v1/ingest", json={"documents": [falling]})
        assert (done.status_code, done.json()["documents_processed"]) == (200, 1)
        before = client.post("/v1/retrieve", json={"query": "falling from a roof", "k": 1}).json()
        assert before["hits"][0]["document"] == "falling.md"
        given = swimming | {"document_id": UUID(int=8)}
        RAGPipeline(tmp_path / "home").ingest([RuleDocument(**given)])  # type: ignore[arg-type]
        after = client.post("/v1/retrieve", json={"query": "swimming in armour", "k": 1}).json()
        assert after["hits"][0]["document"] == "swimming.md"
        assert after["snapshot"] != before["snapshot"]


def test_a_client_that_is_gone_leaves_the_model_alone(sample: Home, chat_server: FakeOpenAi) -> None:
    chat_server.hangs = True
    with served(sample.root, environment=chat_server.environment) as client:
        with client.stream("POST", QUERY, json={"query": LOOK_UP}) as response:
            for line in response.iter_lines():
                if line == "event: token":
                    break
        assert chat_server.gone.wait(20)


def test_a_model_that_fails_is_an_event(sample: Home, chat_server: FakeOpenAi) -> None:
    chat_server.status = 401
    with served(sample.root, environment=chat_server.environment) as client:
        name, told = events(client.post(QUERY, json={"query": LOOK_UP}))[-1]
    assert name == "error"
    assert "AuthenticationError" in str(told["data"])
    assert "sk-a-secret" not in str(told)


def test_a_client_that_asks_too_often_waits(sample: Home) -> None:
    with served(sample.root, limits=Limits(requests_per_minute=2)) as client:
        codes = [client.get("/v1/status").status_code for _ in range(3)]
        refused = client.get("/v1/status")
        assert client.get("/healthz").status_code == 200
    assert codes == [200, 200, 429]
    assert 1 <= int(refused.headers["retry-after"]) <= 60


def test_no_more_is_read_than_a_body_may_have(sample: Home) -> None:
    with served(sample.root, limits=Limits(body_bytes=1000)) as client:
        assert client.post("/v1/retrieve", json={"query": "x", "where": ["y" * 450] * 3}).status_code == 413

        response = client.post("/v1/retrieve", content=(b" " * 500 for _ in range(5)))
        assert (response.status_code, response.json()["error"]["type"]) == (413, "BodyTooLarge")


@pytest.mark.parametrize("path", ["/", "/books", "/evaluation", "/book/any/where.md", "/page.css", "/page.js"])
def test_every_part_of_the_page_may_run_and_load_only_what_is_ours(client: httpx.Client, path: str) -> None:
    sent = client.get(path)
    assert sent.status_code == 200
    rules = dict(rule.split(" ", 1) for rule in sent.headers["content-security-policy"].split("; "))
    assert rules["default-src"] == "'self'"
    assert {rules[name] for name in ("object-src", "frame-ancestors", "base-uri")} == {"'none'"}
    assert not {"script-src", "style-src", "img-src", "connect-src"} & rules.keys()
