import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.term_table import TermTable
from retrieval.index.words.field_index import UNKNOWN, FieldIndex, HeadingIndex, rarity, telling_paths
from retrieval.index.words.lexical_index import LexicalIndex
from tests.chunks import EMPTY

PROSE = replace(EMPTY, search_text="ropes are long", heading_path=("Gear", "Camp", "Rope"))
ROW = replace(
    PROSE,
    kind="row",
    search_text="not read",
    heading_path=("Rules", "Fight", "Weapons", "Long swords"),
    caption="Swords of old",
    table_id="swords",
    row_key="long sword",
    columns=("Weapon", "Armor Rating", "Cost (gp)"),
    cells=("long sword", "", "15 gp"),
)
CHUNKS = [ROW, PROSE, replace(ROW, row_key="mace", cells=("mace", "4", "xyzzy gp"))]
OF = np.asarray([0, 1, 0], dtype=np.int32)
KNOWN = sorted(
    {"long", "sword", "swords", "mace", "15", "4", "gp", "weapon", "weapons", "armor", "rating", "ar", "cost", "fight"}
    | {"ropes", "are", "rope", "camp", "gear", "of", "rules"}
)
TERMS = TermTable.build([word.encode() for word in KNOWN])


def tokens(text):
    return re.findall(r"\w+", text.casefold())


@pytest.fixture
def index():
    return FieldIndex.build(CHUNKS, OF, TERMS, tokens)


def read_words(words, key):
    return ["?" if number == UNKNOWN else KNOWN[number] for number in words[key].tolist()]


def test_what_points_to_a_table_stands_behind_its_caption():
    rows = [replace(chunk, searched_as=("Mace cost",)) if chunk.table_id else chunk for chunk in CHUNKS]
    index = FieldIndex.build(rows, OF, TERMS, tokens)

    assert read_words(index.caption, 0) == ["swords", "of", "?", "mace", "cost"]
    assert read_words(index.cell, 0) == ["long", "sword", "15", "gp"]


def test_the_words_of_a_row_stand_in_their_order(index):
    assert read_words(index.key, 0) == ["long", "sword"]
    assert read_words(index.cell, 0) == ["long", "sword", "15", "gp"]
    assert read_words(index.passage, 0) == []


def test_prose_has_a_passage_and_no_cells(index):
    assert read_words(index.passage, 1) == ["ropes", "are", "long"]
    assert (
        read_words(index.key, 1)
        == read_words(index.cell, 1)
        == read_words(index.column, 1)
        == read_words(index.caption, 1)
        == []
    )


def test_every_word_knows_its_cell_and_an_unknown_one_keeps_its_place(index):
    assert read_words(index.cell, 2) == ["mace", "4", "?", "gp"]
    assert index.cell_of[index.cell.span(0)].tolist() == [0, 0, 2, 2]
    assert index.cell_of[index.cell.span(2)].tolist() == [0, 1, 2, 2]


def test_a_column_of_several_words_is_also_called_by_its_initials(index):
    assert read_words(index.column, 0) == ["weapon", "armor", "rating", "ar", "cost", "gp"]
    assert index.column_of[index.column.span(0)].tolist() == [0, 1, 1, 1, 2, 2]


def test_initials_are_cut_as_the_words_of_a_question_are():
    def cut(text):
        return [word.removesuffix("s") for word in tokens(text)]

    row = replace(ROW, columns=("Fire Gear Size",))
    index = FieldIndex.build([row], np.zeros(1, dtype=np.int32), TermTable.build([b"fg"]), cut)

    assert index.column[0].tolist() == [UNKNOWN, UNKNOWN, UNKNOWN, 0]


def test_headings_are_told_apart_by_how_near_they_are(index):
    assert read_words(index.heading, 0) == ["long", "swords"]
    assert read_words(index.above, 0) == ["weapons"]
    assert read_words(index.further, 0) == ["rules", "fight"]
    assert read_words(index.caption, 0) == ["swords", "of", "?"]
    assert [read_words(field, 1) for field in (index.heading, index.above, index.further)] == [
        ["rope"],
        ["camp"],
        ["gear"],
    ]


def test_a_section_is_one_document_and_one_heading_path():
    places = [
        PROSE,
        replace(PROSE, search_text="another"),
        replace(PROSE, heading_path=("Gear",)),
        replace(PROSE, document="e.md"),
        replace(PROSE, book="c"),
        ROW,
        replace(PROSE, heading_path=ROW.heading_path),
    ]
    index = FieldIndex.build(places, np.arange(len(places), dtype=np.int32), TERMS, tokens)

    assert index.section.tolist() == [0, 0, 1, 2, 3, 4, 4]


HEADINGS = [[["wall", "of", "fire"], ["spells"]], [["fire"]], [["wall", "of", "ice"], []], []]
words = st.lists(st.sampled_from("abcd"), max_size=3)


@pytest.fixture
def headings():
    return HeadingIndex.build(HEADINGS)


def headings_said(headings, question):
    positions, weights = headings.matched(dict.fromkeys(question.split(), 1.0))
    return dict(zip(positions.tolist(), weights.tolist(), strict=True))


def test_a_heading_is_said_in_any_order_of_its_words_if_none_is_missing(headings):
    assert headings_said(headings, "a fire that stands like a wall of stone") == {0: 3.0, 1: 1.0}
    assert headings_said(headings, "a wall of stone") == {}
    assert headings_said(HeadingIndex.build([[], []]), "a wall") == {}


@given(st.lists(st.lists(words, max_size=3), max_size=6), st.sets(st.sampled_from("abcd")))
def test_a_word_counts_once_a_chunk_as_in_a_plain_loop(headings, question):
    weights = {word: float(1 + ord(word)) for word in sorted(question)}
    plain = {}
    for chunk, cut in enumerate(headings):
        counted = {word for heading in cut if heading and question >= set(heading) for word in heading}
        if counted:
            plain[chunk] = sum(weights[word] for word in counted)
    positions, result = HeadingIndex.build(headings).matched(weights)

    assert dict(zip(positions.tolist(), result.tolist(), strict=True)) == plain


def told(*paths, book="b"):
    return telling_paths([replace(EMPTY, book=book, heading_path=path) for path in paths])


CLASSES = [("Classes", name, "Progression") for name in ("Fighter", "Thief", "Elf")]


def test_a_heading_that_stands_under_many_tells_less_than_the_one_above_it():
    assert told(*CLASSES) == [("Classes", "Progression", name) for _, name, _ in CLASSES]
    assert told(*CLASSES, ("Classes", "Elf", "progression", "Notes"))[3][-1] == "Notes"
    deep = [(*path, "Table") for path in CLASSES]
    assert told(*deep) == [("Classes", "Progression", "Table", name) for _, name, _ in CLASSES]
    assert told(*CLASSES[:2]) == CLASSES[:2]
    chunks = [replace(EMPTY, book=name, heading_path=path) for name, path in zip("abc", CLASSES, strict=True)]
    assert telling_paths(chunks) == CLASSES
    assert told((), ("Progression",), *CLASSES)[:2] == [(), ("Progression",)]
    assert told() == []


def weights(texts, of):
    index = LexicalIndex.build(texts)
    result = rarity(index, np.asarray(of, dtype=np.int32))
    return {text: result[index.terms.position(index.tokenize(text)[0])] for text in ("cleric", "ogre", "seven")}, result


ROWS = ["cleric seven", "cleric eight", "cleric nine", "ogre seven", "tavern ale"]


def test_what_heads_the_rows_of_one_table_is_as_rare_as_what_one_passage_says():
    by_table, _ = weights(ROWS, [0, 0, 0, 1, 2])

    assert by_table["cleric"] == pytest.approx(by_table["ogre"])
    assert by_table["seven"] < by_table["cleric"]


def test_chunks_that_stand_alone_weigh_by_how_many_have_the_word():
    alone, _ = weights(ROWS, range(5))

    assert alone["cleric"] == pytest.approx(np.log1p((5 - 3 + 0.5) / (3 + 0.5)))
    assert alone["ogre"] == pytest.approx(np.log1p((5 - 1 + 0.5) / (1 + 0.5)))


def test_a_word_that_the_index_does_not_have_is_as_rare_as_the_rarest():
    _, result = weights(ROWS, range(5))

    assert result[-1] == result[:-1].max()


def test_an_index_without_words_has_one_weight():
    assert rarity(LexicalIndex.build([""]), np.zeros(1, dtype=np.int32)).tolist() == [0.0]
