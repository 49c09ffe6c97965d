"""Questions by document, and the files of them."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from evals.generation.generation import (
    NO_ANSWER,
    by_document,
    generate_questions,
    section_question,
    write_generated,
)
from evals.generation.names import WordPlaces
from evals.generation.phrasing import Phrasing
from evals.questions.gold import resolve
from evals.questions.questions import GENERATED, Anchor, Question, load_questions
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Chunk

LEVELS = ("1-3", "4-6", "7")
CLASSES = ("Fighter", "Thief")


@pytest.fixture
def chunks(make_chunk):
    """Two class tables of one shape, a monster's record, a spell list, and prose."""
    rows = [
        make_chunk(
            f"{name} {level}",
            source=f"| {level} | {20 - at} |",
            caption=f"{name} “to hit” Table",
            heading_path=("Classes", name),
            row_key=level,
            columns=("Level", "Armour Class 3"),
            cells=(level, str(20 - at)),
            table_id=name,
            lines=(at + 1, at + 1),
        )
        for name in CLASSES
        for at, level in enumerate(LEVELS)
    ]
    record = make_chunk(
        "dragon",
        kind="record",
        source="| Hit Dice: | 9 |",
        row_key="Dragon, Blue",
        columns=("Hit Dice",),
        cells=("9",),
        heading_path=("Monsters", "Dragon, Blue"),
        document="monsters.md",
        table_id="dragon",
    )
    spells = [
        make_chunk(
            spell,
            source=f"| {spell} | {school} |",
            row_key=spell,
            columns=("Spell", "School"),
            cells=(spell, school),
            heading_path=("Spells",),
            table_id="spells",
        )
        for spell, school in (("Fog Cloud", "Conjuration"), ("Light", "Evocation"))
    ]
    fog = "Fog obscures all sight beyond five feet, and whoever stands in it has concealment from the others."
    prose = [make_chunk("fog", kind="prose", source=fog, heading_path=("Weather", "Fog"), document="weather.md")]
    return [*rows, record, *spells, *prose]


@pytest.fixture(autouse=True)
def many_questions(monkeypatch):
    monkeypatch.setattr("evals.generation.generation.PER_TABLE", 9)
    monkeypatch.setattr("evals.generation.generation.UNANSWERABLE", 1.0)


def questions_of(chunks, seed=0):
    documents = generate_questions(chunks, Vocabulary.default(), seed)
    return [question for document in documents for question in document.questions]


def answered(chunks, seed=0):
    return [question for question in questions_of(chunks, seed) if question.kind != NO_ANSWER]


def test_a_lookup_names_table_and_row_and_asks_for_the_answers_column(chunks):
    for question in questions_of(chunks):
        (gold,) = resolve([question], chunks).gold.values() if question.gold else [("none",)]
        if gold[0].startswith("Thief"):
            assert "thief" in question.query.lower()
            assert "fighter" not in question.query.lower()
            (level,) = question.keys.values()
            low, _, high = gold[0].removeprefix("Thief ").partition("-")
            assert int(low) <= int(level) <= int(high or low)
            assert question.answer == str(20 - LEVELS.index(gold[0].removeprefix("Thief ")))


def test_every_gold_resolves_to_exactly_one_chunk_and_questions_are_marked(chunks):
    questions = questions_of(chunks)
    resolution = resolve(questions, chunks)
    assert resolution.evaluability == 1
    assert {len(result) for result in resolution.gold.values()} == {1}
    assert {result[0] for result in resolution.gold.values()} == {chunk.id for chunk in chunks}
    assert all(question.generated and question.kind.startswith("generated-") for question in questions)
    assert {question.book for question in questions} == {"b"}


def test_the_same_seed_gives_the_same_questions_and_another_seed_others(chunks):
    assert questions_of(chunks) == questions_of(chunks)
    assert questions_of(chunks) != questions_of(chunks, seed=1)


def test_a_new_table_changes_no_other_tables_questions(chunks, make_chunk):
    row = {"row_key": "Oak", "columns": ("Tree", "Height"), "cells": ("Oak", "60 ft."), "caption": "Trees"}
    more = [*chunks, make_chunk("oak", source="| Oak | 60 ft. |", table_id="trees", document="trees.md", **row)]
    before = answered(chunks)
    after = [question for question in answered(more) if question.gold[0].document != "trees.md"]
    assert before == after


def test_paraphrases_use_other_orders_number_forms_abbreviations_and_ordinals_where_the_library_does(chunks):
    query = " / ".join(question.query for seed in range(40) for question in questions_of(chunks, seed=seed))
    assert "Blue Dragon" in query
    assert "level 7" in query
    assert "level seven" in query
    assert "hd" in query, "the vocabulary's short form of hit dice"
    assert "hit dice" in query
    assert "fog cloud" in query
    assert "7th level" not in query, "this library does not write levels as ordinals"
    ordinal = [
        replace(chunk, row_key="7th", cells=("7th", "18"), source="| 7th | 18 |") if chunk.row_key == "7" else chunk
        for chunk in chunks
    ]
    assert "7th level" in " / ".join(
        question.query for seed in range(20) for question in questions_of(ordinal, seed=seed)
    )


def test_unanswerable_questions_ask_for_keys_that_no_row_has(chunks):
    for seed in range(10):
        unanswerable = [question for question in questions_of(chunks, seed=seed) if question.kind == NO_ANSWER]
        assert unanswerable
        for question in unanswerable:
            assert question.gold == ()
            assert question.answer is None
            assert all(int(level) > 7 for level in re.findall(r"level (?:of )?(\d+)", question.query))
            held = {("Fog Cloud", "Conjuration"), ("Light", "Evocation")}
            assert not any(spell.lower() in question.query.lower() and "school" in question.query for spell, _ in held)


def test_a_row_of_a_table_of_fields_is_a_field_of_the_table_or_of_a_column(make_chunk):
    def field(columns):
        cells = ("Armour Class:", "6", "7")[: len(columns)]
        row = {"row_key": cells[0], "columns": columns, "cells": cells, "caption": "Dog"}
        return [make_chunk("ac", source="| Armour Class: | 6 | 7 |", **row)]

    def draw_queries(columns):
        return {question.query for seed in range(40) for question in questions_of(field(columns), seed=seed)}

    assert "Dog ac" in draw_queries(("Size:", "Medium"))
    assert any("armour class of Dog" in query for query in draw_queries(("Size:", "Medium")))
    assert not any("medium" in query for query in draw_queries(("Size:", "Medium")))
    assert any("wild (Dog)" in query for query in draw_queries(("Size:", "Tame", "Wild")))


def test_a_row_may_be_named_by_another_cell_and_its_key_be_asked_for(make_chunk):
    rows = [
        make_chunk(
            f"m{number}",
            source=f"| {cells[0]} | {cells[1]} | {cells[2]} |",
            row_key=cells[0],
            columns=("Metal", "Price", "Use"),
            cells=cells,
            table_id="metals",
            caption="Metals",
        )
        for number, cells in enumerate([("Tin", "1,100 gp", "plates"), ("Zinc", "2,200 gp", "roofs")])
    ]
    query = {question.id: question for seed in range(60) for question in answered(rows, seed=seed)}.values()
    by_price = [each for each in query if each.keys == {"price": "1,100 gp"}]
    assert {each.answer for each in by_price} == {"Tin", "plates"}
    for question in by_price:
        assert "1,100 gp" in question.query
        assert "tin" not in question.query.lower()
        assert resolve([question], rows).gold[question.id] == ("m0",)


def test_a_section_called_like_a_record_gets_no_question(chunks, make_chunk):
    prose = make_chunk("p", kind="prose", source="It breathes lightning. " * 9, heading_path=("Dragon, Blue",))
    assert [
        question
        for question in questions_of([*chunks, prose])
        if question.gold and question.gold[0].heading_path == ("Dragon, Blue",)
    ] == []


def test_a_record_called_like_another_books_section_gets_no_question(chunks, make_chunk):
    section = {"kind": "prose", "source": "It breathes lightning. " * 9, "heading_path": ("Dragon, Blue",)}
    own, other = (make_chunk("p", book=book, **section) for book in ("b", "c"))

    def asks_for_dragon(library):
        return any("ragon" in question.query for question in answered(library))

    assert asks_for_dragon([*chunks, own])
    assert not asks_for_dragon([*chunks, other])


def test_what_cannot_be_told_apart_has_no_name_or_is_rolled_gets_no_questions(chunks, make_chunk):
    alike = [
        replace(chunk, caption="Table", heading_path=("Classes",)) for chunk in chunks if chunk.table_id in CLASSES
    ]
    assert questions_of(alike) == []
    fighter = [chunk for chunk in chunks if chunk.table_id == "Fighter"]
    twin = replace(fighter[2], id="twin", source="| 7 | 1 |")
    overlapping = replace(fighter[0], id="wide", row_key="1-6", cells=("1-6", "5"), source="| 1-6 | 5 |")
    keys = {question.gold[0].row_key for question in answered([*fighter, twin, overlapping])}
    assert keys == set()
    fighter = [replace(chunk, columns=("Level", "Column 2")) for chunk in chunks if chunk.table_id == "Fighter"]
    assert questions_of(fighter) == []
    row = {"columns": ("Effect", "d20"), "cells": ("Fog", "16"), "row_key": "Fog", "caption": "Effects"}
    assert questions_of([make_chunk("fog", source="| Fog | 16 |", **row)]) == []
    assert questions_of([]) == []


MakeChunk = Callable[..., Chunk]


def written(chunk: Chunk, text: str) -> tuple[Chunk, Question]:
    return chunk, Question(f"q-{chunk.id}-{text}", text, chunk.book, "k", (Anchor.of(chunk),), tags=(GENERATED,))


def test_questions_stand_by_document_and_one_that_two_places_got_is_nobodys(make_chunk: MakeChunk) -> None:
    late, early = make_chunk("a", document="z.md"), make_chunk("b", document="a.md")
    result = [written(late, "why?"), written(early, "How  much?"), written(late, "how much?"), written(late, "when?")]
    documents, twice = by_document(result)
    assert [(document.document, [one.query for one in document.questions]) for document in documents] == [
        ("z.md", ["why?", "when?"])
    ]
    assert [each.query for each in twice] == ["How  much?", "how much?"]


def test_files_are_named_for_their_documents_and_read_back(make_chunk: MakeChunk, tmp_path: Path) -> None:
    result = [written(make_chunk(name, document=f"part/{name}.md"), f"what of {name}?") for name in ("weather", "arms")]
    documents, _ = by_document(result)
    paths = write_generated(tmp_path, documents)
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        f"{result[0][0].book}/part/{name}.evaluation_queries.json" for name in ("arms", "weather")
    ]
    for document, path in zip(documents, paths, strict=True):
        assert load_questions(path) == document.questions
        assert len(json.loads(path.read_text())) == len(document.questions)


PARTS = (
    "Fog obscures sight beyond five feet. Whoever stands inside gains concealment, and concealment helps thieves hide.",
    "Rain quenches torches quickly. Archers shoot badly; archers wait until rain stops.",
)


@pytest.fixture
def passages(make_chunk):
    fillers = [make_chunk(f"f{number}", kind="prose", text=f"nothing number{number}") for number in range(60)]
    parts = [
        make_chunk(f"p{number}", kind="prose", text=text, source=text, heading_path=("Weather",))
        for number, text in enumerate(PARTS)
    ]
    return [*parts, *fillers]


def draw_section_questions(passages, part, section):
    places = WordPlaces(passages)
    return {
        section_question(part, section, ("Weather",), places, Phrasing(Random(seed), Vocabulary.default(), frozenset()))
        for seed in range(80)
    }


def test_a_passage_is_asked_for_by_words_that_only_it_has_together(passages):
    by_words = [
        query
        for query in draw_section_questions(passages, passages[0], passages[:2])
        if query and "eather" not in query
    ]
    assert by_words
    places = WordPlaces(passages)
    for query in by_words:
        words = [
            word for word in query.strip("?").split() if word not in {"what", "about", "where", "is", "it", "said:"}
        ]
        assert len(words) >= 4
        assert places.having(words) == {"p0"}


def test_a_whole_section_is_asked_for_by_its_name_and_a_part_by_its_own_words_too(passages):
    assert any(
        query and "eather" in query and "archers" in query.lower()
        for query in draw_section_questions(passages, passages[1], passages[:2])
    )
    assert "Explain Weather." in draw_section_questions(passages, passages[0], passages[:1])


def test_text_that_says_nothing_of_its_own_gets_no_question(passages, make_chunk):
    twin = make_chunk("twin", kind="prose", text=PARTS[0], source=PARTS[0], heading_path=("Weather",))
    assert draw_section_questions([*passages, twin], passages[0], [passages[0], twin]) == {None}
