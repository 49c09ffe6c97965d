import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.index import spelling
from retrieval.index.snapshot.snapshot import Snapshot, build_snapshot, open_snapshot
from retrieval.index.spelling import WrittenWords, is_english
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Chunk
from tests.chunks import EMPTY
from tests.retrieval.index.conftest import MODEL, row, vectors_of

CHUNKS = (
    *(row(key) for key in ("Cleric", "Clerk", "Longsword", "Mercenary", "Mercenaries, heavy", "Goblin", "Ballista")),
    *(
        row(key, note="damage 1d6, a steerable helicopter, no mercy")
        for key in ("Weapon", "Wyvern rider", "Maneuver drive")
    ),
    *(row(key) for key in ("Quavrithan", "Quavrosal", "Long Bow", "Sextant", "Armoured cart")),
)
SAID = ("cleric", "longsword", "goblin", "ballista", "helicopter", "maneuver", "sextant")


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    home = tmp_path_factory.mktemp("spelt")
    made = build_snapshot(home, CHUNKS, vectors_of(len(CHUNKS)), MODEL, Vocabulary.default())
    with open_snapshot(home, made.id) as opened:
        yield opened


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("What does a clreic need?", "What does a cleric need?"),
        ("price of two longswrods", "price of two longsword"),
        ("Gobln, or gobblin", "goblin, or goblin"),
        ("the manoeuvre of a wyvren rider", "the maneuver of a wyvern rider"),
        ("THE COST OF A BALISTA", "THE COST OF A ballista"),
    ],
)
def test_a_misspelt_word_is_read_as_the_one_that_is_meant(snapshot: Snapshot, asked: str, read: str) -> None:
    assert snapshot.spelling(asked) == read


@pytest.mark.parametrize(
    ("asked", "read"),
    [("wage of heavy mercs", "wage of heavy mercenaries"), ("my heli", "my helicopter"), ("wpn dmg", "weapon damage")],
)
def test_a_word_cut_short_is_read_whole(snapshot: Snapshot, asked: str, read: str) -> None:
    assert snapshot.spelling(asked) == read


@pytest.mark.parametrize(
    "asked",
    [
        "a goblet among goblins",  # English, if none of the library's
        "cost of a longbow",  # put together of what the library has apart
        "clerics of armour class 6",
        "a BALSTA",  # in capitals it is an abbreviation
        "balst4 of the x-balsta and balsta_2",  # codes
        "xyzzyx of the zorkmids",  # near to nothing
        "gob",
        "a hexacopter",  # two letters of helicopter changed
        "clek",  # four letters are near to much
        "12 lbs at 30 mph for 5 hrs",  # units
    ],
)
def test_a_question_without_such_words_stays_as_it_is(snapshot: Snapshot, asked: str) -> None:
    assert snapshot.spelling(asked) == asked


def test_of_several_that_are_as_near_the_one_that_names_more_is_meant_or_none(snapshot: Snapshot) -> None:
    assert "mercy" in snapshot.spelling.written.words
    assert snapshot.spelling("mercs") == "mercenaries"
    assert snapshot.spelling("a quav in the qvr") == "a quav in the qvr"
    assert snapshot.spelling("a quavri") == "a quavrithan"
    assert snapshot.spelling("clerc") == "cleric", "Clerk is as near, and names as much: the first by its letters"


@given(st.sampled_from(SAID), st.integers(0, 10_000))
def test_one_slip_after_the_first_letter_is_found_or_is_a_word_of_its_own(snapshot, word, seed):
    drawn = random.Random(seed)
    randrange = drawn.randrange(1, len(word) - 1)
    slip = drawn.choice(
        (
            word[:randrange] + word[randrange + 1 :],
            word[:randrange] + word[randrange + 1] + word[randrange] + word[randrange + 2 :],
            word[:randrange] + drawn.choice("qxz") + word[randrange + 1 :],
            word[:randrange] + word[randrange] + word[randrange:],
        )
    )
    is_a_word = spelling.is_english(slip) or snapshot.lexical.scores(slip).any()
    assert snapshot.spelling(slip) == (slip if is_a_word else word)


@given(st.text(max_size=200))
def test_reading_again_changes_nothing(snapshot: Snapshot, text: str) -> None:
    once = snapshot.spelling(text)
    assert snapshot.spelling(once) == once
    assert len(once.split()) == len(text.split())


PARTS = ("min", "throttle", "nav", "rth", "altitude", "pwm", "rate3")
NAMES = tuple("_".join(parts) for size in (2, 3) for parts in permutations(PARTS, size) if len(set(parts)) == size)
WRITTEN = {name.replace("_", ""): name for name in NAMES[::7]}
"""Identifiers by what a question makes of them that joins their parts."""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    home = tmp_path_factory.mktemp("settings")
    rows = [row(name, note=f"Beside {name}") for name in WRITTEN.values()]
    chunks = (*rows, row("Loop Time"), row("dash.board-x1"))
    made = build_snapshot(home, chunks, vectors_of(len(chunks)), MODEL, Vocabulary.default())
    with open_snapshot(home, made.id) as opened:
        yield opened


@given(joined=st.sampled_from(sorted(WRITTEN)), data=st.data())
def test_a_word_that_joins_the_parts_of_an_identifier_is_read_as_it(settings, joined, data):
    capitals = data.draw(st.lists(st.booleans(), min_size=len(joined), max_size=len(joined)))
    word = "".join(letter.upper() if capital else letter for letter, capital in zip(joined, capitals, strict=True))
    read = settings.spelling(f"What is {word}, and why?")
    assert read == f"What is {WRITTEN[joined]}, and why?"
    assert f"~{joined}" in settings.lexical.read(read)
    assert settings.spelling(read) == read


def test_an_identifier_of_several_signs_is_read_with_them(settings: Snapshot) -> None:
    assert settings.spelling("a DashboardX1") == "a dash.board-x1"


@pytest.mark.parametrize("asked", ["a restart", "looptime", "min_throttle", "a/minpwm", "minpwm.txt", "min throttle"])
def test_what_is_no_identifier_alone_stays(settings: Snapshot, asked: str) -> None:
    assert settings.spelling(asked) == asked


def test_an_identifier_costs_one_look_up_and_one_chunk(settings: Snapshot) -> None:
    with open_snapshot(settings.folder.parents[1], settings.id) as fresh:
        joined = min(WRITTEN)
        assert fresh.spelling(joined) == WRITTEN[joined]
        assert "words" not in vars(fresh.spelling.written)
        assert "_naming" not in vars(fresh.lexical.put)


def test_what_is_remembered_is_bounded(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spelling, "REMEMBERED", 2)
    with open_snapshot(snapshot.folder.parents[1], snapshot.id) as opened:
        fresh = opened.spelling
    for query in ("clreic", "gobln", "balista", "clreic"):
        assert fresh(query) in ("cleric", "goblin", "ballista")
        assert len(fresh._read) <= 2


def chunk(number: int, text: str, *, key: str | None = None, heading: str = "Arms") -> Chunk:
    return replace(
        EMPTY,
        id=f"id-{number}",
        book="book",
        document="one.md",
        kind="row" if key else "prose",
        text=text,
        search_text=f"{heading}\n{text}",
        heading_path=("Book", heading),
        columns=("Weapon", "Damage") if key else (),
        row_key=key,
        names=(key,) if key else (),
    )


WRITTEN_WORDS_CHUNKS = (
    chunk(1, "Longsword does damage", key="Longsword"),
    chunk(2, "A Longsword is sharp."),
    chunk(3, "Ärger"),
)


def test_words_are_in_lower_case_and_in_order_and_short_ones_are_left_out() -> None:
    assert WrittenWords.build(WRITTEN_WORDS_CHUNKS).words == [
        *("arms", "book", "damage", "does", "longsword", "sharp", "weapon", "ärger")
    ]


def test_a_heading_over_many_chunks_heads_once() -> None:
    words = WrittenWords.build(WRITTEN_WORDS_CHUNKS)
    named = dict(zip(words.words, words.named.tolist(), strict=True))
    held = dict(zip(words.words, words.chunks.tolist(), strict=True))
    assert (named["arms"], named["longsword"], named["weapon"], named["sharp"]) == (2, 1, 1, 0)
    assert (held["arms"], held["longsword"], held["weapon"], held["sharp"]) == (3, 2, 1, 1)


@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=5))
def test_the_order_of_words_is_that_of_their_bytes(texts: list[str]) -> None:
    words = WrittenWords.build([chunk(number, text) for number, text in enumerate(texts)]).words
    assert list(words) == sorted(set(words)) == sorted(set(words), key=str.encode)


@pytest.mark.parametrize("word", ["cleric", "clerics", "goblet", "rolling", "unarmed"])
def test_an_english_word_is_one_in_every_form(word: str) -> None:
    assert is_english(word)


@pytest.mark.parametrize("word", ["clerc", "gobiln", "mercs", "dmg"])
def test_a_slip_and_a_short_form_are_none(word: str) -> None:
    assert not is_english(word)
