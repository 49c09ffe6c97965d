import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pipeline.cli import app
from retrieval.serve.schema import RetrievalRecord
from retrieval.serve.service import Service


def search(home: Path, *arguments: str) -> Any:
    done = CliRunner().invoke(app, ["search", *arguments, "--home", str(home)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture(scope="module")
def home(tiny_built) -> Path:
    return tiny_built.root


def test_what_is_relevant_is_shown_with_its_relevance(home: Path) -> None:
    told = json.loads(search(home, "price of a long sword", "--min-relevance", "0.6", "--json").stdout)
    assert told["hits"][0]["row_key"] == "Long sword"
    scores = [hit["evidence"]["relevance"] for hit in told["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) >= 0.6
    every = json.loads(search(home, "price of a long sword", "--min-relevance", "0", "--json").stdout)
    assert [hit["id"] for hit in every["hits"]][: len(scores)] == [hit["id"] for hit in told["hits"]]


def test_where_nothing_is_relevant_it_says_so_and_how_far_off_it_is(home: Path) -> None:
    done = search(home, "How do I cook pasta?", "--min-relevance", "0.6")
    assert done.stdout == ""
    assert done.stderr.startswith("nothing in these books answers: the best of 4 chunks has a relevance of 0.")
    told = json.loads(search(home, "How do I cook pasta?", "--min-relevance", "0.6", "--json").stdout)
    assert told["hits"] == []


def test_how_many_are_wanted_changes_no_relevance(home: Path) -> None:
    one = json.loads(search(home, "dagger", "-k", "1", "--min-relevance", "0", "--json").stdout)
    many = json.loads(search(home, "dagger", "--k", "15", "--min-relevance", "0", "--json").stdout)
    assert len(one["hits"]) == 1
    assert one["hits"] == many["hits"][:1]


def test_without_a_threshold_every_hit_is_shown_with_its_relevance(home: Path) -> None:
    told = json.loads(search(home, "How do I cook pasta?", "--json").stdout)
    assert len(told["hits"]) >= 4
    assert all(0 <= hit["relevance"] < 0.6 for hit in told["hits"])


def test_a_misspelt_question_is_answered_as_it_is_meant_and_that_is_said(home: Path) -> None:
    meant, misspelt = "cost of a dagger", "cost of a daggr"
    done, right = search(home, misspelt, "--json"), search(home, meant, "--json")
    assert done.stderr == f"read as: {meant}\n"
    assert right.stderr == ""
    told, wanted = json.loads(done.stdout), json.loads(right.stdout)
    assert (told["query"], told["receipt"]["read_as"], wanted["receipt"]["read_as"]) == (misspelt, meant, None)
    assert told["hits"] == wanted["hits"]


@pytest.mark.parametrize("least", [None, 0.6])
def test_its_json_is_what_the_server_sends(home: Path, least: float | None) -> None:
    query = ["price of a long sword", "--json", "--debug", "--k", "3"]
    told = json.loads(search(home, *query, *(["--min-relevance", str(least)] if least else [])).stdout)
    assert set(told) == set(RetrievalRecord.model_fields)
    service = Service(home, seconds=60, environment={})
    sent = json.loads(json.dumps(service.retrieve(query[0], 3, "default", (), least, filtered=True)))
    service.close()
    for each in (told, sent):
        for measured in ("stages", "milliseconds"):
            assert each["receipt"].pop(measured)
    if least is None:  # the command measures it all the same
        relevance = [(hit.pop("relevance"), hit["evidence"].pop("relevance")) for hit in told["hits"]]
        assert [hit.pop("relevance") for hit in sent["hits"]] == [None] * len(relevance)
    assert told == sent
    assert told["receipt"]["decisions"]


def test_an_order_by_a_model_without_a_key_is_one_line_beside_the_hits(home, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = search(home, "price of a long sword", "--strategy", "default+chat", "--json")
    (line,) = done.stderr.splitlines()
    assert line.startswith("gpt-4o-mini did not order the first 2: gpt-4o-mini needs OPENAI_API_KEY")
    told = json.loads(done.stdout)
    assert told["hits"][0]["row_key"] == "Long sword"
    assert told["receipt"]["ordering"]["left"].startswith("gpt-4o-mini needs OPENAI_API_KEY")
