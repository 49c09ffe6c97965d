from dataclasses import replace

from retrieval.index.words.telling_headings import telling_paths
from tests.chunks import EMPTY


def told(*paths, book="b"):
    return telling_paths([replace(EMPTY, book=book, heading_path=path) for path in paths])


CLASSES = [("Classes", name, "Progression") for name in ("Fighter", "Thief", "Elf")]


def test_a_heading_that_stands_under_many_tells_less_than_the_one_above_it():
    assert told(*CLASSES) == [("Classes", "Progression", name) for _, name, _ in CLASSES]
    assert told(*CLASSES, ("Classes", "Elf", "progression", "Notes"))[3][-1] == "Notes"


def test_several_such_headings_keep_their_order():
    deep = [(*path, "Table") for path in CLASSES]

    assert told(*deep) == [("Classes", "Progression", "Table", name) for _, name, _ in CLASSES]


def test_a_heading_that_stands_under_two_stays():
    assert told(*CLASSES[:2]) == CLASSES[:2]


def test_another_book_says_nothing_of_a_heading():
    chunks = [replace(EMPTY, book=name, heading_path=path) for name, path in zip("abc", CLASSES, strict=True)]

    assert telling_paths(chunks) == CLASSES


def test_a_table_without_headings_has_none_and_the_outermost_heading_stays():
    assert told((), ("Progression",), *CLASSES)[:2] == [(), ("Progression",)]
    assert told() == []
