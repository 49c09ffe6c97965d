import re
from pathlib import Path

import pytest

from retrieval.errors import RetrievalError, UnknownNameError
from tools.benchmark.run import LeftOut, lost_gold, measure, require_unique_names, require_unique_systems
from tools.benchmark.system import SystemLoadError, load_system, markdown_files
from tools.corpora.books import book_set

MINE = """
class Mine:
    name = "mine"
    about = setup = "Nothing."
    packages = ("a-package-that-nobody-has",)

    def index(self, book, folder, embedder):
        pass

    def search(self, question, k):
        return RESULT
"""


def own_system(folder: Path, result: str) -> str:
    """The name of a system whose search returns this expression."""
    file = folder / "mine.py"
    code = MINE.replace("RESULT", result).replace('"a-package-that-nobody-has",', "")
    file.write_text(f"from tools.benchmark.system import Passage\n{code}")
    return f"{file}:Mine"


def test_a_system_of_ones_own_is_a_class_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    assert load_system(f"{file}:Mine").name == "mine"
    with pytest.raises(SystemLoadError, match="no class 'Other'"):
        load_system(f"{file}:Other")
    with pytest.raises(SystemLoadError, match="not a file of Python"):
        load_system(f"{tmp_path}/none.py:Mine")
    with pytest.raises(UnknownNameError, match=r"FILE\.py:Class, bm25"):
        load_system("none")


def test_a_system_without_its_packages_is_left_out_with_the_reason(tmp_path: Path, books: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    measured = measure([books], [f"{file}:Mine"], ["wordllama"], lambda *_: None)
    reason = "not installed: a-package-that-nobody-has; run: pip install a-package-that-nobody-has"
    assert measured.left_out == (LeftOut(f"{file}:Mine", "wordllama", "harbours", reason),)
    assert measured.outcomes == measured.cards == ()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("name = 'mine'", "has no about, setup, packages, index, search"),
        ("1 / 0", r"ZeroDivisionError.*mine.py, line 2"),
    ],
)
def test_a_class_that_cannot_be_used_is_refused_with_the_reason(tmp_path: Path, line: str, reason: str) -> None:
    (tmp_path / "mine.py").write_text(f"class Mine:\n    {line}\n")
    with pytest.raises(SystemLoadError, match=reason):
        load_system(f"{tmp_path / 'mine.py'}:Mine")


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ("['fee']", "TypeError: search returned str, not tools.benchmark.system.Passage"),
        ("[Passage('fee', 'saltmere/fees.md')]", "a passage is of 'saltmere/fees.md', which is no file in saltmere"),
        ("question / 2", r"unsupported operand .*mine\.py, line 12\)"),
    ],
)
def test_a_system_that_fails_is_left_out_with_what_it_did_and_where(
    tmp_path: Path, books: Path, result: str, reason: str
) -> None:
    measured = measure([books], [own_system(tmp_path, result)], ["wordllama"], lambda *_: None)
    (left_out,) = measured.left_out
    assert re.search(reason, left_out.reason)
    assert "Traceback" not in left_out.reason


def test_hits_beyond_those_that_were_asked_for_do_not_count(tmp_path: Path, books: Path) -> None:
    name = own_system(tmp_path, "[Passage('nothing')] * k + [Passage('| 2 | 4 m | 1,020 |')]")
    (outcome,) = measure([books], [name], ["wordllama"], lambda *_: None).outcomes
    assert {question.rank for question in outcome.questions} == {None}


def test_two_systems_need_two_names(tmp_path: Path) -> None:
    assert require_unique_systems(["fts5", own_system(tmp_path, "[]")]) == ("fts5", "mine")
    with pytest.raises(RetrievalError, match="two systems are called 'fts5'"):
        require_unique_systems(["fts5", "fts5"])


def test_a_system_without_its_packages_does_not_fill_its_place_in_a_section(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    assert require_unique_systems(["fts5", f"{tmp_path / 'mine.py'}:Mine"]) == ("fts5",)


def test_two_folders_need_two_names(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="two folders have one name"):
        require_unique_names([tmp_path / "a" / "books", tmp_path / "b" / "books"])


def test_gold_that_does_not_stand_in_its_book_is_told(books: Path) -> None:
    assert list(lost_gold(book_set(books))) == []
    file = books / "saltmere" / "fees.md"
    file.write_text(file.read_text("utf-8").replace("1,020", "1,021"), "utf-8")
    assert [sentence.split(":")[0] for sentence in lost_gold(book_set(books))] == ["row", "two"]


def test_the_files_of_a_book_come_in_order(books: Path) -> None:
    (books / "saltmere" / "a.md").write_text("A")
    assert [path for path, _ in markdown_files(books / "saltmere")] == ["a.md", "fees.md"]
