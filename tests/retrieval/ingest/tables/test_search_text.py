"""What of a row is searched."""

import pytest

from retrieval.ingest.tables.search_text import other_names


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("Crossbow, heavy", "heavy crossbow"), ()),
        (("LMG", "Light machine gun"), ("LMG",)),
        (("level 7", "level 8"), ()),
        (("burglar's picks", "Thieves' tools"), ("burglar's picks",)),
        ((), ()),
    ],
)
def test_a_name_that_says_a_word_of_no_cell_is_searched_too(names: tuple[str, ...], found: tuple[str, ...]) -> None:
    cells = ("Crossbow, heavy", "Light machine gun", "Thieves' tools", "7+")

    assert other_names(names, cells) == found
