"""The index as tools of the Model Context Protocol; the only module that uses its SDK."""

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from retrieval.errors import RetrievalError
from retrieval.search.query import MAX_CHARACTERS
from retrieval.serve.errors import without_home
from retrieval.serve.service import Service

_INSTRUCTIONS = (
    "Reference books, cut into passages and table rows. Search first; explain says why a row is returned or "
    "excluded; read_section gives the text around a hit; answer reads the cells that a question asks for; "
    "ask finds documents by author, date or other metadata. "
    "Quote numbers exactly."
)
_FIELDS = ("rank", "id", "title", "book", "document", "lines", "columns", "cells", "text")
_ASKED = ("documents", "total", "groups", "conditions", "hints", "fallbacks", "reason", "read_by")
_TOLD = ("text", "mode", "is_certain", "read_as", "citations", "cells", "doubts")

Result = TypeVar("Result")

Question = Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS, description="In plain words.")]
ChunkId = Annotated[str, Field(min_length=1, max_length=100, description="Id of a hit, or the beginning of it.")]


def mcp_server(service: Service) -> MCPServer:
    """Return a server with tools that query a service: `search`, `ask`, `explain`, `read_section`, `answer`."""
    server = MCPServer("querymust", instructions=_INSTRUCTIONS, log_level="WARNING")

    @server.tool()
    def search(
        query: Question, k: Annotated[int, Field(ge=1, le=50)] = 5, strategy: str | None = None
    ) -> list[dict[str, Any]]:
        """The passages and table rows that answer a question, best first."""
        record = _told(service, lambda: service.retrieve(query, k, strategy, (), None, filtered=True))
        return [{name: hit[name] for name in _FIELDS} for hit in record["hits"]]

    @server.tool()
    def ask(
        query: Question,
        top_k: Annotated[int, Field(ge=1, le=50)] = 10,
        where: Annotated[list[str], Field(description="KEY=VALUE; all must hold.", max_length=20)] = [],  # noqa: B006
    ) -> dict[str, Any]:
        """The documents that match a question by their metadata (author, date, tags) and by its topic."""
        record = _told(service, lambda: service.ask(query, top_k, where, "auto"))
        return {name: record[name] for name in _ASKED}

    @server.tool()
    def explain(query: Question, chunk_id: ChunkId) -> str:
        """Why a chunk is included or excluded for a question, its rank, and the parts of its score."""
        return "\n".join(_told(service, lambda: service.explain(query, chunk_id, None))["lines"])

    @server.tool()
    def read_section(chunk_id: ChunkId) -> str:
        """The whole section that a chunk belongs to."""
        return _told(service, lambda: service.section(chunk_id))

    @server.tool()
    async def answer(query: Question, how: Literal["auto", "read", "generate"] = "read") -> str:
        """An answer with its sources as JSON; extracted from cells and sentences unless you ask for a model."""
        async for event in service.answer(query, how):
            if event["event"] == "error":
                raise ToolError(event["data"])
            if event["event"] == "complete":
                return json.dumps({name: event["answer"][name] for name in _TOLD}, ensure_ascii=False)
        raise ToolError("there was no answer; ask again")

    return server


def _told(service: Service, work: Callable[[], Result]) -> Result:
    try:
        return work()
    except RetrievalError as error:
        raise ToolError(without_home(str(error), service.home.root)) from error
