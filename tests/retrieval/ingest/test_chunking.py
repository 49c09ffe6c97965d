from dataclasses import replace

from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.prose_chunking import Cuts
from retrieval.ingest.tables.row_predicates import extract_predicates
from retrieval.ingest.tables.rows import transform_tables
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Document

TEXT = """# Gear

Gear is bought in towns.

## Armor

**Armor Table**

| Armor | Cost | AC 1 | AC 2 |
| --- | --- | --- | --- |
| Leather | 5 | 8 | 7 |
| Chain, light* | 75 | 5 | 4 |

Armor is heavy.
"""


def book_of(*texts):
    return Book("b", "B", tuple(Document("b", f"{n}.md", text, {"source": "S"}) for n, text in enumerate(texts)))


def chunks_of(*texts, **settings):
    book = parse_book(book_of(*texts))
    return chunk_book(book, extract_predicates(transform_tables(book.tables, Vocabulary.default())), **settings)


def test_a_row_is_its_own_chunk_and_the_prose_is_around_it():
    chunks = chunks_of(TEXT)

    assert [chunk.kind for chunk in chunks] == ["prose", "row", "row"]
    assert [chunk.position for chunk in chunks] == [0, 1, 2]
    assert chunks[1].source == "| Leather | 5 | 8 | 7 |"
    assert chunks[1].lines == (11, 11)
    assert chunks[1].metadata["source"] == "S"
    assert "Leather" not in chunks[0].text


def test_the_search_text_of_a_row_carries_its_context_and_says_a_shared_heading_once():
    chain = chunks_of(TEXT)[2]

    assert chain.search_text == "Gear > Armor\nArmor Table\nArmor: Chain, light*; Cost: 75; AC 1: 5; 2: 4"


def test_ids_are_the_same_in_another_run_and_do_not_depend_on_what_stands_elsewhere():
    before = {chunk.id: chunk.text for chunk in chunks_of(TEXT)}
    after = {chunk.id: chunk.text for chunk in chunks_of("# New\n\nfirst\n\n" + TEXT, cuts=Cuts(40))}
    rows = {key for key, text in before.items() if text.startswith("{")}

    assert before == {chunk.id: chunk.text for chunk in chunks_of(TEXT)}
    assert rows <= set(after)


def test_one_edited_cell_changes_one_chunk():
    before = {chunk.id for chunk in chunks_of(TEXT)}
    after = {chunk.id for chunk in chunks_of(TEXT.replace("| 75 |", "| 80 |"))}

    assert len(before - after) == len(after - before) == 1


def test_identical_twins_have_their_own_ids():
    chunks = chunks_of("# A\n\nsame\n", "# A\n\nsame\n")

    assert len({chunk.id for chunk in chunks}) == 2
    assert replace(chunks[1], id=chunks[0].id, document="0.md") == chunks[0]


def test_twin_tables_share_a_signature_whatever_their_case_and_extent():
    table = "# {0}\n\n| Level | {1} 1 | {1} 2 | {1} 3 |\n| - | - | - | - |\n| 1 | 2 | 3 | 4 |\n\n"
    header = "| LEVEL | to hit AC 1 | to hit AC 2 | to hit AC 3 | to hit AC 4 |\n"
    wider = f"# C\n\n{header}| - | - | - | - | - |\n| 1 | 2 | 3 | 4 | 5 |\n"
    chunks = chunks_of(table.format("A", "To hit AC") + table.format("B", "Other") + wider)

    assert chunks[0].signature == chunks[2].signature != chunks[1].signature


def test_a_record_keeps_the_line_that_goes_on_with_the_value_above():
    pairs = "| Hit Dice: | 4 |\n| Skills: | Hide, |\n| Spot |  |\n| Size: | Large |\n"
    (chunk,) = chunks_of(f"# Golem\n\n|  | Large Construct |\n| - | - |\n{pairs}")

    assert (chunk.kind, chunk.names) == ("record", ("Golem",))
    for words in ("Large Construct", "Spot"):
        assert words in chunk.text
        assert words in chunk.search_text


def titles_of(*texts):
    return [chunk.title for chunk in chunks_of(*texts) if chunk.kind != "prose"]


def test_rows_of_several_tables_with_one_title_say_the_heading_or_the_document_that_differs():
    table = "## Fields\n\n| Field | Type |\n|---|---|\n| id | int |\n\n"
    assert titles_of(f"# User\n\n{table}# Group\n\n{table}") == ["User > Fields - id", "Group > Fields - id"]
    assert titles_of(f"# Model\n\n{table}", f"# Model\n\n{table}") == ["0 > Fields - id", "1 > Fields - id"]
    assert titles_of(f"# User\n\n{table}") == ["Fields - id"]
    bare = table.removeprefix("## Fields\n\n")
    assert titles_of(bare, bare) == ["0 - id", "1 - id"], "the path of a page without headings is enough"
    assert titles_of(f"# User\n\n{table}{table}") == ["Fields - id", "Fields - id"], "nothing distinguishes them"


def test_tables_with_one_name_say_it_of_all_their_rows():
    pump, fan = (
        "## Options\n\n| Option | Default |\n|---|---|\n" + row for row in ("| idle | 3 |\n", "| speed | 5 |\n")
    )
    titles = ["Pump > Options - idle", "Fan > Options - speed"]
    assert titles_of(f"# Pump\n\n{pump}", f"# Fan\n\n{fan}") == titles


def test_rows_of_tables_below_one_heading_say_the_sentence_that_introduces_theirs():
    rows = "| Seat | Fare |\n|---|---|\n| window | 3 |\n\n"
    by_day, by_night = f"By day the fares are as follows:\n\n{rows}", f"By night the fares are as follows:\n\n{rows}"
    long = by_night.replace("night", f"night, {'and at dawn, ' * 9}")

    told = ["By day the fares are as follows > Bus - window", "By night the fares are as follows > Bus - window"]
    assert titles_of(f"# Bus\n\n{by_day}{by_night}") == told
    assert titles_of(f"# Bus\n\n{by_day}{long}") == [told[0], "Bus - window"], "the shorter one is enough"
    assert titles_of(f"# Bus\n\n{by_day}") == ["Bus - window"]
    assert titles_of(f"# Bus\n\n{by_day}{by_day}") == ["Bus - window"] * 2


def test_what_distinguishes_a_title_changes_neither_ids_nor_texts():
    table = "## Fields\n\n| Field | Type |\n|---|---|\n| id | int |\n\n"
    (alone,) = [chunk for chunk in chunks_of(f"# User\n\n{table}") if chunk.kind == "row"]
    first = next(chunk for chunk in chunks_of(f"# User\n\n{table}# Group\n\n{table}") if chunk.kind == "row")
    assert first == replace(alone, qualifier="User")
