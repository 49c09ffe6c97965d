from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.errors import InvalidQueryError, UnknownNameError
from retrieval.index.snapshot.metadata_index import MetadataIndex
from retrieval.search.metadata_filter import (
    LISTED,
    And,
    Condition,
    Contains,
    Eq,
    Filter,
    Gt,
    Gte,
    In,
    Lt,
    Lte,
    Ne,
    Not,
    Or,
    read_filter,
    why_empty,
)
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES, strategy
from retrieval.types import Chunk, MetadataValue

KEYS = ["book", "kind", "document", "page", "tags", "author", "draft", "mixed", "weight"]
VALUES = st.sampled_from(["book-1", "row", "prose", "ann", "all", "even", 3, 3.0, 31.5, 90, 5000, "3", True, False, ""])
COMPARISON = st.builds(
    lambda kind, key, value: kind(key, value),
    st.sampled_from([Eq, Ne, Gt, Gte, Lt, Lte, Contains]),
    st.sampled_from(KEYS),
    VALUES,
)
LEAF = COMPARISON | st.builds(In, st.sampled_from(KEYS), st.lists(VALUES, max_size=3).map(tuple))
FILTER = st.recursive(
    LEAF,
    lambda inner: (
        st.builds(And, st.lists(inner, max_size=3).map(tuple))
        | st.builds(Or, st.lists(inner, max_size=3).map(tuple))
        | st.builds(Not, inner)
    ),
    max_leaves=6,
)
WORDS = ["cleric", "thief", "AC 6", "armor class -2", "level", "dragon", "tavern", "hit", "dagger"]
QUESTION = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
MANY, SOME = (
    settings(max_examples=number, suppress_health_check=[HealthCheck.function_scoped_fixture]) for number in (80, 25)
)
SAME_ORDER = [*map(strategy, ["bm25", "dense", "hybrid", "prefilter"])]


def facts(chunk: Chunk) -> Mapping[str, MetadataValue]:
    return {**chunk.metadata, "book": chunk.book, "document": chunk.document, "kind": chunk.kind}


def family(value: object) -> str:
    return "flag" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


def passes(chunk: Chunk, wanted: Filter) -> bool:
    """What a filter means, slowly."""
    match wanted:
        case And(filters):
            return all(passes(chunk, each) for each in filters)
        case Or(filters):
            return any(passes(chunk, each) for each in filters)
        case Not(inner):
            return not passes(chunk, inner)
        case In(key, values):
            return any(passes(chunk, Eq(key, value)) for value in values)
        case Ne(key, value):
            return not passes(chunk, Eq(key, value))
    assert isinstance(wanted, Condition)
    result = facts(chunk).get(wanted.key)
    if isinstance(result, tuple):
        return isinstance(wanted, Contains) and wanted.value in result
    if result is None or family(result) != family(wanted.value):
        return False
    return {
        Eq: lambda: result == wanted.value,
        Contains: lambda: result == wanted.value,
        Gt: lambda: result > wanted.value,
        Gte: lambda: result >= wanted.value,
        Lt: lambda: result < wanted.value,
        Lte: lambda: result <= wanted.value,
    }[type(wanted)]()


@MANY
@given(FILTER)
def test_a_filter_means_what_it_says(retriever: Retriever, library: tuple[Chunk, ...], wanted: Filter) -> None:
    mask = wanted.mask(retriever.snapshot.metadata)
    by_id = {chunk.id: chunk for chunk in library}
    expected = [passes(by_id[retriever.snapshot.chunks.id_at(number)], wanted) for number in range(len(library))]
    assert mask.tolist() == expected


@SOME
@given(QUESTION, st.integers(1, 60), FILTER)
def test_filtering_takes_what_passes_from_the_whole_order_and_fills_up(
    retriever: Retriever, library: tuple[Chunk, ...], question: str, k: int, wanted: Filter
) -> None:
    by_id = {chunk.id: chunk for chunk in library}
    for each in SAME_ORDER:
        everything = retriever.retrieve(question, len(library), each).chunk_ids
        expected = [chunk_id for chunk_id in everything if passes(by_id[chunk_id], wanted)][:k]
        assert list(retriever.retrieve(question, k, each, where=wanted).chunk_ids) == expected


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_no_strategy_brings_back_what_does_not_pass(retriever, library, name):
    wanted = And((Eq("book", "book-2"), Contains("tags", "even")))
    result = retriever.retrieve("attack matrix for clerics, armor class 6, dragon", 15, name, where=wanted, debug=True)
    assert result.hits
    assert all(passes(hit.chunk, wanted) for hit in result.hits)
    looked_at = {decision.chunk_id for decision in result.receipt.decisions}
    assert all(passes(chunk, wanted) for chunk in library if chunk.id in looked_at)
    assert "where" in {stage.name for stage in result.receipt.stages}


def test_a_key_that_no_chunk_has_is_refused_with_those_that_exist(retriever: Retriever) -> None:
    with pytest.raises(UnknownNameError, match=r"'colour'; available: author, book, document, draft"):
        retriever.retrieve("AC 6", where=Eq("colour", "red"))


def test_a_filter_that_nothing_passes_gives_no_hits(retriever: Retriever) -> None:
    for name in STRATEGIES:
        assert retriever.retrieve("AC 6", strategy=name, where=Or(())).hits == ()


@pytest.mark.parametrize("value", [float("nan"), None, ("even",)])
def test_a_value_that_nothing_compares_with_is_refused(retriever: Retriever, value: object) -> None:
    for comparison in (Eq, Ne, Gt, Contains):
        with pytest.raises(InvalidQueryError, match="'page' is compared with"):
            retriever.retrieve("AC 6", where=comparison("page", value))  # type: ignore[arg-type]


CHUNK = Chunk("", "http", "one.md", "prose", "text", "text", "text", (1, 1), ("Heading",), metadata={"level": 3})
BOOKS = ("http", "smtp", "tariff")
INDEX = MetadataIndex.build([replace(CHUNK, id=book, book=book) for book in BOOKS])


def test_an_unknown_value_is_answered_with_the_nearest_first() -> None:
    output = why_empty(read_filter("book=htp"), INDEX)
    assert output == "no chunk has book=htp; book is one of: http, smtp, tariff"
    assert why_empty(read_filter("book=tarif"), INDEX).split(": ")[1].startswith("tariff, ")
    assert why_empty(In("book", ("x", "y")), INDEX).startswith("no chunk has book=x|y; ")


def test_of_many_values_only_some_are_listed() -> None:
    index = MetadataIndex.build([replace(CHUNK, book=f"book-{number:02}") for number in range(40)])
    listed = why_empty(read_filter("book=bok-07"), index).split(": ")[1]
    assert listed.startswith("book-07, ")
    assert listed.endswith(f", and {40 - LISTED} more")


def test_a_filter_that_leaves_nothing_says_why_and_another_nothing() -> None:
    assert why_empty(read_filter("level=4"), INDEX) == "no chunk has level=4; level is one of: 3"
    for none in (Gt("level", 10**6), read_filter("level>1000000")):
        assert why_empty(none, INDEX) == "the filter leaves no chunk"
    assert why_empty(None, INDEX) is None
    assert "but none meets all" in why_empty(read_filter("book=http", "book=smtp"), INDEX)
    assert "but none meets all" in why_empty(And((Gt("level", 5), Not(Gt("level", 5)))), INDEX)
    assert why_empty(read_filter("book=http|nothing"), INDEX) is None
    with pytest.raises(UnknownNameError, match="book, document, kind, level"):
        why_empty(read_filter("boo=http"), INDEX)


def test_a_text_is_looked_for_as_a_value_and_in_lists_with_bars_between_values() -> None:
    assert read_filter("book=rules") == And((Or((Contains("book", "rules"),)),))
    assert read_filter(" title != a = b ") == And((Not(Or((Contains("title", "a = b"),))),))
    assert read_filter("kind=row | record") == And((Or((Contains("kind", "row"), Contains("kind", "record"))),))
    assert read_filter('kind="a|b"|c') == And((Or((Contains("kind", "a|b"), Contains("kind", "c"))),))
    for bars in ("|", " | | "):
        with pytest.raises(InvalidQueryError, match="is not a filter"):
            read_filter(f"book={bars}")
    deep = "[" * 100_000
    assert read_filter(f"page={deep}") == And((Or((Contains("page", deep),)),))


def test_a_number_is_looked_for_as_a_number_and_as_a_text() -> None:
    assert read_filter("page>=3", "page<9.5") == And(
        (Or((Gte("page", 3), Gte("page", "3"))), Or((Lt("page", 9.5), Lt("page", "9.5"))))
    )
    assert read_filter("draft=true") == And((Or((Contains("draft", True), Contains("draft", "true"))),))
    assert read_filter('page="3"') == And((Or((Contains("page", "3"),)),))
    assert read_filter("page=NaN") == And((Or((Contains("page", "NaN"),)),))


@pytest.mark.parametrize("text", ["book", "", "=rules", "book=", "!=x"])
def test_what_is_no_comparison_is_refused(text: str) -> None:
    with pytest.raises(InvalidQueryError, match="write KEY=VALUE"):
        read_filter(text)
