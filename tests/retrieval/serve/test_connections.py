"""Connections that send no whole request."""

from __future__ import annotations

import socket
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

import httpx
import pytest

from retrieval.serve import connections
from tests.retrieval.serve.conftest import served

if TYPE_CHECKING:
    from retrieval.home import Home

BEGUN = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
HALF_BODY = b"POST /v1/retrieve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{"


def connected(client: httpx.Client) -> socket.socket:
    return socket.create_connection((client.base_url.host, client.base_url.port or 80), timeout=20)


@pytest.mark.parametrize("half", [b"", BEGUN, HALF_BODY])
def test_requests_that_never_end_shut_nobody_out(sample: Home, monkeypatch: pytest.MonkeyPatch, half: bytes) -> None:
    monkeypatch.setattr(connections, "PER_ADDRESS", 8)
    with served(sample.root) as client, ExitStack() as stack:
        opened = [stack.enter_context(connected(client)) for _ in range(40)]
        for each in opened:
            with suppress(OSError):  # closed already to make room
                each.sendall(half)
        # Connections of their own: what the client has kept open may have made room, and it may not know that yet.
        for _ in range(3):
            assert httpx.get(client.base_url.join("/healthz"), timeout=20).status_code == 200


@pytest.mark.parametrize("sent", [[b""], [BEGUN], [BEGUN + b"\r\n", BEGUN]])
def test_headers_that_do_not_come_end_their_connection(sample, monkeypatch, sent):
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.2)
    with served(sample.root) as client, connected(client) as connection:
        for before in sent[:-1]:
            connection.sendall(before)
            assert b" 200 " in connection.recv(4096)
        connection.sendall(sent[-1])
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert answer.endswith(connections._TOO_SLOW)


def test_a_request_whose_headers_are_there_has_all_its_time(sample: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.2)
    with served(sample.root) as client, connected(client) as connection:
        connection.sendall(HALF_BODY)
        connection.settimeout(1)
        with pytest.raises(TimeoutError):
            connection.recv(1)


@pytest.mark.parametrize("header", [b"X: " + b"a" * 10_000_000, b"".join(b"X-%d: a\r\n" % n for n in range(10**6))])
def test_headers_have_a_bound(sample: Home, header: bytes) -> None:
    with served(sample.root) as client, connected(client) as connection:
        with suppress(OSError):  # it may hang up in the middle
            connection.sendall(BEGUN + header + b"\r\n\r\n")
        with suppress(ConnectionResetError):
            assert b" 200 " not in connection.recv(4096)
        assert client.get("/healthz").status_code == 200


def response_of(connection: socket.socket) -> bytes:
    """The whole response: once its last byte is there, the server knows that the connection waits again."""
    connection.sendall(BEGUN + b"\r\n")
    read = b""
    while not read.endswith(b"}") and (more := connection.recv(4096)):
        read += more
    return read


def test_room_is_made_by_who_waits_longest_and_not_by_who_came_first(sample: Home, monkeypatch) -> None:
    monkeypatch.setattr(connections, "PER_ADDRESS", 2)
    with served(sample.root) as client, connected(client) as first, connected(client) as second:
        assert all(b" 200 " in response_of(connection) for connection in (first, second, first))
        with connected(client) as third:
            assert b" 200 " in response_of(third)
            assert b" 200 " in response_of(first)
