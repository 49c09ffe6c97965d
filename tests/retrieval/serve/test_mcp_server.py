"""The tools, asked by the SDK's own client over standard input and output of a real process."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("mcp", reason="needs the extra `mcp`")
from mcp import Client, StdioServerParameters

if TYPE_CHECKING:
    from retrieval.home import Home

LOOK_UP = "What does a 7th level cleric need to roll to hit AC 6?"


def text(result: Any) -> str:
    return "\n".join(each.text for each in result.content)


def test_an_assistant_searches_reads_asks_why_and_gets_an_answer(sample: Home) -> None:
    command = ["-m", "pipeline.cli", "mcp", "--home", str(sample.root)]
    server = StdioServerParameters(command=sys.executable, args=command, env={**os.environ, "OPENAI_API_KEY": ""})

    async def ask() -> None:
        async with Client(server) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert tools == {"search", "ask", "explain", "read_section", "answer"}
            result = await client.call_tool("search", {"query": LOOK_UP, "k": 2})
            hit = json.loads(result.content[0].text)  # type: ignore[union-attr]
            assert hit["cells"][3] == "10"
            why = text(await client.call_tool("explain", {"query": "AC 2", "chunk_id": hit["id"]}))
            assert why.startswith("OUT: ")
            section = text(await client.call_tool("read_section", {"chunk_id": hit["id"]}))
            assert section.startswith("lantern-and-blade > Combat > Attack Matrices")
            assert "| 6 | 14 | 12 | 10 |" in section
            answer = json.loads(text(await client.call_tool("answer", {"query": LOOK_UP})))
            assert answer["cells"][0]["text"] == "10"
            assert answer["read_as"] is None
            wrong = await client.call_tool("search", {"query": LOOK_UP, "strategy": "best"})
            assert wrong.is_error
            assert "no strategy is called 'best'" in text(wrong)

    asyncio.run(ask())
