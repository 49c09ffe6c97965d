import pytest

from tools.faults.kills import COMMAND, VICTIMS, turn

INGESTED = ("ingest", "rollback-ingested", "gc-ingested")
ALL = ("build", "rollback", "gc", COMMAND, *INGESTED)


@pytest.mark.parametrize("scenes", [INGESTED, ALL, ALL[:-1]])
def test_every_act_is_killed_by_the_clock_and_before_a_change(scenes: tuple[str, ...]) -> None:
    drawn = [turn(scenes, number) for number in range(200)]
    for name in scenes:
        assert {kind % 2 for scene, kind in drawn if scene == name} == {0, 1}, name
    assert COMMAND not in scenes or {kind % 3 for scene, kind in drawn if scene == COMMAND} == set(range(len(VICTIMS)))
    if scenes == ALL:
        assert [sum(scene == name for scene, _ in drawn[:18]) for name in ALL] == [6, 1, 1, 2, 6, 1, 1]
