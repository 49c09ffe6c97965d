from collections.abc import Sequence

import pytest

from retrieval.ingest.tables.table import Table
from retrieval.ingest.tables.table_subjects import subjects_of
from retrieval.query_must.vocabulary.vocabulary import Vocabulary

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
    tables = [table(place, heading or "", caption) for place, (caption, heading) in enumerate(pairs)]
    found = subjects_of(tables, Vocabulary.default())
    return [list(found.get(str(place), ())) for place in range(len(tables))]


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


def test_a_word_that_some_titles_share_is_no_part_of_a_subject_that_must_be_said_whole() -> None:
    titles = [f"{who} Attack Matrix" for who in ("Fighter Melee", "Cleric Melee", "Thief Missile", "Monk Missile")]
    assert told(*titles)[0] == ["fighter", "melee"]


def test_titles_that_two_tables_share_leave_it_to_the_headings() -> None:
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
    tables = [table(place, "Combat", f"{who} Progression") for place, who in enumerate(("Fighter Grade", "Cleric"))]
    assert subjects_of(tables, library) == {"0": ("fighter",), "1": ("cleric",)}
