import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from pipeline.building import materialization as module
from pipeline.building.materialization import (
    SHOWN,
    BookVerdict,
    LibraryRecords,
    book_verdict,
    content_version,
    held,
    materialized,
)
from retrieval.files.records import read_jsonl, write_jsonl
from retrieval.home import Home
from retrieval.index.embedding.embedding_store import embedding_key
from retrieval.language.vocabulary import Vocabulary, load_vocabulary
from retrieval.query_must.lint import LintFinding
from retrieval.types import Chunk


def test_the_same_content_has_the_same_version_and_its_borders_count() -> None:
    assert content_version(["ab", "c"]) == content_version([b"ab", b"c"])
    assert content_version(["ab", "c"]) != content_version(["a", "bc"])


def test_an_undefined_number_is_reported_as_null_and_keeps_its_key() -> None:
    result = materialized("v", {"mrr": None, "n": 0})
    assert result.metadata is not None
    assert list(result.metadata) == ["mrr", "n"]
    assert result.metadata["mrr"] == dg.MetadataValue.null()
    assert result.metadata["n"] == 0


def test_a_proposition_holds_when_nothing_contradicts_it() -> None:
    assert held([], {}).passed


@pytest.mark.parametrize("count", [1, SHOWN, SHOWN + 3])
def test_a_contradicted_proposition_names_the_first_contradictions_and_counts_all(count: int) -> None:
    result = held([f"row {number}" for number in range(count)], {"n_rows": 9})
    assert not result.passed
    assert result.severity is dg.AssetCheckSeverity.ERROR
    assert str(result.description).startswith("row 0")
    assert ("more" in str(result.description)) == (count > SHOWN)
    assert result.metadata["n_counterexamples"] == dg.MetadataValue.int(count)
    assert result.metadata["n_rows"] == dg.MetadataValue.int(9)
    table = result.metadata["against_it"]
    assert isinstance(table, dg.TableMetadataValue)
    assert [record.data for record in table.records] == [{"against_it": f"row {number}"} for number in range(count)]


def test_a_contradiction_that_is_a_record_is_a_line_with_its_fields() -> None:
    finding = LintFinding("not_strict", "sword", "t1", "no question says so")
    table = (held([finding, replace(finding, id="mace")], {}).metadata or {})["against_it"]
    assert isinstance(table, dg.TableMetadataValue)
    assert [column.name for column in table.schema.columns] == ["rule", "id", "table_id", "message"]
    assert [record.data["id"] for record in table.records] == ["sword", "mace"]


def test_the_books_are_put_together_in_the_order_of_ids(tiny_built: Home, tmp_path: Path) -> None:
    chunks = read_jsonl(tiny_built.book("tiny") / "chunks.jsonl", Chunk)
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, part in zip(folders, (chunks[1:], chunks[:1]), strict=True):
        folder.mkdir()
        write_jsonl(folder / "chunks.jsonl", part)
    result = LibraryRecords.of(folders)
    assert result.chunks == tuple(sorted(chunks, key=lambda chunk: chunk.id))
    assert result.keys == tuple(map(embedding_key, result.chunks))
    assert result.version == LibraryRecords.of(folders).version
    write_jsonl(folders[1] / "chunks.jsonl", chunks[2:3])
    assert LibraryRecords.of(folders).version != result.version
    shutil.rmtree(folders[1])
    with pytest.raises(FileNotFoundError):
        LibraryRecords.of(folders)


GENERIC = Vocabulary.default()
FOUND = BookVerdict(7, ("a cell is lost",), (LintFinding("empty_term", "Mace", "t1", "it asks nothing"),))


@pytest.fixture
def ask_verdict(tmp_path: Path) -> Callable[..., tuple[BookVerdict, bool]]:
    """The verdict on two files, and whether anybody looked at them for it."""
    for name in ("rows.jsonl", "tables.jsonl"):
        (tmp_path / name).write_text("{}\n")

    def ask(check: str = "predicates", vocabulary: Vocabulary = GENERIC) -> tuple[BookVerdict, bool]:
        looked: list[int] = []

        def judge() -> BookVerdict:
            looked.append(1)
            return FOUND

        return book_verdict(tmp_path, check, ["rows.jsonl", "tables.jsonl"], vocabulary, judge), bool(looked)

    return ask


def test_the_same_records_are_looked_at_once(ask_verdict: Callable[..., tuple[BookVerdict, bool]]) -> None:
    assert ask_verdict() == (FOUND, True)
    assert ask_verdict() == (FOUND, False)
    assert ask_verdict("cells") == (FOUND, True)
    assert ask_verdict() == (FOUND, False)


def test_whatever_the_verdict_depends_on_makes_it_anew(ask_verdict, tmp_path, monkeypatch):
    ask_verdict()
    (tmp_path / "tables.jsonl").write_text("{ }\n")
    assert ask_verdict()[1], "other records"
    (tmp_path / "checked-predicates.json").write_text('{"key": 1}')
    assert ask_verdict()[1], "a verdict that cannot be read"
    (tmp_path / "vocabulary.toml").write_text('[aliases]\nblade = "sword"\n')
    words = load_vocabulary(tmp_path / "vocabulary.toml")
    assert ask_verdict(vocabulary=words)[1], "other words"
    monkeypatch.setattr(module, "program_version", lambda: "another")
    assert ask_verdict(vocabulary=words)[1], "another program"
    assert not ask_verdict(vocabulary=words)[1]
