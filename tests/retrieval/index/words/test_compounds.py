from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.snapshot.snapshot import Snapshot, build_snapshot, open_snapshot
from retrieval.index.words import compounds
from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.language.identifiers import MARK
from retrieval.language.terms import question_tokenizer
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Chunk
from tests.chunks import EMPTY
from tests.retrieval.index.conftest import MODEL, row, vectors_of


def prose(heading: str, text: str) -> Chunk:
    return replace(
        EMPTY,
        id=f"prose-{heading}",
        book="book",
        document="one.md",
        text=text,
        search_text=f"Book > {heading}\n{text}",
        heading_path=("Book", heading),
        names=(heading,),
    )


NEIGHBOURS = ("quorn", "velt", "drisk", "moxle", "thrap", "zune")
CHUNKS = (
    *(row(key) for key in ("Long Bow", "Bow, short", "Hand-axe", "Crossbow", "With Draw")),
    row("G1", names=("Great Sword",)),
    *(row(key, heading="Odd") for key in ("tar game", "targ ame", "gal leon", "gall eon", "gall eon, large")),
    row("feed", note="rest art", heading="Rate Mode", columns=("Fire", "Proof")),
    row("shield", heading="Hit Points", caption="Worn chain mail", columns=("Gear", "Hit Chance")),
    row("oil", heading="Spellcasting", columns=("Lamp", "Firepower")),
    prose("War Hammers", "The rest art of a backpack, and its firewood."),
    prose("Gyro", f"The loop time is fixed. {' '.join(NEIGHBOURS)} ."),
    row("tune", note="A yaw bias, bar", heading="grip"),
)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    home: Path = tmp_path_factory.mktemp("compounds")
    manifest = build_snapshot(home, CHUNKS, vectors_of(len(CHUNKS)), MODEL, Vocabulary.default())
    with open_snapshot(home, manifest.id) as opened:
        yield opened


@pytest.fixture(scope="module")
def lexical(snapshot: Snapshot) -> LexicalIndex:
    return snapshot.lexical


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what does a longbow cost?", "what does a long bow cost?"),
        ("two LongBows, and a longbow's range", "two Long Bows, and a long bow's range"),
        ("a shortbow", "a short bow"),
        ("a handaxe or handaxes", "a hand axe or hand axes"),
        ("greatsword", "great sword"),
        ("chainmail", "chain mail"),
        ("hitchance", "hit chance"),
        ("a warhammer", "a war hammer"),
        ("30 hitpoints", "30 hit points"),
    ],
    ids=["key", "plural", "key turned round", "hyphen", "name", "caption", "column", "heading of prose", "label"],
)
def test_an_unknown_word_is_the_two_that_name_something(lexical: LexicalIndex, question: str, said: str) -> None:
    assert lexical.in_index_words(question) == said
    assert list(lexical.read(question)) == lexical.tokenize(said)
    assert list(lexical.looked_for(question)) == question_tokenizer(Vocabulary.default())(said)


@pytest.mark.parametrize(
    "question",
    ["restart", "moderate", "fireproof", "withdraw", "crossbow", "longish", "longbo", "long9bow"],
    ids=[
        *("side by side in a cell and in prose", "turned round in a heading", "in two columns", "a stop word"),
        *("known", "half of it unknown", "too short a part", "a digit between"),
    ],
)
def test_a_word_that_is_no_compound_of_a_name_stays(lexical: LexicalIndex, question: str) -> None:
    assert lexical.in_index_words(question) == question


def test_parts_of_a_word_that_is_not_english_may_stand_in_any_text(lexical: LexicalIndex) -> None:
    assert lexical.in_index_words("the yawbias") == "the yaw bias"
    assert lexical.in_index_words("a LoopTime of it") == "a Loop Time of it"
    assert lexical.in_index_words("biasyaw") == "biasyaw", "turned round they are in no text"
    assert lexical.in_index_words("bargrip") == "bargrip", "in two cells"


@given(one=st.sampled_from(NEIGHBOURS), other=st.sampled_from(NEIGHBOURS), data=st.data())
def test_a_word_is_two_exactly_where_these_are_neighbours(lexical, one, other, data):
    word = one + other
    typed = data.draw(st.sampled_from((word, word.upper(), one + other.capitalize())))
    are_beside = (one, other) in pairwise(NEIGHBOURS)
    expected = f"{typed[: len(one)]} {typed[len(one) :]}" if are_beside else typed
    assert lexical.in_index_words(f"is {typed} on?") == f"is {expected} on?"


def test_of_several_cuts_the_one_that_most_chunks_have_is_taken_and_then_the_first(lexical: LexicalIndex) -> None:
    assert lexical.in_index_words("galleon") == "gall eon"
    assert lexical.in_index_words("targame") == "tar game"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("a heavy cross bow", "a heavy crossbow cross bow"),
        ("cross-bows", "crossbows cross-bows"),
        ("spell casting", "spellcasting spell casting"),
        ("Fire power", "Firepower Fire power"),
    ],
    ids=["key", "hyphen", "heading", "column"],
)
def test_two_words_that_are_one_name_are_also_asked_for_as_one(lexical: LexicalIndex, question: str, said: str) -> None:
    assert lexical.in_index_words(question) == said


@pytest.mark.parametrize(
    "question", ["back pack", "long bow", "cross, bow", "cross or bow"], ids=["prose alone", "two", "comma", "apart"]
)
def test_two_words_that_are_no_name_as_one_stay_two(lexical: LexicalIndex, question: str) -> None:
    assert lexical.in_index_words(question) == question


def test_both_ways_of_writing_a_word_find_the_same(lexical: LexicalIndex) -> None:
    assert lexical.scores("longbow").tolist() == lexical.scores("long bow").tolist()
    assert lexical.scores("longbow").any()
    assert lexical.looked_for("longbow") == lexical.looked_for("long bow")


def test_the_fields_are_not_opened_for_words_that_are_known_or_stand_alone(snapshot: Snapshot) -> None:
    with open_snapshot(snapshot.folder.parents[1], snapshot.id) as fresh:
        put = fresh.lexical.put
        assert isinstance(put, compounds.Compounds)
        assert put("what does a long bow, or a crossbow 6, cost in gp")
        assert "_naming" not in vars(put)
        assert put("longbow") == "long bow"
        assert "_naming" in vars(put)


def test_what_is_remembered_is_what_would_be_found_again(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compounds, "REMEMBERED", 2)
    with open_snapshot(snapshot.folder.parents[1], snapshot.id) as fresh:
        query = ["a longbow", "galleon", "cross bow", "shortbow", "a longbow", "rope"] * 2
        assert [fresh.lexical.in_index_words(each) for each in query] == [
            snapshot.lexical.in_index_words(each) for each in query
        ]


PLAIN = (
    "long",
    "bow",
    "crossbow",
    "rest",
    "art",
    "AC6",
    "2d6",
    "the",
    "restart",
    "zyzzyva",
    "hit points",
    "-2",
    "Bow,",
)


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PLAIN), max_size=12).map(" ".join)))
def test_a_question_without_such_words_is_cut_as_before(lexical: LexicalIndex, question: str) -> None:
    plain = question_tokenizer(Vocabulary.default())
    assert lexical.in_index_words(question) == question
    assert _words(lexical.read(question)) == _words(lexical.tokenize(question))
    assert _words(lexical.looked_for(question)) == _words(plain(question))


def _words(tokens: Sequence[str]) -> list[str]:
    """Without identifiers, of which a question has those alone that the index knows."""
    return [token for token in tokens if not token.startswith(MARK)]


@given(st.lists(st.sampled_from(("longbow", "shortbow", "mace", "(greatsword)", "4")), max_size=10))
def test_all_else_of_a_question_stays_where_it_is(lexical: LexicalIndex, words: list[str]) -> None:
    question = " ".join(words)
    expected = question.replace("longbow", "long bow").replace("shortbow", "short bow")
    assert lexical.in_index_words(question) == expected.replace("greatsword", "great sword")
