"""Real builds through Dagster in a home of their own: what is incremental, what is refused, what is never lost."""

import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from evals.verdicts import gate_state
from pipeline.building.book_records import book_entries
from pipeline.building.plan import BuildPlan
from pipeline.commands.build import summary
from pipeline.definitions import load
from pipeline.defs.job_runs import UNFINISHED
from pipeline.runs.build import Build, build, planned
from pipeline.runs.in_process import BUILD, Runner, dagster_instance
from pipeline.runs.outcomes import Step
from retrieval.errors import BudgetExceededError, LibraryError
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id, promote, promotions
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.search.retriever import Retriever
from retrieval.settings import Settings
from retrieval.types import Chunk
from tests.conftest import table_of
from tests.openai_server.server import FakeOpenAi, fake_openai

BEETLES = 45_000


def book_of(home: Home, slug: str = "tiny") -> Path:
    return home.library / slug / "01.md"


def replace_in_book(home: Home, before: str, after: str) -> None:
    path = book_of(home)
    text = path.read_text()
    assert text.count(before) == 1
    path.write_text(text.replace(before, after))


def embedded(done: Build) -> tuple[int, int, int]:
    return done.total("n_embedded"), done.total("n_reused"), done.total("n_deleted")


def test_the_sample_goes_live(sample_build: tuple[Home, Build]) -> None:
    home, done = sample_build
    assert done.problems == []
    assert live_id(home.root) == done.library["candidate_index"]["snapshot"] == done.library["live_index"]["snapshot"]
    assert done.total("n_embedded") > 300
    assert done.library["leaderboard"]["n_questions"] == 109


@dataclass(frozen=True)
class History:
    home: Home
    live: tuple[str | None, ...]
    """What was live after each build."""
    builds: tuple[Build, ...]
    plans: tuple[BuildPlan, ...]
    """What was said before each build."""


@pytest.fixture(scope="module")
def history(tiny_built: Home, tmp_path_factory: pytest.TempPathFactory) -> History:
    """Built again unchanged, then with one cell changed."""
    folder = tmp_path_factory.mktemp("history")
    shutil.copytree(tiny_built.root, folder / "home")
    shutil.copytree(tiny_built.library, folder / "library")
    home = Home(folder / "home", Settings(folder / "library"))
    live, builds, plans = [live_id(home.root)], [], []
    for _ in range(2):
        plans.append(planned(home))
        builds.append(build(home))
        live.append(live_id(home.root))
        if len(builds) == 1:
            replace_in_book(home, "| Mace | 1d6 | 8 gp |", "| Mace | 1d6 | 9 gp |")
    return History(home, tuple(live), tuple(builds), tuple(plans))


def test_a_second_build_embeds_nothing_and_keeps_the_snapshot(history: History, tiny_built: Home) -> None:
    again = history.builds[0]
    assert (again.problems, again.skipped, again.is_unchanged) == ([], ("tiny",), True)
    assert embedded(again) == (0, len(read_jsonl(tiny_built.book("tiny") / "chunks.jsonl", Chunk)), 0)
    assert history.live[1] == history.live[0]
    assert again.library["live_index"]["n_promoted"] == 0


def test_one_changed_cell_embeds_one_chunk_and_deletes_one(history: History) -> None:
    changed = history.builds[1]
    assert (changed.problems, changed.skipped, changed.is_unchanged) == ([], (), False)
    n_embedded, _, n_deleted = embedded(changed)
    assert (n_embedded, n_deleted) == (1, 1)
    assert history.live[2] != history.live[1]
    best = Retriever.open(history.home.root).retrieve("mace", k=1, strategy="bm25").hits[0]
    assert best.chunk.cells[-1] == "9 gp"


def test_a_build_does_what_its_plan_said(history: History) -> None:
    for plan, done in zip(history.plans, history.builds, strict=True):
        assert (plan.total("n_embedded"), plan.total("n_reused"), plan.total("n_deleted")) == embedded(done)
        tokens = sum(int(str(outcome.numbers["embeddings"]["n_tokens"])) for outcome in done.books.values())
        assert plan.cost.tokens == tokens
    assert [[(book.state, book.is_read) for book in plan.books] for plan in history.plans] == [
        [("unchanged", False)],
        [("changed", True)],
    ]


def test_a_budget_stops_a_build_and_a_run_of_the_ui_before_anything_is_sent(tiny: Home) -> None:
    before = Settings.read(tiny.root)
    paid = replace(tiny, settings=replace(tiny.settings, embedder="openai", budget_usd=0.0))
    with pytest.raises(BudgetExceededError, match=r"4 chunks would have to be embedded: .*nothing was sent"):
        build(paid)
    assert Settings.read(tiny.root) == before
    with dagster_instance(tiny) as instance:
        (problem,) = Runner(load(), instance, paid).run("index_book", "tiny").problems
    assert problem.where == "books"
    assert "budget_usd is 0; allow more in rag.yaml" in problem.sentence


def test_every_run_reports_the_same_keys(history: History) -> None:
    first, second = history.builds
    for one, other in ((first.library, second.library), *zip(numbers(first), numbers(second), strict=True)):
        assert {name: set(values) for name, values in one.items()} == {
            name: set(values) for name, values in other.items()
        }


def numbers(done: Build) -> list[dict[str, dict[str, object]]]:
    return [outcome.numbers for outcome in done.books.values()]


@pytest.mark.slow
def test_a_new_book_is_added_and_a_book_that_went_is_gone(tiny: Home) -> None:
    shutil.copytree(tiny.library / "tiny", tiny.library / "other")
    other = book_of(tiny, "other")
    other.write_text(other.read_text().replace("Dagger", "Stiletto").replace("dagger", "stiletto"))
    assert build(tiny).problems == []
    assert Retriever.open(tiny.root).retrieve("stiletto", k=1).hits[0].chunk.book == "other"
    shutil.rmtree(tiny.library / "other")
    (tiny.library / "notes.md").write_text("# Notes\n\nIn no book's folder.\n")
    done = build(tiny)
    assert done.problems == []
    assert (done.slugs, done.skipped, done.is_unchanged) == (("tiny",), ("tiny",), False)
    assert summary(done)["left_out"] == ["notes.md"]
    assert not tiny.book("other").exists()
    with dagster_instance(tiny) as instance:
        assert instance.get_dynamic_partitions("books") == ["tiny"]
    with open_snapshot(tiny.root) as snapshot:
        assert {chunk.book for chunk in snapshot.chunks} == {"tiny"}


def test_what_the_owner_says_of_tables_is_picked_up_by_the_next_build(tiny: Home) -> None:
    (tiny.library / "tiny" / "tables.toml").write_text(
        '[[table]]\nfind = { heading = "Weapons" }\nnames = { "Long sword" = "great blade" }\n'
        '[[table]]\nfind = { heading = "Armour" }\nopen = true\n'
    )
    done = build(tiny)
    assert (done.problems, done.changed) == ([], ("tiny",))
    numbers_of = done.books["tiny"].numbers
    assert (numbers_of["tables"]["n_ruled"], numbers_of["tables"]["n_unmet_rules"]) == (1, 1)
    result = Retriever.open(tiny.root).retrieve("what does a great blade cost", k=5)
    assert [hit.chunk.row_key for hit in result.hits if hit.chunk.row_key] == ["Long sword"]
    (sentence,) = [warning for warning in book_entries(tiny)["tiny"].warnings if "tables.toml" in warning]
    assert sentence == "tables.toml: entry 2 (heading 'Armour') finds no table; there is 'Weapons'"


def test_a_build_without_questions_goes_live_and_scores_nothing(tiny_built: Home) -> None:
    assert live_id(tiny_built.root) is not None


def test_a_book_that_cannot_be_read_stops_no_other_and_keeps_its_last_reading(tiny: Home) -> None:
    (tiny.library / "broken").mkdir()
    (tiny.library / "broken" / "01.md").write_text("# Broken\n\nText.\n")
    (tiny.library / "broken" / "book.toml").write_text("title = unquoted\n")
    replace_in_book(tiny, "Mace", "Morning star")
    assert not build(tiny).problems
    retriever = Retriever.open(tiny.root)
    assert "Morning star" in retriever.retrieve("morning star", k=1, strategy="bm25").hits[0].chunk.source
    assert {hit.chunk.book for hit in retriever.retrieve("broken text", k=99, strategy="bm25").hits} == {"tiny"}
    (loss,) = book_entries(tiny)["broken"].losses
    assert loss.startswith("broken: the book cannot be read, and it is left out: ")
    assert "book.toml" in loss

    (tiny.library / "tiny" / "book.toml").write_text("title = unquoted\n")
    (tiny.library / "broken" / "book.toml").unlink()
    assert planned(tiny).total("n_deleted") == 0, "what is kept is planned to be kept"
    assert not build(tiny).problems
    retriever = Retriever.open(tiny.root)
    assert "Text" in retriever.retrieve("broken text", k=1, strategy="bm25").hits[0].chunk.text
    assert "Morning star" in retriever.retrieve("morning star", k=1, strategy="bm25").hits[0].chunk.source
    entries = book_entries(tiny)
    assert not entries["broken"].losses
    assert "its last indexed version stays in the index" in entries["tiny"].losses[0]

    (tiny.book("tiny") / "source.txt").write_bytes(b"\xa5garbled")
    assert not build(tiny).problems
    assert "it is left out" in book_entries(tiny)["tiny"].losses[0]


def test_a_library_of_which_no_book_can_be_read_is_refused_with_the_reasons(tiny: Home) -> None:
    before = live_id(tiny.root)
    (tiny.library / "tiny").rename(tiny.library / "other")
    (tiny.library / "other" / "book.toml").write_text("title = unquoted\n")
    sentences = build(tiny).sentences
    assert sentences
    assert all("no book of the library can be read" in sentence and "book.toml" in sentence for sentence in sentences)
    assert live_id(tiny.root) == before


@pytest.mark.parametrize("content", [None, "notes.txt"])
def test_a_folder_without_markdown_is_refused_and_nothing_is_lost(tiny: Home, content: str | None) -> None:
    before = live_id(tiny.root)
    shutil.rmtree(tiny.library)
    tiny.library.mkdir()
    if content:
        (tiny.library / content).write_text("no markdown")
    with pytest.raises(LibraryError, match="markdown"):
        build(tiny)
    assert live_id(tiny.root) == before
    assert tiny.book("tiny").exists()
    assert Retriever.open(tiny.root).retrieve("dagger", k=1).hits


def test_questions_of_another_library_keep_the_candidate_from_going_live(tiny: Home, sample: Home) -> None:
    before = live_id(tiny.root)
    replace_in_book(tiny, "Mace", "Morning star")
    query = replace(tiny, settings=replace(tiny.settings, questions=sample.settings.questions))
    done = build(query)
    assert done.problems
    assert all("Stack Trace" not in problem.sentence for problem in done.problems)
    assert "questions" in done.problems[0].sentence
    assert live_id(tiny.root) == before


def test_stale_gold_stops_a_build_before_anything_is_scored_and_a_reason_leads_past_it(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.runs.build.STRATEGIES", {})  # the leaderboard scores them all in one run
    before = live_id(tiny.root)
    question = {
        "id": "q",
        "query": "What does a mace cost?",
        "book": "tiny",
        "gold": [{"snippet": "| Mace | 1d6 | 8 gp |"}],
    }
    gone = question | {"id": "gone", "gold": [{"snippet": "| Mace | 1d6 | 9 gp |"}]}
    (tmp_path / "asked.jsonl").write_text("\n".join(map(json.dumps, (question, gone))))
    replace_in_book(tiny, "A dagger is drawn", "It is drawn")
    query = replace(tiny, settings=replace(tiny.settings, questions=(tmp_path / "asked.jsonl",)))
    done = build(query)
    (problem,) = done.problems
    assert problem.where == "gold_resolves"
    assert "0.500" in problem.sentence
    assert "gold is stale (gone); " in problem.sentence
    assert live_id(tiny.root) == before
    assert not (tiny.evaluations / tiny.candidate).exists()
    assert gate_state(tiny.root, tiny.candidate).verdict == "refused"

    forced = build(query, force="the mace costs more in this edition")
    assert (forced.problems, [problem.where for problem in forced.overruled]) == ([], ["gold_resolves"])
    assert live_id(tiny.root) == tiny.candidate != before
    assert promotions(tiny.root)[-1].forced == "the mace costs more in this edition"
    state = gate_state(tiny.root, tiny.candidate)
    assert (state.verdict, state.forced) == ("forced", "the mace costs more in this edition")
    assert [reason.split(":")[0] for reason in state.reasons] == ["gold_resolves"]


def test_questions_without_any_gold_in_the_library_are_a_refusal_that_is_remembered(tiny, tmp_path):
    file = tmp_path / "other.jsonl"
    file.write_text(json.dumps({"id": "q", "query": "What?", "gold": [{"snippet": "| Anchor | 7 gp |"}]}))
    done = build(replace(tiny, settings=replace(tiny.settings, questions=(file,))))
    assert [problem.where for problem in done.problems] == ["gold_resolves"]
    state = gate_state(tiny.root, tiny.candidate)
    assert state.verdict == "refused"
    assert "none of 1 questions" in state.reasons[0]


@pytest.mark.slow
def test_a_guess_replaces_live_text_once_somebody_accepts_it_and_new_text_only_warns(tiny: Home) -> None:
    before = live_id(tiny.root)
    guessed = tiny.library / "tiny" / "01.md"
    guessed.write_bytes(f"{guessed.read_text('utf-8')}\nA na\u00efve halfling.\n".encode("latin-1"))
    (problem,) = build(tiny).problems
    assert problem.where == "every_byte_is_text"
    assert re.match(
        r"tiny/01.md: byte \d+ is not UTF-8; read as Latin-1 \(Windows-1252\); fix the text", problem.sentence
    )
    assert live_id(tiny.root) == before
    assert gate_state(tiny.root, tiny.candidate).verdict == "refused"
    with dagster_instance(tiny) as instance:
        for job in ("go_live", "promote"):
            (refused,) = Runner(load(), instance, tiny).run(job).problems
            assert "every_byte_is_text: tiny/01.md: byte" in refused.sentence, job

    done = build(tiny, accept="the file is Latin-1")
    assert (done.problems, done.library["live_index"]["accepted"]) == ([], "the file is Latin-1")
    accepted = live_id(tiny.root)
    assert accepted == tiny.candidate != before
    assert gate_state(tiny.root, tiny.candidate).verdict == "held"
    assert promotions(tiny.root)[-1].forced is None

    guessed.with_name("03.md").write_bytes(b"# Salt\n\nA \xe9clair.\n")
    assert build(tiny).problems == [], "what was accepted is not reported again, and a new document is only a warning"
    assert live_id(tiny.root) == tiny.candidate != accepted


def test_force_leads_past_no_check_on_the_books_or_the_snapshot(twice_live: tuple[Home, str, str]) -> None:
    home, first, _ = twice_live
    promote(home.root, first)
    with dagster_instance(home) as instance:
        told = Runner(load(), instance, home).run("promote", config={"live_index": {"force": "?"}})
    (problem,) = told.problems
    assert "nothing records what it was made of" in problem.sentence
    assert live_id(home.root) == first


@pytest.mark.slow
def test_books_of_every_odd_shape_are_indexed_correctly(tmp_path: Path) -> None:
    library = tmp_path / "library"
    books = {
        "no-heading": b"A cudgel is a stick.\n\nA torch burns for six turns.\n",
        "latin-1": "# Caf\u00e9\n\nThe na\u00efve halfling dr\u00e4nk.\n".encode("latin-1"),
        "long-line": b"# Long\n\n" + b" ".join(b"Beetle %d walks on." % number for number in range(BEETLES)) + b"\n",
        "one-column": b"# Names\n\n| Name |\n|---|\n| Aldric |\n| Berta |\n",
        "wide": b"# Wide\n\n"
        + b"\n".join(
            [
                b"| " + b" | ".join(f"C{column}".encode() for column in range(300)) + b" |",
                b"|" + b"---|" * 300,
                b"| " + b" | ".join(f"v{column}".encode() for column in range(300)) + b" |",
            ]
        )
        + b"\n",
        "same-title-a": b"# Twin\n\nThe first twin has a lantern.\n",
        "same-title-b": b"# Twin\n\nThe second twin has a rope.\n",
    }
    for slug, text in books.items():
        (library / slug).mkdir(parents=True)
        (library / slug / "01.md").write_bytes(text)
    (library / "no-heading" / "02-empty.md").write_bytes(b"")
    for slug in ("same-title-a", "same-title-b"):
        (library / slug / "book.toml").write_text('title = "Twin"\n')
    home = Home(tmp_path / "home", Settings(library))
    done = build(home, accept="it is Latin-1")
    assert done.problems == []
    assert set(done.slugs) == set(books)
    assert "02-empty.md" in str(done.books["no-heading"].numbers["books"]["warnings"])
    assert "Latin-1" in str(done.books["latin-1"].numbers["books"]["warnings"])
    retriever = Retriever.open(home.root)

    def best(question: str) -> Chunk:
        return retriever.retrieve(question, k=1, strategy="bm25").hits[0].chunk

    assert best("torch").book == "no-heading"
    assert best("na\u00efve halfling").book == "latin-1"
    assert best("Aldric").cells == ("Aldric",)
    assert len(best("v299").cells) == 300
    assert best("lantern").book == "same-title-a"
    assert best("rope").book == "same-title-b"
    long = read_jsonl(home.book("long-line") / "chunks.jsonl", Chunk)
    assert (library / "long-line" / "01.md").stat().st_size > 1_000_000
    assert sum(chunk.source.count("Beetle") for chunk in long) == BEETLES


ROOT = Path(__file__).parents[3]
BOUND = 60.0
"""Seconds that a busy machine may need."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    for position, slug in enumerate(("alpha", "beta", "gamma")):
        (tmp_path / "library" / slug).mkdir(parents=True)
        rows = [f"{slug} {number}" for number in range(3 + position)]
        (tmp_path / "library" / slug / "01.md").write_text(table_of(slug, rows))
    return Home(tmp_path / "home", Settings(tmp_path / "library", executor="multiprocess", processes=2))


def records(home: Home) -> dict[str, bytes]:
    """What the books' folders of records hold, but for when each was finished."""
    root = home.root / "books"
    paths = (path for path in sorted(root.rglob("*")) if path.is_file() and path.name != "finished.json")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.slow
def test_two_processes_make_the_index_that_one_makes(home: Home, tmp_path: Path) -> None:
    steps: list[Step] = []
    alone = Home(tmp_path / "alone", replace(home.settings, executor="in_process"))
    spread, single = build(home, steps.append), build(alone)
    assert spread.problems == single.problems == []
    assert home.candidate == alone.candidate
    assert records(home) == records(alone)
    assert {slug: outcome.numbers for slug, outcome in spread.books.items()} == {
        slug: outcome.numbers for slug, outcome in single.books.items()
    }
    assert list(spread.books) == ["alpha", "beta", "gamma"]
    assert [step.doing for step in steps if step.doing.startswith("book 1 of 3")]
    assert {step.total for step in steps} == {5}
    again = build(home)
    assert (again.is_unchanged, again.total("n_reused")) == (True, 12), "what each process left is known"
    with dagster_instance(home) as instance:
        runs = instance.get_runs()
        shown = instance.get_runs(dg.RunsFilter(tags={".dagster/repository": "__repository__@querymust"}))
    assert len(shown) == len(runs)
    of_books = [run for run in runs if run.job_name == "index_book"]
    assert sorted(run.tags["dagster/partition"] for run in of_books) == ["alpha", "beta", "gamma"]
    assert len({run.tags[BUILD] for run in runs}) == 1


class Together(FakeOpenAi):
    """Answers the first two requests for the vectors of a book once both are there."""

    def __init__(self) -> None:
        super().__init__()
        self.came, self.met, self.both = itertools.count(), 0, threading.Barrier(2)

    def embeddings(self, body: Mapping[str, Any]) -> dict[str, Any]:
        if len(body["input"]) > 1 and next(self.came) < 2:
            self.both.wait(BOUND)
            self.met += 1
        return super().embeddings(body)


@pytest.mark.slow
def test_a_server_of_embeddings_is_asked_by_several_books_at_once(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_openai(Together()) as server:
        for name, output in server.environment.items():
            monkeypatch.setenv(name, output)
        hosted = Home(home.root, replace(home.settings, embedder="openai"))
        assert build(hosted).problems == []
    assert server.met == 2


@pytest.mark.slow
def test_a_book_that_fails_is_told_of_and_stops_the_snapshot(home: Home) -> None:
    (home.book("beta") / "tables.jsonl").mkdir(parents=True)  # no file of that name can be written
    done = build(home)
    assert [problem.where for problem in done.problems] == ["tables"]
    assert {slug: bool(outcome.problems) for slug, outcome in done.books.items()} == {
        "alpha": False,
        "beta": True,
        "gamma": False,
    }
    assert not (home.root / "live").exists()


@pytest.mark.slow
def test_nothing_that_an_interrupted_build_started_goes_on(home: Home) -> None:
    mark = uuid.uuid4().hex
    home.settings.write(home.root)
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline.cli", "build", "--home", str(home.root)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"MARK": mark},
    )
    assert process.stderr is not None
    try:
        first = process.stderr.readline()
        assert first.startswith("book 1 of 3")
        assert len(marked(mark)) >= 4, "the command, its worker, and two lanes"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=BOUND)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, out) == (130, ""), err
    until = time.monotonic() + BOUND
    while marked(mark):
        assert time.monotonic() < until, "processes outlived the build"
        time.sleep(0.05)
    done = build(home)
    assert done.problems == []
    with dagster_instance(home) as instance:
        assert instance.get_runs(dg.RunsFilter(statuses=list(UNFINISHED))) == []


def marked(mark: str) -> list[int]:
    """Processes that inherited the mark."""
    result = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            output = path.read_bytes()
        except OSError:
            continue
        if mark.encode() in output:
            result.append(int(path.parent.name))
    return result
