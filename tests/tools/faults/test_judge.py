"""What a home is found guilty of: each kind of damage is seen, and a sound home is not accused."""

from dataclasses import replace

import pytest

from retrieval.home import Home
from retrieval.index.snapshot.live import POINTER, live_id, snapshot_folder
from tools.faults.judge import Form, Verdict, form_of, judge

QUESTION = "What does a mace cost?"


@pytest.fixture(scope="module")
def form(tiny_built: Home) -> Form:
    return form_of(tiny_built.root, [QUESTION])


def test_a_sound_home_is_not_accused(tiny_built: Home, form: Form) -> None:
    assert judge(tiny_built.root, [form]) == Verdict()
    assert form.books == {"tiny"}
    assert len(form.answers[QUESTION]) == 2


def test_what_is_live_must_be_one_of_the_forms_document_by_document(tiny_built: Home, form: Form) -> None:
    (name,) = form.documents
    other = replace(form, snapshot="0" * 16, documents={name: "another", "lost/01.md": "all of it"})
    result = judge(tiny_built.root, [other])
    assert [name] == list(result.half_documents)
    assert result.lost_books == ("lost",)
    assert "none of" in result.broken[0]
    assert judge(tiny_built.root, [other, form]) == Verdict(), "it is wholly the other one"


def test_another_answer_is_a_wrong_one(tiny_built: Home, form: Form) -> None:
    result = judge(tiny_built.root, [replace(form, answers={QUESTION: form.answers[QUESTION][::-1]})])
    assert result.sentences == (f"another answer to {QUESTION!r}",)


def test_damage_is_seen_in_what_is_live_and_in_what_is_not(tiny: Home, form: Form) -> None:
    half = tiny.root / "snapshots" / ("f" * 16)
    half.mkdir()
    assert "manifest.json" in judge(tiny.root, [form]).broken[0], "half a snapshot that is not live"
    half.rmdir()
    words = snapshot_folder(tiny.root, str(live_id(tiny.root))) / "rarity.npy"
    words.write_bytes(words.read_bytes()[:-1])
    assert "rarity.npy" in judge(tiny.root, [form]).broken[0]
    (tiny.root / POINTER).write_text("f" * 16)
    assert "live cannot be searched" in judge(tiny.root, [form]).broken[0]
