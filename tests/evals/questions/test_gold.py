from dataclasses import replace

import pytest

from evals.errors import UnresolvedGoldError
from evals.questions.gold import ChunkPlaces, answers_of, disjoint, resolve, whole_answers
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Anchor, Question


def ask(*anchors, name="q", **given):
    return Question(name, "x", book="b", gold=anchors, **given)


def gold_of(question, chunks):
    return resolve([question], chunks).gold["q"]


def stale_reason(question, chunks, make_chunk):
    """Why the anchor is stale; a second question that resolves keeps the whole from being refused."""
    chunks = [*chunks, make_chunk("fine", book="b", kind="prose", source="a fine line")]
    resolution = resolve([question, ask(Anchor(snippet="fine line"), name="ok")], chunks)
    assert set(resolution.gold) == {"ok"}
    assert resolution.evaluability == 1 / 2
    (finding,) = resolution.stale
    return finding.reason


@pytest.fixture
def twins(make_chunk):
    """The same row in the tables of three classes."""
    return [
        make_chunk(name, source="| 9 | 20 |", row_key="9", heading_path=("Classes", name), caption=f"{name} table")
        for name in ("Fighter", "Paladin", "Ranger")
    ]


def test_a_snippet_that_stands_once_is_gold_whatever_else_is_said_and_however_it_is_spaced(twins):
    anchor = Anchor(snippet="| 9 | 20 |", row_key="8", heading_path=("Elsewhere",), caption="Other")
    assert gold_of(ask(anchor), twins[:1]) == ("Fighter",)
    assert gold_of(ask(Anchor(snippet="|9|  20|", row_key="9")), twins[:1]) == ("Fighter",)


def test_an_exact_caption_wins_over_one_that_holds_it(twins):
    old, young = (replace(twins[0], id=name, caption=name) for name in ("Dragon, Blue, old", "Dragon, Blue"))
    anchor = Anchor(snippet="| 9 | 20 |", row_key="9", caption="Dragon, Blue")
    assert gold_of(ask(anchor), [old, young]) == ("Dragon, Blue",)
    assert gold_of(ask(replace(anchor, caption="Table 3: Dragon, Blue")), [young, twins[0]]) == ("Dragon, Blue",)


def test_twins_are_told_apart_by_line_at_last(twins):
    alike = [replace(chunk, heading_path=("C",), lines=(n, n)) for n, chunk in enumerate(twins, start=10)]
    anchor = Anchor(snippet="| 9 | 20 |", row_key="9", heading_path=("C",), line=11)
    assert gold_of(ask(anchor), alike) == ("Paladin",)
    assert gold_of(ask(replace(anchor, line=99)), alike) == ("Fighter", "Paladin", "Ranger")


def test_equal_chunks_are_all_gold_and_listed(twins):
    resolution = resolve([ask(Anchor(snippet="| 9 | 20 |", row_key="9", heading_path=()))], twins)
    assert resolution.gold["q"] == ("Fighter", "Paladin", "Ranger")
    assert ["is in 3 equal chunks" in finding.reason for finding in resolution.ambiguous] == [True]


def test_twins_without_the_heading_are_stale_and_not_guessed(twins, make_chunk):
    anchor = Anchor(snippet="| 9 | 20 |", row_key="9", heading_path=("Monk",), caption="Monk")
    reason = stale_reason(ask(anchor), twins, make_chunk)
    assert "is in 3 chunks, none of them with heading 'Monk' and caption 'Monk'" in reason


def test_twins_are_told_apart_by_heading_or_caption_whichever_decides(twins):
    assert gold_of(ask(Anchor(snippet="| 9 | 20 |", row_key="9", heading_path=("**Paladin**",))), twins) == ("Paladin",)
    under_one = [replace(chunk, heading_path=("Classes",)) for chunk in twins]
    anchor = Anchor(snippet="| 9 | 20 |", row_key="9", heading_path=("Classes",), caption="ranger Table")
    assert gold_of(ask(anchor), under_one) == ("Ranger",)
    anchor = Anchor(snippet="| 9 | 20 |", row_key="9", heading_path=("Renamed",), caption="Ranger table")
    assert gold_of(ask(anchor), twins) == ("Ranger",)


def test_the_gold_of_a_row_is_its_own_chunk_and_never_prose(twins, make_chunk):
    prose = make_chunk("prose", kind="prose", source="intro\n| 9 | 20 |\n| 10 | 19 |")
    assert gold_of(ask(Anchor(snippet="| 9 | 20 |", row_key="9")), [prose, twins[0]]) == ("Fighter",)
    assert "no row or record" in stale_reason(ask(Anchor(snippet="| 9 | 20 |", row_key="9")), [prose], make_chunk)


def test_the_gold_of_a_key_value_pair_is_its_record(make_chunk):
    records = [
        make_chunk(name, kind="record", source="| Frequency: | Rare |\n| Armour Class: | 2 |", caption=name)
        for name in ("Dragon, Blue", "Dragon, Red")
    ]
    anchor = Anchor(snippet="| Armour Class: | 2 |", row_key="Armour Class:", caption="Dragon, Red")
    assert gold_of(ask(anchor), records) == ("Dragon, Red",)


def test_a_row_of_a_listing_and_the_passage_that_holds_it_are_one_answer(make_chunk):
    listing = "```\na: 1\n# The first of them.\nb: 2\n```"
    passage = make_chunk("passage", source=listing, kind="prose", lines=(3, 7))
    row = make_chunk("row", source="# The first of them.\nb: 2", row_key="b", lines=(5, 6))
    elsewhere = replace(row, id="elsewhere", lines=(15, 16))
    resolution = resolve([ask(Anchor(snippet="b: 2"))], [passage, row, elsewhere])
    assert resolution.gold == {"q": ("passage", "row")}
    assert resolution.groups == {"q": (("passage", "row"),)}
    assert not resolution.ambiguous
    assert gold_of(ask(Anchor(snippet="b: 2", row_key="b")), [passage, row]) == ("row",)


def test_a_snippet_does_not_reach_over_two_chunks(make_chunk):
    halves = [make_chunk(name, kind="prose", source=name) for name in ("the fog", "lifts at noon")]
    assert "is found nowhere" in stale_reason(ask(Anchor(snippet="fog lifts")), halves, make_chunk)


def test_parts_of_a_row_and_pairs_side_by_side_are_told_apart_by_row_key_and_keys(make_chunk):
    rows = [make_chunk(key, source=f"| {key} | 20 | 19 |", row_key=key) for key in ("8", "9")]
    assert gold_of(ask(Anchor(snippet="| 20 | 19 |", row_key="9")), rows) == ("9",)
    halves = [make_chunk(key, source="| 1 | 200 | 11 | 7,200 |", row_key=key, lines=(5, 5)) for key in ("1", "11")]
    anchor = Anchor(snippet="| 1 | 200 | 11 | 7,200 |", row_key="1")
    assert gold_of(ask(anchor, keys={"cr": "11"}), halves) == ("11",)
    assert gold_of(ask(anchor), halves) == ("1",)
    halves = [make_chunk(key, source="| Net | 4 | Rope, silk | 9 |", row_key=key) for key in ("Net", "Rope, silk")]
    anchor = Anchor(snippet="| Net | 4 | Rope, silk | 9 |", row_key="Net")
    assert gold_of(ask(anchor, keys={"item": "rope", "column": "Cost"}), halves) == ("Rope, silk",)
    drums = [
        make_chunk(key, source="| 37 | Stick | | 69 | Drum |", row_key=key, columns=("#", "Name"), cells=(key, name))
        for key, name in (("37", "Stick"), ("69", "Drum"))
    ]
    anchor = Anchor(snippet="| 37 | Stick | | 69 | Drum |", row_key="Drum")
    assert gold_of(ask(anchor), drums) == ("69",)
    assert gold_of(ask(replace(anchor, row_key="Percussion"), answer="37"), drums) == ("37",)


def test_without_a_snippet_heading_caption_and_key_must_hold(twins, make_chunk):
    anchor = Anchor(heading_path=("Ranger",), row_key="9")
    assert gold_of(ask(anchor), twins) == ("Ranger",)
    assert "none of them with heading" in stale_reason(ask(replace(anchor, heading_path=("Monk",))), twins, make_chunk)


def test_the_gold_of_prose_is_what_holds_its_beginning_or_is_right_under_its_heading(twins, make_chunk):
    prose = make_chunk("p", kind="prose", source="Fog obscures\nall sight beyond 5 feet. It lifts at noon.")
    assert gold_of(ask(Anchor(snippet="Fog obscures all sight bey")), [*twins, prose]) == ("p",)
    prose = make_chunk("p", kind="prose", heading_path=("Classes", "Fighter"))
    assert gold_of(ask(Anchor(heading_path=("Fighter",))), [*twins, prose]) == ("p",)


def test_another_book_is_not_searched(twins, make_chunk):
    elsewhere = [replace(twins[0], book="c")]
    assert "no chunk of book 'z'; available: b, c" in stale_reason(
        ask(Anchor("z", snippet="| 9 | 20 |")), elsewhere, make_chunk
    )
    assert "is found nowhere" in stale_reason(ask(Anchor("b", snippet="| 9 | 20 |")), elsewhere, make_chunk)
    anywhere = Question("q", "x", gold=(Anchor(snippet="| 9 | 20 |"),))
    assert gold_of(anywhere, elsewhere) == ("Fighter",)


def test_questions_without_gold_do_not_count(twins):
    resolution = resolve([Question("none", "x"), ask(Anchor(snippet="| 9 | 20 |"))], twins[:1])
    assert (resolution.questions_with_gold, resolution.evaluability) == (1, 1.0)
    assert resolve([Question("none", "x")], twins).evaluability is None


def test_questions_about_another_library_are_refused_with_reasons(twins):
    with pytest.raises(
        UnresolvedGoldError, match=r"none of 1 questions .* 3 chunks of b(.|\n)*'gone' is found nowhere"
    ):
        resolve([ask(Anchor(snippet="gone"))], twins)
    with pytest.raises(UnresolvedGoldError, match="0 chunks of no book"):
        resolve([ask(Anchor(snippet="gone"))], [])


def any_of(*anchors, number=0):
    return tuple(replace(anchor, group=number) for anchor in anchors)


def test_a_group_is_one_answer_of_all_that_its_anchors_find(twins):
    fighter, ranger = (Anchor(snippet="| 9 | 20 |", heading_path=(name,)) for name in ("Fighter", "Ranger"))
    resolution = resolve([ask(*any_of(fighter, ranger))], twins)
    assert resolution.gold["q"] == ("Fighter", "Ranger")
    assert resolution.groups["q"] == (("Fighter", "Ranger"),)
    assert "q" not in resolve([ask(fighter, ranger)], twins).groups
    resolution = resolve([ask(*any_of(Anchor(snippet="| 9 | 20 |")))], twins)
    assert resolution.groups["q"] == (("Fighter", "Paladin", "Ranger"),)
    assert resolution.ambiguous == ()


def test_a_group_resolves_if_one_anchor_does_and_the_stale_one_is_named(twins):
    gone = Anchor(snippet="gone")
    resolution = resolve([ask(*any_of(gone, Anchor(snippet="| 9 | 20 |")))], twins[:1])
    assert resolution.gold == {"q": ("Fighter",)}
    assert resolution.evaluability == 1
    assert [finding.reason for finding in resolution.stale] == ["snippet 'gone' is found nowhere"]


def test_one_stale_anchor_or_group_beside_others_leaves_the_question_without_gold(twins, make_chunk):
    result, lost = Anchor(snippet="| 9 | 20 |", heading_path=("Ranger",)), Anchor(snippet="gone")
    assert "snippet 'gone' is found nowhere" in stale_reason(ask(result, lost), twins, make_chunk)
    kept = Anchor(snippet="| 9 | 20 |")
    assert "'gone' is found nowhere" in stale_reason(
        ask(kept, *any_of(Anchor(snippet="gone"), number=1)), twins, make_chunk
    )
    kept = any_of(Anchor(snippet="| 9 | 20 |"))
    assert "'gone' is found nowhere" in stale_reason(ask(*kept, Anchor(snippet="gone")), twins, make_chunk)


def test_a_document_is_the_chunk_that_covers_its_line_looked_for_in_its_own_book(make_chunk):
    parts = [make_chunk(str(n), kind="prose", document="pep.md", lines=(n, n + 9)) for n in (1, 11)]
    assert gold_of(ask(Anchor(document="pep.md", line=12)), parts) == ("11",)
    assert gold_of(ask(Anchor(document="pep.md")), parts) == ("1", "11")
    rows = [make_chunk(book, book=book, source="| 6 | 10 |", row_key="6") for book in ("b", "c")]
    anchor = Anchor("c", document="d.md", row_key="6")
    assert gold_of(ask(anchor), rows) == ("c",)


def test_a_line_of_a_table_within_prose_is_its_row(make_chunk):
    around = make_chunk("around", kind="prose", document="pep.md", lines=(10, 40))
    rows = [make_chunk(str(n), document="pep.md", lines=(n, n), row_key=str(n)) for n in (20, 21)]
    assert gold_of(ask(Anchor(document="pep.md", line=21)), [around, *rows]) == ("21",)
    assert gold_of(ask(Anchor(document="pep.md", line=12)), [around, *rows]) == ("around",)


def test_groups_that_share_a_chunk_are_one_answer_that_stands_under_its_first():
    assert disjoint([("a", "b"), ("c", "d"), ("b", "c", "e"), ("f", "g")]) == (("a", "b", "c", "d", "e"), ("f", "g"))
    assert disjoint([("a", "a"), ("b",)]) == ()
    assert answers_of((("a", "b"), ("c", "d"))) == {"a": "a", "b": "a", "c": "c", "d": "c"}


def test_a_group_is_lost_once_and_only_if_nothing_of_it_is_left():
    groups = (("b", "a", "x"), ("c", "d"))
    assert whole_answers(["b", "a", "c", "p"], groups, left=["d"]) == ("a", "p")
    assert whole_answers(["p"], groups, left=[]) == ("p",)


def test_a_question_may_name_a_book_by_its_folder(make_chunk):
    chunks = [make_chunk("g", book="tide-tables", kind="prose", source="High water at noon.")]
    question = Question("q", "x", book="Tide Tables", gold=(Anchor("_Tide Tables", snippet="noon"),))
    question_set = QuestionSet.of("set", "people", [question], chunks)
    assert question_set.questions == (replace(question, book="tide-tables"),)
    assert question_set.gold(question) == gold_of(question, chunks) == ("g",)


def test_a_book_that_is_not_here_keeps_its_name(make_chunk):
    places = ChunkPlaces([make_chunk("g", book="tide-tables")])
    assert [places.slug_of(book) for book in ("***", "Moon Tables", None)] == ["***", "Moon Tables", None]
