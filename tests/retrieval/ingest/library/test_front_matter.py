import pytest

from retrieval.errors import InvalidDocumentError
from retrieval.ingest.library.front_matter import read_metadata, split_front_matter

BOMB = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9) if n else 'x'}]\n" for n in range(12))
MERGED = "".join(
    f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 9)}]}}\n" if n else "m0: &m0 {k: 1}\n" for n in range(9)
)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        pytest.param('"": x', "", id="empty"),
        pytest.param("$and: x", "$and", id="an operator of Chroma"),
        pytest.param('"#document": x', "#document", id="a mark of Chroma"),
        pytest.param("chroma:document: x", "chroma:document", id="a key of Chroma"),
        pytest.param('"\\uD800": x', "\ud800", id="half a character in the key"),
        pytest.param('name: "\\uD800"', "name", id="half a character"),
        pytest.param('names: ["ok", "\\uD800"]', "names", id="half a character in a list"),
        pytest.param(f"number: 0x{'f' * 5000}", "number", id="a number beyond any float"),
        pytest.param(f"numbers: [0x{'f' * 5000}]", "numbers", id="such a number in a list"),
    ],
)
def test_a_key_or_value_that_no_index_can_store_is_left_out_alone_and_named(line, key):
    warnings: list[str] = []

    metadata, text, _ = split_front_matter(f"---\n{line}\npages: 12\n---\n# A\n", "a.md", warnings)

    assert (metadata, text) == ({"pages": 12}, "# A\n")
    (warning,) = warnings
    assert warning.startswith(f"a.md: metadata key {key!r} ")
    assert len(warning) < 300
    warning.encode()


@pytest.mark.parametrize("source", [BOMB, MERGED, "a: &a [*a]\n"], ids=["lists", "merged", "itself"])
def test_aliases_that_stand_for_too_much_are_left_out_with_a_short_warning(source):
    warnings: list[str] = []

    metadata, _, _ = split_front_matter(f"---\n{source}pages: 12\n---\n# A\n", "a.md", warnings)

    assert metadata["pages"] == 12
    assert warnings
    assert all(warning.startswith("a.md: metadata key ") and len(warning) < 400 for warning in warnings)


def test_an_alias_of_something_small_is_read():
    metadata, _, _ = split_front_matter("---\na: &a [x, y]\nb: *a\n---\n", "a.md", [])

    assert metadata == {"a": ("x", "y"), "b": ("x", "y")}


def test_a_nested_value_is_shown_in_short():
    with pytest.raises(InvalidDocumentError) as refused:
        read_metadata({"a": {"b": ["x" * 100] * 1000}}, "book.toml")

    assert len(str(refused.value)) < 300


def test_mappings_with_the_same_keys_give_the_same_warning():
    warnings: list[str] = []
    for address in ("a", "b"):
        split_front_matter(f"---\nlinks: {{next: {address}}}\n---\nText", "page", warnings)
    assert warnings[0] == warnings[1]
    assert "'links' must be a string, number, date or list, not a mapping of ['next']" in warnings[0]
