"""Access control for the ASGI server: API keys, rate limits and request sizes are checked before anything else."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any

from retrieval.clock import Clock
from retrieval.errors import RetrievalError
from retrieval.serve.api_keys import ApiKey, ApiKeys, Scope
from retrieval.serve.errors import UNKNOWN, ErrorBody, problem_of
from retrieval.serve.logs import Measuring, RequestLog
from retrieval.serve.request_limits import Limits, RateLimit

SHELL = "index.html"
PAGE: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("/", "/books", "/evaluation", "/book/{place:path}"), SHELL)
    | {
        f"/{name}": name
        for name in ("page.css", "page.js", "parts.js", "answer.js", "hits.js", "books.js", "scores.js")
    }
)
"""File of each route. Every view is the same file: its script reads the address."""
ICON = "/favicon.ico"
"""Browsers request it; there is none."""
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}


def content_of(name: str) -> tuple[bytes, str]:
    """Return the bytes of a file of the page, and its type."""
    return (files("retrieval.serve") / "page" / name).read_bytes(), _TYPES[name.rpartition(".")[2]]


Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

OPEN = frozenset({*PAGE, ICON, "/healthz", "/openapi.json"})
"""Paths that need no key, like those under `/book/`: they reveal nothing about the books."""
WRITE = frozenset({"/v1/ingest"})


def _is_uncounted(path: str) -> bool:
    """Whether a path belongs to the page itself, which otherwise could not show that there were too many requests."""
    return path in {*PAGE, ICON, "/healthz"} or path.startswith("/book/")


_BODY_SECONDS = 30
_ADVICE = "send it as `Authorization: Bearer KEY`; create one with: querymust keys add NAME"


class _RefusalError(Exception):
    def __init__(self, status: int, problem: ErrorBody, wait: int | None = None) -> None:
        self.status, self.problem, self.wait = status, problem, wait


@dataclass(frozen=True, slots=True)
class AccessMiddleware:
    """Wraps an application with access control.

    Args:
        needs_key: whether a key is needed; None: if the home has, or once had, one.
        hosts: allowed values of the `Host` header; empty: any. On loopback this blocks foreign web pages whose host
            name is made to resolve to this machine.
        rate: counts the requests of each client.
        home: the home folder, whose path no response contains.
        log: gets a line for each request.
        responses_until_close: number of responses after which one ends its connection; None: none does. A client stays
            with the process that accepted its connection. When it connects again, the least busy process is the first
            to accept.
    """

    app: App
    keys: ApiKeys
    needs_key: bool | None
    hosts: frozenset[str]
    limits: Limits
    rate: RateLimit
    measuring: Measuring
    home: Path
    log: RequestLog
    responses_until_close: int | None = None
    _responses: Iterator[int] = field(default_factory=count)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request, or reject it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        clock, sent = Clock(), _Sent(send, closes=self._closes_connection())
        self.measuring.begun()
        told = {"key": "-"}
        try:
            key = self._admitted(scope)
            told["key"] = key.name if key else "-"
            body = await self._read(scope["path"], receive)
            told |= self.log.question_in(body)
            await self.app(scope, _Replayed(body, receive), sent)
        except _RefusalError as refused:
            if not sent.status:
                await _refuse(sent, refused)
        except Exception as error:
            # It is not raised again: the server would log its message too.
            self.log.error(error)
            if not sent.status:
                await _refuse(sent, _RefusalError(500, UNKNOWN))
        finally:
            self._ended(scope, sent.status or 499, clock.seconds, told)

    def _closes_connection(self) -> bool:
        return self.responses_until_close is not None and next(self._responses) % self.responses_until_close == 0

    def _admitted(self, scope: MutableMapping[str, Any]) -> ApiKey | None:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        host = host if host.endswith("]") else host.rsplit(":", 1)[0]
        if self.hosts and host.lower() not in self.hosts:
            raise _RefusalError(
                421, ErrorBody("WrongHost", f"this server does not have the host name {host!r}; use {min(self.hosts)}")
            )
        key = self._key(scope["path"], headers)
        client = key.name if key else (scope.get("client") or ("-",))[0]
        if not _is_uncounted(scope["path"]) and not self.rate.allows(client):
            wait = self.rate.seconds_to_wait(client)
            told = f"more than {self.limits.requests_per_minute} requests in a minute; wait {wait} seconds"
            raise _RefusalError(429, ErrorBody("TooManyRequests", told), wait)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._most(scope["path"]):
            raise _RefusalError(413, self._too_large(scope["path"]))
        return key

    def _key(self, path: str, headers: MutableMapping[str, str]) -> ApiKey | None:
        try:
            needs_key = self.keys.required if self.needs_key is None else self.needs_key
            if not needs_key or path in OPEN or path.startswith("/book/"):
                return None
            scheme, _, secret = headers.get("authorization", "").partition(" ")
            secret = secret if scheme.lower() == "bearer" else headers.get("x-api-key", "")
            key = self.keys.find(secret.strip())
        except RetrievalError as error:
            raise _RefusalError(500, problem_of(error, self.home)) from error
        if key is None:
            why = "this key is unknown" if secret else "a key is required"
            raise _RefusalError(401, ErrorBody("Unauthorized", f"{why}; {_ADVICE}"))
        scope: Scope = "write" if path in WRITE else "read"
        if not key.allows(scope):
            raise _RefusalError(
                403, ErrorBody("Forbidden", f"the key {key.name!r} has the scope read; {path} requires the scope write")
            )
        return key

    def _most(self, path: str) -> int:
        return self.limits.ingest_bytes if path in WRITE else self.limits.body_bytes

    def _too_large(self, path: str) -> ErrorBody:
        return ErrorBody("BodyTooLarge", f"the body of {path} may have {self._most(path):,} bytes; send less at once")

    async def _read(self, path: str, receive: Receive) -> bytes:
        """Return the whole body: a client may give a wrong length, and a slow client must not occupy a place
        forever."""
        pieces, read, more = list[bytes](), 0, True
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise _RefusalError(499, ErrorBody("Gone", "the client is gone"))
                    pieces.append(message.get("body", b""))
                    read, more = read + len(pieces[-1]), message.get("more_body", False)
                    if read > self._most(path):
                        raise _RefusalError(413, self._too_large(path))
        except TimeoutError as error:
            told = f"the body did not arrive within {_BODY_SECONDS} seconds; send it again"
            raise _RefusalError(408, ErrorBody("BodyTooSlow", told)) from error
        return b"".join(pieces)

    def _ended(self, scope: MutableMapping[str, Any], status: int, seconds: float, told: Mapping[str, str]) -> None:
        route = getattr(scope.get("route"), "path", None) or "other"
        self.measuring.ended(scope["method"], route, status, seconds)
        self.log.request(scope["method"], scope["path"], status, seconds, told)


class _Replayed:
    """Receives a body that was already read, and then further messages."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


class _Sent:
    """Sends messages, and records the status.

    Args:
        closes: whether the connection ends with the response.
    """

    def __init__(self, send: Send, *, closes: bool) -> None:
        self._send, self._closes = send, closes
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self._closes:
                message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
        await self._send(message)


async def _refuse(send: Send, refused: _RefusalError) -> None:
    body = json.dumps(refused.problem.to_json()).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refused.wait is not None:
        headers.append((b"retry-after", str(refused.wait).encode()))
    if refused.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
