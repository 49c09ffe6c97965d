"""Access control of the server: keys, rates and sizes, before a request is read (ASGI)."""

import asyncio
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from pydantic import TypeAdapter, ValidationError

from retrieval.errors import RetrievalError, UnknownNameError, UnreadableSettingsError
from retrieval.files.atomic_files import write_atomically
from retrieval.files.clock import Clock
from retrieval.serve.errors import UNKNOWN, ErrorBody, problem_of
from retrieval.serve.logs import Measuring, RequestLog

Scope = Literal["read", "write"]
KEYS_FILE = "api_keys.json"
REQUIRED_FILE = "api_keys_required"
"""Its presence says that this home once had a key. It is apart from the keys, so that their loss opens nothing."""
_PREFIX = "qm_"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """Who may ask. Key: name."""

    name: str
    scope: Scope
    """`write` may bring documents in, and all that `read` may."""
    digest: str
    """SHA-256 of the key. It is 256 random bits, so no salt and no slow hash makes it harder to guess."""

    def allows(self, scope: Scope) -> bool:
        """Whether the key may do what needs this scope."""
        return scope == "read" or self.scope == "write"


class ApiKeys:
    """The keys of one home, read again whenever their file changed.

    Args:
        home: the home folder.
    """

    def __init__(self, home: Path) -> None:
        self.file = home / KEYS_FILE
        self._marker = home / REQUIRED_FILE
        self._read: tuple[tuple[int, int], tuple[ApiKey, ...]] = ((0, 0), ())

    @property
    def required(self) -> bool:
        """Whether the home has, or once had, a key."""
        return bool(self._read[1]) or self._marker.exists() or self.file.exists()

    def remember_required(self) -> None:
        """Keep on asking for a key, whatever becomes of the file of the keys."""
        write_atomically(self._marker, "this home once had an API key: `querymust serve` asks for one\n")

    @property
    def all(self) -> tuple[ApiKey, ...]:
        """Every key, by name.

        Raises:
            UnreadableSettingsError: the file is damaged.
        """
        try:
            status = self.file.stat()
        except FileNotFoundError:
            return ()
        changed = (status.st_mtime_ns, status.st_ino)
        if changed != self._read[0]:
            try:
                validate_json = TypeAdapter(list[ApiKey]).validate_json(self.file.read_bytes())
            except (ValidationError, OSError) as error:
                raise UnreadableSettingsError(
                    f"{self.file} is no list of keys, so no key opens anything; restore it, or move it away and make "
                    "new keys: querymust keys add NAME"
                ) from error
            self._read = (changed, tuple(sorted(validate_json, key=lambda key: key.name)))
        return self._read[1]

    def find(self, secret: str) -> ApiKey | None:
        """The key that a client sent; how long it takes does not tell how much of it is right."""
        digest = _digest(secret)
        keys = [key for key in self.all if hmac.compare_digest(key.digest, digest)]
        return keys[0] if keys else None

    def add(self, name: str, scope: Scope) -> str:
        """Make a key. It is returned here and kept nowhere.

        Raises:
            UnreadableSettingsError: there is a key of this name, or the name is empty.
        """
        if not name.strip() or any(key.name == name for key in self.all):
            raise UnreadableSettingsError(f"a key cannot be called {name!r}: the name is empty, or another key has it")
        secret = _PREFIX + secrets.token_urlsafe(32)
        self._write((*self.all, ApiKey(name, scope, _digest(secret))))
        return secret

    def remove(self, name: str) -> None:
        """Let a key open nothing any more.

        Raises:
            UnknownNameError: no key is called that.
        """
        if not any(key.name == name for key in self.all):
            raise UnknownNameError("key", name, [key.name for key in self.all])
        self._write(tuple(key for key in self.all if key.name != name))

    def _write(self, keys: tuple[ApiKey, ...]) -> None:
        self.remember_required()
        write_atomically(self.file, json.dumps([asdict(key) for key in keys], indent=1) + "\n")
        self.file.chmod(0o600)


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one server."""

    requests_per_minute: int = 600
    """Of one key, or of one address where no key is asked for; counted by each process for itself."""
    body_bytes: int = 64 * 1024
    ingest_bytes: int = 20 * 1024 * 1024
    """Of one batch of documents."""
    seconds: float = 10.0
    """Until a search is given up, that of an answer included."""


class RateLimit:
    """Counts requests in sliding minutes.

    Args:
        per_minute: how many a client may send.
    """

    def __init__(self, per_minute: int) -> None:
        self._item = RateLimitItemPerMinute(per_minute)
        self._window = SlidingWindowCounterRateLimiter(MemoryStorage())

    def allows(self, client: str) -> bool:
        """Whether a client may send one more; it is counted."""
        return self._window.hit(self._item, client)

    def seconds_to_wait(self, client: str) -> int:
        """Until it may send again, at least 1."""
        import time

        return max(1, round(self._window.get_window_stats(self._item, client).reset_time - time.time()))


SHELL = "index.html"
PAGE: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("/", "/books", "/evaluation", "/book/{place:path}"), SHELL)
    | {
        f"/{name}": name
        for name in ("page.css", "page.js", "parts.js", "answer.js", "hits.js", "books.js", "scores.js")
    }
)
"""Route and file of each part. Every view is the same file: its script reads the address."""
ICON = "/favicon.ico"
"""Browsers ask for it; there is none."""
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}


def content_of(name: str) -> tuple[bytes, str]:
    """The bytes of a file of the page, and its type."""
    return (files("retrieval.serve") / "page" / name).read_bytes(), _TYPES[name.rpartition(".")[2]]


Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

OPEN = frozenset({*PAGE, ICON, "/healthz", "/openapi.json"})
"""Paths that need no key, and those under `/book/`: they tell nothing of the books."""
WRITE = frozenset({"/v1/ingest"})


def _is_uncounted(path: str) -> bool:
    """Whether a path is of the page itself, which could not say otherwise that there were too many requests."""
    return path in {*PAGE, ICON, "/healthz"} or path.startswith("/book/")


_BODY_SECONDS = 30
_ADVICE = "send it as `Authorization: Bearer KEY`; make one with: querymust keys add NAME"


class _RefusalError(Exception):
    def __init__(self, status: int, problem: ErrorBody, wait: int | None = None) -> None:
        self.status, self.problem, self.wait = status, problem, wait


@dataclass(frozen=True, slots=True)
class Guard:
    """Wraps an application.

    Args:
        app: what is guarded.
        keys: of the home.
        needs_key: whether a key is asked for; None: if the home has, or once had, one.
        hosts: what the `Host` header may name; empty: anything. On loopback it keeps the pages of strangers out, whose
            names can be made to point here.
        limits: bounds.
        rate: counts.
        measuring: counts.
        home: its path is in no answer.
        log: gets a line for each request.
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

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        clock, sent = Clock(), _Sent(send)
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
            # It ends here: whoever serves this would log its message too.
            self.log.error(error)
            if not sent.status:
                await _refuse(sent, _RefusalError(500, UNKNOWN))
        finally:
            self._ended(scope, sent.status or 499, clock.seconds, told)

    def _admitted(self, scope: MutableMapping[str, Any]) -> ApiKey | None:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        host = host if host.endswith("]") else host.rsplit(":", 1)[0]
        if self.hosts and host.lower() not in self.hosts:
            raise _RefusalError(
                421, ErrorBody("WrongHost", f"this server is not called {host!r}; use {min(self.hosts)}")
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
            why = "this key is not known" if secret else "a key is needed"
            raise _RefusalError(401, ErrorBody("Unauthorized", f"{why}; {_ADVICE}"))
        scope: Scope = "write" if path in WRITE else "read"
        if not key.allows(scope):
            raise _RefusalError(
                403, ErrorBody("Forbidden", f"the key {key.name!r} may read; {path} needs one that may write")
            )
        return key

    def _most(self, path: str) -> int:
        return self.limits.ingest_bytes if path in WRITE else self.limits.body_bytes

    def _too_large(self, path: str) -> ErrorBody:
        return ErrorBody("BodyTooLarge", f"the body of {path} may have {self._most(path):,} bytes; send less at once")

    async def _read(self, path: str, receive: Receive) -> bytes:
        """The body, whole: what a client says of its length may be a lie, and a slow one may hold no place for ever."""
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
            told = f"the body did not come within {_BODY_SECONDS} seconds; send it again"
            raise _RefusalError(408, ErrorBody("BodyTooSlow", told)) from error
        return b"".join(pieces)

    def _ended(self, scope: MutableMapping[str, Any], status: int, seconds: float, told: Mapping[str, str]) -> None:
        route = getattr(scope.get("route"), "path", None) or "other"
        self.measuring.ended(scope["method"], route, status, seconds)
        self.log.request(scope["method"], scope["path"], status, seconds, told)


class _Replayed:
    """Receives a body that was read, and then whatever comes."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


class _Sent:
    """Sends, and remembers the status."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
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
