from pathlib import Path

import pytest

from evals.benchmarks.books import book_set
from retrieval.errors import UnknownNameError
from tools.benchmark.run import LeftOut, lost_gold, measure, require_unique_names
from tools.benchmark.system import SystemLoadError, load_system, markdown_files, why_missing

MINE = """
class Mine:
    name = "mine"
    about = setup = "Nothing."
    packages = ("a-package-that-nobody-has",)
"""


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
    reason = why_missing(["a-package-that-nobody-has"])
    assert reason is not None
    assert "not installed: a-package-that-nobody-has" in reason
    assert measured.left_out == (LeftOut(f"{file}:Mine", "wordllama", "harbours", reason),)
    assert measured.outcomes == measured.cards == ()


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
