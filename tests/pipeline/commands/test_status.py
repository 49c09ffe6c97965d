"""`querymust status` and `querymust books`: what a home holds, told quickly and without Dagster."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from evals.leaderboard import LEADERBOARD_FILE, Leaderboard
from evals.verdicts import CheckVerdict, keep_verdict
from pipeline.building.book_records import ENTRY_FILE, book_entries
from pipeline.commands.status import Status, record
from retrieval.errors import IndexCorruptError, IndexMissingError
from retrieval.files.locks import write_lock
from retrieval.files.records import write_jsonl
from retrieval.home import Home
from retrieval.index.snapshot.live import POINTER, live_id, promote, promotions
from retrieval.ingest.guard_report import GuardCounts
from retrieval.settings import Settings

Printed = Callable[..., str]

ROOT = Path(__file__).parents[3]


def test_a_home_in_step_with_its_library(tiny: Home) -> None:
    result = Status.of(tiny)
    assert result.books == {"tiny": "indexed"}
    assert result.home.settings == tiny.settings
    assert result.live is not None
    assert (result.live.id, result.live.n_chunks, result.live.n_tables) == (live_id(tiny.root), 4, 1)
    assert (result.live.n_guarded, result.live.embedder, result.live.scores) == (3, "minilm", {})
    assert (result.n_documents, result.candidate, result.at_work) == (1, None, None)
    assert (result.gate.verdict, result.gate.snapshot, result.gate.reasons) == ("held", result.live.id, ())


def test_it_says_how_many_tables_are_guarded(tiny: Home, printed: Printed) -> None:
    assert "tables     1 table, 1 guarded" in printed("status", "--home", tiny.root).splitlines()
    told = json.loads(printed("status", "--home", tiny.root, "--json"))
    assert told["tables"] == {"tiny": {"n_tables": 1, "n_guarded": 1, "n_guardable": 1, "reasons": {}}}
    entry = book_entries(tiny)["tiny"]
    for number in range(8):
        other = replace(entry, slug=f"other-{number}", guards=GuardCounts(2, 1, 1, {"single": 1}))
        tiny.book(other.slug).mkdir()
        write_jsonl(tiny.book(other.slug) / ENTRY_FILE, [other])
    short, long = (printed("status", "--home", tiny.root, *more) for more in ((), ("--all",)))
    assert "tables     17 tables, 9 guarded; not guarded: 8 have one row" in short
    assert short.count("  other-") == 5
    assert "and 4 more books; to list all: querymust status --all" in short
    assert long.count("  other-") == 8


def test_books_that_are_new_changed_and_gone_are_told(tiny: Home) -> None:
    (tiny.library / "tiny" / "02.md").write_text("# More\n\nA flail.\n")
    (tiny.library / "other").mkdir()
    (tiny.library / "other" / "01.md").write_text("# Other\n\nA rope.\n")
    assert Status.of(tiny).books == {"other": "new", "tiny": "changed"}
    (tiny.library / "tiny" / "02.md").unlink()
    assert Status.of(tiny).books == {"other": "new", "tiny": "indexed"}
    (tiny.library / "tiny" / "tables.toml").write_text('[[table]]\nfind = { heading = "Weapons" }\nopen = true\n')
    assert Status.of(tiny).books == {"other": "new", "tiny": "changed"}
    (tiny.library / "tiny").rename(tiny.library / "renamed")
    assert Status.of(tiny).books == {"other": "new", "renamed": "new", "tiny": "gone"}


def test_the_live_index_is_live_since_its_promotion_whatever_touches_the_pointer(tiny: Home) -> None:
    since = promotions(tiny.root)[-1].at
    os.utime(tiny.root / POINTER, (0, 0))
    live = Status.of(tiny).live
    assert live is not None
    assert live.since == since


def test_a_book_that_could_not_be_read_is_not_up_to_date(tiny: Home, printed: Printed) -> None:
    entry = replace(book_entries(tiny)["tiny"], fault="tables.toml: unknown key 'captn'")
    write_jsonl(tiny.book("tiny") / ENTRY_FILE, [entry])
    assert "books      1: 1 unreadable (tiny)" in printed("status", "--home", tiny.root).splitlines()
    (tiny.library / "tiny" / "02.md").write_text("# More\n\nA flail.\n")
    assert Status.of(tiny).books == {"tiny": "changed"}


def test_a_library_that_went_is_told_and_the_live_index_still_is(tiny: Home) -> None:
    tiny.library.rename(tiny.library.with_name("elsewhere"))
    result = Status.of(tiny)
    assert result.books == {"tiny": "unknown"}
    assert "neither a folder nor" in str(result.unreadable)
    assert result.live is not None


def test_a_candidate_that_did_not_go_live_and_a_build_at_work_are_told(tiny: Home, printed: Printed) -> None:
    tiny.nominate("0123456789abcdef")
    with write_lock(tiny.root):
        lines = printed("status", "--home", tiny.root).splitlines()
        told = json.loads(printed("status", "--home", tiny.root, "--json"))
    assert any(line.startswith("candidate  0123456789abcdef was built") for line in lines)
    assert lines[-1].startswith("running    process ")
    assert (told["candidate"], told["at_work"]["pid"]) == ("0123456789abcdef", os.getpid())


def test_what_the_gate_said_last_is_told_with_its_reasons_and_the_age_of_what_is_live(tiny, printed):
    candidate = "0123456789abcdef"
    live = str(live_id(tiny.root))
    tiny.nominate(candidate)
    keep_verdict(tiny.root, CheckVerdict.now("a_rule", "row 6 is gone", candidate, passed=False, blocks=True))
    text = printed("status", "--home", tiny.root)
    assert "gate       refused, just now; the live index has not changed\n           a_rule: row 6 is gone\n" in text
    assert re.search(rf"^live       {live}, built (just now|\d+ \w+ ago), live since \d{{4}}-", text, re.MULTILINE)
    told = json.loads(printed("status", "--home", tiny.root, "--json"))
    assert (told["gate"]["verdict"], told["gate"]["reasons"]) == ("refused", ["a_rule: row 6 is gone"])

    tiny.nominate(live)
    promote(tiny.root, live, forced="it is the second edition")
    text = printed("status", "--home", tiny.root)
    assert re.search(r"^gate       live by force, .*: it is the second edition$", text, re.MULTILINE)


def test_the_scores_of_what_ships_are_those_of_the_last_build(sample: Home) -> None:
    told = record(Status.of(sample))["live"]
    assert isinstance(told, dict)
    assert told["scores"]["false_exclusions"] == 0
    assert 0.8 < told["scores"]["hit@1"] <= 1


@pytest.mark.parametrize("damage", [b"", b'{"snapshot": "a"}', b"\xa5" * 40])
def test_damaged_scores_are_not_shown_and_stop_nothing(tiny: Home, damage: bytes) -> None:
    scores = tiny.evaluations / str(live_id(tiny.root)) / LEADERBOARD_FILE
    scores.parent.mkdir(parents=True, exist_ok=True)
    scores.write_bytes(damage)
    told = record(Status.of(tiny))["live"]
    assert isinstance(told, dict)
    assert told["scores"] == {}
    with pytest.raises(IndexCorruptError, match="delete it and run: querymust eval"):
        Leaderboard.read(scores.parent)


def test_books_are_listed_with_their_numbers(tiny: Home, printed: Printed) -> None:
    lines = printed("books", "--home", tiny.root).splitlines()
    assert [line.split() for line in lines] == [
        ["book", "title", "documents", "chunks", "tables", "guarded", "warnings"],
        ["tiny", "1", "4", "1", "3", "0"],
    ]
    (told,) = json.loads(printed("books", "--home", tiny.root, "--json"))
    assert (told["book"], told["chunks"], told["warnings"], told["ignored"]) == ("tiny", 4, [], [])


def test_after_a_rollback_the_books_are_those_of_what_is_live(tiny: Home, printed: Printed) -> None:
    before = printed("books", "--home", tiny.root)
    (tiny.library / "tiny" / "02.md").write_text("# More\n\nA flail.\n")
    printed("build", "--home", tiny.root)
    assert printed("books", "--home", tiny.root) != before
    printed("rollback", "--home", tiny.root)

    assert printed("books", "--home", tiny.root) == before
    status = printed("status", "--home", tiny.root)
    assert f"all up to date; in {tiny.candidate}, which is not live\n" in status
    assert "documents," not in status


@pytest.mark.parametrize("command", ["status", "books"])
def test_where_nothing_is_built_one_line_says_what_to_do(command: str, tmp_path: Path, printed: Printed) -> None:
    (line,) = printed(command, "--home", tmp_path / "none", status=2).splitlines()
    assert "querymust build --library DIR" in line
    assert not (tmp_path / "none").exists()


def test_after_a_first_build_that_was_interrupted_it_says_how_to_go_on(tmp_path: Path, printed: Printed) -> None:
    (tmp_path / "library" / "harbour").mkdir(parents=True)
    (tmp_path / "library" / "harbour" / "fees.md").write_text("# Fees\n\nA berth is free.\n")
    Settings(tmp_path / "library").write(tmp_path / "home")
    status = printed("status", "--home", tmp_path / "home")
    assert "1 new (harbour)" in status
    assert "nothing yet; to go on: querymust build" in status


def test_the_warnings_about_the_books_are_listed_whole_with_all(tiny: Home, printed: Printed) -> None:
    (entry,) = book_entries(tiny).values()
    warnings = tuple(f"page-{number}.md: empty" for number in range(30))
    write_jsonl(tiny.book(entry.slug) / ENTRY_FILE, [replace(entry, warnings=warnings)])
    assert f"warnings   {entry.slug}/page-0.md: empty" in printed("status", "--home", tiny.root)
    assert "page-29.md" not in printed("status", "--home", tiny.root)
    assert "page-29.md" in printed("status", "--home", tiny.root, "--all")


def test_a_first_build_at_work_is_something(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    with pytest.raises(IndexMissingError):
        Status.of(home)
    with write_lock(home.root):
        result = Status.of(home)
    assert result.at_work is not None
    assert (result.live, result.books) == (None, {})


@pytest.mark.parametrize("command", ["status", "books"])
def test_a_look_at_a_home_loads_neither_dagster_nor_chroma_nor_pandas(command: str, tiny_built: Home) -> None:
    program = (
        f"import sys; from pipeline import cli; sys.argv[1:] = [{command!r}, '--home', sys.argv[1]]\n"
        "cli.main.__globals__['app'](standalone_mode=False)\n"
        "print(*[name for name in ('dagster', 'chromadb', 'pandas') if name in sys.modules], file=sys.stderr)"
    )
    arguments = [sys.executable, "-c", program, str(tiny_built.root)]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""
    assert "tiny" in done.stdout


def test_the_version_is_that_of_the_package(printed: Printed) -> None:
    assert printed("--version") == f"querymust {version('querymust')}\n"
