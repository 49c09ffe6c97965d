"""Both sensors and the schedule, ticked by Dagster itself: what goes live, what is refused, and what ran before."""

import datetime
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from pipeline.building import model_work
from pipeline.building.book_records import ENTRY_FILE, BookEntry
from pipeline.building.library_records import made_of
from pipeline.defs import automation
from pipeline.defs.automation import new_or_changed_books
from pipeline.defs.books import books_partitions
from pipeline.defs.ingest_checks import BOOK_GATE, book_checks
from pipeline.defs.live import GATE
from retrieval.files import locks
from retrieval.files.locks import write_lock
from retrieval.files.records import write_jsonl
from retrieval.home import Home
from retrieval.ingest.tables import rows as row_objects
from retrieval.ingest.tables.table import Table
from retrieval.search.strategies import STRATEGIES
from retrieval.settings import Settings
from retrieval.types import Row
from tests.pipeline.defs.deployment import Deployment

# Dagster's own daemons use what Dagster calls beta and deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")


BOOKS, FOLLOWS, NIGHT = "new_or_changed_books", "live_follows_books", "nightly_embedding"
QUESTION = '{"id": "%s", "query": "What does a long sword cost?", "book": "beta", "gold": [{"snippet": "%s"}]}\n'


def write_book(library: Path, slug: str, weapon: str) -> None:
    path = library / slug / "01.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text((library / "alpha" / "01.md").read_text().replace("dagger", weapon).replace("Alpha", slug.title()))


def ran(deployment: "Deployment", runs: Sequence[dg.DagsterRun]) -> set[str]:
    """The checks that ran in these runs."""
    return {evaluation.check_name for run in runs for evaluation in evaluations(deployment, run)}


def evaluations(deployment: "Deployment", run: dg.DagsterRun) -> list[dg.AssetCheckEvaluation]:
    events = deployment.instance.all_logs(run.run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION)
    return [entry.get_dagster_event().asset_check_evaluation_data for entry in events]


def statuses(runs: Sequence[dg.DagsterRun]) -> list[str]:
    return [run.status.value for run in runs]


BLOCKING = {key.name for key in (*GATE, *BOOK_GATE)}


@pytest.mark.slow
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
    runs = deployment.settle()
    assert set(statuses(runs)) == {"SUCCESS"}, deployment.failures(runs)
    assert deployment.in_step()
    assert deployment.books_live() == {"alpha", "beta", "delta"}
    assert "99 gp" in deployment.text_live()
    assert ran(deployment, runs) >= BLOCKING
    indexed = sorted(run.tags.get("dagster/partition", "") for run in runs if run.job_name == "index_book")
    assert indexed == ["beta", "delta"]

    shutil.rmtree(library / "delta")
    runs = deployment.settle()
    assert set(statuses(runs)) == {"SUCCESS"}, deployment.failures(runs)
    assert deployment.books_live() == {"alpha", "beta"}
    assert ran(deployment, runs) >= BLOCKING
    assert deployment.settle() == []


@pytest.mark.slow
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
        broken.setattr(model_work, "transform_tables", losing)
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
    query = deployment.home.library.parent / "questions.jsonl"
    query.write_text(QUESTION % ("price", "| Long sword | 1d8 | 78 gp |"))
    replace(deployment.home.settings, questions=(query,)).write(deployment.home.root)
    runs = deployment.settle()
    assert set(statuses(runs)) == {"SUCCESS"}, deployment.failures(runs)
    assert "gold_resolves" in ran(deployment, runs)

    query.write_text(QUESTION % ("price", "| Long sword | 1d8 | 78 gp |") + QUESTION % ("lost", "no such words in it"))
    runs = deployment.settle()
    assert "gold_resolves" in ran(deployment, runs)
    assert statuses(runs).count("FAILURE") == 1, "refused once"
    deployment.change("alpha", "2 gp", "3 gp")
    runs = deployment.settle()
    assert statuses(runs).count("FAILURE") == 1
    assert deployment.live == live

    query.write_text(QUESTION % ("price", "| Long sword | 1d8 | 78 gp |"))
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


@pytest.mark.slow
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


def test_the_schedule_follows_the_library_and_says_why_it_skips(tmp_path: Path, monkeypatch) -> None:
    from pipeline.definitions import load

    library, root = tmp_path / "library", tmp_path / "home"
    monkeypatch.setenv("QUERYMUST_HOME", str(root))
    Settings(library).write(root)
    repository = load().get_repository_def()
    schedule = repository.get_schedule_def(NIGHT)
    with dg.instance_for_test() as instance:
        context = dg.build_schedule_context(
            instance=instance,
            repository_def=repository,
            scheduled_execution_time=datetime.datetime(2030, 1, 1, 3, tzinfo=datetime.UTC),
        )
        instance.add_dynamic_partitions("books", ["gone", "alpha"])
        assert str(library) in str(schedule.evaluate_tick(context).skip_message)
        assert set(instance.get_dynamic_partitions("books")) == {"gone", "alpha"}  # it may be mounted again
        library.mkdir()
        for slug in ("beta", "alpha"):
            (library / slug).mkdir()
            (library / slug / "01.md").write_text("# Arms\n\nA dagger is short.\n")
        with write_lock(root):  # a run has the home: what cannot be synced now is left to the next night
            query = schedule.evaluate_tick(context).run_requests or []
            assert [request.partition_key for request in query] == ["alpha", None]
        query = schedule.evaluate_tick(context).run_requests or []
        assert set(instance.get_dynamic_partitions("books")) == {"alpha", "beta"}
    assert [request.partition_key for request in query] == ["alpha", "beta", None]
    assert len({request.run_key for request in query}) == 3


NAME = str(books_partitions.name)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    for book in ("alpha", "beta"):
        (tmp_path / "library" / book).mkdir(parents=True)
        (tmp_path / "library" / book / "01.md").write_text(f"# {book}\n\nA dagger is short.\n")
    return Home(tmp_path / "home", Settings(tmp_path / "library"))


def tick(home: Home, instance: dg.DagsterInstance, cursor: str | None = None) -> dg.SensorResult | dg.SkipReason:
    with dg.build_sensor_context(instance=instance, cursor=cursor, resources={"home": home}) as context:
        result = new_or_changed_books(context)
    assert isinstance(result, dg.SensorResult | dg.SkipReason)
    if isinstance(result, dg.SensorResult):
        for request in result.dynamic_partitions_requests or []:
            if isinstance(request, dg.AddDynamicPartitionsRequest):
                instance.add_dynamic_partitions(NAME, request.partition_keys)
            else:
                for key in request.partition_keys:
                    instance.delete_dynamic_partition(NAME, key)
    return result


def runs(result: dg.SensorResult | dg.SkipReason) -> list[tuple[str | None, str | None]]:
    assert isinstance(result, dg.SensorResult)
    return [(request.job_name, request.partition_key) for request in result.run_requests or []]


def why_idle(result: dg.SensorResult | dg.SkipReason) -> str:
    assert isinstance(result, dg.SensorResult)
    return str(result.skip_reason)


def cursor_of(result: dg.SensorResult | dg.SkipReason) -> str | None:
    assert isinstance(result, dg.SensorResult)
    return result.cursor


def run_all(home, instance, result, status=dg.DagsterRunStatus.SUCCESS):
    """What Dagster leaves of the runs that a tick asked for; returns the tick's cursor."""
    assert isinstance(result, dg.SensorResult)
    for request in result.run_requests or []:
        key = request.partition_key
        tags = {**request.tags, **({"dagster/partition": key} if key else {})}
        instance.add_run(
            dg.DagsterRun(job_name=str(request.job_name), run_id=str(uuid.uuid4()), status=status, tags=tags)
        )
        if key and status is dg.DagsterRunStatus.SUCCESS:
            digest = request.tags[automation.DIGEST]
            write_jsonl(home.book(key) / ENTRY_FILE, [BookEntry(key, key, digest, 1, 1, 0, 0, (), ())])
    return result.cursor


def test_new_books_get_a_partition_and_a_run_each(home: Home, instance: dg.DagsterInstance) -> None:
    result = tick(home, instance)
    assert runs(result) == [("index_book", "alpha"), ("index_book", "beta")]
    assert sorted(instance.get_dynamic_partitions(NAME)) == ["alpha", "beta"]


def test_an_unchanged_library_asks_for_nothing(home: Home, instance: dg.DagsterInstance) -> None:
    cursor = run_all(home, instance, tick(home, instance))
    for _ in range(2):
        again = tick(home, instance, cursor)
        assert runs(again) == []
        assert "2 books are up to date" in why_idle(again)
        cursor = run_all(home, instance, again)


def test_a_book_whose_run_is_under_way_is_not_asked_for_again(home: Home, instance: dg.DagsterInstance) -> None:
    cursor = run_all(home, instance, tick(home, instance), dg.DagsterRunStatus.STARTED)
    again = tick(home, instance, cursor)
    assert runs(again) == []
    assert "waiting for alpha, beta" in why_idle(again)


def test_a_run_whose_process_was_killed_is_canceled_and_one_that_lives_is_not(home, instance, monkeypatch) -> None:
    monkeypatch.setattr(locks, "RUN_PAUSE", 0.0)
    killed, living, unmarked = (
        instance.add_run(dg.DagsterRun(job_name="index_library", run_id=str(uuid.uuid4()), status=status))
        for status in (dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.STARTING)
    )
    holding = (
        f"from retrieval.files.locks import alive; from pathlib import Path; import os\n"
        f"with alive(Path({str(home.root)!r}), {killed.run_id!r}): os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", holding], check=False).returncode == -signal.SIGKILL
    with locks.alive(home.root, living.run_id):
        tick(home, instance)
    states = [instance.get_run_by_id(run.run_id).status.value for run in (killed, living, unmarked)]
    assert states == ["CANCELED", "STARTED", "STARTING"]


@pytest.mark.parametrize("status", [dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED])
def test_a_book_whose_run_failed_is_asked_for_again_after_a_while(home, instance, status, monkeypatch):
    cursor = run_all(home, instance, tick(home, instance), status)
    soon = tick(home, instance, cursor)
    assert runs(soon) == []
    monkeypatch.setattr(automation, "RETRY_SECONDS", 0)
    later = tick(home, instance, run_all(home, instance, soon))
    assert runs(later) == [("index_book", "alpha"), ("index_book", "beta")]
    assert runs(tick(home, instance, run_all(home, instance, later))) == []


def test_a_book_that_failed_and_was_fixed_is_asked_for_at_once(home: Home, instance: dg.DagsterInstance) -> None:
    cursor = run_all(home, instance, tick(home, instance), dg.DagsterRunStatus.FAILURE)
    (home.library / "alpha" / "01.md").write_text("# Alpha\n\nA mended dagger.\n")
    assert runs(tick(home, instance, cursor)) == [("index_book", "alpha")]


def test_a_book_that_changes_and_changes_back_is_run_both_times(home: Home, instance: dg.DagsterInstance) -> None:
    path = home.library / "beta" / "01.md"
    before = path.read_text()
    cursor = run_all(home, instance, tick(home, instance))
    path.write_text(before + "\nA mace is heavy.\n")
    second = tick(home, instance, cursor)
    assert runs(second) == [("index_book", "beta")]
    cursor = run_all(home, instance, second)
    path.write_text(before)
    assert runs(tick(home, instance, cursor)) == [("index_book", "beta")]


def test_a_book_that_goes_and_comes_back_is_run_again(home: Home, instance: dg.DagsterInstance, tmp_path: Path) -> None:
    cursor = run_all(home, instance, tick(home, instance))
    (home.library / "beta").rename(tmp_path / "beta")
    cursor = run_all(home, instance, tick(home, instance, cursor))
    (tmp_path / "beta").rename(home.library / "beta")
    assert runs(tick(home, instance, cursor)) == [("index_book", "beta")]


def test_a_book_is_forgotten_once_nobody_reads_its_records(home: Home, instance: dg.DagsterInstance) -> None:
    cursor = run_all(home, instance, tick(home, instance))
    shutil.rmtree(home.library / "beta")
    with write_lock(home.root):
        result = tick(home, instance, cursor)
    assert isinstance(result, dg.SkipReason)
    assert "beta" in str(result.skip_message)
    assert home.book("beta").exists()
    tick(home, instance, cursor)
    assert not home.book("beta").exists()


def test_a_book_that_a_build_forgot_in_between_is_run_again(home: Home, instance: dg.DagsterInstance) -> None:
    cursor = run_all(home, instance, tick(home, instance))
    cursor = run_all(home, instance, tick(home, instance, cursor))
    instance.delete_dynamic_partition(NAME, "beta")
    home.forget("beta")
    assert runs(tick(home, instance, cursor)) == [("index_book", "beta")]


def test_a_renamed_book_is_run_before_the_library_is_indexed(home: Home, instance: dg.DagsterInstance) -> None:
    cursor = run_all(home, instance, tick(home, instance))
    (home.library / "beta").rename(home.library / "gamma")
    renamed = tick(home, instance, cursor)
    assert runs(renamed) == [("index_book", "gamma")]
    underway = tick(home, instance, cursor_of(renamed))
    assert runs(underway) == [("index_book", "gamma")], "no run of it was ever made"
    queued = run_all(home, instance, underway, dg.DagsterRunStatus.STARTED)
    waiting = tick(home, instance, queued)
    assert runs(waiting) == []
    run_all(home, instance, underway)
    finished = tick(home, instance, cursor_of(waiting))
    assert runs(finished) == [("index_library", None)]
    assert runs(tick(home, instance, cursor_of(finished))) == []


def test_a_book_that_went_loses_partition_and_records_and_the_library_is_indexed_again(home, instance):
    cursor = run_all(home, instance, tick(home, instance))
    (home.library / "beta" / "01.md").unlink()
    went = tick(home, instance, cursor)
    assert runs(went) == [("index_library", None)]
    assert runs(tick(home, instance, run_all(home, instance, went))) == []
    assert instance.get_dynamic_partitions(NAME) == ["alpha"]
    assert not home.book("beta").exists()


@pytest.mark.parametrize("indexes_without_it", [True, False])
def test_a_library_that_another_run_indexes_is_not_indexed_twice(home, instance, indexes_without_it):
    cursor = run_all(home, instance, tick(home, instance))
    other = dg.DagsterRun(job_name="build_library", run_id=str(uuid.uuid4()), status=dg.DagsterRunStatus.STARTED)
    instance.add_run(other)
    (home.library / "beta" / "01.md").unlink()
    went = tick(home, instance, cursor)
    assert runs(went) == [], "it waits for that run"
    if indexes_without_it:
        metadata = {"made_of": made_of(home, ["alpha"])}
        instance.report_runless_asset_event(dg.AssetMaterialization("candidate_index", metadata=metadata))
    instance.report_run_canceled(other)
    assert runs(tick(home, instance, cursor_of(went))) == ([] if indexes_without_it else [("index_library", None)])


def test_a_partition_that_no_book_can_have_goes_and_takes_no_file_with_it(home, instance, tmp_path):
    outside = tmp_path / "outside"
    for folder in (home.embeddings, home.book("alpha"), outside):
        folder.mkdir(parents=True)
    instance.add_dynamic_partitions(NAME, ["..", "", str(outside)])
    tick(home, instance)
    assert sorted(instance.get_dynamic_partitions(NAME)) == ["alpha", "beta"]
    assert home.embeddings.is_dir()
    assert home.book("alpha").is_dir()
    assert outside.is_dir()


def test_a_library_that_is_gone_forgets_no_book(home: Home, instance: dg.DagsterInstance) -> None:
    cursor = run_all(home, instance, tick(home, instance))
    home.library.rename(home.library.with_name("elsewhere"))
    result = tick(home, instance, cursor)
    assert isinstance(result, dg.SkipReason)
    assert "library" in str(result.skip_message)
    assert sorted(instance.get_dynamic_partitions(NAME)) == ["alpha", "beta"]
    assert home.book("beta").exists()


def test_changed_questions_are_asked_once_the_books_are_in_step(home: Home, instance: dg.DagsterInstance) -> None:
    cursor = run_all(home, instance, tick(home, instance))
    cursor = cursor_of(tick(home, instance, cursor))
    query = home.library.parent / "questions.jsonl"
    query.write_text("{}\n")
    home = replace(home, settings=replace(home.settings, questions=(query,)))
    changed = tick(home, instance, cursor)
    assert runs(changed) == [("evaluate", None)]
    assert isinstance(changed, dg.SensorResult)
    (request,) = changed.run_requests or []
    assert list(request.tags.values())[-2:] == [next(iter(STRATEGIES)), list(STRATEGIES)[-1]]
    assert runs(tick(home, instance, changed.cursor)) == []


def test_a_cursor_of_an_older_version_is_read_as_none(home: Home, instance: dg.DagsterInstance) -> None:
    run_all(home, instance, tick(home, instance))
    assert runs(tick(home, instance, '{"alpha": "0", "beta": "0"}')) == []
