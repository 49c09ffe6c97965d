import re
from pathlib import Path

import dagster as dg
import pytest

from evals.asset_options import with_reason
from evals.evaluation import HEADLINE
from pipeline.definitions import load
from pipeline.defs.ingest_checks import BOOK_GATE, HOLDING_KEYS
from pipeline.defs.live import GATE
from pipeline.runs.in_process import dagster_instance
from retrieval.errors import EmbedderUnavailableError, LibraryError, RetrievalError
from retrieval.home import Home

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
DOCS = (ROOT / "docs" / "reference" / "assets.md").read_text("utf-8")

BY_BOOK = {"books", "tables", "table_rows", "predicates", "chunks", "embeddings"}
OBSERVED = {"book_folders", "question_files"}
WHOLE = {"lexical", "graph", "candidate_index", "leaderboard", "live_index", "chroma_collections"}


@pytest.fixture(scope="module")
def definitions() -> dg.Definitions:
    loaded = load()
    dg.Definitions.validate_loadable(loaded)
    return loaded


@pytest.fixture(scope="module")
def specs(definitions: dg.Definitions) -> dict[str, dg.AssetSpec]:
    return {spec.key.to_user_string(): spec for spec in definitions.resolve_all_asset_specs()}


def check_specs(definitions: dg.Definitions) -> list[dg.AssetCheckSpec]:
    return [spec for check in definitions.asset_checks or [] for spec in check.check_specs]  # type: ignore[union-attr]


def test_these_are_the_assets(specs: dict[str, dg.AssetSpec]) -> None:
    assert set(specs) == BY_BOOK | WHOLE | {"evaluation", "metrics_dashboard"} | OBSERVED


def test_books_are_partitions_up_to_the_embeddings(specs: dict[str, dg.AssetSpec]) -> None:
    for name, spec in specs.items():
        partitioned = None if spec.partitions_def is None else type(spec.partitions_def)
        if name in BY_BOOK | {"book_folders"}:
            assert partitioned is dg.DynamicPartitionsDefinition, name
        else:
            assert partitioned is (dg.StaticPartitionsDefinition if name == "evaluation" else None), name


def test_every_asset_says_what_it_is_in_a_sentence(specs: dict[str, dg.AssetSpec]) -> None:
    assert [name for name, spec in specs.items() if not (spec.description or "").endswith(".")] == []


def test_the_gate_asks_for_every_blocking_check(definitions: dg.Definitions) -> None:
    blocking = {spec.key for spec in check_specs(definitions) if spec.blocking}
    assert {*GATE, *BOOK_GATE} == blocking | {*HOLDING_KEYS}


def test_every_check_follows_what_it_judges(definitions: dg.Definitions) -> None:
    assert [spec.name for spec in check_specs(definitions) if spec.automation_condition is None] == []


def test_what_asks_an_embedder_tries_again_where_a_server_does_not_answer(definitions: dg.Definitions) -> None:
    nodes = definitions.get_repository_def().get_job("__ASSET_JOB").graph.node_dict
    patient = {name for name, node in nodes.items() if node.definition.retry_policy is not None}
    assert patient >= {"embeddings", "evaluation", "leaderboard"}
    assert not patient & {"books", "tables", "table_rows", "predicates", "chunks", "lexical", "live_index"}


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (LibraryError("no markdown"), False),
        (EmbedderUnavailableError("no key", passing=False), False),
        (EmbedderUnavailableError("the server is busy"), True),
    ],
)
def test_only_a_server_that_does_not_answer_is_asked_again(error: RetrievalError, again: bool) -> None:
    if again:
        error.__cause__ = TimeoutError()

    @with_reason
    def compute() -> None:
        raise error

    with pytest.raises(dg.Failure) as failure:
        compute()
    assert failure.value.allow_retries is again


def test_every_job_sensor_and_schedule_says_what_it_does(definitions: dg.Definitions) -> None:
    repository = definitions.get_repository_def()
    jobs = [job for job in repository.get_all_jobs() if not job.name.startswith("__")]
    everything = [*jobs, *repository.sensor_defs, *repository.schedule_defs]
    assert [each.name for each in everything if not (each.description or "").endswith(".")] == []


def test_what_a_book_may_be_forgiven_does_not_block(definitions: dg.Definitions) -> None:
    forgiven = {spec.name for spec in check_specs(definitions) if not spec.blocking}
    assert forgiven == {
        "every_document_has_text",
        "nothing_is_missing",
        "every_byte_is_text",
        "predicates_are_careful",
        "query_must_lessens_noise",
    }


def test_one_process_writes(definitions: dg.Definitions) -> None:
    assert definitions.executor is dg.in_process_executor
    assert definitions.resolve_job_def("index_books").executor_def is dg.in_process_executor


def test_every_asset_check_and_metric_is_documented(
    definitions: dg.Definitions, specs: dict[str, dg.AssetSpec]
) -> None:
    checks = {spec.name for spec in check_specs(definitions)}
    assert len(checks) == 16
    assert [name for name in sorted({*specs, *checks, *HEADLINE}) if f"`{name}`" not in DOCS] == []


def test_every_job_sensor_and_schedule_is_documented(definitions: dg.Definitions) -> None:
    repository = definitions.get_repository_def()
    names = {job.name for job in repository.get_all_jobs() if not job.name.startswith("__")}
    names |= {sensor.name for sensor in repository.sensor_defs}
    names |= {schedule.name for schedule in repository.schedule_defs}
    assert len(names) == 11
    assert [name for name in sorted(names) if f"`{name}`" not in DOCS] == []
    sensors = {sensor.name for sensor in definitions.sensors or []}
    assert [name for name in sorted(sensors) if f"`{name}`" not in README] == []


@pytest.mark.parametrize("path", ["dagster.yaml", "pipeline/dagster.yaml"])
def test_one_run_goes_at_a_time(path: str, tmp_path: Path) -> None:
    (tmp_path / "dagster.yaml").write_text((ROOT / path).read_text("utf-8"), "utf-8")
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        queue = instance.get_concurrency_config().run_queue_config
    assert queue.max_concurrent_runs == 1


def test_the_docs_say_whose_data_version_is_not_its_content(sample: Home) -> None:
    (sentence,) = re.findall(r"except for\s(.*?),\swhose", DOCS, re.DOTALL)
    findall = set(re.findall(r"`(\w+)`", sentence))
    with dagster_instance(sample) as instance:
        for name in sorted(WHOLE | BY_BOOK | {"evaluation"}):
            event = instance.get_latest_materialization_event(dg.AssetKey(name))
            materialization = event.asset_materialization
            assert materialization is not None
            own = "dagster/data_version_is_user_provided" in (materialization.tags or {})
            assert own == (name not in findall), name
