"""Which table a pointer means."""

from retrieval.ingest.tables.pointers.cells import Pointer
from retrieval.ingest.tables.pointers.titles import Titles
from retrieval.ingest.tables.table import Table


def table(*headings: str, caption: str | None = None, document: str = "d.md", introduced: bool = False) -> Table:
    return Table("", "b", document, headings, caption, ("Code",), (), (1, 2), introduced=introduced)


def meant(name: str, *tables: Table, is_code: bool = False) -> int | None:
    """Of tables, the one that the first of them points to."""
    return Titles(tables).meant(Pointer((name,), is_code), 0)


def test_a_table_is_meant_by_its_caption_its_number_or_its_own_heading() -> None:
    here = table("Fields")

    assert meant("load code", here, table("Other", caption="Load Codes")) == 1
    assert meant("table 7", here, table("Other", caption="Table 7: Load")) == 1
    assert meant("load", here, table("Other", caption="Table 7: Load")) == 1
    assert meant("load", here, table("Other", caption="Load (kilograms)")) == 1
    assert meant("load_code", here, table("LOAD_CODE"), is_code=True) == 1


def test_a_heading_over_two_tables_and_a_sentence_call_none_of_them() -> None:
    assert meant("load", table("Fields"), table("Load"), table("Load")) is None
    assert meant("load", table("Fields"), table("Other", caption="Load", introduced=True)) is None


def test_the_table_of_the_same_section_comes_before_a_nearer_one() -> None:
    far, near = table("Ship", caption="Status"), table("Shore", caption="Status")

    assert meant("status", table("Ship"), near, far) == 2
    assert meant("status", table("Ship"), far, table("Ship", caption="Status")) == 1


def test_the_table_of_the_same_document_comes_first_and_of_two_elsewhere_neither_is_meant() -> None:
    elsewhere = table("A", caption="Status", document="e.md")

    assert meant("status", table("Ship"), elsewhere, table("B", caption="Status")) == 2
    assert meant("status", table("Ship"), elsewhere) == 1
    assert meant("status", table("Ship"), elsewhere, table("B", caption="Status", document="f.md")) is None


def test_a_table_does_not_mean_itself() -> None:
    assert meant("ship", table("Ship")) is None


def test_in_its_own_section_a_table_is_meant_by_more_or_fewer_words_than_its_caption_has() -> None:
    here, modes = table("Ship"), table("Ship", caption="Transmit Modes")

    assert meant("transmit receive mode", here, modes) == 1
    assert meant("transmit mode", here, table("Ship", caption="Lock transmit modes")) == 1
    assert meant("mode", here, modes) is None
    assert meant("transmit receive mode", here, table("Shore", caption="Transmit Modes")) is None
    assert meant("transmit receive mode", here, modes, modes) is None
    assert meant("transmit receive mode", here, modes, is_code=True) is None
