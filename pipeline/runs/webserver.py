"""Dagster's own UI and daemons over one home: what `querymust ui` becomes."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pipeline
from retrieval.errors import RetrievalError
from retrieval.home import Home

if TYPE_CHECKING:
    from pathlib import Path


LOOPBACK = "127.0.0.1"


_PATHS = ("QUERYMUST_LIBRARY", "QUERYMUST_QUESTIONS")


class PortTakenError(RetrievalError):
    """Somebody else listens there; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Server:
    """The UI of one home. Key: (host, port)."""

    home: Home
    host: str = LOOPBACK
    port: int = 3000

    @property
    def url(self) -> str:
        """Where a browser finds it."""
        return f"http://{self.host}:{self.port}"

    def check_port(self) -> None:
        """See whether the port is free; Dagster would only say so in a stack trace.

        Raises:
            PortTakenError: it is not, or the host is not this machine's.
        """
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.host, self.port))
            except OSError as error:
                raise PortTakenError(
                    f"{self.url} cannot be served ({error.strerror}); stop what is there, or name another with --port"
                ) from error

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """What Dagster asks for, over what is given; relative paths are made whole, for the folder is another one."""
        paths = {
            name: os.pathsep.join(str(Path(each).expanduser().resolve()) for each in given[name].split(os.pathsep))
            for name in _PATHS
            if given.get(name)
        }
        return {
            **given,
            **paths,
            "DAGSTER_HOME": str(self.home.dagster),
            "DAGSTER_DISABLE_TELEMETRY": "1",
            "QUERYMUST_HOME": str(self.home.root),
            "PYTHONPATH": os.pathsep.join(str(Path(each).resolve()) for each in sys.path if each),
        }

    def command(self) -> list[str]:
        """The program that serves it. Not `dg dev`, which wants a pyproject.toml, and an installed wheel has none."""
        workspace = Path(pipeline.__file__).with_name("workspace.yaml")
        return [
            *(sys.executable, "-W", "ignore::FutureWarning", "-m", "dagster", "dev"),
            *("--workspace", str(workspace)),
            *("--host", self.host, "--port", str(self.port)),
            *("--log-level", "warning", "--code-server-log-level", "warning"),
        ]

    def become(self) -> None:
        """Turn this process into the server. It begins in the folder of its settings, so that it finds no others."""
        environment, command = self.environment(os.environ), self.command()
        # Dagster ends at TERM as it does at INT, and a shell lets what it starts in the background ignore INT.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.chdir(self.home.dagster)
        os.execve(command[0], command, environment)  # noqa: S606 -- no shell, by intention
