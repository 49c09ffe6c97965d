import sys
from pathlib import Path

import dagster as dg
import pytest
import yaml

from pipeline.runs.in_process import dagster_instance
from pipeline.runs.instance_file import DATABASES, HISTORY, HistoryMissingError, set_aside_damaged, write_instance_file
from retrieval.errors import UnreadableSettingsError
from retrieval.home import Home
from retrieval.settings import Settings

ADDRESS = "postgresql+psycopg2://someone:hunter2@127.0.0.1/history"


def test_as_many_runs_go_at_once_as_processes_index_books(tmp_path: Path) -> None:
    for settings, expected in ((Settings(), 1), (Settings(executor="multiprocess", processes=3), 3)):
        write_instance_file(tmp_path, settings, {})
        with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
            queue = instance.get_concurrency_config().run_queue_config
        assert queue.max_concurrent_runs == expected


def test_the_history_is_a_file_of_the_home_unless_a_database_is_named(tmp_path: Path) -> None:
    write_instance_file(tmp_path, Settings(), {})
    output = yaml.safe_load((tmp_path / "dagster.yaml").read_text())
    assert "storage" not in output
    assert output["telemetry"] == {"enabled": False}


def test_the_file_names_the_variable_and_holds_no_password(tmp_path: Path) -> None:
    pytest.importorskip("dagster_postgres", reason="pip install -e '.[postgres]' brings it")
    write_instance_file(tmp_path, Settings(), {HISTORY: ADDRESS})
    text = (tmp_path / "dagster.yaml").read_text()
    assert yaml.safe_load(text)["storage"] == {"postgres": {"postgres_url": {"env": HISTORY}}}
    assert "hunter2" not in text


def test_an_address_that_dagster_cannot_use_is_refused_without_repeating_it(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSettingsError, match=HISTORY) as refused:
        write_instance_file(tmp_path, Settings(), {HISTORY: ADDRESS.replace("+psycopg2", "")})
    assert "hunter2" not in str(refused.value)


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dagster_postgres", None)
    with pytest.raises(HistoryMissingError, match="pip install 'dagster-postgres"):
        write_instance_file(tmp_path, Settings(), {HISTORY: ADDRESS})


@pytest.mark.parametrize("name", DATABASES)
def test_half_a_database_is_set_aside_and_a_new_one_begun(tiny: Home, name: str) -> None:
    with dagster_instance(tiny) as instance:
        instance.add_dynamic_partitions("books", ["tiny"])
        instance.schedule_storage.all_instigator_state()
    path = tiny.dagster / name
    half = path.read_bytes()[: path.stat().st_size // 2]
    for number in (1, 2):
        path.write_bytes(half)
        folder = name.split("/", maxsplit=1)[0]
        assert set_aside_damaged(tiny) == (tiny.dagster / f"{folder}.damaged-{number}",)
        with dagster_instance(tiny) as instance:
            assert isinstance(instance.get_runs(), list)
            instance.get_latest_materialization_event(dg.AssetKey("live_index"))
            instance.schedule_storage.all_instigator_state()
    assert set_aside_damaged(tiny) == ()


def test_a_sound_history_stays(tiny: Home) -> None:
    assert set_aside_damaged(tiny) == ()
    assert set_aside_damaged(Home(tiny.root / "nowhere")) == ()
