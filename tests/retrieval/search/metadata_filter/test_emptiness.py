from dataclasses import replace

import pytest

from retrieval.errors import UnknownNameError
from retrieval.index.snapshot.metadata_index import MetadataIndex
from retrieval.search.metadata_filter.emptiness import LISTED, why_empty
from retrieval.search.metadata_filter.filter import And, Gt, In, Not
from retrieval.search.metadata_filter.text import read_filter
from retrieval.types import Chunk

CHUNK = Chunk("", "http", "one.md", "prose", "text", "text", "text", (1, 1), ("Heading",), metadata={"level": 3})
BOOKS = ("http", "smtp", "tariff")
INDEX = MetadataIndex.build([replace(CHUNK, id=book, book=book) for book in BOOKS])


def test_an_unknown_value_is_answered_with_the_nearest_first() -> None:
    said = why_empty(read_filter("book=htp"), INDEX)
    assert said == "no chunk has book=htp; book is one of: http, smtp, tariff"
    assert why_empty(read_filter("book=tarif"), INDEX).split(": ")[1].startswith("tariff, ")
    assert why_empty(In("book", ("x", "y")), INDEX).startswith("no chunk has book=x|y; ")


def test_a_number_is_said_as_it_was_written() -> None:
    assert why_empty(read_filter("level=4"), INDEX) == "no chunk has level=4; level is one of: 3"


def test_of_many_values_only_some_are_listed() -> None:
    index = MetadataIndex.build([replace(CHUNK, book=f"book-{number:02}") for number in range(40)])
    listed = why_empty(read_filter("book=bok-07"), index).split(": ")[1]
    assert listed.startswith("book-07, ")
    assert listed.endswith(f", and {40 - LISTED} more")


def test_filters_that_only_together_leave_nothing_say_so() -> None:
    assert "all together by none" in why_empty(read_filter("book=http", "book=smtp"), INDEX)
    assert "all together by none" in why_empty(And((Gt("level", 5), Not(Gt("level", 5)))), INDEX)


def test_a_filter_that_leaves_chunks_has_nothing_to_say() -> None:
    assert why_empty(read_filter("book=http|nothing"), INDEX) is None


def test_an_unknown_key_is_an_error_that_lists_the_keys() -> None:
    with pytest.raises(UnknownNameError, match="book, document, kind, level"):
        why_empty(read_filter("boo=http"), INDEX)
