import json

import pytest

from retrieval.errors import LibraryError
from retrieval.query_must import Vocabulary, canonical, load_vocabulary


def test_the_default_is_read_once():
    assert Vocabulary.default() is Vocabulary.default()


def test_a_vocabulary_survives_json():
    default = Vocabulary.default()
    again = Vocabulary.from_json(json.loads(json.dumps(default.to_json())))
    assert again.to_json() == default.to_json()
    assert canonical("levels 1-3 or better", again).tokens == canonical("levels 1-3 or better").tokens


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("armour classes", "ac"),
        ("A.C.", "ac"),
        ("Hit Dice", "hd"),
        ("STR", "str"),
        ("intelligence", "int"),
        ("levels", "level"),
    ],
)
def test_a_label_answers_to_all_its_forms(text, name):
    label = Vocabulary.default().label(text)
    assert label.name == name


@pytest.mark.parametrize("text", ["", "armor", "armor class 6", "level of", "dragon"])
def test_other_texts_are_no_label(text):
    assert Vocabulary.default().label(text) is None


def test_a_library_file_is_merged_over_the_default(tmp_path):
    path = tmp_path / "vocabulary.toml"
    path.write_text(
        '[labels.ac]\nforms = ["defence value"]\nbetter = "lower"\n[labels.valve]\n'
        '[aliases]\nlorry = "truck"\n[words]\ncounted_nouns = ["bugbear"]\n[plurals]\nkine = "cow"\n',
        encoding="utf-8",
    )
    library = load_vocabulary(path)
    assert canonical("defence value 6 of two bugbears", library).has("armour class 6")
    assert canonical("six bugbears", library).has("6 bugbear")
    assert canonical("valve 12", library).bound["valve"] == (12,)
    assert canonical("a lorry full of kine", library).has("truck")
    assert canonical("kine", library).has("cow")
    label = library.label("ac")
    assert (label.better, label.written) == ("lower", "Armor Class")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("labels = 3", "labels is 3"),
        ("[labels.x]\nbeter = 'higher'", "beter"),
        ("[labels.x]\nbetter = 'up'", "better is 'up'"),
        ("[labels.x]\nwritten = 3", "written is 3"),
        ("[labels]\nx = 3", "labels.x is 3"),
        ("[words]\nunits = 'foot'", "words.units"),
        ("[words]\nunit = ['foot']", "unit"),
        ("[lables.x]", "lables"),
        ("[aliases]\nlorry = 3", "aliases.lorry is 3"),
        ("[numbers.cardinals]\ndozen = 'twelve'", "cardinals.dozen"),
        ("[labels", "cannot be read"),
        ("[labels.thac0]", "labels.thac0: 'thac0' has a digit"),
        ("[labels.x]\nforms = ['x 2']", "labels.x: 'x 2' has a digit"),
        ("[labels.x]\nforms = ['d%']", "labels.x: 'd%' has a digit or a die"),
        ("[labels.x]\nforms = ['.']", r"labels.x: '\.' has no letter"),
        ("[labels.x]\nforms = ['']", "labels.x: forms has '', which no text can contain"),
        ("[labels.'']", "labels.: '' has no letter"),
        ("[aliases]\nmk2 = 'mark two'", "aliases.mk2: 'mk2' has a digit"),
        ("[aliases]\nlorry = ''", "aliases.lorry: '' has no letter"),
        ("[plurals]\nkine = ''", "plurals.kine: '' has no letter"),
        ("[words]\nbridges = ['of', ' ']", "words.bridges has ' ', which no text can contain"),
        ("[bounds.before]\n'' = 'better'", "bounds.before has '', which no text can contain"),
        ("[bounds.after]\n'~' = 'better'", "bounds.after has '~', which no text can contain"),
        (
            "[bounds.before]\n'at minimum' = 'bettr'",
            "bounds.before: 'at minimum' has the direction 'bettr'; write one of better",
        ),
        ("[bounds.after]\n'or so' = ''", "bounds.after: 'or so' has the direction ''; write one of better"),
    ],
)
def test_a_file_that_is_wrong_is_refused_in_words(tmp_path, text, complaint):
    path = tmp_path / "vocabulary.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LibraryError, match=complaint):
        load_vocabulary(path)


def test_a_bound_is_found_however_it_is_written():
    library = Vocabulary.default().merge(
        Vocabulary.from_json({"bounds": {"before": {"At Minimum": "better", ">=": "higher"}}})
    )
    for question in ("at minimum level 7", "level >= 7"):
        assert canonical(question, library).has("level 9")
        assert not canonical(question, library).has("level 6")


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(LibraryError, match=r"none\.toml"):
        load_vocabulary(tmp_path / "none.toml")


def test_an_alias_may_name_a_label():
    library = Vocabulary.default().merge(Vocabulary.from_json({"aliases": {"protection": "ac"}}))
    assert canonical("protection 6", library).has("ac 6")
