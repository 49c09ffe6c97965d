import json
from dataclasses import replace

from evals.asked_by_model.place import MOST_PASSAGES, places_of, prompt_version
from retrieval.index.snapshot.snapshot import Snapshot


def test_each_table_and_each_section_is_a_place(snapshot: Snapshot) -> None:
    prose, table = places_of(snapshot.chunks, 2)
    assert [chunk.row_key for chunk in table.chunks] == ["Dagger", "Long sword", "Mace"]
    assert (prose.wanted, table.wanted) == (1, 2)
    told = json.loads(table.inquiry("m").asked.messages[1][1])
    assert told["passages"][0] == {"passage": 1, "text": "Weapon: Dagger; Damage: 1d4; Cost: 2 gp"}
    assert told["headings"] == ["Tiny Rules", "Weapons"]


def test_of_a_long_place_passages_from_its_beginning_to_its_end_are_shown(snapshot: Snapshot) -> None:
    row = next(chunk for chunk in snapshot.chunks if chunk.row_key)
    (place,) = places_of([replace(row, position=number, id=str(number)) for number in range(200)], 3)
    shown = [int(chunk.id) for chunk in place.chunks]
    assert len(shown) == MOST_PASSAGES
    assert shown == sorted(set(shown))
    assert shown[-1] > 190


def test_what_is_sent_decides_under_which_name_an_answer_is_kept(snapshot: Snapshot) -> None:
    one, other = places_of(snapshot.chunks, 2)
    assert one.inquiry("m").key == places_of(snapshot.chunks, 2)[0].inquiry("m").key
    assert one.inquiry("m").key != other.inquiry("m").key
    assert prompt_version().startswith("questions-v1-")
