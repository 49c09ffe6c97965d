import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from pipeline.building import kept_work
from pipeline.building.kept_work import BookVerdict, KeptWork, book_verdict
from retrieval.language.vocabulary import Vocabulary, load_vocabulary
from retrieval.query_must.lint import LintFinding


def test_kept_work_knows_its_files_again_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    paths = [tmp_path / "one.bin", tmp_path / "deep" / "two.bin"]
    for path in paths:
        path.write_bytes(b"as it was")
    kept = KeptWork.of("key", tmp_path, paths, {"books": {"n_documents": 2, "title": "Tiny"}})
    kept.write(tmp_path / "kept.json")
    assert KeptWork.read(tmp_path / "kept.json", "key") == kept
    assert KeptWork.read(tmp_path / "kept.json", "another key") is None
    (tmp_path / "three.bin").touch()
    assert KeptWork.read(tmp_path / "kept.json", "key"), "what came beside it is not its own"
    paths[1].write_bytes(b"as it wes")
    assert KeptWork.read(tmp_path / "kept.json", "key") is None
    (tmp_path / "kept.json").write_bytes(b'{"key": 1}')
    assert KeptWork.read(tmp_path / "kept.json", "key") is None
    assert KeptWork.read(tmp_path / "nowhere.json", "key") is None


def fresh() -> str:
    kept_work.program_version.cache_clear()
    try:
        return kept_work.program_version()
    finally:
        kept_work.program_version.cache_clear()


def test_an_updated_library_is_another_program(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fresh()
    assert fresh() == before
    monkeypatch.setattr(kept_work, "requires", lambda _: ["markdown-it-py<5,>=4", 'ruff>=0.14; extra == "dev"'])
    known = fresh()
    monkeypatch.setattr(
        kept_work, "version", lambda name: "0.0.0" if name == "markdown-it-py" else metadata.version(name)
    )
    assert fresh() != known
    monkeypatch.setattr(kept_work, "version", metadata.version)
    monkeypatch.setattr(kept_work, "requires", lambda _: ["markdown-it-py<5,>=4", "a-distribution-that-is-not-there"])
    assert fresh() != known, "what is missing is not forgotten"


def test_our_own_code_is_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fresh()
    monkeypatch.setattr(kept_work, "code_version", lambda: "another")
    assert fresh() != before


def test_starting_the_program_does_not_make_it_another_program() -> None:
    """A start writes a cache of the code versions, which holds the version of the program."""
    start = "import pipeline.definitions as d, pipeline.building.kept_work as k; d.load(); print(k.program_version())"
    first, second = (
        subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert first == second


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
    monkeypatch.setattr(kept_work, "program_version", lambda: "another")
    assert ask_verdict(vocabulary=words)[1], "another program"
    assert not ask_verdict(vocabulary=words)[1]
