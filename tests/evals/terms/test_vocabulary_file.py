from pathlib import Path

import pytest

from evals.terms.vocabulary_file import add_alias, with_alias
from retrieval.errors import LibraryError
from retrieval.query_must.vocabulary.vocabulary import Vocabulary, load_vocabulary


@pytest.mark.parametrize(
    "before",
    [
        "",
        "# mine\n[labels.ac]\nforms = ['panzer']\n",
        "[aliases]  # what we say\nwoods = 'forest'\n\n[words]\nunits = ['ell']\n",
    ],
)
def test_what_its_owner_wrote_stays_and_the_alias_counts(tmp_path: Path, before: str) -> None:
    path = tmp_path / "vocabulary.toml"
    path.write_text(before)
    add_alias(path, "long-sword", "long sword")
    text = path.read_text("utf-8")
    assert load_vocabulary(path).aliases["long-sword"] == "long sword"
    assert all(line in text.splitlines() for line in before.splitlines())
    assert [each.name for each in tmp_path.iterdir()] == ["vocabulary.toml"]


def test_a_file_that_is_not_there_is_made(tmp_path: Path) -> None:
    add_alias(tmp_path / "vocabulary.toml", "woods", "forest")
    assert (tmp_path / "vocabulary.toml").read_text() == '[aliases]\n"woods" = "forest"\n'


@pytest.mark.parametrize("before", ["aliases = { woods = 'forest' }\n", "aliases.woods = 'forest'\n"])
def test_a_file_that_cannot_take_it_is_left_as_it_is(tmp_path: Path, before: str) -> None:
    path = tmp_path / "vocabulary.toml"
    path.write_text(before)
    with pytest.raises(LibraryError, match='write it there: "bog" = "swamp"'):
        add_alias(path, "bog", "swamp")
    assert path.read_text() == before
    assert [each.name for each in tmp_path.iterdir()] == ["vocabulary.toml"]


def test_a_word_has_one_meaning(tmp_path: Path) -> None:
    add_alias(tmp_path / "vocabulary.toml", "woods", "forest")
    with pytest.raises(LibraryError, match="has an alias 'woods' already"):
        add_alias(tmp_path / "vocabulary.toml", "woods", "wood")


@pytest.mark.parametrize(("word", "means"), [("ac5", "ac"), ("woods", "5"), ("!", "forest")])
def test_what_cannot_be_an_alias_is_refused(word: str, means: str) -> None:
    with pytest.raises(LibraryError):
        with_alias(Vocabulary.default(), word, means)
