import pytest

from retrieval.ingest.references import references, shortened


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("It burns (see Fireball).", ["Fireball"]),
        ("Refer to the Rules of Engagement for more.", ["Rules of Engagement for"]),
        ('see "Conditions" and “Cover”; done', ["Conditions", "Cover"]),
        ("See also _Mage Hand_.", ["Mage Hand"]),
        ('_See also_ "Cover."', ["Cover."]),
        ("as described in the fireball spell, it burns", ["fireball"]),
        ("You see a dragon. He saw Fireball.", []),
        ("see below", []),
        ("Stairs (see Table 13: Stairs)", ["Table 13"]),
        ("refer to Table 3.2.", ["Table 3.2"]),
        ("see table Modal Groups", ["Modal Groups"]),
        ("see the level progression chart", ["level progression"]),
        ("cf. Cover", ["Cover"]),
    ],
)
def test_a_reference_is_what_a_text_names_after_see(text: str, names: list[str]) -> None:
    assert list(references(text)) == names


def test_a_name_is_shortened_from_its_end() -> None:
    assert list(shortened(["charge", "and", "run"])) == ["charge and run", "charge and", "charge"]
