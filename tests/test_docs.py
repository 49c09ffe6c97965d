import contextlib
import os
import re
import shlex
import sys
from collections.abc import Callable
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from evals.questions.questions import Anchor, Question, load_questions
from pipeline import cli
from pipeline.cli import app
from pipeline.commands.quickstart import ask_examples
from pipeline.commands.serve import PORT
from retrieval.adapters.retrieved_text import Search, retrieved_texts
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import embedding_text
from retrieval.index.snapshot.live import live_id, promote
from retrieval.index.snapshot.snapshot import build_snapshot
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.library import list_books
from retrieval.ingest.library.table_rules import FIND_KEYS, KEYS
from retrieval.language.vocabulary import Vocabulary
from retrieval.rag.contract import DocumentChunk, RAGContext, RuleDocument
from retrieval.settings import ChunkingSettings, EmbeddingSettings, RetrievalSettings, Settings, UnderstandSettings
from retrieval.understand.self_query.conditions import SelfQueryConfig
from tests.pipeline.conftest import Ran, running
from tools.check import STEPS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
DOCS = ROOT / "docs"
FILES = (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))
PAGES = "".join(path.read_text("utf-8") for path in FILES)


def blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(command: Any, path: tuple[str, ...] = ()) -> dict[str, Any]:
    # Typer brings a click of its own, so its groups are not instances of click's.
    if not hasattr(command, "commands"):
        return {" ".join(path): command}
    result: dict[str, Any] = {}
    for name, inner in command.commands.items():
        result |= commands(inner, (*path, name))
    return result


COMMANDS = commands(typer.main.get_command(app))
SHELL_LINES = [line for block in blocks("sh") for line in block.splitlines() if line.strip()]
LINES = [*SHELL_LINES, *re.findall(r"^\$ (querymust .*)$", README, re.MULTILINE)]


def test_a_newcomer_pastes_two_lines() -> None:
    first, second = SHELL_LINES[:2]
    assert first.startswith("python3.11 -m venv .venv && ")
    assert first.endswith(".venv/bin/querymust quickstart")
    assert second == ".venv/bin/pip install -e '.[dev]' && .venv/bin/python -m tools.check"


def test_ci_runs_the_second_line_and_stays_executable() -> None:
    script = ROOT / ".ci" / "run"
    install, check = SHELL_LINES[1].split(" && ")
    assert check in script.read_text("utf-8")
    assert install.removeprefix(".venv/bin/pip install") in script.read_text("utf-8")
    assert os.access(script, os.X_OK)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    assert f"`querymust {name}`" in PAGES


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_an_example_of_itself(name: str) -> None:
    shown = COMMANDS[name].get_help(COMMANDS[name].make_context(name, [], resilient_parsing=True))
    assert re.search(rf"^ +querymust {name}\b", shown, re.MULTILINE), shown


@pytest.mark.parametrize("line", [line for line in LINES if "querymust " in line])
def test_every_command_of_the_readme_exists_with_its_options(line: str) -> None:
    words = shlex.split(line.rsplit(" && ", maxsplit=1)[-1])[1:]
    name = next(name for name in COMMANDS if words[: len(name.split())] == name.split())
    known = {option for parameter in COMMANDS[name].params for option in parameter.opts}
    assert {word for word in words if word.startswith("-")} <= known


@pytest.mark.parametrize("page", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_index_has_one_line_for_each_page() -> None:
    index = (DOCS / "index.md").read_text("utf-8")
    listed = re.findall(r"^- \[[^\]]+\]\(([^)]+)\): .+\.$", index, re.MULTILINE)
    assert sorted(listed) == [path.relative_to(DOCS).as_posix() for path in FILES[1:] if path.name != "index.md"]


def test_the_site_has_every_page_in_its_navigation() -> None:
    lines = (ROOT / "mkdocs.yml").read_text("utf-8").splitlines()
    assert sorted(re.findall(r"[\w/-]+\.md$", "\n".join(lines), re.MULTILINE)) == sorted(
        path.relative_to(DOCS).as_posix() for path in FILES[1:]
    )


def test_the_reading_order_names_six_files_that_exist() -> None:
    order = README.split("## Reading order")[1]
    files = re.findall(r"\]\(([^)]+)\)", order)
    assert len(files) == 6
    assert all((ROOT / file).is_file() for file in files)


def test_the_example_of_the_frames_runs(sample, tmp_path, monkeypatch, capsys):
    (block,) = blocks("python", (ROOT / "docs" / "how-to" / "evals.md").read_text("utf-8"))
    (tmp_path / ".querymust").symlink_to(sample.root)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(block, "evals.md", "exec"), names)
    assert {"bm25", "default"} == set(names["mrr"].columns)
    assert len(names["mrr"]) == len(names["frame"]) / 2
    assert len(capsys.readouterr().out.splitlines()) > 10


PICTURES = sorted(DOCS.rglob("*.png"))


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.name)
def test_a_picture_is_shown_small_and_has_a_palette(picture: Path) -> None:
    assert re.search(rf"!\[[^\]]+\]\((?:docs/|\.\./)images/{picture.name}\)", PAGES)
    content = picture.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert content[25] == 3, "its colours are a palette"
    assert len(content) < 150_000


def prints(shown: str, printed: str) -> bool:
    """Whether a program printed what a page shows, where `…` stands for the rest of a line or for any lines."""
    lines = (
        "(?:.*\\n)*" if line == "…" else re.escape(line.removesuffix("…")) + (".*" * line.endswith("…")) + " *\\n"
        for line in shown.splitlines()
    )
    return re.fullmatch("".join(lines), printed) is not None


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n", "a\nb\n", False),
        ("a …\n", "a b\n", True),
        ("…\nb\n", "a\na\nb\n", True),
        ("…\nb\n", "a\nb\nc\n", False),
        ("a.b\n", "acb\n", False),
    ],
)
def test_what_is_left_out_is_the_only_difference(shown: str, printed: str, same: bool) -> None:
    assert prints(shown, printed) is same


def consoles(text: str) -> list[tuple[str, str]]:
    """(command, output) of each `console` block, in turn."""
    return [
        (command, shown)
        for block in blocks("console", text)
        for command, shown in re.findall(r"^\$ querymust (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    ]


ABOUT_THE_SAMPLE, ABOUT_ONES_OWN = README.split("## Your own books")


def test_every_block_of_the_readme_shows_what_it_prints() -> None:
    languages = re.findall(r"^```(\w+)$", README, re.MULTILINE)
    assert {after for each, after in pairwise([*languages, ""]) if each in ("sh", "python")} == {"text"}
    assert all(shown for _, shown in consoles(README))
    assert languages[0] == "console", "the page begins with a question and its answer"
    assert len(README.split()) <= 700


@pytest.mark.parametrize(("command", "shown"), consoles(ABOUT_THE_SAMPLE))
def test_the_commands_of_the_readme_print_what_it_shows(command, shown, sample, tmp_path, monkeypatch, capsys):
    (tmp_path / ".querymust").symlink_to(sample.root)
    monkeypatch.chdir(tmp_path)
    assert prints(shown, printed_by(command, monkeypatch, capsys))


def printed_by(command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(sys, "argv", ["querymust", *shlex.split(command)])
    capsys.readouterr()
    with contextlib.suppress(SystemExit):
        cli.main()
    return capsys.readouterr().out


def printed(commands: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[Ran]:
    """What each line of `commands` prints; every one must end well."""
    run = running(cli.main, "querymust", monkeypatch, capsys)
    output = [run(*shlex.split(line)[1:]) for line in commands.splitlines()]
    assert not [ran.err for ran in output if ran.status]
    return output


def test_the_examples_of_the_quickstart_are_those_of_the_readme(sample, capsys):
    shown, checks, _ = blocks("text")
    ask_examples(sample.root)
    assert prints(shown, capsys.readouterr().out)
    assert [line.split()[0] for line in checks.splitlines()] == [STEPS[0].name, "…", "all"]


def test_ones_own_books_are_built_and_asked_as_the_readme_shows(tmp_path, monkeypatch, capsys):
    (name,) = re.findall(r"create\s`(books/.*\.md)`:", ABOUT_ONES_OWN)
    (page,), (program,), (told,) = (blocks(kind, ABOUT_ONES_OWN) for kind in ("markdown", "python", "text"))
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(page)
    monkeypatch.chdir(tmp_path)
    *query, (serve, address) = consoles(ABOUT_ONES_OWN)
    for command, shown in query:
        assert prints(shown, printed_by(command, monkeypatch, capsys)), command
    exec(compile(program, "README.md", "exec"), {})
    assert capsys.readouterr().out == told
    assert (serve, address) == ("serve", f"http://127.0.0.1:{PORT}  (press Ctrl-C to stop)\n")


FRAMEWORKS = (ROOT / "docs" / "how-to" / "frameworks.md").read_text("utf-8")


@pytest.mark.parametrize("block", blocks("python", FRAMEWORKS))
def test_the_python_of_the_frameworks_runs(block, sample, tmp_path, monkeypatch, capsys):
    extra = "langchain" if "langchain" in block else "llamaindex"
    pytest.importorskip(
        {"langchain": "langchain_core", "llamaindex": "llama_index.core"}[extra], reason=f"needs [{extra}]"
    )
    (tmp_path / ".querymust").symlink_to(sample.root)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(block, "frameworks.md", "exec"), names)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == (1 if "where=" in block else names["retriever"].search.k)
    assert "documents of one file" in lines[0] or lines[0].endswith("satisfies query_must")
    assert f"pip install '.[{extra}]'" in FRAMEWORKS


def test_the_metadata_of_the_frameworks_is_documented(sample: Home) -> None:
    search = Search.open(sample.root, k=1)
    (result,) = retrieved_texts(search, "What does a 7th level cleric need to roll to hit AC 6?")
    own = set(result.metadata) - set(search.live.reader().retriever.snapshot.chunks[0].metadata)
    assert own == set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[^|]+`) \|", FRAMEWORKS, re.MULTILINE))))


OWN_RULES = (ROOT / "docs" / "how-to" / "tables.md").read_text("utf-8")


@pytest.fixture(scope="session")
def ruled_home(made_once: Any) -> Path:
    """A home whose live index is over the book of the page about `tables.toml`."""

    def make(folder: Path) -> None:
        book = folder / "library" / "guide"
        book.mkdir(parents=True)
        (page,), (rules,) = blocks("markdown", OWN_RULES), blocks("toml", OWN_RULES)
        (book / "01.md").write_text(page)
        (book / "tables.toml").write_text(rules)
        chunks = chunks_of_book(read_book(list_books(folder / "library")[0]), Vocabulary.default())
        embedder = load_embedder("wordllama")
        vectors = embedder.embed([embedding_text(chunk) for chunk in chunks])
        made = build_snapshot(folder / "home", chunks, vectors, embedder.identity, Vocabulary.default())
        promote(folder / "home", made.id)

    return made_once("ruled", make) / "home"


def test_the_example_of_ones_own_rules_for_tables_runs(ruled_home, tmp_path, monkeypatch):
    (tmp_path / ".querymust").symlink_to(ruled_home)
    monkeypatch.chdir(tmp_path)
    (block,) = blocks("python", OWN_RULES)
    names: dict[str, Any] = {}
    exec(compile(block, "tables.md", "exec"), names)
    names["retriever"].snapshot.close()


def test_every_key_of_an_entry_is_documented() -> None:
    documented = re.findall(r"^\| `(\w+)` \|", OWN_RULES, re.MULTILINE)
    assert documented == [*FIND_KEYS, *(key for key in KEYS if key != "find")]


def test_the_questions_of_the_docs_are_questions(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "reference" / "questions.md").read_text("utf-8")
    (block,) = blocks("jsonl", page)
    path = tmp_path / "questions.jsonl"
    path.write_text(block)
    questions = load_questions(path)
    assert questions[0].gold[0].row_key == "6"
    assert {anchor.group is None for question in questions for anchor in question.gold} == {True, False}


@pytest.mark.parametrize(
    "name", [field.name for record in (Question, Anchor) for field in fields(record) if field.name != "group"]
)
def test_every_field_of_a_question_and_an_anchor_is_documented(name: str) -> None:
    page = (ROOT / "docs" / "reference" / "questions.md").read_text("utf-8")
    assert re.search(rf"^\| `{name}` \|", page, re.MULTILINE)


def test_the_commands_of_operations_run(twice_live, tmp_path, monkeypatch, capsys):
    home, first, _ = twice_live
    monkeypatch.setenv("QUERYMUST_HOME", str(home.root))
    monkeypatch.chdir(tmp_path)
    index, travel = blocks("sh", (ROOT / "docs" / "how-to" / "operations.md").read_text("utf-8"))
    assert not any(ran.err for ran in printed(index + travel, monkeypatch, capsys))
    assert live_id(home.root) == live_id(tmp_path / "reader") == first


CONTRACT = (ROOT / "docs" / "reference" / "contract.md").read_text("utf-8")


def test_the_python_of_the_contract_runs(tmp_path, monkeypatch, capsys):
    (block,) = blocks("python", CONTRACT)
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "contract.md", "exec"), {})
    documents, *lines, reason = capsys.readouterr().out.splitlines()
    assert documents == "8 documents, 38 vectors"
    assert re.fullmatch(r"[01]\.\d\d Cinder Alley Rules v1\.2 - Movement Phase", lines[0])
    assert reason.startswith("nothing in these books answers")


def test_the_settings_of_the_contract_are_settings_and_all_of_them(tmp_path: Path) -> None:
    (block,) = blocks("yaml", CONTRACT)
    (tmp_path / "rag.yaml").write_text(block)
    assert Settings.read(tmp_path, {}).embedder == "minilm"
    output = yaml.safe_load(block)
    for name, section in (
        ("embedding", EmbeddingSettings),
        ("chunking", ChunkingSettings),
        ("retrieval", RetrievalSettings),
    ):
        assert set(output[name]) - {"model"} == {field.name for field in fields(section)}


@pytest.fixture
def printed_as_shown(tmp_path, monkeypatch, capsys):
    """Runs the one Python block of a page, which prints the page's first text block; what it printed."""

    def run(name: str) -> str:
        page = (ROOT / "docs" / "explanation" / name).read_text("utf-8")
        (block,) = blocks("python", page)
        (shown, _) = blocks("text", page)
        monkeypatch.chdir(tmp_path)
        exec(compile(block, name, "exec"), {})
        printed = capsys.readouterr().out
        assert prints(shown, printed)
        return printed

    return run


def test_the_python_of_self_querying_runs(printed_as_shown: Callable[[str], str]) -> None:
    _, _, _, *documents = printed_as_shown("self_query.md").splitlines()
    assert documents
    assert all(line.split()[-1] >= "2026-01-01" for line in documents)
    page = (ROOT / "docs" / "explanation" / "self_query.md").read_text("utf-8")
    assert all(f"`{field.name}`" in page for field in fields(SelfQueryConfig))


def test_the_python_of_comparisons_answers_both_parts(printed_as_shown: Callable[[str], str]) -> None:
    assert printed_as_shown("decomposition.md")


def test_the_model_that_reads_questions_has_every_setting_documented() -> None:
    (block,) = blocks("yaml", (ROOT / "docs" / "explanation" / "self_query.md").read_text("utf-8"))
    assert set(yaml.safe_load(block)["understand"]) == {field.name for field in fields(UnderstandSettings)}


@pytest.mark.parametrize("record", [RAGContext, DocumentChunk, RuleDocument])
def test_every_field_of_the_contract_is_documented(record: type) -> None:
    for field in fields(record):
        assert re.search(rf"[`(, ]{field.name}[`,)]", CONTRACT), field.name
