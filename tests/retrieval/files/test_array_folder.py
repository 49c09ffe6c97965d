from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pytest

from retrieval.errors import IndexCorruptError
from retrieval.files.array_folder import load_arrays, save_arrays
from retrieval.files.arrays import RaggedArray


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    numbers: npt.NDArray[np.int32]
    by_length: dict[int, str]


@dataclass(frozen=True, slots=True, eq=False)
class Shelf:
    size: int
    titles: tuple[str, ...]
    pages: RaggedArray[np.int16]
    words: Words
    remembered: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.size != len(self.titles):
            raise ValueError(f"{self.size} books, {len(self.titles)} titles")


def shelf(size: int = 2) -> Shelf:
    words = Words(np.array([3, 1], np.int32), {4: "日本"})
    return Shelf(size, ("Axe", "Bow")[:size], RaggedArray.build([[1, 2], []], np.int16), words, {"axe": 0})


def files(folder):
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}


def test_a_field_is_a_file_and_a_dataclass_a_folder(tmp_path):
    save_arrays(tmp_path / "shelf", shelf())
    assert set(files(tmp_path / "shelf")) == {
        "size.json", "titles.json", "pages.npy", "pages.starts.npy", "words/numbers.npy", "words/by_length.json",
    }  # fmt: skip


def test_what_is_saved_is_loaded_and_what_has_a_default_is_not_kept(tmp_path):
    save_arrays(tmp_path, shelf())
    loaded = load_arrays(tmp_path, Shelf)
    assert (loaded.size, loaded.titles, loaded.words.by_length) == (2, ("Axe", "Bow"), {4: "日本"})
    assert [pages.tolist() for pages in loaded.pages] == [[1, 2], []]
    assert loaded.words.numbers.tolist() == [3, 1]
    assert loaded.remembered == {}


def test_arrays_are_mapped_and_cannot_be_written(tmp_path):
    save_arrays(tmp_path, shelf())
    numbers = load_arrays(tmp_path, Shelf).words.numbers
    assert isinstance(numbers.base, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        numbers[0] = 1


@pytest.mark.parametrize("name", sorted(["size.json", "titles.json", "pages.npy", "words/numbers.npy"]))
@pytest.mark.parametrize("content", [None, b"", b"{", b"\x93NUMPY"])
def test_a_file_that_is_missing_or_damaged_is_named(tmp_path, name, content):
    save_arrays(tmp_path, shelf())
    files(tmp_path)[name].unlink() if content is None else files(tmp_path)[name].write_bytes(content)
    with pytest.raises(IndexCorruptError, match=rf"{name.rsplit('/', 1)[-1]}.*; build the index again"):
        load_arrays(tmp_path, Shelf)


def test_another_type_is_refused(tmp_path):
    save_arrays(tmp_path, shelf())
    np.save(tmp_path / "words" / "numbers.npy", np.array([3, 1], np.int64))
    with pytest.raises(IndexCorruptError, match=r"numbers\.npy holds int64, not int32"):
        load_arrays(tmp_path, Shelf)


def test_fields_that_do_not_fit_each_other_are_refused(tmp_path):
    save_arrays(tmp_path, shelf())
    (tmp_path / "size.json").write_text("3")
    with pytest.raises(IndexCorruptError, match="3 books, 2 titles; build the index again"):
        load_arrays(tmp_path, Shelf)
