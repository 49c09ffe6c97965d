"""Which of Dagster's executors the processes that index books are started by."""

import logging

import dagster as dg

from retrieval.errors import RetrievalError
from retrieval.extras import install
from retrieval.settings import DASK, DASK_AT, IN_PROCESS, MULTIPROCESS


class ExecutorMissingError(RetrievalError):
    """The settings name an executor whose package is not installed; the message says how to."""


def executor_of(name: str, lanes: int) -> dg.ExecutorDefinition:
    """The executor that the settings name, for so many processes at once.

    Raises:
        ExecutorMissingError: it is Dask's, and dagster-dask is not installed.
    """
    if name == IN_PROCESS:
        return dg.in_process_executor
    if name == MULTIPROCESS:
        return dg.multiprocess_executor.configured({"max_concurrent": lanes})
    try:
        from pipeline.spread.dask_executor import dask_by_run
    except ModuleNotFoundError as error:
        raise ExecutorMissingError(
            f"`executor` is {name!r}, and {error.name} is not installed; {install('dask')}, or use {MULTIPROCESS}"
        ) from error
    if name == DASK:
        # Without pages of its own, and without warnings: it cannot weigh what Dagster answers.
        quiet = {"dashboard_address": None, "silence_logs": logging.ERROR}
        return dask_by_run("local", {"host": "127.0.0.1", "n_workers": lanes, **quiet})
    return dask_by_run("existing", {"address": name.removeprefix(DASK_AT)})
