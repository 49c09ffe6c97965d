import pytest

from retrieval.ingest.naming import spellings


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("Crossbow, heavy*", ["Crossbow, heavy", "heavy Crossbow"]),
        ("Half Plate Armor", ["Half Plate Armor"]),
        ("Torch (1 CP)", ["Torch (1 CP)", "Torch"]),
        ("Horse, Draft (unbroken)", ["Horse, Draft (unbroken)", "Horse, Draft", "Draft Horse"]),
        ("", []),
        ("a sentence that goes on for many more words than a name", []),
    ],
)
def test_a_cell_is_called_by_its_name_in_any_order(cell, names):
    assert list(spellings(cell)) == names
