"""Both sensors and the schedule, ticked by Dagster itself: what goes live, what is refused, and what ran before."""

import datetime
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg
import pytest

from pipeline.building import model_tables
from pipeline.building.gate import GATE
from pipeline.defs.ingest_checks import BOOK_GATE, book_checks
from retrieval.ingest.tables import rows as row_objects
from retrieval.ingest.tables.table import Table
from retrieval.types import Row

# Dagster's own daemons use what Dagster calls beta and deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")

if TYPE_CHECKING:
    from tests.pipeline.defs.deployment import Deployment

BOOKS, FOLLOWS, NIGHT = "new_or_changed_books", "live_follows_books", "nightly_embedding"
QUESTION = '{"id": "%s", "query": "What does a long sword cost?", "book": "beta", "gold": [{"snippet": "%s"}]}\n'


def write_book(library: Path, slug: str, weapon: str) -> None:
    path = library / slug / "01.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text((library / "alpha" / "01.md").read_text().replace("dagger", weapon).replace("Alpha", slug.title()))


def ran(deployment: "Deployment", runs: Sequence[dg.DagsterRun]) -> set[str]:
    """The checks that ran in these runs."""
    return {found.check_name for run in runs for found in evaluations(deployment, run)}


def evaluations(deployment: "Deployment", run: dg.DagsterRun) -> list[dg.AssetCheckEvaluation]:
    events = deployment.instance.all_logs(run.run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION)
    return [entry.get_dagster_event().asset_check_evaluation_data for entry in events]


def statuses(runs: Sequence[dg.DagsterRun]) -> list[str]:
    return [run.status.value for run in runs]


BLOCKING = {key.name for key in (*GATE, *BOOK_GATE)}


def test_a_new_a_changed_and_a_lost_book_go_live_past_every_blocking_check(deployment: "Deployment") -> None:
    library = deployment.home.library
    deployment.start(BOOKS, FOLLOWS)
    runs = deployment.settle()
    assert set(statuses(runs)) == {"SUCCESS"}, deployment.failures(runs)
    assert deployment.in_step()
    assert deployment.books_live() == {"alpha", "beta", "gamma"}
    assert ran(deployment, runs) == {spec.name for check in book_checks for spec in check.check_specs} | BLOCKING | {
        "query_must_lessens_noise"
    }

    (library / "beta" / "01.md").write_text((library / "beta" / "01.md").read_text().replace("15 gp", "99 gp"))
    write_book(library, "delta", "halberd")
    shutil.rmtree(library / "gamma")
    (library / "alpha" / "01.md").write_text(" \n")
    runs = deployment.settle()
    assert set(statuses(runs)) == {"SUCCESS"}, deployment.failures(runs)
    assert deployment.in_step()
    assert deployment.books_live() == {"beta", "delta"}
    assert "99 gp" in deployment.text_live()
    assert ran(deployment, runs) >= BLOCKING
    assert sorted(run.tags.get("dagster/partition", "") for run in runs if run.job_name == "index_book") == [
        "alpha",
        "beta",
        "delta",
    ]
    against = {found.check_name for run in runs for found in evaluations(deployment, run) if not found.passed}
    assert "every_document_has_text" in against, "an empty document is not all green"

    shutil.rmtree(library / "delta")
    runs = deployment.settle()
    assert set(statuses(runs)) == {"SUCCESS"}, deployment.failures(runs)
    assert deployment.books_live() == {"beta"}
    assert ran(deployment, runs) >= BLOCKING
    assert deployment.settle() == []


def test_a_lost_row_and_stale_questions_are_refused_once_and_what_is_put_right_goes_live_by_sensors_and_by_night(
    built_deployment: "Deployment", monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment, live = built_deployment, built_deployment.live
    assert live is not None
    deployment.start(BOOKS, FOLLOWS)
    assert deployment.settle() == [], "what a build left is in step"

    def losing(found: Sequence[Table], *arguments: object) -> tuple[Row, ...]:
        return row_objects.transform_tables(found, *arguments)[1:]  # type: ignore[arg-type]

    with monkeypatch.context() as broken:
        broken.setattr(model_tables, "transform_tables", losing)
        deployment.change("beta", "15 gp", "77 gp")
        runs = deployment.settle()
    assert statuses(runs).count("FAILURE") == 1
    assert "every_cell_in_one_row" in ran(deployment, runs)
    assert deployment.live == live
    assert deployment.settle() == [], "what was refused is not tried again"

    deployment.change("beta", "77 gp", "78 gp")
    runs = deployment.settle()
    assert set(statuses(runs)) == {"SUCCESS"}, deployment.failures(runs)
    assert deployment.in_step()
    assert "78 gp" in deployment.text_live()
    assert ran(deployment, runs) >= BLOCKING

    live = deployment.live
    asked = deployment.home.library.parent / "questions.jsonl"
    asked.write_text(QUESTION % ("price", "| Long sword | 1d8 | 78 gp |"))
    replace(deployment.home.settings, questions=(asked,)).write(deployment.home.root)
    runs = deployment.settle()
    assert set(statuses(runs)) == {"SUCCESS"}, deployment.failures(runs)
    assert "gold_resolves" in ran(deployment, runs)

    asked.write_text(QUESTION % ("price", "| Long sword | 1d8 | 78 gp |") + QUESTION % ("lost", "no such words in it"))
    runs = deployment.settle()
    assert "gold_resolves" in ran(deployment, runs)
    assert statuses(runs).count("FAILURE") == 1, "refused once"
    deployment.change("alpha", "2 gp", "3 gp")
    runs = deployment.settle()
    assert statuses(runs).count("FAILURE") == 1
    assert deployment.live == live

    asked.write_text(QUESTION % ("price", "| Long sword | 1d8 | 78 gp |"))
    runs = deployment.settle()
    assert set(statuses(runs)) == {"SUCCESS"}, deployment.failures(runs)
    assert deployment.in_step()
    assert "3 gp" in deployment.text_live()

    deployment.change("gamma", "8 gp", "55 gp")
    deployment.start(NIGHT)
    runs = deployment.night()
    assert set(statuses(runs)) == {"SUCCESS"}, deployment.failures(runs)
    assert [run.tags.get("dagster/partition") for run in runs] == ["alpha", "beta", "gamma", None]
    assert len({run.tags["querymust/night"] for run in runs}) == 1
    assert deployment.in_step()
    assert "55 gp" in deployment.text_live()
    assert ran(deployment, runs) >= BLOCKING


def test_what_changed_while_the_automation_was_off_follows_when_it_is_on(built_deployment: "Deployment") -> None:
    deployment = built_deployment
    deployment.change("beta", "15 gp", "44 gp")
    deployment.start(BOOKS)
    deployment.tick_sensors()
    deployment.start(FOLLOWS)
    runs = deployment.settle()
    assert set(statuses(runs)) == {"SUCCESS"}, deployment.failures(runs)
    assert deployment.in_step()
    assert "44 gp" in deployment.text_live()


def test_the_schedule_says_why_it_skips() -> None:
    from pipeline.definitions import load

    repository = load().get_repository_def()
    schedule = repository.get_schedule_def(NIGHT)
    with dg.instance_for_test() as instance:
        context = dg.build_schedule_context(
            instance=instance,
            repository_def=repository,
            scheduled_execution_time=datetime.datetime(2030, 1, 1, 3, tzinfo=datetime.UTC),
        )
        assert "no book is a partition yet" in str(schedule.evaluate_tick(context).skip_message)
        instance.add_dynamic_partitions("books", ["beta", "alpha"])
        asked = schedule.evaluate_tick(context).run_requests or []
    assert [request.partition_key for request in asked] == ["alpha", "beta", None]
    assert len({request.run_key for request in asked}) == 3
