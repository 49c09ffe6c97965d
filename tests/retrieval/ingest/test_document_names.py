"""Which files are documents, by their names."""

from pathlib import Path

import pytest

from retrieval.ingest.document_names import is_json_lines, is_markdown, stem_of


@pytest.mark.parametrize(
    ("name", "expected"), [("a.md", True), ("A.MDX", True), ("a.markdown", True), ("a.md.txt", False), ("md", False)]
)
def test_markdown_is_known_by_the_ending_of_its_name(name: str, expected: bool) -> None:
    assert is_markdown(Path(name)) is expected


def test_a_file_of_json_lines_is_a_file_and_no_folder(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").touch()
    (tmp_path / "b.jsonl").mkdir()
    assert is_json_lines(tmp_path / "a.jsonl.gz")
    assert not is_json_lines(tmp_path / "b.jsonl")


@pytest.mark.parametrize("name", ["tariffs.jsonl", "tariffs.jsonl.gz", "tariffs"])
def test_the_stem_has_no_ending(name: str) -> None:
    assert stem_of(Path(name)) == "tariffs"
