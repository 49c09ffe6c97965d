"""Conversations in a terminal."""

import io
import json
import re
import sys

import pytest

from retrieval.home import Home

LOOK_UP = "What does a 7th level cleric need to roll to hit AC 6?"


@pytest.fixture
def chatted(run, monkeypatch: pytest.MonkeyPatch):
    """A conversation in these lines: what is printed, and the questions that were asked instead of what was typed."""

    def chat(home: Home, *lines: str):
        monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines)))
        status, out, errors = run("chat", "--home", home.root)
        assert status == 0
        return out, re.findall(r"^Asked: (.*)$", errors, re.MULTILINE)

    return chat


def test_a_conversation_completes_what_refers_back(chatted, sample: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    mace = ("What does a heavy mace cost?", "what about a long sword?", "how heavy is it?", "exit", LOOK_UP)
    out, completed = chatted(sample, "and AC 4?", LOOK_UP, "", "and AC 4?", *mace)
    assert completed == [LOOK_UP.replace("6", "4"), "What does a long sword cost?", "how heavy is Sword, long?"]
    assert out.count("Level 7-9: 10") == 1
    assert out.count("Level 7-9: 12") == 1
    assert "Weight: 7 lb." in out


def test_an_error_ends_no_conversation(chatted, sample: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    out, _ = chatted(sample, "x" * 3000, LOOK_UP)
    assert "Level 7-9: 10" in out


def test_a_model_completes_what_no_rule_can(chatted, sample_copy, chat_server, monkeypatch):
    for name, value in chat_server.environment.items():
        monkeypatch.setenv(name, value)
    whole = LOOK_UP.replace("cleric", "thief")
    chat_server.answering = lambda body: whole if "Rewrite" in json.dumps(body) else "It is 10 [1]."  # type: ignore[union-attr]
    _, completed = chatted(sample_copy, LOOK_UP, "and for the other one?")
    assert completed == [whole]
