"""Runs of the UI beside builds of the command: one of them writes at a time."""

from pathlib import Path

import dagster as dg

from pipeline.defs.resources import HomeResource
from retrieval.home import Home
from retrieval.write_lock import holder


def test_a_run_has_its_home_to_itself_and_a_look_takes_nothing(tmp_path: Path) -> None:
    seen = []

    @dg.asset
    def written(home: dg.ResourceParam[Home]) -> None:
        seen.append((home.root, holder(home.root)))

    resource = HomeResource(path=str(tmp_path))
    with dg.DagsterInstance.ephemeral() as instance:
        assert dg.materialize([written], resources={"home": resource}, instance=instance).success
    ((root, at_work),) = seen
    assert root == tmp_path
    assert at_work is not None
    assert holder(tmp_path) is None
    with dg.build_resources({"home": resource}) as resources:
        assert resources.home.root == tmp_path
        assert holder(tmp_path) is None


def test_a_failed_run_leaves_the_home_to_others(tmp_path: Path) -> None:
    @dg.asset
    def broken(home: dg.ResourceParam[Home]) -> None:
        raise ValueError(home.root)

    resource = HomeResource(path=str(tmp_path))
    with dg.DagsterInstance.ephemeral() as instance:
        done = dg.materialize([broken], resources={"home": resource}, instance=instance, raise_on_error=False)
    assert not done.success
    assert holder(tmp_path) is None
