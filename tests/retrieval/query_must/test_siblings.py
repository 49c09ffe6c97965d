"""The plain meaning of `contain_no_rival`, case by case."""

from dataclasses import replace

import pytest

from retrieval.language.numbers import quantities
from retrieval.query_must import canonical, explain, satisfies_query_must
from retrieval.query_must.sibling_mentions import row_amounts
from retrieval.query_must.siblings import KeyedRow, KeyedTable, Siblings


def table(title, columns, *rows, names):
    return KeyedTable(
        id=title.lower(),
        kind=" ".join(columns),
        titles=(title,),
        heads=("Equipment", title),
        columns=columns,
        rows={number: KeyedRow(called, cells) for number, (cells, called) in enumerate(zip(rows, names, strict=True))},
    )


WEAPONS = table(
    "Weapons",
    ("Weapon", "Damage", "Range"),
    ("Crossbow, light", "1d4+1", "60 yards"),
    ("Crossbow, heavy", "1d4+1", "80 yards"),
    ("Dagger", "1d4", "10 yards"),
    ("Spear of the deep", "1d6", "20 yards"),
    names=(
        ("Crossbow, light", "light Crossbow"),
        ("Crossbow, heavy", "heavy Crossbow"),
        ("Dagger",),
        ("Spear of the deep",),
    ),
)
SUITS = table(
    "Armor",
    ("Armor", "AR", "TL"),
    ("Vacc Suit", "6", "9"),
    ("HEV Suit", "8", "11"),
    ("Total", "14", ""),
    names=(("Vacc Suit",), ("HEV Suit",), ("Total",)),
)
LEVELS = table(
    "Cleric Advancement",
    ("Level", "XP", "Spells of Level 1"),
    ("1", "0", "1"),
    ("2", "1500", "2"),
    ("3-4", "3000", "2"),
    names=(("level 1",), ("level 2",), ("level 3", "level 4")),
)
DRUIDS = replace(LEVELS, id="druids", titles=("Druid Advancement",), heads=("Equipment", "Druid Advancement"))


def kept_out(question: str, *tables: KeyedTable) -> set[tuple[str, int]]:
    return set(Siblings(tables).read(canonical(question)).reasons)


def rows(number_of: KeyedTable, *numbers: int) -> set[tuple[str, int]]:
    return {(number_of.id, number) for number in numbers}


@pytest.mark.parametrize("bound", ["> 2", ">2", "≥2", "over 2", "2 or more"])
def test_a_number_that_is_only_a_bound_names_no_row(bound: str) -> None:
    assert kept_out("How much XP has level 2?", LEVELS) == rows(LEVELS, 0, 2)
    assert kept_out(f"How much XP has a level {bound}?", LEVELS) == set()


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("How much damage does a heavy crossbow do?", (0, 2, 3)),
        ("damage of the Crossbow, heavy", (0, 2, 3)),
        ("range of a dagger", (0, 1, 3)),
        ("dagger range, 12 arrows", (0, 1, 3)),
        ("the longest range of a dagger", (0, 1, 3)),
        ("range and damage of a dagger", (0, 1, 3)),
        ("What is the price of a horse?", ()),
        ("crossbow damage", ()),
    ],
)
def test_the_siblings_of_a_named_row_are_kept_out(question: str, numbers: tuple[int, ...]) -> None:
    assert kept_out(question, WEAPONS) == rows(WEAPONS, *numbers)


@pytest.mark.parametrize(
    "question",
    [
        "Is a dagger cheaper than other weapons?",
        "What comes after the dagger?",
        "which weapon is not a dagger",
        "the second dagger",
        "dagger or light crossbow: which has more range?",
        "damage of a dagger and a light crossbow",
        "range of a dagger and what is a crossbow",
        "damage of the dagger and a bow",
        "damage of a bow or the dagger",
        "range of a poisoned dagger",
        pytest.param("range of a dagger " + "so " * 60, id="a long one"),
        "",
    ],
)
def test_a_question_that_may_want_another_row_keeps_nothing_out(question: str) -> None:
    assert kept_out(question, WEAPONS) == set()


def test_a_row_that_has_more_of_the_question_or_the_whole_name_stays() -> None:
    assert kept_out("range of a dagger in yards, deep", WEAPONS) == rows(WEAPONS, 0, 1)
    paired = replace(WEAPONS, rows={**WEAPONS.rows, 4: KeyedRow(("Set",), ("Set", "spear and dagger", "20 yards"))})
    assert kept_out("range of a dagger", paired) == rows(WEAPONS, 0, 1, 3)


def test_an_unexplained_word_before_the_name_holds_back() -> None:
    assert kept_out("AR of a vacc suit", SUITS) == rows(SUITS, 1, 2)
    assert kept_out("AR of a hostile environment vacc suit", SUITS) == set()


SAVES = table(
    "Saving Throws",
    ("Level", "Poison or Death", "Breath"),
    ("1-4", "14", "16"),
    ("5-8", "12", "14"),
    names=(tuple(f"level {number}" for number in range(1, 5)), tuple(f"level {number}" for number in range(5, 9))),
)


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("level 3 saving throw vs poison", (1,)),
        ("level 6: save versus the breath", (0,)),
        ("level 3 saving throw vs level 6", ()),
        ("level 3 saving throw vs elves", ()),
        ("saves vs poison at any other level than level 3", ()),
    ],
)
def test_what_is_thrown_for_is_set_against_no_other_row(question: str, numbers: tuple[int, ...]) -> None:
    assert kept_out(question, SAVES) == rows(SAVES, *numbers)


def test_a_longer_name_wins_wherever_it_is() -> None:
    other = table(
        "Gear", ("Item", "Price"), ("Vacc suit patch", "5"), ("Rope", "1"), names=(("Vacc suit patch",), ("Rope",))
    )
    assert kept_out("price of a vacc suit patch", SUITS, other) == rows(other, 1)


def test_a_name_that_compares_or_that_the_heads_say_names_nothing() -> None:
    assert kept_out("what is the total AR", SUITS) == set()
    weapons = replace(WEAPONS, heads=("Dagger and sword",))
    assert kept_out("range of a dagger", weapons) == set()


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("XP of level 3", (0, 1)),
        ("3rd level XP", (0, 1)),
        ("spells of level 1 for a level 2 caster", (0, 2)),
        ("level 2, spells of level 1", (0, 2)),
        ("level 2 or higher", ()),
        ("levels 1 and 2", ()),
        ("level 2 with 18 intelligence", (0, 2)),
    ],
)
def test_numbers_name_rows_under_their_label(question: str, numbers: tuple[int, ...]) -> None:
    assert kept_out(question, LEVELS) == rows(LEVELS, *numbers)


def test_a_title_keeps_tables_of_the_same_kind_out() -> None:
    untitled = rows(LEVELS, 0, 2) | rows(DRUIDS, 0, 2)
    assert kept_out("XP of a level 2 cleric", LEVELS, DRUIDS) == rows(LEVELS, 0, 2) | rows(DRUIDS, 0, 1, 2)
    assert kept_out("XP at level 2", LEVELS, DRUIDS) == untitled
    assert kept_out("cleric and druid: the XP at level 2", LEVELS, DRUIDS) == untitled


def test_titles_that_are_joined_keep_no_third_table_out() -> None:
    both = replace(LEVELS, id="both", titles=("All Advancement",), heads=("Equipment", "All Advancement"))
    assert ("both", 1) in kept_out("How much XP has a cleric of level 2?", LEVELS, DRUIDS, both)
    assert ("both", 1) not in kept_out("How much XP has a cleric and druid of level 2?", LEVELS, DRUIDS, both)


def test_what_is_a_row_and_a_column_names_neither() -> None:
    products = ("HP 150", "HP 163", "HP 171")
    coats = table(
        "Coats", ("Below", *products[:2]), *((name, "yes", "no") for name in products), names=zip(products, strict=True)
    )
    assert kept_out("May HP 150 go on top?", coats) == set()
    assert kept_out("May HP 150 go on HP 171?", coats) == rows(coats, 0, 1)


def test_a_number_of_a_title_says_nothing() -> None:
    third = replace(LEVELS, id="third", titles=("Table 3",), heads=())
    fourth = replace(LEVELS, id="fourth", titles=("Table 4",), heads=())
    assert kept_out("XP in the table of level 3", third, fourth) == rows(third, 0, 1) | rows(fourth, 0, 1)


def test_a_table_of_another_kind_stays() -> None:
    other = replace(DRUIDS, kind="another")
    assert not rows(other, 1) & kept_out("XP of a level 2 cleric", LEVELS, other)


def test_the_operator_asks_the_tables_that_it_is_given() -> None:
    light = {"contain_no_rival": {"table": "weapons", "row": 0}}
    rivals = Siblings([WEAPONS])
    assert satisfies_query_must("damage of a dagger", light)
    assert not satisfies_query_must("damage of a dagger", light, rivals=rivals)
    assert satisfies_query_must("damage of a light crossbow", light, rivals=rivals)
    assert satisfies_query_must(
        "damage of a dagger", {"contain_no_rival": {"table": "elsewhere", "row": 0}}, rivals=rivals
    )


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("damage of a dagger", "contain_no_rival failed: the question names 'dagger', another row of its table"),
        ("after the dagger", "satisfies query_must: held back, it may want another row: 'after'"),
        (
            "a poisoned dagger",
            "satisfies query_must: held back, nothing in the row explains 'poisoned' before 'dagger'",
        ),
        ("dagger or heavy crossbow", "satisfies query_must: held back, it names more than one row"),
        ("price of a horse", "satisfies query_must"),
    ],
)
def test_the_receipt_says_who_is_named_and_what_holds_back(question: str, reason: str) -> None:
    light = {"contain_no_rival": {"table": "weapons", "row": 0}}
    assert explain(question, light, rivals=Siblings([WEAPONS])) == reason


def test_the_reason_of_a_twin_names_its_title() -> None:
    first = {"contain_no_rival": {"table": "druids", "row": 1}}
    assert explain("XP of a level 2 cleric", first, rivals=Siblings([LEVELS, DRUIDS])) == (
        "contain_no_rival failed: the question names 'level 2' of another table: 'cleric'"
    )


STEPS = ("up to 1 kg", "over 1 to 3 kg", "over 3 to 4 kg", "over 4 to 10 kg")
PARCELS = KeyedTable(
    id="parcels",
    kind="weight zone",
    titles=("Parcels abroad",),
    heads=("Parcels abroad",),
    columns=("Weight", "Zone 1", "Zone 2"),
    rows={
        number: KeyedRow(
            (step,), (step, f"{number}.20", f"{number}.60"), (), tuple(row_amounts(quantities(step)[0], ""))
        )
        for number, step in enumerate(STEPS)
    },
)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("a parcel of 3.4 kg to zone 2", 2),
        ("price of 900 grams to zone 1", 0),
        ("what does a parcel of seven kilos cost", 3),
        ("3 kg to zone 1", 1),
    ],
)
def test_an_amount_names_the_row_whose_step_holds_it(question: str, named: int) -> None:
    assert kept_out(question, PARCELS) == rows(PARCELS, *(number for number in range(4) if number != named))


@pytest.mark.parametrize(
    "question", ["12 kg to zone 1", "3.4 mm to zone 1", "more than 2 kg to zone 1", "2 kg and 7 kg to zone 1", "zone 2"]
)
def test_an_amount_that_no_step_holds_or_that_two_hold_names_none(question: str) -> None:
    assert kept_out(question, PARCELS) == set()


ERRORS = replace(
    PARCELS,
    id="errors",
    rows={
        0: KeyedRow(("M 12",), ("M 12", "80 Nm")),
        1: KeyedRow(("M 16",), ("M 16", "200 Nm")),
        2: KeyedRow(("6205.20",), ("6205.20", "5 Nm")),
    },
)


@pytest.mark.parametrize(("question", "named"), [("torque of M12", 0), ("a bolt m16", 1), ("code 6205.20", 2)])
def test_a_code_names_its_row(question: str, named: int) -> None:
    assert kept_out(question, ERRORS) == rows(ERRORS, *({0, 1, 2} - {named}))


def test_an_article_before_a_number_is_no_code() -> None:
    doses = replace(ERRORS, rows={0: KeyedRow(("A 4",), ("A 4", "1")), 1: KeyedRow(("A 5",), ("A 5", "2"))})
    assert kept_out("what does a 4 hour wait cost", doses) == set()


CALIBRATION = replace(
    PARCELS,
    id="calibration",
    rows={
        0: KeyedRow((), ("Er 3", "hitch", "valve current"), ("Er 3", "hitch")),
        1: KeyedRow((), ("Er 3", "shuttle", "clutch slips"), ("Er 3", "shuttle")),
        2: KeyedRow((), ("Er 4", "hitch", "sensor"), ("Er 4", "hitch")),
        3: KeyedRow((), ("Er 4", "shuttle", "speed"), ("Er 4", "shuttle")),
    },
)


def test_cells_that_several_rows_have_name_one_together_and_none_alone() -> None:
    assert kept_out("hitch calibration shows Er 3", CALIBRATION) == rows(CALIBRATION, 1, 2, 3)
    assert kept_out("what is Er 3", CALIBRATION) == set()


ROLLS = replace(
    PARCELS,
    id="rolls",
    titles=("Faction Types",),
    heads=("Setting Seeds", "Faction Types"),
    columns=("d20", "Faction"),
    rows={
        0: KeyedRow((), ("3", "Cultists"), ("3",)),
        1: KeyedRow((), ("11", "Nobles with 3 heirs"), ("11",)),
        2: KeyedRow((), ("K", "Beggars"), ("K",)),
    },
)


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("setting seeds: which faction is on an 11", (0, 2)),
        ("faction type for a 3", (2,)),
        ("factions: what is K", (0, 1)),
        ("what is on an 11", ()),
        ("factions on 3 and 11", ()),
    ],
)
def test_a_bare_number_or_letter_names_a_row_of_a_table_that_the_question_is_about(
    question: str, numbers: tuple[int, ...]
) -> None:
    assert kept_out(question, ROLLS) == rows(ROLLS, *numbers)


def test_a_bare_number_of_another_subject_names_nothing() -> None:
    assert explain(
        "what is on an 11", {"contain_no_rival": {"table": "rolls", "row": 1}}, rivals=Siblings([ROLLS])
    ) == ("satisfies query_must: held back, '11' may be anything, since the question names nothing of the table")


def test_a_shared_cell_decides_between_rows_that_share_an_amount() -> None:
    step = tuple(row_amounts(quantities("250 to 500 g")[0], ""))
    letters = replace(
        PARCELS,
        id="letters",
        rows={
            0: KeyedRow((), ("Large letter", "250 to 500 g", "2.10"), ("Large letter",), step),
            1: KeyedRow((), ("Maxi letter", "250 to 500 g", "3.40"), ("Maxi letter",), step),
        },
    )
    assert kept_out("price of a large letter of 300 g", letters) == rows(letters, 1)
    assert kept_out("price of a letter of 300 g", letters) == set()


SIZES = ("large", "xlarge", "2xlarge", "4xlarge", "9xlarge", "12xlarge")
INSTANCES = [
    table(
        f"{family} instances",
        ("Instance type", "Maximum network interfaces"),
        *((f"{family}.{size}", str(number)) for number, size in enumerate(SIZES)),
        names=tuple((f"{family}.{size}",) for size in SIZES),
    )
    for family in ("c5", "c5d", "c5n")
]


@pytest.mark.parametrize(
    "question", ["how many network interfaces does a c5d.xlarge take", "network interfaces of C5D XLARGE", "c5d-xlarge"]
)
def test_an_identifier_keeps_rows_with_the_same_parts_out(question: str) -> None:
    _, of_family, _ = INSTANCES
    assert kept_out(question, *INSTANCES) >= rows(of_family, 0, 2, 3, 4, 5)
    assert rows(of_family, 1).isdisjoint(kept_out(question, *INSTANCES))


def test_a_word_that_is_a_key_itself_is_no_identifier_with_the_same_letters() -> None:
    fields = table("Fields", ("Field", "For"), ("user_id", "a"), ("userid", "b"), names=(("user_id",), ("userid",)))
    assert kept_out("what is userid for", fields) == rows(fields, 0)
    assert kept_out("what is user_id for", fields) == rows(fields, 1)
    alone = replace(fields, rows={0: fields.rows[0], 1: KeyedRow(("name",), ("name", "c"))})
    assert kept_out("what is userid for", alone) == rows(alone, 1)


def test_an_identifier_that_no_table_has_is_its_words_and_a_known_one_is_said_as_people_read_it() -> None:
    assert kept_out("how big is the c5d.32xlarge", *INSTANCES) == set()
    reasons = Siblings(INSTANCES).read(canonical("a c5d.xlarge")).reasons
    assert reasons["c5d instances", 2] == "the question names 'c 5 d xlarge', another row of its table"
