"""The chat bot as a person runs it, on a real server."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.retrieval.conftest import free_port
from tests.retrieval.serve.conftest import served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retrieval.home import Home

ROOT = Path(__file__).parents[2]
LOOK_UP = "What does a 7th level cleric need to roll to hit AC 6?"


@pytest.fixture(scope="module")
def url(sample: Home) -> Iterator[str]:
    with served(sample.root) as client:
        yield str(client.base_url)


def bot(*arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(ROOT / "examples" / "chat_bot.py"), *arguments]
    environment = {**os.environ, "QUERYMUST_KEY": ""}
    options = {"input": said, "capture_output": True, "text": True, "timeout": 60, "env": environment}
    return subprocess.run(command, check=False, **options)  # type: ignore[call-overload,no-any-return]


def test_a_conversation_is_answered_with_its_sources_until_an_empty_line(url: str) -> None:
    done = bot("--url", url, said=f"{LOOK_UP}\n/as bob\nHow do I cook pasta?\n\nnever asked\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Level 7-9: 10 [1]" in done.stdout
    assert re.search(r"^  \[1\] .* \(lantern-and-blade/03-combat\.md, line \d+\)$", done.stdout, re.MULTILINE)
    assert done.stdout.endswith("No answer found in these books.\n")


def test_the_command_of_the_docs_runs(url: str) -> None:
    (line,) = re.findall(
        r"^python examples/chat_bot\.py (.*)$", (ROOT / "docs" / "reference" / "api.md").read_text(), re.MULTILINE
    )
    done = bot("--url", url, *shlex.split(line))
    assert done.returncode == 0
    assert "Cost: " in done.stdout


def test_what_goes_wrong_is_one_line_and_status_1(url: str) -> None:
    for arguments, told in (
        (("--url", f"http://127.0.0.1:{free_port()}", "x"), "start a server with: querymust serve"),
        (("--url", url, "--user", " ", "x"), "context_key"),
        (("--url", url, "--how", "generate", "x" * 3000), "2000"),
    ):
        done = bot(*arguments)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("error: ")
        assert told in done.stderr
        assert done.stderr.count("\n") == 1


def test_its_help_has_an_example() -> None:
    assert "example: chat_bot.py --channel tavern" in bot("--help").stdout
