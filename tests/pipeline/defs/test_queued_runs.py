"""Runs that wait for each other: a promotion counts the checks that were completed, whatever is planned behind it."""

import pytest

from pipeline.definitions import load
from pipeline.defs.ingest_checks import BOOK_GATE
from pipeline.defs.live import open_objections
from tests.pipeline.defs.deployment import Deployment

# Dagster's own daemons use what Dagster calls beta and deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_promotion_succeeds_while_a_run_of_its_checks_waits_and_after_that_run_was_canceled(built_deployment):
    deployment = built_deployment
    assert deployment.live is not None
    assert open_objections(deployment.instance, deployment.home, deployment.live, BOOK_GATE) == []
    waiting = deployment.instance.create_run_for_job(load().resolve_job_def("go_live"))
    deployment.launch("promote")
    assert [run.status.value for run in deployment.new_runs()] == ["NOT_STARTED", "SUCCESS"]
    deployment.instance.report_run_canceled(waiting)
    deployment.launch("promote")
    assert [run.status.value for run in deployment.new_runs()] == ["SUCCESS"]


def test_a_promotion_names_the_check_that_only_a_run_behind_it_will_make(built_deployment: "Deployment") -> None:
    deployment = built_deployment
    deployment.change("beta", "15 gp", "51 gp")
    deployment.launch("index_book", dagster__partition="beta")
    deployment.launch("index_library")
    deployment.new_runs()
    deployment.queue("promote")
    deployment.queue("go_live")
    deployment.work_off()
    runs = deployment.new_runs()
    assert [run.status.value for run in runs] == ["FAILURE", "SUCCESS"]
    (sentence,) = deployment.failures(runs)
    assert "does not go live: gold_resolves last ran on another snapshot" in sentence
    assert deployment.in_step()
    assert "51 gp" in deployment.text_live()


def test_a_run_that_was_overtaken_goes_live_on_its_own_checks(built_deployment: "Deployment") -> None:
    deployment = built_deployment
    deployment.change("beta", "15 gp", "52 gp")
    deployment.queue("build_library", dagster__partition="beta", dagster__priority="-1")
    deployment.queue("go_live")
    deployment.work_off()
    runs = deployment.new_runs()
    assert [run.status.value for run in runs] == ["SUCCESS", "SUCCESS"], deployment.failures(runs)
    assert deployment.in_step()
    assert "52 gp" in deployment.text_live()
