import pytest

from retrieval.errors import LibraryError
from retrieval.home import Home
from retrieval.language.vocabulary import Vocabulary
from retrieval.settings import Settings


def home(tmp_path):
    return Home(tmp_path / "home", Settings(library=tmp_path))


def test_a_library_without_words_of_its_own_has_the_generic_ones(tmp_path):
    assert home(tmp_path).vocabulary is Vocabulary.default()


def test_a_librarys_words_come_over_the_generic_ones(tmp_path):
    file = tmp_path / "vocabulary.toml"
    file.write_text('[labels.thaco]\nforms = ["to hit armor class zero"]\n', encoding="utf-8")
    words = home(tmp_path).vocabulary

    assert words.label("to hit armor class zero").name == "thaco"
    assert words.label("armour class").name == "ac"
    assert home(tmp_path).vocabulary is words


def test_a_broken_file_is_named(tmp_path):
    (tmp_path / "vocabulary.toml").write_text("labels = 3", encoding="utf-8")

    with pytest.raises(LibraryError, match=r"vocabulary\.toml"):
        _ = home(tmp_path).vocabulary
