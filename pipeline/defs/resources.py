"""The composition: which home the assets work in, chosen by the environment."""

import os
from collections.abc import Mapping
from pathlib import Path

import dagster as dg

from retrieval.home import Home


class HomeResource(dg.ConfigurableResource[Home]):
    """Gives assets a `retrieval.home.Home`; no asset sees a Dagster resource."""

    path: str

    def create_resource(self, context: dg.InitResourceContext) -> Home:  # noqa: ARG002 -- Dagster's signature
        """The home with the settings that its last build left there."""
        return Home.at(Path(self.path))


def default_home(environment: Mapping[str, str] = os.environ) -> Path:
    """`QUERYMUST_HOME`, else the folder that holds DAGSTER_HOME if a build wrote it, else `.querymust`."""
    if named := environment.get("QUERYMUST_HOME"):
        return Path(named)
    dagster_home = environment.get("DAGSTER_HOME")
    if dagster_home and (Path(dagster_home).parent / "rag.yaml").is_file():
        return Path(dagster_home).parent
    return Path(".querymust")
