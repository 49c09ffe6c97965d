"""Files and batches of the fake server: lines in, lines out, after so many looks."""

from __future__ import annotations

import json
from email.parser import BytesParser
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from email.message import Message

    from tests.openai_server.server import FakeOpenAi


class Batches:
    """`looks` is how often a batch is asked about before it is done; `keeps` how many results of it there are at most;
    `ends` how it ends; after a request of the `silent` kind nothing more is heard of the server."""

    def __init__(self, server: FakeOpenAi) -> None:
        self._server = server
        self.looks, self.ends = 1, "completed"
        self.keeps: int | None = None
        self.silent: Literal["", "POST /files", "POST /batches"] = ""
        self._files: dict[str, bytes] = {}
        self._batches: dict[str, dict[str, Any]] = {}

    def answer(self, method: str, path: str, headers: Message, sent: bytes | None) -> tuple[int, Any]:
        """Status, and a JSON value or the bytes of a file."""
        match [method, *path.strip("/").split("/")]:
            case ["POST", "files"]:
                return 200, self._file(_uploaded(headers, sent or b""))
            case ["GET", "files", name, "content"] if name in self._files:
                return 200, self._files[name]
            case ["POST", "batches"]:
                return 200, self._begun(json.loads(sent or b"{}"))
            case ["GET", "batches"]:
                return 200, {"object": "list", "data": list(self._batches.values()), "has_more": False}
            case ["GET", "batches", name] if name in self._batches:
                return 200, self._looked(self._batches[name])
            case ["POST", "batches", name, "cancel"] if name in self._batches:
                self._batches[name]["status"] = "cancelled"
                return 200, self._batches[name]
        return 404, {"error": {"message": f"no {method} {path}", "type": "test"}}

    def _file(self, content: bytes) -> dict[str, Any]:
        name = f"file-{len(self._files) + 1}"
        self._files[name] = content
        common = {"object": "file", "created_at": 0, "filename": "requests.jsonl", "purpose": "batch"}
        return {"id": name, "bytes": len(content), "status": "processed"} | common

    def _begun(self, asked: dict[str, Any]) -> dict[str, Any]:
        name = f"batch_{len(self._batches) + 1}"
        lines = self._files[asked["input_file_id"]].splitlines()
        self._batches[name] = {
            "id": name,
            "object": "batch",
            "endpoint": asked["endpoint"],
            "input_file_id": asked["input_file_id"],
            "completion_window": asked["completion_window"],
            "status": "validating",
            "metadata": asked.get("metadata"),
            "created_at": 0,
            "request_counts": {"total": len(lines), "completed": 0, "failed": 0},
            "looks": 0,
        }
        return self._batches[name]

    def _looked(self, batch: dict[str, Any]) -> dict[str, Any]:
        batch["looks"] += 1
        if batch["looks"] > self.looks and batch["status"] in ("validating", "in_progress"):
            self._end(batch)
        elif batch["status"] == "validating":
            batch["status"] = "in_progress"
        return batch

    def _end(self, batch: dict[str, Any]) -> None:
        batch["status"] = self.ends
        if self.ends == "failed":
            return
        results, errors = [], []
        query = [json.loads(line) for line in self._files[batch["input_file_id"]].splitlines()]
        for line in query[: self.keeps]:
            fault = self._server.plan(line["body"])
            if fault in ("dropped_result", "cut", "hang", "stall"):
                continue
            status = {"key": 401, "busy": 429, "broken": 500}.get(str(fault), 200)
            if status == 200:
                body = self._server.message(line["body"], fault, batch=True)
            else:
                body = {"error": {"message": "not now", "type": "test"}}
            response = {"status_code": status, "request_id": "1", "body": body}
            (results if status == 200 else errors).append(
                {"id": "1", "custom_id": line["custom_id"], "response": response, "error": None}
            )
        results.reverse()  # no order is promised
        batch["request_counts"] |= {"completed": len(results), "failed": len(query) - len(results)}
        for name, lines in (("output_file_id", results), ("error_file_id", errors)):
            if lines:
                batch[name] = self._file("\n".join(map(json.dumps, lines)).encode())["id"]


def _uploaded(headers: Message, sent: bytes) -> bytes:
    """The file of a form."""
    whole = BytesParser().parsebytes(b"content-type: " + headers["content-type"].encode() + b"\r\n\r\n" + sent)
    for part in whole.get_payload():  # type: ignore[union-attr]
        if part.get_param("name", header="content-disposition") == "file":  # type: ignore[union-attr]
            return part.get_payload(decode=True)  # type: ignore[union-attr,return-value]
    raise ValueError("no file was sent")
