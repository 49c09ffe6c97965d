"""A zoo whose beasts have a type and speak languages that are called alike."""

import pytest

from retrieval.understand.catalog.catalog import Catalog, Described
from retrieval.understand.catalog.words import words
from retrieval.understand.reading.people import People
from retrieval.understand.reading.reader import Reader
from retrieval.understand.reading.values.chains import are_alternatives, chained, or_between, without_rivals
from retrieval.understand.reading.values.mentions import Mentions
from tests.retrieval.understand.conftest import TODAY

_BEASTS = [
    ("giant", ["Giant", "Common"], 3),
    ("elf", ["Elvish", "Common"], 2),
    ("fey", ["Sylvan"], 1),
    ("angel", ["Heavenly", "Giant"], 9),
    ("troll", ["Giant"], 4),
]

CONDITIONS = [
    ("giants from the north", "type=giant"),
    ("angels or fey", "type=angel|type=fey"),
    ("beasts speaking Elvish, Sylvan or Giant", "languages=Elvish|languages=Sylvan|languages=Giant"),
    ("beasts with the languages Giant and Common", "languages=Giant languages=Common"),
    ("trolls with 9 heads", "type=troll heads=9"),
]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.of(
        [
            Described(str(number), f"Beast {number}", {"type": sort, "languages": tongues, "heads": heads})
            for number, (sort, tongues, heads) in enumerate(_BEASTS * 3)
        ]
    )


@pytest.mark.parametrize(("question", "conditions"), CONDITIONS)
def test_the_field_of_a_value_is_the_one_of_its_list_or_of_the_sort(
    catalog: Catalog, question: str, conditions: str
) -> None:
    groups: dict[int, list[str]] = {}
    for each in Reader.of(catalog).read(question, TODAY).entities:
        groups.setdefault(each.group, []).append(f"{each.field}={each.value}")
    assert " ".join("|".join(group) for group in groups.values()) == conditions


def test_a_chain_is_of_one_field_and_ends_where_the_sentence_turns(catalog: Catalog) -> None:
    said = words("angels, fey or trolls but not elf")
    found = Mentions(catalog).within(said)
    chains = [[str(each.values[0]) for each in chain] for chain in chained(found, said)]
    assert ["angel", "fey", "troll"] in chains
    assert all("elf" not in chain for chain in chains if len(chain) > 1)


def test_a_value_that_is_within_a_longer_list_of_another_field_is_not_meant(catalog: Catalog) -> None:
    said = words("Elvish, Sylvan or Giant")
    found = Mentions(catalog).within(said)
    assert {each.field.name for each in found} == {"type", "languages"}
    kept = [*without_rivals([*chained(found, said)], People(said, found))]
    assert [chain[0].field.name for chain in kept] == ["languages"]
    assert are_alternatives(kept[0], said)


def test_or_between_values_may_have_small_words_and_the_names_of_fields_beside_it() -> None:
    assert or_between(words("kind or of"), ["kind"])
    assert not or_between(words("kind or of"), [])
    assert not or_between(words("and of"), [])
