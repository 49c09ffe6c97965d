import dagster as dg
import pytest

from pipeline.runs.history import DATABASES, set_aside_damaged
from pipeline.runs.in_process import dagster_instance
from retrieval.home import Home


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
