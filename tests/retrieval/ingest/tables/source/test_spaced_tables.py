from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.rows import transform_tables
from retrieval.ingest.tables.source.spaced_tables import parse_spaced
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Book, Document


def only_table(text):
    (table,) = parse_book(Book("b", "B", (Document("b", "d.md", text),))).tables
    return table


def cells(source):
    table = parse_spaced(source)
    return [row.cells for row in (*table.headers, *table.rows)]


def test_columns_lie_under_the_runs_of_dashes_and_rows_keep_their_lines():
    table = only_table("""# Boats

The boats are:

  Boat     Crew   Sails
  ------- ------- ----------
  Skiff         2 one *lug*
  Ketch           two

  : Boats for hire
""")

    assert (table.caption, table.header) == ("Boats for hire", ("Boat", "Crew", "Sails"))
    assert [(row.cells, row.line) for row in table.rows] == [
        (("Skiff", "2", "one lug"), 7),
        (("Ketch", "", "two"), 8),
    ]


def test_a_blank_line_parts_rows_of_several_lines():
    table = only_table("""----------------------
Boat          Crew in
              summer
------------ ---------
Skiff of             2
the harbour

Ketch                4
----------------------
""")

    assert table.header == ("Boat", "Crew in summer")
    assert [row.cells for row in table.rows] == [("Skiff of the harbour", "2"), ("Ketch", "4")]
    assert table.rows[0].source == "Skiff of             2\nthe harbour"


def test_a_bold_first_row_heads_a_table_that_has_no_header():
    table = only_table("""----------- ----------
**Code**    **Meaning**
17          Too deep
18          Too shallow
----------- ----------
""")
    rows = transform_tables([table], Vocabulary.default())

    assert [(row.key, row.columns) for row in rows] == [
        ("17", ("Code", "Meaning")),
        ("18", ("Code", "Meaning")),
    ]


def test_wide_signs_take_two_columns_and_accents_none():
    assert cells("Boat   Day Night\n------ --- -----\nSkiff  🟢  no\nEte\u0301   🟢  yes") == [
        ("Boat", "Day", "Night"),
        ("Skiff", "🟢", "no"),
        ("Ete\u0301", "🟢", "yes"),
    ]


def test_a_writer_who_counts_signs_is_understood_too():
    assert cells("Boat   Days Night\n------ ---- -----\n🟢🟢🟢🟢   lows high")[1] == ("🟢🟢🟢🟢", "lows", "high")


def test_a_line_out_of_its_columns_is_cut_where_the_gaps_are():
    assert cells("Name    Type    Use\n------- ------- ---\nboat_id_of   text    key")[1] == (
        "boat_id_of",
        "text",
        "key",
    )


def test_a_word_that_lies_across_a_column_stays_whole():
    assert cells("Name    Type\n------- ----\nlonger-than-its-column 7")[1] == ("", "longer-than-its-column 7")
