"""A server on this machine that answers JSON with JSON: what a test says stands in for a model far away."""

import json
import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar


class JsonServer(ThreadingHTTPServer, ABC):
    """Speaks enough of the protocol over a real socket."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[dict[str, Any]] = []
        """What was sent, in turn."""

    @property
    def url(self) -> str:
        """Where clients of OpenAI find it."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    @abstractmethod
    def reply(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and answer."""


class _Handler(BaseHTTPRequestHandler):
    server: JsonServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append(body)
        status, answer = self.server.reply(body)
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.send_header("retry-after-ms", "1")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        logging.getLogger(__name__).debug("%s", args)


Started = TypeVar("Started", bound=JsonServer)


@contextmanager
def serving(server: Started) -> Iterator[Started]:
    """The server while it answers; it ends at once, and not at the next look of half a second."""
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
