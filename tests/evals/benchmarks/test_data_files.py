import gzip
from pathlib import Path

import pytest

from evals.benchmarks.data_files import (
    BenchmarkDataError,
    benchmark_folder,
    data_file,
    digest_of,
    read_records,
    stems,
)


def test_a_missing_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkDataError, match="nowhere is not a folder; name the folder") as caught:
        benchmark_folder(tmp_path / "nowhere")
    assert "\n" not in str(caught.value)


def test_a_missing_file_names_those_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "open.jsonl").write_text("")
    with pytest.raises(BenchmarkDataError, match=r"has no held.jsonl or held.jsonl.gz; it has: open.jsonl"):
        data_file(tmp_path, "held")


@pytest.mark.parametrize("name", ["open.jsonl", "open.jsonl.gz"])
def test_a_file_may_be_compressed_or_not(tmp_path: Path, name: str) -> None:
    content = b'{"a": 1}\n\n{"a": 2}\n'
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert list(read_records(data_file(tmp_path, "open"), lambda record: record["a"])) == [1, 2]


@pytest.mark.parametrize("line", ["{", "[]", '{"b": 1}'])
def test_a_bad_line_is_named_by_its_number(tmp_path: Path, line: str) -> None:
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n' + line + "\n")
    with pytest.raises(BenchmarkDataError, match=r"x\.jsonl:2: not a line of this format"):
        list(read_records(tmp_path / "x.jsonl", lambda record: record["a"]))


def test_a_broken_archive_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl.gz").write_bytes(b"no archive")
    with pytest.raises(BenchmarkDataError, match="cannot be read as UTF-8 lines"):
        list(read_records(tmp_path / "x.jsonl.gz", dict))


def test_stems_are_what_stands_before_the_suffix(tmp_path: Path) -> None:
    for name in ("srd-3.5.open.jsonl", "a.open.jsonl.gz", "a.held.jsonl", "open.jsonl"):
        (tmp_path / name).write_text("")
    assert stems(tmp_path, ".open") == ("a", "srd-3.5")


def test_a_digest_depends_on_names_and_bytes_and_not_on_the_order(tmp_path: Path) -> None:
    for name, content in (("a", "1"), ("b", "2"), ("c", "1")):
        (tmp_path / name).write_text(content)
    a, b, c = (tmp_path / name for name in "abc")
    assert digest_of([a, b]) == digest_of([b, a])
    assert len({digest_of([a]), digest_of([b]), digest_of([c])}) == 3
