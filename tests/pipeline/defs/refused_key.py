"""A run whose key is refused, and the places where that key must not stand."""

import logging
from collections.abc import Iterable

from pipeline.definitions import load
from pipeline.runs.in_process import Runner, dagster_instance
from retrieval.home import Home
from tests.openai_server.faults import AtRandom
from tests.openai_server.server import KEY


def assert_key_is_nowhere(home: Home, said: Iterable[str]) -> None:
    """In no line that was said, and in no file of the home."""
    assert not [line for line in said if KEY in line]
    files = [path for path in home.root.rglob("*") if path.is_file()]
    assert any("event_log" in path.name or path.suffix == ".db" for path in files)
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def assert_refusal_is_told_without_the_key(home, server, where, caplog, capfd):
    """A run under every fault passes; one whose key is refused ends in one sentence of the asset that asked."""
    server.retry_after = "0.001"
    faults = AtRandom(1, 1.0, ["busy", "broken", "cut", "malformed", "refusal"])
    with caplog.at_level(logging.DEBUG), dagster_instance(home) as instance:
        runner = Runner(load(), instance, home)
        server.plan = faults
        assert runner.run("index_book", "tiny").problems == ()
        assert faults.happened
        for path in home.models.glob("*/*/*.json"):
            path.unlink()
        server.plan = lambda _: "key"
        (problem,) = runner.run("index_book", "tiny").problems
    assert problem.where == where
    assert "the key in OPENAI_API_KEY was rejected" in problem.sentence
    assert "\n" not in problem.sentence
    assert_key_is_nowhere(home, [*caplog.messages, *capfd.readouterr(), problem.sentence])
