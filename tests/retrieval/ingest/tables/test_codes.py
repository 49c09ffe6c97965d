"""What the codes of a book mean in the tables that only use them."""

import json
from collections.abc import Mapping

import pytest

from retrieval.index.embedding.embedding_store import embedding_text
from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.rows import transform_tables
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Chunk, Document

USES = """
## Kinds of house

| Group | Use | Examples |
|---|---|---|
| D1 | Dwelling | cottage, villa |
| D3 | Lodging | hotel, hostel and inn |
| W | Work | bakery |
"""
STOREYS = """
## Storeys

| Group | Wood | Stone |
|---|---|---|
| D1 | 2 | 4 |
| D3 | 1 | 6 |
| D1, D3 | 3 | 5 |
| W | 1 | 3 |
"""


def chunks_of(*texts: str) -> list[Chunk]:
    documents = tuple(Document("code", f"{number}.md", text, {}) for number, text in enumerate(texts))
    parsed = parse_book(Book("code", "Code", documents))
    return list(chunk_book(parsed, transform_tables(parsed.tables, Vocabulary.default(), texts)))


def meanings(*texts: str) -> Mapping[str, tuple[str, ...]]:
    """Meanings by the key of each row of the last text."""
    rows = [chunk for chunk in chunks_of(*texts) if chunk.row_key and chunk.document == f"{len(texts) - 1}.md"]
    return {chunk.row_key or "": chunk.meanings for chunk in rows if chunk.meanings}


def test_a_row_with_many_numbers_is_embedded_with_the_meaning_of_its_code() -> None:
    columns = [f"{number} m" for number in range(12)]
    lines = (["Group", *columns], ["---"] * 13, ["D3", *"135792468024"])
    wide = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    (row,) = [chunk for chunk in chunks_of(USES, wide + "\n") if chunk.row_key == "D3" and chunk.document == "1.md"]
    assert "hotel" in embedding_text(row)
    assert "3: 7" not in embedding_text(row)


def test_rows_of_other_tables_have_the_name_and_the_examples_of_their_codes() -> None:
    assert meanings(USES, STOREYS) == {
        "D1": ("Dwelling", "cottage", "villa"),
        "D3": ("Lodging", "hotel", "hostel", "inn"),
        "D1, D3": ("Dwelling", "cottage", "villa", "Lodging", "hotel", "hostel", "inn"),
        "W": ("Work", "bakery"),
    }


def test_the_row_that_defines_a_code_is_left_as_it_is() -> None:
    assert not any(chunk.meanings for chunk in chunks_of(USES, STOREYS) if chunk.document == "0.md")


def test_a_reader_is_shown_the_meaning_and_words_and_vectors_find_it_but_no_predicate_uses_it() -> None:
    (row,) = [chunk for chunk in chunks_of(USES, STOREYS) if chunk.row_key == "D3" and chunk.document == "1.md"]
    assert json.loads(row.text)["description"] == "From 1.md. D3: Lodging, hotel, hostel, inn."
    assert "hostel" in row.search_text
    assert embedding_text(row).endswith("Lodging, hotel, hostel, inn")
    assert not any("hotel" in name for name in row.names)
    assert "hotel" not in (row.query_must or "")


@pytest.mark.parametrize(
    ("label", "key"), [("Group", "D3"), ("Kind", "Group D3"), ("Kind", "Groups D1 and D3"), ("Kind", "D3")]
)
def test_a_longer_code_needs_no_column_of_the_same_name(label: str, key: str) -> None:
    other = f"| {label} | Exits |\n|---|---|\n| {key} | 2 |\n| all others | 1 |\n"
    assert "hotel" in meanings(USES, other)[key]


@pytest.mark.parametrize("label", ["Material", "Code"])
def test_one_letter_means_something_else_in_another_column(label: str) -> None:
    assert meanings(USES, f"| {label} | Weight |\n|---|---|\n| W | 12 |\n| S | 80 |\n") == {}


def test_the_key_of_a_table_is_the_name_of_the_codes_in_another_column_and_titles_and_headings_use_it() -> None:
    plans = "| Plan | Code | Rental |\n|---|---|---|\n| Family | HF | 21 |\n| Island | HI | 13 |\n| Basic | HB | 11 |\n"
    calls = "## Calls\n\n**Plan HF**\n\n| Band | Day |\n|---|---|\n| near | 2 |\n| far | 9 |\n"
    change = "## Change of plan\n\n| from | HB | HI |\n|---|---|---|\n| HF | 8 | 5 |\n| HI | 4 | 0 |\n"
    chunks = {(chunk.document, chunk.row_key): chunk for chunk in chunks_of(plans, calls, change)}
    assert chunks["1.md", "far"].searched_as == ("Family",)
    assert chunks["2.md", "HF"].columns == ("from", "HB (Basic)", "HI (Island)")
    assert chunks["2.md", "HF"].meanings == ("Family",)


def test_a_column_for_several_codes_has_the_names_of_all() -> None:
    parts = "| Part | D1, D3 | W |\n|---|---|---|\n| Wall | 60 | 120 |\n| Floor | 30 | 60 |\n"
    (row,) = [chunk for chunk in chunks_of(USES, parts) if chunk.row_key == "Wall"]
    assert row.columns == ("Part", "D1, D3 (Dwelling; Lodging)", "W")


def test_a_column_before_the_codes_names_them_if_the_key_is_a_number() -> None:
    rows = ("| 21 | Ardesk | ARD |", "| 31 | Brannock | BRA |", "| 44 | Quellin | QUE |")
    exchanges = "\n".join(("| Area | Exchange | Code |", "|---|---|---|", *rows))
    distances = "| From | ARD | QUE |\n|---|---|---|\n| BRA | 48 | 77 |\n| QUE | 96 | 0 |\n"
    assert meanings(exchanges, distances) == {"BRA": ("Brannock",), "QUE": ("Quellin",)}


def test_prose_defines_numbers_by_the_word_before_them() -> None:
    zones = "# Zones\n\n**Zone 4:** Albania (355), Turkey (90). Zone 5: Canada.\n\n- **Byelaw 5.** Do not bathe here.\n"
    rates = "| Zone | Day |\n|---|---|\n| 4 | 79 |\n| 5 | 18 |\n"
    fines = "| Broken | Fine |\n|---|---|\n| Byelaw 5 | 40 |\n| Byelaw 6 | 90 |\n"
    assert meanings(zones, rates) == {"4": ("Albania (355), Turkey (90)",), "5": ("Canada",)}
    assert meanings(zones, fines) == {"Byelaw 5": ("Do not bathe here",)}
    assert meanings(zones, rates.replace("Zone", "Group")) == {}


def test_a_code_with_two_definitions_means_nothing() -> None:
    assert "D3" not in meanings(USES, USES.replace("Lodging", "Prison"), STOREYS)


@pytest.mark.parametrize(
    "defining",
    [
        "| Group | Area |\n|---|---|\n| D1 | 900 |\n| D3 | 700 |\n| W1 | 800 |\n",
        "| Level | Shield |\n|---|---|\n| 1st | Red |\n| 2nd | Orange |\n| 3rd | Yellow |\n",
        "| Way | How often |\n|---|---|\n| IM | BID |\n| IV | SID |\n| SC | TID |\n",
        "| Group | Use |\n|---|---|\n| D1 | Dwelling |\n| D3 | Lodging |\n",
        "| Group | Use |\n|---|---|\n| D1 | House |\n| D3 | House |\n| D4 | House |\n",
    ],
)
def test_numbers_ordinals_other_codes_two_rows_and_repeated_words_define_nothing(defining: str) -> None:
    using = "| Group | Doors |\n|---|---|\n| D1 | 1 |\n| D3 | 2 |\n| 1st | 3 |\n| IM | 4 |\n"
    assert meanings(defining, using) == {}


@pytest.mark.parametrize("key", ["Except D3", "Not D3", "D1 to D3", "D1, D2", "D1, D3, D1, D3, D1, D3, W"])
def test_negations_ranges_unknown_members_and_long_lists_mean_nothing(key: str) -> None:
    assert meanings(USES, f"| Group | Exits |\n|---|---|\n| {key} | 2 |\n| all others | 1 |\n") == {}


def test_all_parts_of_a_table_side_by_side_define_codes() -> None:
    rows = ("| AL | Alabama | MT | Montana |", "| AK | Alaska | NE | Nebraska |", "| AR | Arkansas | NV | Nevada |")
    pairs = "\n".join(("| Code | State | Code | State |", "|---|---|---|---|", *rows))
    assert meanings(pairs, "| State | Tax |\n|---|---|\n| AL | 0 |\n| NE | 5 |\n") == {
        "AL": ("Alabama",),
        "NE": ("Nebraska",),
    }


def test_a_word_of_the_book_is_no_code_and_one_heading_alone_is_not_explained() -> None:
    table = "| Country | ISO |\n|---|---|\n| Italy | IT |\n| Norway | NO |\n| Peru | PE |\n"
    countries = f"There is no tax in it.\n\n{table}"
    users = "| User | NO | IT | PE |\n|---|---|---|---|\n| Ann | 1 | 2 | 3 |\n| Bob | 4 | 5 | 6 |\n"
    (row,) = [chunk for chunk in chunks_of(countries, users) if chunk.row_key == "Ann"]
    assert row.columns == ("User", "NO", "IT", "PE")


def test_the_words_of_addresses_may_be_codes() -> None:
    regions = "| Code | Region |\n|---|---|\n| MB | Marsh Bay |\n| NL | North Lough |\n| QF | Quarry Fen |\n"
    levies = "| Region | Levy |\n|---|---|\n| MB | 4 |\n| NL | 5 |\n| QF | 6 |\n"
    link = "See https://www.levy.mb.example/nl/qf.html and mb@levy.example."

    assert meanings(f"{link}\n\n{regions}", levies)["MB"] == ("Marsh Bay",)
    assert "MB" not in meanings(f"The disk has 5 mb.\n\n{regions}", levies)


def test_definitions_that_agree_have_the_examples_of_all() -> None:
    short = "| Group | Use |\n|---|---|\n| D1 | Dwelling |\n| D3 | Lodging |\n| W | Work |\n"
    assert meanings(short, USES, STOREYS)["D3"] == ("Lodging", "hotel", "hostel", "inn")


@pytest.mark.parametrize(
    ("prose", "meaning"),
    [
        ("Zone 4: up to 0.5 km from St.Anne.", "up to 0.5 km from St.Anne"),
        ("Zone 4: Albania, Belarus,\nCroatia.", "Albania, Belarus, Croatia"),
        ("Zone 3: Peru; Zone 4: Chile.", "Chile"),
        ("- **Zone 4.** All of Peru.", "All of Peru"),
    ],
)
def test_a_definition_in_prose_ends_with_its_sentence(prose: str, meaning: str) -> None:
    assert meanings(f"# Zones\n\n{prose}\n", "| Zone | Day |\n|---|---|\n| 4 | 79 |\n| 9 | 18 |\n") == {"4": (meaning,)}


@pytest.mark.parametrize(
    "prose", ["He changes at\nZone 4. The fare is void.", "```\nZone 4: example.com\n```", f"Zone 4: {'a, ' * 200}b."]
)
def test_the_end_of_a_sentence_code_blocks_and_long_texts_define_nothing(prose: str) -> None:
    assert meanings(f"# Zones\n\n{prose}\n", "| Zone | Day |\n|---|---|\n| 4 | 79 |\n| 9 | 18 |\n") == {}
