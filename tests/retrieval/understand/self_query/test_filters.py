import chromadb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.errors import InvalidFilterError
from retrieval.index.snapshot.metadata_index import MetadataIndex
from retrieval.search.metadata_filter import And, Contains, Eq, Filter, Gt, Gte, In, Lt, Lte, Ne, Not, Or
from retrieval.types import Chunk
from retrieval.understand.catalog.catalog import Catalog, CatalogDocument
from retrieval.understand.self_query.conditions import FieldCondition, SelfQueryConfig
from retrieval.understand.self_query.filters import FallbackHandler, chroma_where

RECORDS = [
    {"author": "John", "tags": ("python", "tests"), "created_at": "2023-05-01", "size": 3, "open": True},
    {"author": "Ann", "tags": ("javascript",), "created_at": "2024-02-10", "size": 5, "open": False},
    {"author": "Ann", "tags": ("python",), "created_at": "2024-11-30", "size": 8},
    {"tags": ("go", "python"), "created_at": "2025-01-01"},
    {"author": "Li", "size": 3, "open": True},
    {},
]


def chunk(number: int) -> Chunk:
    return Chunk(
        *(f"{number:02}", "notes", f"doc-{number}.md", "prose", "text", "text", "text", (1, 1), ("Notes",)),
        metadata=RECORDS[number],
    )


CHUNKS = [chunk(number) for number in range(len(RECORDS))]
INDEX, CATALOG = (
    MetadataIndex.build(CHUNKS),
    Catalog.of([CatalogDocument(each.document, "Notes", each.metadata) for each in CHUNKS]),
)


@pytest.fixture(scope="module")
def collection():
    client = chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False))
    collection = client.create_collection("where", embedding_function=None)
    metadatas = [
        {"n": n} | {k: list(v) if isinstance(v, tuple) else v for k, v in r.items()} for n, r in enumerate(RECORDS)
    ]
    collection.add(ids=[each.id for each in CHUNKS], embeddings=np.eye(len(CHUNKS)).tolist(), metadatas=metadatas)
    yield collection
    client.delete_collection("where")


leaves = st.one_of(
    st.builds(Eq, st.just("author"), st.sampled_from(["John", "Ann", "Nobody"])),
    st.builds(Ne, st.just("author"), st.sampled_from(["John", "Ann", "Nobody"])),
    st.builds(Contains, st.just("tags"), st.sampled_from(["python", "go", "rust"])),
    st.builds(Contains, st.just("author"), st.sampled_from(["Li", "Nobody"])),
    st.builds(In, st.just("author"), st.sampled_from([(), ("John",), ("Ann", "Li")])),
    *(
        st.builds(each, st.just("created_at"), st.sampled_from(["2024-01-01", "2024-11-30", "2030"]))
        for each in (Gt, Gte, Lt, Lte)
    ),
    *(st.builds(each, st.just("size"), st.sampled_from([0, 3, 5.5, 8])) for each in (Gt, Gte, Lt, Lte, Eq, Ne)),
    st.builds(Eq, st.just("open"), st.booleans()),
)
filters = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(And, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, max_size=3).map(tuple)),
    ),
    max_leaves=5,
)


@given(wanted=filters)
@settings(max_examples=150)
def test_chroma_finds_what_our_own_index_finds(collection, wanted: Filter) -> None:
    ours = {each.id for each, passes in zip(CHUNKS, wanted.mask(INDEX), strict=True) if passes}
    assert set(collection.get(where=chroma_where(wanted, CATALOG.fields), include=[])["ids"]) == ours


def test_what_chroma_cannot_order_or_find_in_lists_is_asked_for_one_by_one() -> None:
    assert chroma_where(Gt("created_at", "2024-01-01"), CATALOG.fields) == {
        "created_at": {"$in": ["2024-02-10", "2024-11-30", "2025-01-01"]}
    }
    wanted = Or((Contains("tags", "python"), Contains("tags", "javascript")))
    assert chroma_where(wanted, CATALOG.fields) == {
        "$or": [{"tags": {"$contains": "python"}}, {"tags": {"$contains": "javascript"}}]
    }


def test_a_field_that_no_record_has_is_named() -> None:
    with pytest.raises(InvalidFilterError, match=r"'colour'.*author"):
        chroma_where(Eq("colour", "red"), CATALOG.fields)


def condition(text: str, confidence: float) -> FieldCondition:
    return FieldCondition(text, (text,), Eq(text, "x"), confidence)


def test_the_condition_that_is_dropped_is_one_without_which_documents_are_left() -> None:
    book, day, author = condition("book", 0.6), condition("day", 0.9), condition("author", 0.8)
    relaxed = FallbackHandler(SelfQueryConfig()).relaxed

    def count_without_day(conditions: object) -> int:
        return 0 if day in conditions else 4  # type: ignore[operator]

    remaining, steps = relaxed((book, day, author), count_without_day)
    assert remaining == (book, author)
    assert [str(step) for step in steps] == [
        "no document meets the conditions; dropped 'day', which leaves 4 documents"
    ]

    remaining, steps = relaxed((book, day, author), lambda conditions: 0 if conditions else 9)
    assert remaining == ()
    assert [step.dropped for step in steps] == [("book",), ("day", "author")]

    remaining, _ = relaxed((day, author, book), lambda conditions: 2 if len(conditions) == 2 else 0)
    assert remaining == (day, author), "the least certain of those"
