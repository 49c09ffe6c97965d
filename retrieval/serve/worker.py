"""One process of a server: uvicorn finds its application here, in this process or in others that it starts."""

import os
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from retrieval.serve.app import create_app
from retrieval.serve.guard import Guard
from retrieval.serve.limits import Limits

VARIABLE = "QUERYMUST_SERVED"
THREADS = "OMP_NUM_THREADS"
"""How many threads multiply a matrix, for OpenBLAS and MKL alike."""


@dataclass(frozen=True, slots=True)
class Served:
    """What is served. Processes that are started get it through the environment."""

    home: Path
    host: str = "127.0.0.1"
    port: int = 8377
    processes: int = 1
    limits: Limits = Limits()  # noqa: RUF009
    log_questions: bool = False
    keep_questions: bool = False
    examples: tuple[str, ...] = ()

    def run(self) -> None:
        """Serve until Ctrl-C.

        Raises:
            RetrievalError: the settings of the home cannot be read.
        """
        import uvicorn

        os.environ[VARIABLE] = TypeAdapter(Served).dump_json(self).decode()
        if self.processes > 1:
            # Processes that are started read this when they load numpy; where the user said how many, that stays.
            os.environ.setdefault(THREADS, str(threads_of_each(self.processes, os.cpu_count() or 1)))
        uvicorn.run(
            "retrieval.serve.worker:application",
            factory=True,
            host=self.host,
            port=self.port,
            workers=self.processes if self.processes > 1 else None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=10,
            log_level="warning",
        )


def threads_of_each(processes: int, cores: int) -> int:
    """Each process's share of the cores, at least one.

    A question's products are small: as many threads in each process as there are cores take the time of the processor
    and answer nothing sooner.
    """
    return max(1, cores // processes)


def application() -> Guard:
    """The application of what `QUERYMUST_SERVED` says."""
    served = TypeAdapter(Served).validate_json(os.environ[VARIABLE])
    return create_app(
        served.home,
        host=served.host,
        limits=served.limits,
        log_questions=served.log_questions,
        keep_questions=served.keep_questions,
        examples=served.examples,
    )
