"""`querymust serve`, `mcp` and `ui`."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import pipeline
from pipeline.commands.options import DEFAULT_HOME, HomeOption, StrategyOption
from pipeline.console.output import counted, err, out
from retrieval.errors import RetrievalError
from retrieval.files.versions import install

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retrieval.home import Home
    from retrieval.serve.access import AccessMiddleware


PORT = 8377


def serve(
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; keys are required except on loopback.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Port to listen on.")] = PORT,
    processes: Annotated[
        int,
        typer.Option(
            "--processes", min=1, max=64, help="Number of processes, to use more cores; they share the index in memory."
        ),
    ] = 1,
    per_minute: Annotated[
        int, typer.Option("--per-minute", min=1, help="Requests per key or address, for each process.")
    ] = 600,
    log_questions: Annotated[
        bool, typer.Option("--log-questions", help="Write the text of questions to the log.")
    ] = False,
    keep_questions: Annotated[
        bool, typer.Option("--keep-questions", help="Store the questions in the home, for querymust suggest-terms.")
    ] = False,
    no_keys: Annotated[
        bool, typer.Option("--no-keys", help="On loopback, require no key, even if the home has or once had one.")
    ] = False,
    strategy: StrategyOption = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Serve the live index over HTTP until Ctrl-C; a new live index is used at once.

    \b
    Examples:
      querymust serve
      querymust serve --processes 2 --port 9000
      querymust serve --strategy hybrid
      querymust serve --log-questions 2>> questions.log
      querymust serve --keep-questions
      querymust keys add bot && querymust serve --host 0.0.0.0
    """
    from retrieval.home import Home
    from retrieval.index.snapshot.live import live_id
    from retrieval.models.access import KEY, Access
    from retrieval.serve.request_limits import Limits
    from retrieval.serve.worker import Served

    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    limits = Limits(requests_per_minute=per_minute)
    at = Home.at(home)
    name = at.strategy(strategy)
    served = Served(at.root, host, port, processes, limits, log_questions, keep_questions, name, no_keys)
    with served.listen() as listener:
        if os.environ.get(KEY):
            sent, server = at.settings.answer, Access.of_environment().server
            err.print(
                f"{KEY} is set: for each answer, the server sends the question and up to {sent.max_chunks} passages to "
                f"the model {sent.model} at {server}"
            )
        if live_id(at.root) is None:
            err.print(f"nothing is live in {at.root}: every question gets status 503 until a build goes live there")
        if served.rejects_all:
            err.print("There are no keys, so the server rejects every request; to create one: querymust keys add NAME")
        err.print(f"http://{f'[{host}]' if ':' in host else host}:{port}  (press Ctrl-C to stop)")
        served.run(listener, f"{__name__}:application")


def application() -> AccessMiddleware:
    """Return the application of one process of `querymust serve`."""
    from pydantic import TypeAdapter

    from pipeline.report.evaluation_record import live_evaluation
    from retrieval.serve.worker import VARIABLE, Served
    from retrieval.serve.worker import application as make

    root = TypeAdapter(Served).validate_json(os.environ[VARIABLE]).home
    return make(lambda: _examples(root), lambda: live_evaluation(root))


def _examples(root: Path) -> tuple[str, ...]:
    """Return questions that the live index was scored with; none if it was not scored, or if they cannot be read."""
    from evals.errors import QuestionsError
    from retrieval.home import Home
    from retrieval.index.snapshot.live import live_id

    try:
        live, home = live_id(root), Home.at(root)
        scored = live is not None and (home.evaluations / live).is_dir()
        return _read_examples(live, home.settings.questions) if scored else ()
    except (QuestionsError, RetrievalError, OSError):
        return ()  # the page works without them


@lru_cache(maxsize=1)
def _read_examples(_live: str, files: tuple[Path, ...]) -> tuple[str, ...]:
    """Return the examples of question files; they are read once for each live index."""
    from evals.questions.questions import examples, load_questions

    return examples([question for path in files for question in load_questions(path)])


def serve_mcp(home: HomeOption = DEFAULT_HOME) -> None:
    """Serve the live index to an assistant with the Model Context Protocol, over standard input and output.

    \b
    Example:
      querymust mcp --home /path/to/.querymust
    """
    from retrieval.home import Home
    from retrieval.serve.request_limits import Limits
    from retrieval.serve.service import Service

    try:
        from retrieval.serve.mcp_server import mcp_server
    except ImportError as error:
        raise RetrievalError(f"querymust mcp needs a Python package ({error}): {install('mcp')}") from error
    service = Service(Home.at(home).root, seconds=Limits().seconds, environment=os.environ)
    mcp_server(service).run("stdio")
    service.close()


def serve_ui(
    port: Annotated[int, typer.Option("--port", help="Port to listen on.", min=1, max=65_535)] = 3000,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; anyone who can reach it has full access.")
    ] = "127.0.0.1",
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Serve Dagster's UI for a home, with its sensors and its schedule, until Ctrl-C.

    The UI requires no key and no password, so only this machine can reach it unless --host is set. It also shows a
    home without a build; the UI then describes the first step.

    \b
    Examples:
      querymust ui
      querymust ui --port 3333 --home elsewhere
    """
    from retrieval.home import Home

    server = Server(Home.at(home), host, port)
    server.check_port()
    from pipeline.runs.in_process import cancel_dead  # loads Dagster, which takes seconds

    if dead := cancel_dead(server.home):
        err.print(f"Canceled because the process is gone: {counted(dead, 'run')}.")
    out.print(f"{server.url} will show {server.home.root} in a few seconds; press Ctrl-C to stop.")
    server.become()


LOOPBACK = "127.0.0.1"


_PATHS = ("QUERYMUST_LIBRARY", "QUERYMUST_QUESTIONS")


class PortTakenError(RetrievalError):
    """Another program uses the port; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Server:
    """The UI of one home. Key: (host, port)."""

    home: Home
    host: str = LOOPBACK
    port: int = 3000

    @property
    def url(self) -> str:
        """The address for a browser."""
        return f"http://{self.host}:{self.port}"

    def check_port(self) -> None:
        """Check that the port is free; Dagster would report it only in a stack trace.

        Raises:
            PortTakenError: it is not free, or the host is not on this machine.
        """
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.host, self.port))
            except OSError as error:
                raise PortTakenError(
                    f"{self.url} cannot be served ({error.strerror}); stop the other program, or choose another "
                    "port with --port"
                ) from error

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the given environment with the variables that Dagster needs. Relative paths become absolute, because
        the working folder changes."""
        paths = {
            name: os.pathsep.join(str(Path(path).expanduser().resolve()) for path in given[name].split(os.pathsep))
            for name in _PATHS
            if given.get(name)
        }
        return {
            **given,
            **paths,
            "DAGSTER_HOME": str(self.home.dagster),
            "DAGSTER_DISABLE_TELEMETRY": "1",
            "QUERYMUST_HOME": str(self.home.root),
            "PYTHONPATH": os.pathsep.join(str(Path(path).resolve()) for path in sys.path if path),
        }

    def command(self) -> list[str]:
        """Return the command that serves it. `dg dev` needs a pyproject.toml, which an installed wheel lacks."""
        workspace = Path(pipeline.__file__).with_name("workspace.yaml")
        return [
            *(sys.executable, "-W", "ignore::FutureWarning", "-m", "dagster", "dev"),
            *("--workspace", str(workspace)),
            *("--host", self.host, "--port", str(self.port)),
            *("--log-level", "warning", "--code-server-log-level", "warning"),
        ]

    def become(self) -> None:
        """Turn this process into the server. It starts in the folder of its settings, so that it finds no others."""
        environment, command = self.environment(os.environ), self.command()
        # Dagster stops on TERM as it does on INT, and a shell makes its background jobs ignore INT.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.chdir(self.home.dagster)
        os.execve(command[0], command, environment)  # noqa: S606 -- no shell, by intention
