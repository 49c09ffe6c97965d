"""The only module that uses Dask: Dagster's executor for it, with task names that are unique to a run.

dagster-dask names a task after its job and its step, and a scheduler takes two tasks of one name for one task. If a job
has two runs at once, the second gets the results of the first, and does nothing (dagster-io/dagster, issue 21418).
"""

from collections.abc import Iterator, Mapping

import dagster as dg
from dagster._core.execution.context.system import PlanOrchestrationContext
from dagster._core.execution.plan.plan import ExecutionPlan
from dagster_dask.executor import DaskExecutor


class _OfOneRun(PlanOrchestrationContext):
    @property
    def job_name(self) -> str:
        return f"{super().job_name}-{self.run_id}"


class _DaskByRun(DaskExecutor):
    def execute(
        self, plan_context: PlanOrchestrationContext, execution_plan: ExecutionPlan
    ) -> Iterator[dg.DagsterEvent]:
        given = (plan_context.plan_data, plan_context.log, plan_context.executor, plan_context.output_capture)
        yield from super().execute(_OfOneRun(*given), execution_plan)


def dask_by_run(kind: str, options: Mapping[str, object]) -> dg.ExecutorDefinition:
    """Return an executor that runs each step as a task of a Dask cluster.

    Every worker needs this package, and the home and the books at the same path.

    Args:
        kind: `local` or `existing`, as in dagster-dask.
        options: options of a cluster of that kind.
    """

    @dg.executor(name="dask", requirements=dg.multiple_process_executor_requirements())
    def dask(_context: dg.InitExecutorContext) -> dg.Executor:
        return _DaskByRun(kind, dict(options))  # type: ignore[no-untyped-call, unused-ignore]

    return dask
