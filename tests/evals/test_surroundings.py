from dataclasses import replace

import numpy as np
import pytest

from evals.surroundings import Surroundings, useful
from retrieval.index.graph.building import build_graph
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from tests.chunks import EMPTY

LIBRARY = {
    "title": replace(EMPTY, heading_path=("Book",)),
    "combat": replace(EMPTY, heading_path=("Book", "Combat"), position=1),
    "lead": replace(EMPTY, heading_path=("Book", "Combat", "Attacks"), position=2, source="add strength"),
    "ac 5": replace(EMPTY, heading_path=("Book", "Combat", "Attacks"), position=3, kind="row", table_id="attacks"),
    "ac 6": replace(EMPTY, heading_path=("Book", "Combat", "Attacks"), position=4, kind="row", table_id="attacks"),
    "legend": replace(EMPTY, heading_path=("Book", "Combat", "Attacks"), position=5, text="See Turning."),
    "turning": replace(EMPTY, heading_path=("Book", "Turning"), position=6),
    "str 3": replace(EMPTY, heading_path=("Book", "Strength"), position=7, kind="row", table_id="s", row_key="Might"),
    "might": replace(EMPTY, heading_path=("Book", "Might"), position=8),
    "other": replace(EMPTY, heading_path=("Book", "Other"), position=9),
}
CHUNKS = [replace(LIBRARY[name], id=name) for name in sorted(LIBRARY)]
SURROUNDINGS = Surroundings.of(CHUNKS, build_graph(CHUNKS, np.eye(10, 16, dtype="f4"), Vocabulary.default()))


def test_beside_a_row_stand_the_prose_of_its_section_and_of_the_one_above_and_what_these_lead_to() -> None:
    assert SURROUNDINGS.beside(["ac 6"]) == {"lead", "legend", "combat", "turning", "str 3"}


def test_the_prose_that_has_the_rows_name_and_a_document_that_alone_introduces_it_stand_beside_it() -> None:
    assert SURROUNDINGS.beside(["str 3"]) == {"might", "title"}


def test_nothing_stands_beside_prose() -> None:
    assert SURROUNDINGS.beside(["turning"]) is None
    assert useful(["turning"], ["turning"], SURROUNDINGS) is None


@pytest.mark.parametrize(
    ("ranking", "share"),
    [
        (["ac 6", "ac 5", "lead", "other"], 0.5),
        (["ac 5", "other", "title", "might"], 0.0),
        (["ac 6", "lead", "legend", "turning"], 1.0),
        (["ac 6"], 0.25),
        (["ac 5", "title", "other", "might", "ac 6"], 0.0),
    ],
)
def test_the_share_is_of_the_places_shown_and_rows_of_the_same_table_do_not_count(
    ranking: list[str], share: float
) -> None:
    assert useful(ranking, ["ac 6"], SURROUNDINGS, cutoff=4) == share
