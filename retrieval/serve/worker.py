"""One process of a server: uvicorn finds its application here, in this process or in others that it starts."""

import errno
import os
import resource
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from retrieval.errors import ListeningError
from retrieval.serve.access import AccessMiddleware
from retrieval.serve.api_keys import ApiKeys
from retrieval.serve.app import LOOPBACK, create_app, key_policy
from retrieval.serve.request_limits import Limits
from retrieval.serve.schema import EvaluationRecord

VARIABLE = "QUERYMUST_SERVED"
THREADS = "OMP_NUM_THREADS"
"""Number of threads for matrix products, for both OpenBLAS and MKL."""
_RESPONSES_UNTIL_CLOSE = 10


@dataclass(frozen=True, slots=True)
class Served:
    """The configuration of a server. Other processes get it through the environment."""

    home: Path
    host: str = "127.0.0.1"
    port: int = 8377
    processes: int = 1
    limits: Limits = Limits()  # noqa: RUF009
    log_questions: bool = False
    keep_questions: bool = False
    strategy: str | None = None
    no_keys: bool = False

    @property
    def rejects_all(self) -> bool:
        """Whether every request needs a key and there is none."""
        keys, policy = ApiKeys(self.home), key_policy(self.host, no_keys=self.no_keys)
        return (keys.required if policy is None else policy) and not keys.all

    def listen(self) -> socket.socket:
        """Return the socket on which the server will answer; connections wait in it until `run`.

        Raises:
            ListeningError: the port is taken, the address does not belong to this machine, or strangers would get
                access.
        """
        if self.no_keys and self.host not in LOOPBACK:
            raise ListeningError(
                f"--no-keys would give access to everyone who can reach {self.host}; listen on 127.0.0.1, or "
                "create a key: "
                "querymust keys add NAME"
            )
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            return socket.create_server((self.host, self.port), family=family)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise ListeningError(
                    f"port {self.port} of {self.host} is in use by another program, perhaps by another server of "
                    f"this home; stop it, or choose another port: --port {self.port % 65535 + 1}"
                ) from error
            raise ListeningError(
                f"cannot listen on port {self.port} of {self.host} ({error.strerror or error}); "
                "choose others with --host and --port"
            ) from error

    def run(self, listener: socket.socket, factory: str = f"{__name__}:application") -> None:
        """Serve until Ctrl-C.

        Args:
            factory: module and name of the function that makes the application in each process.

        Raises:
            RetrievalError: the settings of the home cannot be read.
        """
        import uvicorn
        from uvicorn.supervisors import Multiprocess

        from retrieval.serve.connections import BOUNDS

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # a connection is a file
        os.environ[VARIABLE] = TypeAdapter(Served).dump_json(self).decode()
        if self.processes > 1:
            # New processes read this when they load numpy; a value set by the user is kept.
            os.environ.setdefault(THREADS, str(threads_of_each(self.processes, os.cpu_count() or 1)))
        config = uvicorn.Config(
            factory,
            factory=True,
            workers=self.processes,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=10,
            log_level="warning",
            **BOUNDS,
        )
        server = uvicorn.Server(config)
        with suppress(KeyboardInterrupt):
            if self.processes > 1:
                listener.set_inheritable(True)
                Multiprocess(config, sockets=[listener]).run()
            else:
                server.run(sockets=[listener])
                if not server.started:  # uvicorn has logged why
                    sys.exit(1)


def threads_of_each(processes: int, cores: int) -> int:
    """Return the share of the cores for each process, at least one.

    The matrix products of a question are small: if each process had as many threads as there are cores, they would use
    processor time without answering sooner.
    """
    return max(1, cores // processes)


def application(
    examples: Callable[[], Sequence[str]] = tuple, evaluation: Callable[[], EvaluationRecord | None] = lambda: None
) -> AccessMiddleware:
    """Return the application that `QUERYMUST_SERVED` configures; for the arguments, see `create_app`."""
    served = TypeAdapter(Served).validate_json(os.environ[VARIABLE])
    return create_app(
        served.home,
        host=served.host,
        limits=served.limits,
        log_questions=served.log_questions,
        keep_questions=served.keep_questions,
        strategy=served.strategy,
        examples=examples,
        evaluation=evaluation,
        no_keys=served.no_keys,
        responses_until_close=_RESPONSES_UNTIL_CLOSE if served.processes > 1 else None,
    )
