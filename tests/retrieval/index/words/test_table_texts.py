from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrieval.files.array_folder import save_arrays
from retrieval.index.words.table_texts import LEAD, N_HEADINGS, N_KEYS, OPENING, TableTexts, table_texts
from retrieval.index.words.word_vectors import WORD_EMBEDDER
from retrieval.language.terms import tokens
from retrieval.types import Chunk
from tests.chunks import EMPTY

ROW = replace(
    EMPTY, document="guide/network-limits_2024.md", kind="row",
    heading_path=("Cloud", "Machines", "Networks", "Interfaces"), table_id="t", caption="Interfaces per machine",
    columns=("Machine", "Interfaces"), position=5, row_key="c5d.large",
)  # fmt: skip
BEFORE = replace(
    ROW, kind="prose", table_id=None, caption=None, columns=(), position=4, source="Every machine has some."
)


def texts_of(*chunks: Chunk) -> list[str]:
    """The texts of chunks of which each is a passage, or a row of its table; numbered as they come."""
    numbers: dict[str | int, int] = {}
    of = [numbers.setdefault(chunk.table_id or place, len(numbers)) for place, chunk in enumerate(chunks)]
    return table_texts(chunks, np.asarray(of, dtype=np.int32))


def parts_of(*chunks: Chunk) -> list[str]:
    """What the text of the first chunk's table or passage says, one after the other."""
    return texts_of(*chunks)[0].split(" . ")


def rows(*keys: str, first: int = 5) -> list[Chunk]:
    """Rows of one table, from the first on."""
    return [replace(ROW, id=key, row_key=key, position=first + place) for place, key in enumerate(keys)]


def test_of_many_headings_the_first_and_the_nearest_are_said_from_the_outermost_on() -> None:
    path = ("Part one", "Chapter", "Section", "Machines", "Networks", "Interfaces")

    headings = parts_of(replace(ROW, heading_path=path))[1 : 2 + N_HEADINGS]

    assert headings == ["Part one", "Machines", "Networks", "Interfaces"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ((), ["network limits 2024"]),
        (("Cloud",), ["network limits 2024", "Cloud"]),
        (("Cloud", "Machines"), ["network limits 2024", "Cloud", "Machines"]),
        (("Cloud", "Machines", "Cloud"), ["network limits 2024", "Cloud", "Machines"]),
        (("network limits 2024", "Machines"), ["network limits 2024", "Machines"]),
    ],
)
def test_a_heading_is_said_once_whether_it_is_the_first_a_near_one_or_the_name_of_the_document(path, said):
    assert parts_of(replace(BEFORE, heading_path=path, text="Text.")) == [*said, "Text."]


def test_a_table_says_its_document_headings_caption_and_keys_and_what_it_lacks_leaves_nothing() -> None:
    assert parts_of(*rows("c5d.large", "c5d.xlarge"), BEFORE) == [
        "network limits 2024",
        "Cloud",
        "Machines",
        "Networks",
        "Interfaces",
        "Interfaces per machine",
        "Every machine has some.",
        "Machine, Interfaces",
        "c5d.large, c5d.xlarge",
    ]
    bare = replace(ROW, heading_path=("Cloud",), caption=None, columns=(), row_key=None)
    assert texts_of(bare) == ["network limits 2024 . Cloud"]
    parts = parts_of(replace(ROW, searched_as=("Cards", "Adapters")))
    assert parts[-5:] == ["Interfaces per machine", "Cards", "Adapters", "Machine, Interfaces", "c5d.large"]


def test_of_a_long_text_before_a_table_its_end_is_said() -> None:
    long = " \n" + "The beginning. " * 40 + "Each machine has so many interfaces:\n\n"

    (said,) = (part for part in parts_of(ROW, replace(BEFORE, source=long)) if part.endswith("interfaces:"))

    assert len(said) == LEAD
    assert long.strip().endswith(said)


@pytest.mark.parametrize(
    "other",
    [
        {"heading_path": ("Cloud", "Machines", "Networks")},
        {"heading_path": ("Cloud", "Machines", "Networks", "Addresses")}, {"document": "guide/others.md"},
        {"book": "another"}, {"position": 3}, {"position": 5}, {"position": 6}, {"table_id": "another", "kind": "row"},
    ],
)  # fmt: skip
def test_a_text_that_is_of_another_section_or_not_right_before_a_table_is_none_of_it(other: dict[str, Any]) -> None:
    near, far = texts_of(ROW, BEFORE)[0], texts_of(ROW, replace(BEFORE, **other))[0]

    assert "Every machine has some." in near
    assert far == texts_of(ROW)[0]


def test_the_text_before_a_table_is_found_wherever_it_is_among_the_chunks() -> None:
    first, second = rows("c5d.large", "c5d.xlarge")

    assert texts_of(second, BEFORE, first)[0] == texts_of(first, second, BEFORE)[0]


def test_the_first_keys_are_said_in_reading_order_though_the_chunks_are_in_the_order_of_ids() -> None:
    read = [f"size {number}" for number in (*range(9, 0, -1), *range(10, 20))]
    chunks = sorted(rows(*read), key=lambda chunk: chunk.id)

    assert [chunk.id for chunk in chunks] != read
    assert parts_of(*chunks)[-1] == ", ".join(read[:N_KEYS])
    assert N_KEYS == 14 < len(read)


def test_a_passage_says_its_document_headings_and_beginning() -> None:
    text = "Interfaces are cards. " * 20
    passage = replace(BEFORE, text=text, caption="No caption", columns=("No column",))

    assert parts_of(passage) == ["network limits 2024", "Cloud", "Machines", "Networks", "Interfaces", text[:OPENING]]


def test_every_table_and_passage_has_the_text_of_its_own_number() -> None:
    chunks = [replace(ROW, table_id="u", heading_path=("Roads",)), BEFORE, ROW, *rows("c5d.xlarge", first=6)]

    result = table_texts(chunks, np.asarray([2, 0, 1, 1], dtype=np.int32))

    assert result == [texts_of(BEFORE)[0], texts_of(*chunks[2:], BEFORE)[0], texts_of(chunks[0])[0]]


LETTERS = replace(
    ROW, document="post.md", heading_path=("Post", "Letters abroad"), caption=None, columns=("Weight", "Price"),
    row_key="20 g",
)  # fmt: skip
PARCELS = replace(LETTERS, table_id="u", heading_path=("Post", "Parcels at home"))
POST = (LETTERS, PARCELS, *(replace(BEFORE, heading_path=("Roads",), text=f"Way {number}.") for number in range(4)))
"""Two tables with the same row, and passages about something else."""


def build(*chunks: Chunk) -> TableTexts:
    return TableTexts.build(chunks, np.arange(len(chunks), dtype=np.int32), tokens)


@pytest.mark.parametrize(("question", "first"), [("price of letters abroad", 0), ("price of parcels at home", 1)])
def test_of_two_tables_with_the_same_rows_the_one_whose_headings_are_asked_for_is_nearer(question, first):
    index = build(*POST)

    assert index.lexical.scores(question).argmax() == first
    assert (index.vectors @ WORD_EMBEDDER.embed_one(question)).argmax() == first


def test_the_vectors_are_those_of_the_texts() -> None:
    index = build(*POST)

    assert index.lexical.n_documents == len(index.vectors) == len(POST)
    assert index.vectors.dtype == np.float32
    assert index.vectors == pytest.approx(WORD_EMBEDDER.embed(texts_of(*POST)), abs=1e-6)


def test_a_question_is_cut_as_it_is_told(tmp_path: Path) -> None:
    save_arrays(tmp_path, build(*POST))
    loaded = TableTexts.load(tmp_path, tokens, lambda text: [word for word in tokens(text) if word != "parcel"])

    assert loaded.lexical.scores("letters").any()
    assert not loaded.lexical.scores("parcels").any()
