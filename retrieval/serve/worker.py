"""One process of a server: uvicorn finds its application here, in this process or in others that it starts."""

import os
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from retrieval.serve.app import create_app
from retrieval.serve.guard import Guard
from retrieval.serve.limits import Limits

VARIABLE = "QUERYMUST_SERVED"


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
