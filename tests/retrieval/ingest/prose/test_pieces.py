"""Pieces of prose."""

from retrieval.ingest.prose.pieces import Piece, without_tables_of_links

HEADING = Piece("# Bear", "# Bear", (1, 1), ("Bear",), 1)
TABLE = Piece("[Table: Part, Hits]", "", (4, 6), ("Bear",))
BELOW = Piece("## Parts", "## Parts", (8, 8), ("Bear", "Parts"), 2)


def prose(text: str, path: tuple[str, ...] = ("Bear",)) -> Piece:
    return Piece(text, text, (2, 2), path)


def test_links_alone_do_not_bring_the_tables_around_them() -> None:
    link = prose("[Sheet](https://a.b/c)")
    rule = prose("---", BELOW.path)
    assert without_tables_of_links([HEADING, link, TABLE, BELOW, TABLE, rule]) == [HEADING, link, rule]


def test_a_word_brings_them_and_links_keep_the_headings_over_them() -> None:
    whole = [HEADING, prose("[Sheet](https://a.b/c)"), TABLE, prose("It climbs.")]
    assert without_tables_of_links(whole) == whole
    deep = [HEADING, BELOW, prose("[Sheet](https://a.b/c)", BELOW.path), TABLE]
    assert without_tables_of_links(deep) == deep[:3]
