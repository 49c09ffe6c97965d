"""What `querymust build` and `querymust quickstart` make of their options, of what a home remembers, and of neither."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer

from evals.sample import SAMPLE_LIBRARY, SAMPLE_QUESTIONS
from pipeline.building.book_records import BookEntry
from pipeline.commands.build import asked_for, told_when_interrupted
from pipeline.runs.outcomes import Build, BuildProblem
from retrieval.home import Home
from retrieval.index.embedding.embedding_store import logged_progress
from retrieval.settings import REMEMBERED, REMEMBERED_COPY, Settings
from tests.pipeline.conftest import Ran

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LIBRARY", "QUESTIONS", "EMBEDDER", "HOME", "CHROMA"):
        monkeypatch.delenv(f"QUERYMUST_{name}", raising=False)


@pytest.fixture
def books(tmp_path: Path) -> Path:
    (tmp_path / "books" / "mine").mkdir(parents=True)
    (tmp_path / "books" / "mine" / "01.md").write_text("# Mine\n\nA dagger is short.\n")
    return tmp_path / "books"


@pytest.fixture
def quickstarted(tmp_path: Path) -> Home:
    """A home as a quickstart leaves it, without its index."""
    home = Home(tmp_path / "home", Settings(SAMPLE_LIBRARY, (SAMPLE_QUESTIONS,)))
    home.settings.write(home.root)
    return home


@pytest.fixture
def failure(run: Callable[..., Ran]) -> Callable[..., str]:
    """The one line on standard error of a command that stops with status 2."""

    def failure(*arguments: object) -> str:
        done = run(*arguments)
        assert (done.status, done.out) == (2, "")
        (line,) = done.err.strip().splitlines()
        return line

    return failure


def test_another_library_forgets_the_questions_of_the_one_before(quickstarted: Home, books: Path) -> None:
    query = asked_for(quickstarted.root, library=books)
    assert query.home.settings == Settings(books.resolve())
    assert query.forgotten == (SAMPLE_QUESTIONS,)


def test_a_library_that_the_environment_names_forgets_them_too(quickstarted, books, monkeypatch):
    monkeypatch.setenv("QUERYMUST_LIBRARY", str(books))
    assert asked_for(quickstarted.root).forgotten == (SAMPLE_QUESTIONS,)


def test_the_same_library_keeps_its_questions(quickstarted: Home) -> None:
    for library in (None, SAMPLE_LIBRARY, SAMPLE_LIBRARY / ".." / SAMPLE_LIBRARY.name):
        query = asked_for(quickstarted.root, library=library)
        assert query.home.settings == quickstarted.settings
        assert query.forgotten == ()


def test_questions_that_are_named_are_never_forgotten(quickstarted, books, monkeypatch):
    query = asked_for(quickstarted.root, library=books, questions=[SAMPLE_QUESTIONS])
    assert (query.home.settings.questions, query.forgotten) == ((SAMPLE_QUESTIONS,), ())
    monkeypatch.setenv("QUERYMUST_QUESTIONS", str(SAMPLE_QUESTIONS))
    query = asked_for(quickstarted.root, library=books)
    assert (query.home.settings.questions, query.forgotten) == ((SAMPLE_QUESTIONS,), ())
    assert asked_for(quickstarted.root, no_questions=True).home.settings.questions == ()


def test_options_win_over_the_environment(quickstarted: Home, books: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUERYMUST_LIBRARY", "/elsewhere")
    monkeypatch.setenv("QUERYMUST_QUESTIONS", "/elsewhere/questions.jsonl")
    monkeypatch.setenv("QUERYMUST_EMBEDDER", "openai")
    query = asked_for(quickstarted.root, library=books, no_questions=True, embedder="minilm")
    assert query.home.settings == Settings(books.resolve(), (), "minilm")
    query = asked_for(quickstarted.root, library=books, no_questions=True, embedder="text-embedding-3-small")
    assert query.home.settings.embedder == "openai"


def test_a_build_after_a_quickstart_asks_no_question_about_the_sample_and_says_so(
    quickstarted: Home, books: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[..., Ran]
) -> None:
    built: list[Home] = []

    def instead(home: Home, progress: object, force: str | None, accept: str | None) -> Build:
        built.append(home)
        return Build(library={"candidate_index": {"n_chunks": 1, "n_guarded": 0}, "live_index": {"snapshot": "one"}})

    monkeypatch.setattr("pipeline.runs.apart.build_apart", instead)
    captured = run("build", "--library", books, "--home", quickstarted.root)
    assert captured.status == 0
    assert [home.settings for home in built] == [Settings(books.resolve())]
    assert "live: one" in captured.out
    assert SAMPLE_QUESTIONS.name in captured.err
    assert "--questions" in captured.err


@pytest.mark.parametrize("what", ["losses", "warnings"])
@pytest.mark.parametrize(("options", "status"), [((), 0), (("--strict",), 1)])
def test_a_strict_build_fails_if_a_part_was_not_read_or_there_is_a_warning(
    quickstarted, monkeypatch, run, options, status, what
):
    library = {"candidate_index": {"n_chunks": 1, "n_guarded": 1}, "live_index": {"snapshot": "one"}}
    loss = "mine/tables.toml: no key is called 'opne'"
    entry = replace(BookEntry("mine", "Mine", "digest", 1, 1, 0, 0, (), ()), **{what: (loss,)})
    monkeypatch.setattr("pipeline.runs.apart.build_apart", lambda *_: Build(slugs=("mine",), library=library))
    monkeypatch.setattr("pipeline.building.book_records.book_entries", lambda _: {"mine": entry})
    monkeypatch.setattr("pipeline.commands.build.print_scores_of_build", lambda *_: None)
    captured = run("build", *options, "--home", quickstarted.root)
    assert captured.status == status
    assert "'opne'" in captured.out
    assert ("--strict" in captured.err) == bool(status)


@pytest.mark.parametrize("options", [("--questions",), ("--no-questions",)])
def test_a_refused_build_leaves_the_questions_of_the_build_before_it(quickstarted, tmp_path, monkeypatch, run, options):
    def refused(home: Home, progress: object, force: str | None, accept: str | None) -> Build:
        home.settings.write(home.root)
        return Build(problems=[BuildProblem("gate", "no gold resolves")])

    (tmp_path / "bad.jsonl").write_text("")
    (quickstarted.root / "live").write_text("0123456789abcdef\n")
    given = (*options, tmp_path / "bad.jsonl") if options == ("--questions",) else options
    monkeypatch.setattr("pipeline.runs.apart.build_apart", refused)
    assert asked_for(quickstarted.root).home.settings.questions == (SAMPLE_QUESTIONS,)
    captured = run("build", *given, "--home", quickstarted.root)
    assert (captured.status, Settings.read(quickstarted.root).questions) == (1, (SAMPLE_QUESTIONS,))
    assert f"The next build uses the questions of the live index: {SAMPLE_QUESTIONS}" in "".join(
        captured.err.splitlines()
    )


def test_a_quickstart_leaves_the_index_of_other_books_alone(tmp_path, books, failure):
    home = Home(tmp_path / "home", Settings(books))
    home.settings.write(home.root)
    line = failure("quickstart", "--home", home.root)
    assert str(books) in line
    assert "querymust quickstart --home" in line
    assert Settings.read(home.root) == home.settings


def test_a_plan_counts_and_prices_what_a_build_would_embed_and_leaves_no_trace(books, tmp_path, monkeypatch, run):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "rag.yaml").write_text("budget_usd: 0.0000001\n")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    query = ("build", "--library", books, "--home", tmp_path / "home", "--plan")
    status, out, _ = run(*query)
    assert (status, out.splitlines()[:2]) == (
        0,
        ["added      1 book: mine", "chunks     1 to embed, 0 to reuse, 0 to delete"],
    )
    assert "minilm: up to " in out
    status, out, err = run(*query, "--embedder", "openai", "--json")
    told = json.loads(out)
    assert (status, told["added"], told["to_embed"], told["budget_usd"]) == (1, ["mine"], 1, 1e-07)
    assert told["usd"] == pytest.approx(told["tokens"] * 0.02 / 1e6)
    assert "budget_usd is 1e-07; allow more in rag.yaml" in " ".join(err.split())
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["rag.yaml"]


@pytest.mark.parametrize("command", ["build", "eval"])
def test_remembered_questions_that_are_gone_are_missed_before_anything_is_done(command, books, tmp_path, failure):
    home = Home(tmp_path / "home", Settings(books, (tmp_path / "gone.jsonl",)))
    home.settings.write(home.root)
    line = failure(command, "--home", home.root)
    assert "gone.jsonl" in line
    assert "--questions" in line
    assert {path.name for path in home.root.iterdir()} == {REMEMBERED, REMEMBERED_COPY}


def test_a_library_that_is_not_there_is_said_before_dagster_is_loaded(tmp_path: Path, run: Callable[..., Ran]) -> None:
    program = (
        "import sys; from pipeline import cli\n"
        "try: cli.main()\n"
        "finally: print('dagster' in sys.modules, 'pipeline.runs.apart' in sys.modules)"
    )
    given = ["build", "--library", str(tmp_path / "none"), "--home", str(tmp_path / "home")]
    done = subprocess.run(
        [sys.executable, "-c", program, *given], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "False False\n")
    assert done.stderr == (
        f"error: {tmp_path / 'none'} is neither a folder nor a file of documents (.jsonl, .jsonl.gz); "
        "name the folder that holds your books\n"
    )
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(("live", "said"), [(None, "nothing is live yet"), ("one", "the live index has not changed")])
def test_what_is_kept_is_said_when_a_build_is_interrupted(tmp_path, capsys, live, said):
    if live is not None:
        (tmp_path / "live").write_text(live)
    with pytest.raises(typer.Exit) as stop, told_when_interrupted(tmp_path):
        raise KeyboardInterrupt
    assert stop.value.exit_code == 130
    assert capsys.readouterr().err == f"Interrupted; {said}. Run the same command to continue.\n"


@pytest.mark.usefixtures("builds_here")
def test_an_embedder_that_does_not_exist_is_not_remembered(quickstarted: Home, failure: Callable[..., str]) -> None:
    line = failure("build", "--embedder", "wordlama", "--home", quickstarted.root)
    assert "wordlama" in line
    assert "minilm" in line
    assert Settings.read(quickstarted.root) == quickstarted.settings
    assert {path.name for path in quickstarted.root.iterdir()} == {REMEMBERED, REMEMBERED_COPY}


@pytest.mark.usefixtures("builds_here")
@pytest.mark.parametrize(
    ("embedder", "said"),
    [
        ("openai", "openai needs OPENAI_API_KEY; set it, or use --embedder wordllama"),
        ("minilm", "minilm cannot read model.safetensors in /nowhere"),
        ("st:some/model", "st:some/model needs a Python package: pip install 'sentence-transformers>=5'"),
    ],
)
def test_an_embedder_that_lacks_something_fails_once_before_the_first_book(
    embedder: str, said: str, tmp_path: Path, books: Path, monkeypatch: pytest.MonkeyPatch, failure: Callable[..., str]
) -> None:
    (books / "yours").mkdir()
    (books / "yours" / "01.md").write_text("# Yours\n\nA mace is heavy.\n")
    if embedder.startswith("st:") and find_spec("sentence_transformers"):
        pytest.skip("the library is installed")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("QUERYMUST_MINILM", "/nowhere")
    home = tmp_path / "home"
    line = failure("build", "--library", books, "--embedder", embedder, "--home", home)
    assert line.removeprefix("error: ").startswith(said)
    assert not (home / REMEMBERED).exists()
    assert not list(home.glob("books/*"))


@pytest.mark.usefixtures("builds_here")
def test_a_build_says_how_far_the_embedding_within_a_book_is(tmp_path, books, monkeypatch, run):
    monkeypatch.setattr("pipeline.defs.books.logged_progress", partial(logged_progress, seconds=0))
    monkeypatch.setattr("retrieval.index.embedding.embedding_store.BATCH", 1)
    (books / "mine" / "02.md").write_text("# Other\n\nA mace is heavy.\n")
    done = run("build", "--library", books, "--home", tmp_path / "home")
    told = [line for line in done.err.splitlines() if line.startswith("book 1 of 1: mine, ")]
    assert done.status == 0
    assert told == [f"book 1 of 1: mine, {number} of 2 chunks embedded" for number in (0, 1)]


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize(
    ("embedder", "missing", "cost"),
    [
        ("minilm", "minilm cannot read model.safetensors in /nowhere", "minilm: missing"),
        ("openai", "openai needs OPENAI_API_KEY; set it, or use --embedder wordllama", "openai: up to"),
    ],
)
def test_a_plan_says_what_the_embedder_lacks_and_ends_as_the_build_would(
    as_json, embedder, missing, cost, tmp_path, books, monkeypatch, run
):
    (books / "yours").mkdir()
    (books / "yours" / "01.md").write_text("# Yours\n\nA mace is heavy.\n")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("QUERYMUST_MINILM", "/nowhere")
    query = ("build", "--plan", "--library", books, "--embedder", embedder, "--home", tmp_path)
    status, out, errors = run(*query, *(["--json"] if as_json else []))
    assert status == 2
    assert errors.startswith(f"error: a build could not start: {missing}")
    if as_json:
        assert json.loads(out)["obstacle"] in errors
    else:
        assert f"embedder   {cost}" in out
        assert "cost nothing" not in out
