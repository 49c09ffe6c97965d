"""Runs of the UI beside builds of the command: one of them writes at a time; and what they ask hosted models with."""

from pathlib import Path

import dagster as dg
import pytest
from pydantic import ValidationError

from pipeline.building.hosted_models import HostedModels
from pipeline.defs.live import Promotion
from pipeline.defs.resources import HomeResource, ModelsResource
from retrieval.errors import UnreadableSettingsError
from retrieval.files.locks import HomeBusyError, among_books, book_turn_now, holder, write_lock
from retrieval.home import Home
from tests.openai_server.server import KEY


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


def test_a_run_of_one_book_shares_the_home_and_has_its_book_to_itself(tmp_path: Path) -> None:
    free = {}

    @dg.asset(name="books", partitions_def=dg.StaticPartitionsDefinition(["alpha"]))
    def book(home: dg.ResourceParam[Home]) -> None:
        with among_books(home.root):
            for slug in ("alpha", "beta"):
                with book_turn_now(home.root, slug) as turn:
                    free[slug] = turn is not None
        with pytest.raises(HomeBusyError), write_lock(home.root):
            pass

    job = dg.define_asset_job("index_book", [book])
    resources = {"home": HomeResource(path=str(tmp_path))}
    definitions = dg.Definitions(assets=[book], jobs=[job], resources=resources)
    with dg.DagsterInstance.ephemeral() as instance:
        done = definitions.resolve_job_def("index_book").execute_in_process(instance=instance, partition_key="alpha")
    assert done.success
    assert free == {"alpha": False, "beta": True}


def test_a_failed_run_leaves_the_home_to_others(tmp_path: Path) -> None:
    @dg.asset
    def broken(home: dg.ResourceParam[Home]) -> None:
        raise ValueError(home.root)

    resource = HomeResource(path=str(tmp_path))
    with dg.DagsterInstance.ephemeral() as instance:
        done = dg.materialize([broken], resources={"home": resource}, instance=instance, raise_on_error=False)
    assert not done.success
    assert holder(tmp_path) is None


def test_hosted_models_are_a_resource_whose_fields_hold_no_key(chat_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("QUERYMUST_MODEL_CONCURRENCY", "3")
    seen = []

    @dg.asset
    def embedded(models: dg.ResourceParam[HostedModels]) -> dg.MaterializeResult[None]:
        models.embedder("openai").embed(["a dagger"])
        seen.append(models.access)
        return dg.MaterializeResult(metadata={"n_model_tokens": models.embedded})

    resource = ModelsResource(base_url=chat_server.address, tokens_per_minute=100_000)
    with dg.DagsterInstance.ephemeral() as instance:
        done = dg.materialize([embedded], resources={"models": resource}, instance=instance)
        events = "".join(entry.to_json() for entry in instance.all_logs(done.run_id))
    (access,) = seen
    assert (access.address, access.limits.concurrency, access.limits.tokens_per_minute) == (
        chat_server.address,
        3,
        100_000,
    )
    (made,) = done.get_asset_materialization_events()
    tokens = made.step_materialization_data.materialization.metadata["n_model_tokens"].value
    assert tokens == chat_server.counts.prompt > 0
    assert KEY not in events + repr(resource) + str(resource.model_dump())


def test_a_limit_that_cannot_be_read_fails_who_asks_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUERYMUST_MODEL_CONCURRENCY", "many")
    with dg.build_resources({"models": ModelsResource()}) as resources:
        models = resources.models
    assert models.embedder("wordllama").embed(["a dagger"]).shape == (1, 256)
    assert models.embedded == 0
    with pytest.raises(UnreadableSettingsError, match="QUERYMUST_MODEL_CONCURRENCY is 'many'"):
        models.embedder("openai")


@pytest.mark.parametrize(
    "values",
    [{"concurrency": 0}, {"tokens_per_minute": -3}, {"force": " "}, {"accept": ""}],
)
def test_values_of_the_launchpad_that_mean_nothing_are_refused(values: dict[str, object]) -> None:
    kind = Promotion if {"force", "accept"} & set(values) else ModelsResource
    (name,) = values
    kind(**{name: 1 if kind is ModelsResource else "a new edition"})
    with pytest.raises(ValidationError, match=name):
        kind(**values)
