"""The entries of tables.toml, as the rows and predicates of a book show them."""

import json
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.sibling_tables import keyed_tables
from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.guard_report import count_guards, table_guards
from retrieval.ingest.owner_rules import unmet_rules
from retrieval.ingest.parsed_book import ParsedBook, parse_book
from retrieval.ingest.tables.row_predicates import extract_predicates
from retrieval.ingest.tables.rows import check_fidelity, transform_tables
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.predicate import explain, satisfies_query_must
from retrieval.query_must.siblings import Siblings
from retrieval.types import Book, Chunk, Document, Find, Row, TableRule

WORDS = Vocabulary.default()
MOVEMENT = """# Travel

## Movement

| Roll | Terrain | Miles per day |
|---|---|---|
| 1 | Forest | 12 |
| 2 | Swamp | 6 |
| 3 | Hills | 12 |
"""
ENGINES = """# Ships

## Engines

| Code | Tons |
|---|---|
| A | 10 |
| B | 15 |
"""
FERRY = """# Ships

## The Ferry

| Owner: | Old Marten |
|---|---|
| Price: | 2 sp |
| Runs: | daily |
"""
HERE = Find(heading="Movement")


def parsed(text: str, *rules: TableRule) -> ParsedBook:
    numbered = tuple(replace(rule, entry=number) for number, rule in enumerate(rules, start=1))
    return parse_book(Book("b", "B", (Document("b", "d.md", text),), table_rules=numbered))


def rows_of(book: ParsedBook) -> tuple[Row, ...]:
    return extract_predicates(transform_tables(book.tables, WORDS))


def chunks_of(text: str, *rules: TableRule) -> list[Chunk]:
    book = parsed(text, *rules)
    return [chunk for chunk in chunk_book(book, rows_of(book)) if chunk.kind != "prose"]


def came(question: str, chunks: Sequence[Chunk]) -> list[str]:
    """Keys of the rows that the question admits."""
    rivals = Siblings(keyed_tables(chunks).tables, WORDS)
    return [chunk.row_key or "" for chunk in chunks if satisfies_query_must(question, chunk.query_must, rivals=rivals)]


def reasons(text: str, *rules: TableRule) -> list[str | None]:
    book = parsed(text, *rules)
    return [guard.reason for guard in table_guards(book.tables, rows_of(book), WORDS)]


def list_unmet(text: str, *rules: TableRule) -> tuple[str, ...]:
    book = parsed(text, *rules)
    numbered = tuple(replace(rule, entry=number) for number, rule in enumerate(rules, start=1))
    return unmet_rules(numbered, book.tables, WORDS)


def test_the_column_that_is_called_the_key_picks_the_row() -> None:
    assert [chunk.row_key for chunk in chunks_of(MOVEMENT)] == ["1", "2", "3"]
    apply_rules = chunks_of(MOVEMENT, TableRule(1, HERE, key="terrain"))
    assert [chunk.row_key for chunk in apply_rules] == ["Forest", "Swamp", "Hills"]
    assert apply_rules[0].title == "Movement - Forest"
    assert came("How many miles in the swamp?", apply_rules) == ["Swamp"]


def test_another_name_of_a_row_names_it_and_keeps_its_rivals_out() -> None:
    question = "How many miles per day do we make in the woods?"
    rule = TableRule(1, HERE, key="Terrain", names={"forest": ("woods", "woodland")})
    assert came(question, chunks_of(MOVEMENT, TableRule(1, HERE, key="Terrain"))) == ["Forest", "Swamp", "Hills"]
    apply_rules = chunks_of(MOVEMENT, rule)
    assert came(question, apply_rules) == ["Forest"]
    assert {"Forest", "woods", "woodland"} <= set(apply_rules[0].names)
    rivals = Siblings(keyed_tables(apply_rules).tables, WORDS)
    assert explain(question, apply_rules[1].query_must, rivals=rivals) == (
        "contain_no_rival failed: the question names 'wood', another row of its table"
    )


def test_names_guard_a_table_whose_keys_are_letters_one_by_one_or_all_at_once() -> None:
    find = Find(heading="Engines")
    names = {"A": ("engine A",), "B": ("engine B",)}
    assert reasons(ENGINES) == ["nameless"]
    assert reasons(ENGINES, TableRule(1, find, names=names)) == [None]
    assert came("how many tons has engine B", chunks_of(ENGINES, TableRule(1, find, names=names))) == ["B"]
    rule = TableRule(1, Find(heading="Engines"), names={"*": ("engine {key}",)})
    assert came("how many tons has engine B", chunks_of(ENGINES, rule)) == ["B"]
    assert list_unmet(ENGINES, rule) == ()


def test_a_key_makes_rows_of_what_looks_like_one_thing() -> None:
    (record,) = chunks_of(FERRY)
    assert record.kind == "record"
    rows = chunks_of(FERRY, TableRule(1, Find(head="Owner"), key="Owner"))
    assert [(row.kind, row.row_key) for row in rows] == [("row", "Price:"), ("row", "Runs:")]


def test_a_caption_of_ones_own_is_what_the_table_is_called_and_its_own_one_is_kept() -> None:
    text = MOVEMENT.replace("| Roll", "Table 3: What happens\n\n| Roll", 1)
    (before, *_), (after, *_) = (
        chunks_of(text, *rules) for rules in ((), [TableRule(1, HERE, caption="Movement by Terrain")])
    )
    assert before.caption == "Table 3: What happens"
    assert (after.caption, after.table_id) == ("Movement by Terrain", before.table_id)
    assert "Movement by Terrain" in json.loads(after.text)["title"]
    assert "What happens" in after.search_text
    assert reasons(text, TableRule(1, Find(caption="Table 3: What happens"), open=True)) == ["open"]
    assert reasons(text, TableRule(1, Find(caption="Movement by Terrain"), open=True)) == [None]


def test_the_caption_of_a_sentence_becomes_a_title() -> None:
    text = MOVEMENT.replace("| Roll", "The following table lists the speeds:\n\n| Roll", 1)
    (row, *_) = chunks_of(text, TableRule(1, HERE, caption="Speeds"))
    assert (row.caption, row.introduced, row.title) == ("Speeds", False, "Movement - Speeds - Roll 1")


def test_no_row_of_an_open_table_carries_a_predicate() -> None:
    rule = TableRule(1, HERE, open=True)
    assert [chunk.query_must for chunk in chunks_of(MOVEMENT, rule)] == [None] * 3
    assert reasons(MOVEMENT, rule) == ["open"]
    book = parsed(MOVEMENT, rule)
    counts = count_guards(table_guards(book.tables, rows_of(book), WORDS))
    assert (counts.n_guarded, counts.n_guardable) == (0, 1)


MATRIX = "# Combat\n\n" + "".join(
    f"## Attack Matrix {who}\n\n| Opponent Armor Class | Level 1-3 | Level 4-6 | Level 7-9 |\n|---|---|---|---|\n"
    + "".join(f"| {armor} | {20 - armor} | {18 - armor} | {16 - armor} |\n" for armor in range(9, -1, -1))
    + "\n"
    for who in ("I", "II")
)


def test_a_matrix_that_is_left_open_always_answers_and_its_twin_still_asks() -> None:
    chunks = chunks_of(MATRIX, TableRule(1, Find(heading="Attack Matrix I"), open=True))
    first, second = ([chunk for chunk in chunks if at in chunk.title] for at in ("Matrix I -", "Matrix II -"))
    assert {chunk.query_must for chunk in first} == {None}
    assert all("contain_one_of" in (chunk.query_must or "") for chunk in second)


def test_a_subject_is_what_the_rows_of_a_matrix_ask_for() -> None:
    rules = [
        TableRule(1, Find(heading="Attack Matrix I"), subject=("knight", "squire")),
        TableRule(2, Find(heading="Attack Matrix II"), subject=("wizard",)),
    ]
    question = "What does a knight need to hit armor class 5?"
    assert len(came(question, chunks_of(MATRIX))) == 2, "the titles tell no subject"
    (row,) = [chunk for chunk in chunks_of(MATRIX, *rules) if came(question, [chunk])]
    assert (row.heading_path[-1], row.row_key) == ("Attack Matrix I", "5")
    assert json.loads(row.query_must or "")["contain_one_of"][0] == ["knight", "squire"]


def test_elsewhere_a_subject_tells_twins_apart() -> None:
    text = MOVEMENT + MOVEMENT.replace("Movement", "Speeds").partition("\n\n")[2]
    rules = [
        TableRule(1, HERE, key="Terrain", subject=("summer",)),
        TableRule(2, Find(heading="Speeds"), key="Terrain", subject=("winter",)),
    ]
    question = "How many miles through the forest in winter?"
    chunks = chunks_of(text, *rules)
    rivals = Siblings(keyed_tables(chunks).tables, WORDS)
    (row,) = [chunk for chunk in chunks if satisfies_query_must(question, chunk.query_must, rivals=rivals)]
    assert (row.heading_path[-1], row.row_key) == ("Speeds", "Forest")
    assert row.metadata["table_subject"] == ("winter",)
    assert "winter" in row.search_text
    assert len(came(question, chunks_of(text, *(replace(rule, subject=()) for rule in rules)))) == 2


def test_a_predicate_for_all_rows_is_asked_beside_the_rivals() -> None:
    rule = TableRule(1, HERE, key="Terrain", query_must='{"contain_one_of": [["miles", "march"]]}')
    chunks = chunks_of(MOVEMENT, rule)
    assert came("What lives there?", chunks) == []
    assert came("How long is a march?", chunks) == ["Forest", "Swamp", "Hills"]
    assert came("How long is a march through the swamp?", chunks) == ["Swamp"]


def test_a_predicate_for_one_row_wins_and_leaves_the_others_as_they_are() -> None:
    rule = TableRule(1, HERE, key="Terrain", row_query_must={"Forest": '{"contain": "forest"}'})
    chunks = chunks_of(MOVEMENT, rule)
    assert came("What lives there?", chunks) == ["Swamp", "Hills"]
    assert came("What lives in the forest?", chunks) == ["Forest"]
    both = replace(rule, query_must='{"contain": "swamp"}')
    assert came("What lives in the swamp?", chunks_of(MOVEMENT, both)) == ["Swamp"]


def test_a_thing_described_point_by_point_can_have_a_predicate_and_names() -> None:
    rule = TableRule(
        1, Find(heading="The Ferry"), query_must='{"contain": "ferry"}', names={"The Ferry": ("Marten's boat",)}
    )
    (record,) = chunks_of(FERRY, rule)
    assert (came("the price of a boat", [record]), came("the ferry", [record])) == ([], ["The Ferry"])
    assert "Marten's boat" in record.names
    assert reasons(FERRY, rule) == [None]
    assert list_unmet(FERRY, rule) == ()


def test_an_entry_is_about_every_table_that_it_finds() -> None:
    assert reasons(MOVEMENT + ENGINES, TableRule(1, Find(head="Roll"), open=True)) == ["open", "nameless"]
    assert reasons(MOVEMENT + MOVEMENT, TableRule(1, HERE, open=True)) == ["open", "open"]


def test_of_two_entries_about_one_table_none_is_applied_and_the_others_are() -> None:
    rules = (
        TableRule(1, HERE, open=True),
        TableRule(2, Find(head="Roll"), key="Terrain"),
        TableRule(3, Find(heading="Engines"), open=True),
    )
    assert reasons(MOVEMENT + ENGINES, *rules) == [None, "open"]
    assert list_unmet(MOVEMENT + ENGINES, *rules) == (
        "tables.toml: entry 1 (heading 'Movement') and entry 2 (head 'Roll') apply to the same table, at d.md:5, so "
        "none of them is applied; merge them, or make each find less",
    )


def test_what_is_about_nothing_is_said_with_the_nearest_that_there_is() -> None:
    assert list_unmet(
        MOVEMENT + ENGINES,
        TableRule(1, Find(heading="Movment"), open=True),
        TableRule(2, HERE, key="Terain", names={"Forrest": ("woods",), "3": ("other",)}, row_query_must={"9": "{}"}),
        TableRule(3, Find(head="Ship"), open=True),
    ) == (
        "tables.toml: entry 1 (heading 'Movment') finds no table; there is 'Movement'",
        "tables.toml: entry 2 (heading 'Movement') finds no column 'Terain' in the table at d.md:5; "
        "it has Roll, Terrain, Miles per day",
        "tables.toml: entry 2 (heading 'Movement') finds no row 'Forrest' in the table at d.md:5; "
        "there are '1', '2', '3'",
        "tables.toml: entry 2 (heading 'Movement') finds no row '9' in the table at d.md:5; there are '1', '2', '3'",
        "tables.toml: entry 2 (heading 'Movement') calls the row '3' 'other', but a letter, a number or a comparing "
        "word is not a name",
        "tables.toml: entry 3 (head 'Ship') finds no table; there are 'Roll', 'Code'",
    )


def test_tables_of_one_heading_are_told_apart_by_their_document() -> None:
    documents = tuple(Document("b", name, MOVEMENT) for name in ("1.md", "2.md"))
    rules = tuple(TableRule(number, replace(HERE, document=f"{number + 1}.md"), open=True) for number in (1, 2))
    book = parse_book(Book("b", "B", documents, table_rules=rules))
    assert [table.rule is not None for table in book.tables] == [False, True]
    assert unmet_rules(rules, book.tables, WORDS) == (
        "tables.toml: entry 2 (heading 'Movement', document '3.md') finds no table; there are '2.md', '1.md'",
    )


def test_an_entry_of_which_each_part_finds_another_table_is_told_so() -> None:
    (sentence,) = list_unmet(MOVEMENT + ENGINES, TableRule(1, replace(HERE, head="Code"), open=True))
    assert sentence.endswith("finds no table; each part of it finds one, but all parts together find none")


def test_a_name_that_the_table_says_of_every_row_is_told_so() -> None:
    rule = TableRule(1, HERE, key="Terrain", names={"Hills": ("terrain", "rough terrain")})
    (sentence,) = list_unmet(MOVEMENT, rule)
    assert sentence.endswith(
        "calls the row 'Hills' 'terrain', but the headings, caption and columns say this about every row"
    )
    assert came("miles by terrain", chunks_of(MOVEMENT, rule)) == ["Forest", "Swamp", "Hills"]
    assert came("miles over rough terrain", chunks_of(MOVEMENT, rule)) == ["Hills"]


def test_entries_that_are_met_are_not_spoken_of() -> None:
    rule = TableRule(1, HERE, key="Terrain", names={"Forest": ("woods",)}, row_query_must={"Hills": '{"contain": "x"}'})
    assert list_unmet(MOVEMENT, rule) == ()


@given(
    key=st.sampled_from([None, "Roll", "Terrain", "Miles per day", "nothing"]),
    caption=st.sampled_from([None, "Speeds"]),
    subject=st.sampled_from([(), ("winter",)]),
    names=st.dictionaries(st.sampled_from(["1", "Forest", "12", "none"]), st.just(("woods",))),
    open_=st.booleans(),
)
def test_no_rule_loses_a_cell_or_names_another_row(key, caption, subject, names, open_):
    book = parsed(MOVEMENT, TableRule(1, HERE, caption, key, subject, names, open=open_))
    rows = rows_of(book)
    assert check_fidelity(book.tables, rows) == ()
    assert {row.ordinal for row in rows if "woods" in row.names} == {row.ordinal for row in rows if row.key in names}
    assert all(row.query_must is None for row in rows) or not open_
