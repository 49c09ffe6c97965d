"""The composition: which home the assets work in, chosen by the environment."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import dagster as dg

from retrieval.home import Home
from retrieval.settings import FILE_NAME, REMEMBERED
from retrieval.write_lock import write_lock_when_free


class HomeResource(dg.ConfigurableResource[Home]):
    """Gives assets a `retrieval.home.Home`; no asset sees a Dagster resource."""

    path: str

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[Home]:
        """The home with the settings that its last build left there; a run has it to itself until it ends.

        A run waits for a build of the command, and a build says who is at work. A sensor only looks.
        """
        root = Path(self.path).expanduser().resolve()
        with ExitStack() as stack:
            if context.run is not None and context.log is not None:
                stack.enter_context(write_lock_when_free(root, context.log.info))
            yield Home.at(root)


def default_home(environment: Mapping[str, str] = os.environ) -> Path:
    """`QUERYMUST_HOME`, else the folder that holds DAGSTER_HOME if a build wrote it, else `.querymust`."""
    if named := environment.get("QUERYMUST_HOME"):
        return Path(named)
    dagster_home = environment.get("DAGSTER_HOME")
    if dagster_home:
        parent = Path(dagster_home).parent
        if any((parent / name).is_file() for name in (REMEMBERED, FILE_NAME)):
            return parent
    return Path(".querymust")
