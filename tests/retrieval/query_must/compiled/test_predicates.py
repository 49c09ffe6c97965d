"""The compiled index holds what the plain meaning holds, on every input."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.errors import IndexCorruptError
from retrieval.query_must import (
    CompiledPredicates,
    Operator,
    Vocabulary,
    canonical,
    register_operator,
    satisfies_query_must,
    unregister_operator,
)
from retrieval.query_must.operators import Group, Range, Term

WORDS = ["cleric", "Clerics", "psionic blast", "AC 6", "armour class -2", "level 7", "7th level", "int", "6", "12"]
WORDS += ["1/4", "2d6", "", "ac 3-5", "AC-2", "level 7 or higher", "hp", "6.0", "—", "½", "ẞ", "٣", "日本", "level 13+"]
WORDS += ["levels 1-3 wizard"]
WORDS += [
    "ac 3-5",
    "AC-2",
    "level 7 or higher",
    "hp",
    "6.0",
    "—",
    "½",
    "ẞ",
    "٣",
    "日本",
    "level 13+",
    "levels 1-3 wizard",
]
HUGE = 10**400
TERMS = st.sampled_from(WORDS) | st.text(max_size=6) | st.integers(-3, 13) | st.just(HUGE)
NUMBERS = st.integers(-3, 15) | st.sampled_from([0.25, 6.5, 1e30, HUGE, -HUGE])
LABELS = st.lists(
    st.sampled_from(["ac", "armor class", "level", "Intelligence", "spell level", "nonsense", "", "—"]),
    min_size=1,
    max_size=2,
)
RANGES = st.fixed_dictionaries({}, optional={"min": NUMBERS, "max": NUMBERS, "of": LABELS})
OPERATIONS = st.fixed_dictionaries(
    {},
    optional={
        "contain_one_of": st.lists(st.lists(TERMS, max_size=3), max_size=3),
        "contain_all_of": st.lists(TERMS, max_size=3),
        "contain": TERMS,
        "contain_range": RANGES,
        "unheard_of": TERMS,
    },
)
PREDICATES = st.none() | OPERATIONS.map(json.dumps) | st.lists(st.lists(TERMS, max_size=2), max_size=2).map(json.dumps)
QUESTIONS = st.lists(st.sampled_from([*WORDS, "and", "of", ",", "spell level 3", "AC 1 to 8"]), max_size=8).map(
    " ".join
)
QUESTIONS |= st.text(max_size=30)


def plain(question, predicates):
    query = canonical(question)
    return [n for n, text in enumerate(predicates) if text is not None and satisfies_query_must(query, text)]


@settings(max_examples=400)
@given(st.lists(PREDICATES | st.sampled_from(["no json", "3", '["flat"]']), max_size=8), QUESTIONS)
def test_it_admits_what_the_plain_meaning_admits(predicates, question):
    compiled = CompiledPredicates.build(predicates)
    assert compiled.admitted(question).tolist() == plain(question, predicates)
    assert compiled.guarded.tolist() == [text is not None for text in predicates]


OPERANDS = {
    "contain_one_of": st.lists(st.lists(TERMS, max_size=3), max_size=3),
    "contain_all_of": st.lists(TERMS, max_size=3),
    "contain": TERMS,
    "contain_range": RANGES,
}


@pytest.mark.parametrize("name", OPERANDS)
@settings(max_examples=100)
@given(data=st.data())
def test_each_operator_alone_agrees(name, data):
    predicates = [json.dumps({name: value}) for value in data.draw(st.lists(OPERANDS[name], max_size=6))]
    question = data.draw(QUESTIONS)
    assert CompiledPredicates.build(predicates).admitted(question).tolist() == plain(question, predicates)


@pytest.fixture
def starts_with():
    operator = Operator("starts_with", lambda value: None, lambda q, value: q.tokens[:1] == (str(value),))
    register_operator(operator)
    yield
    unregister_operator("starts_with")


@pytest.fixture
def never():
    # A compiled operator from outside, whose one group has no atom and so never holds.
    def groups(value, vocabulary):
        return (Group((), value),) if value else (Group((Term("cleric"),), value),)

    register_operator(Operator("never", lambda value: None, lambda q, value: not value and q.has("cleric"), groups))
    yield
    unregister_operator("never")


@pytest.mark.usefixtures("starts_with", "never")
def test_operators_from_outside_agree():
    predicates = [
        json.dumps({"starts_with": "cleric"}),
        json.dumps({"starts_with": "cleric", "contain": "ac 6"}),
        json.dumps({"contain": "ac 6"}),
        json.dumps({"never": True}),
        json.dumps({"never": False}),
        None,
    ]
    compiled = CompiledPredicates.build(predicates)
    for question in ("cleric ac 6", "ac 6 cleric", "cleric", "", "fighter"):
        assert compiled.admitted(question).tolist() == plain(question, predicates)


def test_an_operator_that_is_registered_later_is_obeyed(request):
    predicates = [json.dumps({"starts_with": "cleric"}), None]
    compiled = CompiledPredicates.build(predicates)
    assert compiled.admitted("fighter").tolist() == [0]
    request.getfixturevalue("starts_with")
    assert compiled.admitted("fighter").tolist() == []
    assert compiled.admitted("cleric").tolist() == [0]


def test_an_empty_label_of_a_foreign_operator_is_no_free_number():
    def groups(value, vocabulary):
        return (Group((Range(1, 9, ("", "ac")),), value),)

    register_operator(
        Operator("near", lambda value: None, lambda question, value: Range(1, 9, ("", "ac")).holds(question), groups)
    )
    try:
        predicates = ['{"near": true}']
        compiled = CompiledPredicates.build(predicates)
        assert compiled.admitted("the 5 orcs").tolist() == plain("the 5 orcs", predicates) == []
        assert compiled.admitted("AC 5").tolist() == plain("AC 5", predicates) == [0]
    finally:
        unregister_operator("near")


ROWS = [
    json.dumps({"contain_one_of": [["cleric", "druid"], [f"ac {n}", f"armor class {n}"]]}) if n % 3 else None
    for n in range(-5, 12)
]
NAMES = [[f"armour class {n}", "attack matrix", "6" if n == 6 else "", "attack matrix"] for n in range(-5, 12)]


def test_it_survives_the_disk(tmp_path):
    library = Vocabulary.default().merge(
        Vocabulary.from_json({"labels": {"ac": {"negative": True, "better": "lower"}}})
    )
    built = CompiledPredicates.build(ROWS, NAMES, library)
    built.save(tmp_path / "predicates")
    read = CompiledPredicates.load(tmp_path / "predicates")
    assert len(read) == len(ROWS)
    for question in ("druid against AC 4 or better", "cleric AC -2 to 8", "attack matrix", "6 clerics", ""):
        assert read.admitted(question).tolist() == built.admitted(question).tolist()
        before, after = built.named(question), read.named(question)
        assert after.positions.tolist() == before.positions.tolist()
        assert after.weights.tolist() == before.weights.tolist()
    assert read.admitted("druid against AC 4 or better").tolist() == [
        n for n, row in enumerate(ROWS) if row and n - 5 <= 4
    ]


def test_a_default_vocabulary_is_the_same_object_after_loading(tmp_path):
    CompiledPredicates.build(ROWS).save(tmp_path)
    assert CompiledPredicates.load(tmp_path).vocabulary is Vocabulary.default()


def test_nothing_on_disk_is_pickled(tmp_path):
    CompiledPredicates.build(ROWS, NAMES).save(tmp_path)
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        assert path.suffix in (".npy", ".json")
        if path.suffix == ".npy":
            assert np.load(path, allow_pickle=False).dtype != object


def misspell_a_bound(folder):
    words = json.loads((folder / "vocabulary.json").read_text(encoding="utf-8"))
    words["bounds"]["before"]["at least"] = "bettr"
    (folder / "vocabulary.json").write_text(json.dumps(words), encoding="utf-8")


def array_of(length, *place):
    return lambda folder: np.save(folder.joinpath(*place), np.zeros(length, np.int64))


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "vocabulary.json").write_text("{", encoding="utf-8"),
        misspell_a_bound,
        lambda folder: (folder / "guarded.npy").unlink(),
        array_of(1, "_groups_of_atom.npy"),
        array_of(1, "_atoms", "numbers.npy"),
        array_of(1, "_names", "atoms.npy"),
        array_of(7, "_atoms", "ranges", "low_ids.npy"),
    ],
    ids=["no JSON", "vocabulary", "no array", "groups", "terms", "names", "ranges"],
)
def test_a_damaged_folder_is_refused(tmp_path, damage):
    CompiledPredicates.build(ROWS, NAMES).save(tmp_path)
    damage(tmp_path)
    with pytest.raises(IndexCorruptError, match="build the index again"):
        CompiledPredicates.load(tmp_path)


def test_named_rows_carry_weights():
    compiled = CompiledPredicates.build([None] * len(NAMES), NAMES)
    named = compiled.named("attack matrix, armor class 6")
    assert named.positions.tolist() == list(range(len(NAMES)))
    at = 6 + 5
    everybody, one = np.log(2), np.log(1 + len(NAMES))
    assert named.weights[0] == pytest.approx(everybody)
    assert named.weights[at] == pytest.approx(everybody + 2 * one)


def test_nothing_named_is_empty():
    named = CompiledPredicates.build([None], [["cleric"]]).named("dragon")
    assert named.positions.tolist() == named.weights.tolist() == []
    assert CompiledPredicates.build([]).named("dragon").positions.tolist() == []
    assert CompiledPredicates.build([]).admitted("dragon").tolist() == []


@given(st.lists(st.lists(TERMS.map(str), max_size=3), max_size=6), QUESTIONS)
def test_names_are_said_as_terms_are(names, question):
    query = canonical(question)
    named = CompiledPredicates.build([None] * len(names), names).named(query)
    expected = [n for n, row in enumerate(names) if any(query.has(name) for name in row)]
    assert named.positions.tolist() == expected
