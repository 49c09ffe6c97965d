"""A chat server on a real socket that streams its answers, or fails in the middle of them."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class StreamingServer(ThreadingHTTPServer):
    """Streams `pieces`; `breaks` after so many of them, `hangs` until it is told to go on."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[dict[str, Any]] = []
        self.pieces = ["The answer ", "is 10 [1]."]
        self.status, self.finish = 200, "stop"
        self.refusal: str | None = None
        self.breaks: int | None = None
        self.garbage = False
        self.hangs = False
        self.gone = threading.Event()
        """Set when a client closed its connection before the end."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def environment(self) -> dict[str, str]:
        return {"OPENAI_API_KEY": "sk-a-secret", "OPENAI_BASE_URL": self.address}


class _Handler(BaseHTTPRequestHandler):
    server: StreamingServer

    def do_POST(self) -> None:
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(self.server.status)
        self.send_header("content-type", "text/event-stream" if self.server.status == 200 else "application/json")
        self.end_headers()
        if self.server.status != 200:
            self.wfile.write(json.dumps({"error": {"message": "no sk-a-secret", "type": "test"}}).encode())
            return
        try:
            self._stream()
        except (BrokenPipeError, ConnectionResetError):
            self.server.gone.set()

    def _stream(self) -> None:
        for number, piece in enumerate(self.server.pieces):
            if number == self.server.breaks:
                return
            self._send({"delta": {"content": piece}, "finish_reason": None, "index": 0})
        while self.server.hangs and not self.server.gone.wait(0.02):
            self._send({"delta": {"content": "."}, "finish_reason": None, "index": 0})
        if self.server.garbage:
            self.wfile.write(b"data: {not json\n\n")
        self._send({"delta": {"refusal": self.server.refusal}, "finish_reason": self.server.finish, "index": 0})
        self._send(None, {"prompt_tokens": 40, "completion_tokens": 2, "total_tokens": 42})
        self.wfile.write(b"data: [DONE]\n\n")

    def _send(self, choice: dict[str, Any] | None, usage: dict[str, int] | None = None) -> None:
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", "usage": usage}
        chunk["choices"] = [choice] if choice else []
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *args: object) -> None:
        pass
