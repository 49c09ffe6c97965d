"""What a book says that its short forms mean."""

from collections.abc import Sequence

import pytest

from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.glossary import Glossary, document_words, subjects_of
from retrieval.ingest.tables.reading import read_table
from retrieval.ingest.tables.rows import transform_tables
from retrieval.ingest.tables.table import Table
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Document

WORDS = Vocabulary.default()


def glossary(text: str = "", *rows: tuple[str, ...]) -> Glossary:
    table = "\n".join("| " + " | ".join(row) + " |" for row in (("Code", "Name", "Unit"), ("---",) * 3, *rows))
    book = parse_book(Book("tome", "Tome", (Document("tome", "a.md", f"{text}\n\n{table if rows else ''}\n"),)))
    return Glossary.of(
        [document.document.text for document in book.documents], list(map(read_table, book.tables)), WORDS
    )


def meanings(text: str = "", *rows: tuple[str, ...]) -> dict[str, str]:
    return dict(glossary(text, *rows).meanings)


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("The Attack Value (AV) says how well it hits.", "AV", "Attack Value"),
        ("The Attack Value (AV), also called THAC0, falls.", "AV", "Attack Value, THAC0"),
        ("- **Paralysis or petrification (P):** when turned to stone", "P", "Paralysis or petrification"),
        ("when the ship burns fuel at its Rate of Fire (RoF)", "RoF", "Rate of Fire"),
        ("Every servo has a Weight (Wgt) and a price.", "Wgt", "Weight"),
        ("W: Wands; P: Paralysis", "W", "Wands"),
        ("AGL = automatic grenade launcher", "AGL", "automatic grenade launcher"),
        ("A VTOL (vertical take-off and landing) lands anywhere.", "VTOL", "vertical take-off and landing"),
        ("GW: gateways to other buses", "GW", "gateways"),
    ],
)
def test_a_book_defines_its_short_forms(text: str, short: str, long: str) -> None:
    assert meanings(text)[short] == long


@pytest.mark.parametrize(
    "text",
    [
        "The price (Cr) is low.",
        "See the last chapter (B) for more.",
        "Every count has a Countess (Count) beside him, and you count them.",
        "Give 5 mg into a vein (IV).",
        "He has 7 hit points (HP).",
        "a car (s)",
        "Nothing is defined here.",
    ],
)
def test_what_is_no_definition_defines_nothing(text: str) -> None:
    assert not meanings(text)


def test_a_short_form_that_is_defined_twice_stands_for_what_is_said_most() -> None:
    once = "A fire team (FT) moves. A fighter (F) rests."
    assert meanings(f"{once} The flight time (FT) is short.") == {"F": "fighter"}
    assert meanings(f"{once} The flight time (FT) is short. Count the Flight time (FT).")["FT"] == "flight time"


def test_a_table_of_codes_and_names_defines_them() -> None:
    result = meanings("", ("SP", "Stone put", "metres"), ("BT", "Bag toss over bar", "metres"), ("X", "Xylophone", ""))

    assert result == {"SP": "Stone put", "BT": "Bag toss"}


def test_a_heading_says_what_its_short_forms_mean_but_not_twice() -> None:
    glossary = Glossary({"AV": "Attack Value", "SP": "Stone put"})
    assert glossary.explained(["AV", "SP m", "Attack Value (AV)", "AVX", "m AV"]) == (
        "AV (Attack Value)",
        "SP m (Stone put)",
        "Attack Value (AV)",
        "AVX",
        "m AV (Attack Value)",
    )
    glossary = Glossary({"D": "Death", "W": "Wands"})
    assert glossary.explained(["Level", "D", "W", "D6"]) == ("Level", "D (Death)", "W (Wands)", "D6")
    assert glossary.explained(["Level", "D"]) == ("Level", "D")


def test_a_row_is_called_by_the_short_form_that_the_book_defines_or_by_its_initials() -> None:
    guns = (("Light machine gun", "36", "4"), ("Heavy machine gun", "36", "3"), ("Heavy mortar grenade", "60", "1"))
    result = glossary("A team has an LMG, an HMG and an IED, and you LIGHT them.", *guns)
    assert result.short_names(["light machine gun", "Heavy machine gun", "light"]) == ("LMG",)
    result = glossary("The Agility (Agi) of a fusion gun, man portable (FGMP).")
    assert result.short_names(["Fusion gun, man portable", "Agility"]) == ("FGMP",)


def test_the_rows_of_a_book_carry_the_meanings() -> None:
    text = """# Saves

- **Death (D):** poison
- **Wands (W):** magic

## Fighter

| Lv | D | W |
|---|---|---|
| 1 | 12 | 13 |
| 2 | 11 | 12 |
"""
    book = parse_book(Book("tome", "Tome", (Document("tome", "a.md", text),)))
    rows = transform_tables(book.tables, WORDS, [text])

    assert [row.columns for row in rows] == [("Lv", "D (Death)", "W (Wands)")] * 2
    assert '"D (Death)": 12' in rows[0].content


def test_a_row_can_be_found_by_its_short_form() -> None:
    text = """# Weapons

The team has an LMG and an HMG.

| Weapon | Range |
|---|---|
| Light machine gun | 36 |
| Heavy machine gun* | 48 |
"""
    book = parse_book(Book("tome", "Tome", (Document("tome", "a.md", text),)))
    rows = transform_tables(book.tables, WORDS, [text])
    chunks = [chunk for chunk in chunk_book(book, rows) if chunk.kind == "row"]

    assert [row.names[-1] for row in rows] == ["LMG", "HMG"]
    assert [chunk.search_text.split("\n")[-1] for chunk in chunks] == ["LMG", "HMG"]


def test_initials_that_no_word_is_made_of_need_not_be_in_the_book() -> None:
    rows = [("Designated marksman rifle", "36"), ("Close air target", "12"), ("Small cot", "2"), ("Long loud gun", "4")]
    result = glossary("What they shoot.", *rows, ("Light lever gun", "6"))
    assert result.short_names(["Designated marksman rifle"]) == ("DMR",)
    assert result.short_names(["Close air target", "Small cot", "Long loud gun", "Light lever gun"]) == ()
    result = glossary("What they shoot.", ("Submachine gun", "9"), ("Subtle pistol", "4"), ("Antitank grenade", "6"))
    assert result.short_names(["Submachine gun", "Antitank grenade", "Subtle pistol"]) == ("SMG",)


TABLE = "| Bit | Name |\n|---|---|\n| 5 | EMPTY |\n"


def book(**documents: str) -> Book:
    return Book("b", "B", tuple(Document("b", path, text) for path, text in documents.items()))


def words(**documents: str) -> list[tuple[str, ...]]:
    tables = parse_book(book(**documents)).tables
    result = document_words(tables)
    return [result.get(table.id, ()) for table in tables]


def test_documents_with_the_same_headings_are_told_by_their_paths() -> None:
    same = f"# Registers\n\n## STATUS\n\n{TABLE}"
    paths = ("02-uart-registers.md", "03-spi-host-registers.md")
    assert words(**dict.fromkeys(paths, same)) == [("uart",), ("spi host",)]
    assert words(**dict.fromkeys(("pump/doc/registers.md", "fan/doc/registers.md"), same)) == [("pump",), ("fan",)]


def test_a_table_whose_headings_tell_it_needs_no_document() -> None:
    assert words(**{"a.md": f"# Sails\n\n{TABLE}", "b.md": f"# Ropes\n\n{TABLE}"}) == [(), ()]
    assert words(**{"1.md": f"# Sails\n\n{TABLE}", "2.md": f"# Sails\n\n{TABLE}"}) == [(), ()], "a number tells nothing"


def test_the_rows_are_found_by_their_document() -> None:
    text = f"# Registers\n\n{TABLE}"
    tables = parse_book(book(**{"uart.md": text, "spi.md": text})).tables
    rows = transform_tables(tables, Vocabulary.default())
    assert [row.searched_as for row in rows] == [("uart",), ("spi",)]


Titles = Sequence[str | tuple[str, str | None]]


def table(place: int, heading: str, caption: str | None) -> Table:
    return Table(
        id=str(place),
        book="rules",
        document="01.md",
        heading_path=("Rules", heading),
        caption=caption,
        header=("Level", "AC 1"),
        rows=(),
        lines=(place, place),
    )


def told(*titles: str | tuple[str, str | None]) -> list[list[str]]:
    """Terms by table; a title alone is a caption, all of one section."""
    pairs = [(title, "Combat") if isinstance(title, str) else (title[1], title[0]) for title in titles]
    tables = [table(position, heading or "", caption) for position, (caption, heading) in enumerate(pairs)]
    subjects = subjects_of(tables, Vocabulary.default())
    return [list(subjects.get(str(number), ())) for number in range(len(tables))]


@pytest.mark.parametrize(
    ("titles", "terms"),
    [
        (["Fighter To Hit Table", "Magic User To Hit Table"], [["fighter"], ["magic user"]]),
        (["Fighter Attack Matrix", "Cleric To Hit Table"], [["fighter", "attack", "matrix"], ["cleric", "hit"]]),
        (["Table 1: Fighter Class", "Table 2: Cleric"], [["fighter"], ["cleric"]]),
        (["Table 1: Fighter Progression", "Table 2: Cleric"], [["fighter", "progression"], ["cleric"]]),
        (["Magic Users", "Clerics"], [["magic", "user"], ["cleric"]]),
        (["To Hit (Mounted Fighter)", "To Hit (Cleric)"], [["mounted fighter"], ["cleric"]]),
    ],
)
def test_words_are_one_term_only_where_the_titles_are_of_one_frame(titles: list[str], terms: list[list[str]]) -> None:
    assert told(*titles) == terms


def test_titles_that_tables_share_in_part_tell_them_by_the_rest_or_by_the_headings() -> None:
    titles = [f"{who} Attack Matrix" for who in ("Fighter Melee", "Cleric Melee", "Thief Missile", "Monk Missile")]
    assert told(*titles)[0] == ["fighter", "melee"]
    sorcerer, bard = ([(who, "Spells per Day"), (who, "Spells Known")] for who in ("Sorcerer", "Bard"))
    assert told(*sorcerer, *bard) == [["sorcerer"], ["sorcerer"], ["bard"], ["bard"]]


@pytest.mark.parametrize(
    "titles",
    [
        ["Attack Matrix I", "Attack Matrix II"],
        ["Class 1", "Class 2"],
        ["Fighter Matrix", "Fighter Matrix", "Cleric Matrix"],
        [
            ("Attacks", "Fighter Matrix"),
            ("Attacks", "Fighter Matrix"),
            ("More", "Cleric Matrix"),
            ("", "Cleric Matrix"),
        ],
        ["Fighter Matrix"],
    ],
)
def test_where_no_titles_tell_all_twins_apart_there_is_no_subject(titles: Titles) -> None:
    assert set(map(tuple, told(*titles))) == {()}


def test_the_words_of_a_library_are_known() -> None:
    library = Vocabulary.default().merge(Vocabulary.from_json({"labels": {"grade": {}, "progression": {}}}))
    tables = [
        table(position, "Combat", f"{who} Progression") for position, who in enumerate(("Fighter Grade", "Cleric"))
    ]
    assert subjects_of(tables, library) == {"0": ("fighter",), "1": ("cleric",)}
