"""OpenAI's protocol on a real socket: chat, embeddings, files and batches, and every way in which they go wrong."""

from __future__ import annotations

import base64
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

import numpy as np

from tests.openai_server.batches import Batches
from tests.openai_server.counting import Counts, tokens
from tests.openai_server.faults import UNPAID, Fault, Plan, well
from tests.openai_server.spoiling import spoiled

KEY = "sk-a-secret"


class FakeOpenAi(ThreadingHTTPServer):
    """Answers chat with the `pieces`, or with what `answering` makes of the request.

    `plan` says which request goes wrong and how. Errors repeat the key that was sent, as no server should.
    """

    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[dict[str, Any]] = []
        """The bodies of chat and embedding requests, in turn."""
        self.counts = Counts()
        self.plan: Plan = well
        self.answering: Callable[[Mapping[str, Any]], str] | None = None
        self.pieces = ["The answer ", "is 10 [1]."]
        self.finish, self.refusal = "stop", None
        self.status = 200
        """Of every answer."""
        self.breaks: int | None = None
        """After so many pieces of a stream the connection ends."""
        self.garbage = False
        """Whether a stream has a line that is not JSON."""
        self.hangs = False
        """Whether a stream goes on until the client has gone."""
        self.gone = threading.Event()
        """Set when a client closed its connection before the end."""
        self.retry_after = "0.01"
        self.delay = 0.0
        """Seconds before every answer."""
        self.thinks: int | None = None
        """Tokens before every answer of a model that refuses `max_tokens` and `temperature`."""
        self.dimensions = 1536
        self.models: frozenset[str] | None = None
        """Models that it says it has; None: it does not say."""
        self.zero = False
        """Whether embeddings are zero."""
        self.batches = Batches(self)
        self.stopping = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def environment(self) -> dict[str, str]:
        return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": self.address}

    def content(self, body: Mapping[str, Any]) -> str:
        return self.answering(body) if self.answering else "".join(self.pieces)

    def message(self, body: Mapping[str, Any], fault: Fault | None, *, batch: bool = False) -> dict[str, Any]:
        """A whole answer of chat, perhaps a spoiled one; it is paid."""
        content = spoiled(self.content(body), fault)
        refusal = "I cannot help with that" if fault == "refusal" else self.refusal
        finish = "length" if fault == "truncated" else self.finish
        thought = self.thinks or 0
        if self.thinks is not None and thought + tokens(content) > body["max_completion_tokens"]:
            content, finish = "", "length"
            thought = body["max_completion_tokens"]
        message = {"role": "assistant", "content": None if refusal else content, "refusal": refusal}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": body.get("model", "m"),
            "choices": [{"index": 0, "finish_reason": finish, "message": message}],
            "usage": self.counts.pay(body, content, batch=batch, thought=thought),
        }

    def embeddings(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """In the order that a client must not trust."""
        data = [
            {"object": "embedding", "index": position, "embedding": self._vector(text, body.get("encoding_format"))}
            for position, text in enumerate(body["input"])
        ]
        used = sum(map(tokens, body["input"]))
        self.counts.prompt += used
        usage = {"prompt_tokens": used, "total_tokens": used}
        return {"object": "list", "model": body["model"], "data": data[::-1], "usage": usage}

    def _vector(self, text: str, form: str | None) -> str | list[float]:
        numbers = np.zeros(self.dimensions, dtype="<f4")
        numbers[len(text) % self.dimensions] = 0.0 if self.zero else 2.0
        return base64.b64encode(numbers.tobytes()).decode() if form == "base64" else numbers.tolist()


class _Handler(BaseHTTPRequestHandler):
    server: FakeOpenAi

    def do_GET(self) -> None:
        self._answered(None)

    def do_POST(self) -> None:
        self._answered(self.rfile.read(int(self.headers["content-length"])))

    def _answered(self, sent: bytes | None) -> None:
        self.server.counts.came(self.path)
        try:
            self.server.stopping.wait(self.server.delay)
            self._route(sent)
        except (BrokenPipeError, ConnectionResetError):
            self.server.gone.set()
        finally:
            self.server.counts.went()

    def _route(self, sent: bytes | None) -> None:
        path = self.path.split("?")[0].removeprefix("/v1")
        if self.server.status != 200:
            self._error(self.server.status)
        elif path in ("/chat/completions", "/embeddings"):
            body = json.loads(sent or b"{}")
            self.server.asked.append(body)
            if self.server.thinks is not None and (refused := {"max_tokens", "temperature"} & body.keys()):
                self._refused_parameter(min(refused))
                return
            fault = self.server.plan(body)
            if self._failed(body, fault):
                return
            if path == "/embeddings":
                self._json(self.server.embeddings(body), fault)
            elif body.get("stream"):
                self._stream(body, fault)
            else:
                self._json(self.server.message(body, fault), fault)
        elif path.startswith("/models/") and self.server.models is not None:
            self._model(path.removeprefix("/models/"))
        else:
            status, answer = self.server.batches.answer(self.command, path, self.headers, sent)
            if f"{self.command} {path}" == self.server.batches.silent:
                self._wait_for_the_client_to_go()
            else:
                self._sent(status, answer if isinstance(answer, bytes) else json.dumps(answer).encode())

    def _model(self, name: str) -> None:
        if self.headers["authorization"] != f"Bearer {KEY}":
            self._error(401)
        elif name in self.server.models:
            self._sent(200, json.dumps({"id": name, "object": "model", "created": 0, "owned_by": "us"}).encode())
        else:
            output = {"error": {"message": f"The model '{name}' does not exist", "code": "model_not_found"}}
            self._sent(404, json.dumps(output).encode())

    def _failed(self, body: Mapping[str, Any], fault: Fault | None) -> bool:
        """Whether there is no answer at all."""
        if fault in ("hang", "stall"):
            if fault not in UNPAID and "messages" in body:
                self.server.counts.pay(body, self.server.content(body))
            self._wait_for_the_client_to_go()
        elif fault in UNPAID and fault is not None:
            self._error({"key": 401, "busy": 429, "broken": 500}[fault])
        else:
            return False
        return True

    def _wait_for_the_client_to_go(self) -> None:
        self.connection.settimeout(0.02)
        while not self.server.stopping.is_set():
            try:
                if not self.connection.recv(1):
                    break
            except TimeoutError:
                continue
        self.server.gone.set()
        self.close_connection = True

    def _error(self, status: int) -> None:
        output = {"error": {"message": f"not now, {self.headers.get('authorization')}", "type": "test"}}
        self._sent(status, json.dumps(output).encode())

    def _refused_parameter(self, name: str) -> None:
        output = {"message": f"Unsupported parameter: '{name}'", "param": name, "code": "unsupported_parameter"}
        self._sent(400, json.dumps({"error": output}).encode())

    def _json(self, answer: Mapping[str, Any], fault: Fault | None) -> None:
        content = json.dumps(answer).encode()
        if fault == "malformed" and "choices" not in answer:
            content = b"{not json"
        if fault != "cut":
            self._sent(200, content)
            return
        self._head(200, len(content))
        self.wfile.write(content[: len(content) // 2])
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def _sent(self, status: int, content: bytes) -> None:
        self._head(status, len(content))
        self.wfile.write(content)

    def _head(self, status: int, length: int) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(length))
        self.send_header("retry-after", self.server.retry_after)
        self.end_headers()

    def _stream(self, body: Mapping[str, Any], fault: Fault | None) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        pieces = [self.server.answering(body)] if self.server.answering else self.server.pieces
        breaks = 1 if fault == "cut" else self.server.breaks
        for number, piece in enumerate(pieces):
            if number == breaks:
                return
            self._event({"delta": {"content": piece}, "finish_reason": None, "index": 0})
        while self.server.hangs and not self.server.gone.wait(0.02):
            self._event({"delta": {"content": "."}, "finish_reason": None, "index": 0})
        if self.server.garbage or fault == "malformed":
            self.wfile.write(b"data: {not json\n\n")
        refusal = "I cannot help with that" if fault == "refusal" else self.server.refusal
        finish = "length" if fault == "truncated" else self.server.finish
        self._event({"delta": {"refusal": refusal}, "finish_reason": finish, "index": 0})
        self._event(None, self.server.counts.pay(body, "".join(pieces)))
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, choice: dict[str, Any] | None, usage: dict[str, int] | None = None) -> None:
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", "usage": usage}
        chunk["choices"] = [choice] if choice else []
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *args: object) -> None:
        pass


Started = TypeVar("Started", bound=FakeOpenAi)


@contextmanager
def fake_openai(server: Started | None = None) -> Iterator[Started]:
    """The server while it answers; it ends at once, and not at the next look of half a second."""
    with server or FakeOpenAi() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.stopping.set()
        server.shutdown()
        thread.join()
