import sys

import dagster as dg
import pytest

from pipeline.spread.executors import ExecutorMissingError, executor_of


def test_each_setting_has_an_executor() -> None:
    assert executor_of("in_process", 1) is dg.in_process_executor
    assert executor_of("multiprocess", 2).name == "multiprocess"


def test_dask_says_how_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*sys.modules]:
        if name.startswith("dagster_dask.") or name == "pipeline.spread.dask_executor":
            monkeypatch.delitem(sys.modules, name)  # another test of this process may have loaded it
    monkeypatch.setitem(sys.modules, "dagster_dask", None)
    with pytest.raises(ExecutorMissingError, match=r"'dask\+tcp://cluster:8786'.*pip install 'dagster-dask"):
        executor_of("dask+tcp://cluster:8786", 2)
