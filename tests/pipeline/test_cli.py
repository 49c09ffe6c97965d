"""The command as a person runs it: exit status, one clear line, JSON that another program can read."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pytest
import typer.main

from pipeline.cli import app
from retrieval.home import Home
from retrieval.search.strategies import STRATEGIES
from retrieval.strategy import OFFERED

QUESTION = "What does a 7th level cleric need to roll to hit AC 6?"
ROOT = Path(__file__).parents[2]
QUESTIONS_PAGE = (ROOT / "docs" / "reference" / "questions.md").read_text("utf-8")


Run = Callable[..., Any]


def test_search_prints_k_results_and_where_they_stand(run: Run, sample: Home) -> None:
    ran = run("search", QUESTION, "--home", sample.root, "--k", 3)
    assert ran.status == 0
    assert [line.split(".")[0].strip() for line in ran.out.splitlines()[::3]] == ["1", "2", "3"]
    assert "lantern-and-blade/03-combat.md:" in ran.out


def test_a_hit_shows_every_cell_under_the_name_of_its_column_and_a_pipe_gets_no_control_characters(run, sample):
    title, position, cells = run("search", QUESTION, "--home", sample.root, "--k", 1).out.splitlines()
    assert title.endswith("Combat > Attack Matrices > I.A. Attack Matrix for Clerics, Druids and Monks")
    assert re.fullmatch(r" {5}[0-9a-f]{8}  lantern-and-blade/03-combat.md:\d+", position)
    assert cells.strip().startswith("Opponent Armor Class: 6 | Level 1-3: 14 | Level 4-6: 12 | Level 7-9: 10 | ")
    assert cells.endswith("Level 19+: 3")
    assert all(letter.isprintable() for letter in title + position + cells)


def test_the_hit_of_the_docs_is_what_is_printed(run: Run, sample: Home) -> None:
    piped, shown = re.findall(
        r"^```text\n(.*?)^```", (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert run("search", QUESTION, "--home", sample.root, "--k", 1).out == piped
    assert on_a_terminal(80, "search", QUESTION, "--home", sample.root, "--k", 1) == shown


def on_a_terminal(width: int, *arguments: object) -> str:
    """What a terminal of so many columns gets from a process of its own, with `NO_COLOR`."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    command = [sys.executable, "-m", "pipeline.cli", *map(str, arguments)]
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "xterm"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, env=environment):
        os.close(theirs)
        output = b""
        while read := _read(ours):
            output += read
    os.close(ours)
    return output.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # Linux says so where the last writer is gone
        return b""


def test_a_hit_shows_a_relevance_between_0_and_1_and_the_score_stands_in_json(run: Run, sample: Home) -> None:
    shown = re.findall(r"^ +\d+\. ([\d.-]+)  lantern", run("search", QUESTION, "--home", sample.root).out, re.MULTILINE)
    assert len(shown) == 15
    assert all(0 <= float(number) <= 1 for number in shown)
    hits = run("search", QUESTION, "--home", sample.root, "--json").json["hits"]
    assert [f"{hit['relevance']:.2f}" for hit in hits] == shown
    assert hits[0]["score"] > 1
    assert "[SCORE] 1: " in run("search", QUESTION, "--home", sample.root, "--debug").out


def test_what_stands_beside_the_first_row_is_called_its_context(run: Run, sample: Home) -> None:
    hits = run("search", QUESTION, "--home", sample.root, "--json").json["hits"]
    context = [
        hit["rank"] for hit in hits if any(part["name"] == "companion" and part["value"] for part in hit["addends"])
    ]
    titles = run("search", QUESTION, "--home", sample.root).out.splitlines()[::3]
    assert context
    assert [rank for rank, title in enumerate(titles, start=1) if title.endswith(" (context of hit 1)")] == context


@pytest.mark.parametrize("option", ["--k", "-k"])
def test_k_has_a_short_form(run: Run, sample: Home, option: str) -> None:
    assert len(run("search", QUESTION, "--home", sample.root, option, 1).out.splitlines()) == 3


@pytest.mark.parametrize(
    ("name", "meant"), [("hybird", "hybrid"), ("Default", "default"), ("default+cht", "default+chat"), ("zzz", None)]
)
def test_an_unknown_strategy_lists_what_is_offered_and_says_what_was_probably_meant(run, sample, name, meant):
    ran = run("search", QUESTION, "--home", sample.root, "--strategy", name)
    offered = f"available: {', '.join(sorted(OFFERED))}"
    sentence = f"{name!r}; did you mean {meant!r}? {offered}" if meant else f"{name!r}; {offered}"
    assert ran.err.strip() == f"error: no strategy is called {sentence}"


def test_the_strategy_of_rag_yaml_is_used_unless_the_command_names_another(run: Run, sample_copy: Home) -> None:
    (sample_copy.root / "rag.yaml").write_text("strategy: bm25\n")
    assert run("search", QUESTION, "--home", sample_copy.root, "--json").json["strategy"] == "bm25"
    named = run("search", QUESTION, "--home", sample_copy.root, "--json", "--strategy", "dense")
    assert named.json["strategy"] == "dense"
    (sample_copy.root / "rag.yaml").write_text("strategy: bm52\n")
    ran = run("search", QUESTION, "--home", sample_copy.root)
    assert ran.status == 2
    assert f"{sample_copy.root / 'rag.yaml'}: no strategy is called 'bm52'; did you mean 'bm25'?" in ran.err


def test_the_help_names_every_command_under_a_heading_and_cuts_no_line(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = run("--help").out
    sections = re.findall(r"^(\S[^\n]*):\n((?:  .*\n)+)", shown.split("Options:")[1], re.MULTILINE)
    names = {heading: re.findall(r"^  (\S+)", lines, re.MULTILINE) for heading, lines in sections}
    assert list(names) == [*("Most used", "Ask and answer", "Build", "Look inside"), *("Share and serve", "Evaluate")]
    assert len(names["Most used"]) == 8
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert sorted(name for listed in names.values() for name in listed) == sorted(commands)
    assert "..." not in shown.split("Most used")[1]
    assert max(map(len, shown.splitlines())) <= 80


def test_the_strategies_that_are_offered_are_those_that_builds_score() -> None:
    assert set(OFFERED) == set(STRATEGIES)


def test_full_shows_source_names_predicate_and_metadata(run: Run, sample: Home) -> None:
    full = run("search", QUESTION, "--home", sample.root, "--k", 1, "--full").out
    assert "  | 6 | 14 | 12 | 10 | 8 | 6 | 4 | 3 |" in full
    for output in (
        'names: ["ac 6"]',
        "query_must: {",
        "in words: The question must say one of",
        "doc_type: core-rules",
    ):
        assert output in full


def test_show_takes_the_short_id_that_search_prints(run: Run, sample: Home) -> None:
    (hit,) = run("search", QUESTION, "--home", sample.root, "--k", 1, "--json").json["hits"]
    ran = run("show", hit["short_id"], "--home", sample.root)
    assert ran.status == 0
    assert f"id {hit['id']}, row" in ran.out
    assert 'in words: The question must say one of "ia", "cleric", "druid", "monk"; and one of ' in ran.out
    record = run("show", hit["id"], "--home", sample.root, "--json").json
    assert {key: record[key] for key in hit if key in record} == {key: hit[key] for key in hit if key in record}
    assert {record["above"]["title"][-1], record["below"]["title"][-1]} == {"5", "7"}
    assert run("explain", QUESTION, "--chunk", hit["short_id"], "--home", sample.root).out.startswith("IN: ")


def test_the_first_chunk_of_a_document_has_nothing_above_and_the_last_nothing_below(run: Run, sample: Home) -> None:
    short = "document=01-introduction.md"
    hits = run("search", QUESTION, "--home", sample.root, "--json", "--k", 1000, "--where", short).json
    position, above = hits["hits"][0]["short_id"], []
    while position:
        record = run("show", position, "--home", sample.root, "--json").json
        above.append(record["id"])
        position = record["above"] and record["above"]["id"]
    assert "above: nothing" in run("show", above[-1], "--home", sample.root).out
    below = [run("show", each, "--home", sample.root, "--json").json["below"] for each in above[1:]]
    assert [each["id"] for each in below] == above[:-1]


def test_an_id_that_is_unknown_or_begins_several_is_one_line_of_candidates(run: Run, sample: Home) -> None:
    hit = run("search", QUESTION, "--home", sample.root, "--k", 1, "--json").json["hits"][0]["short_id"]
    mistyped = hit[:7] + "x"
    for given, words, candidates in (
        ("", "several chunks begin with ''", 3),
        (mistyped, f"no chunk is called {mistyped!r}; available: ", 1),
        ("zzz", "no chunk is called 'zzz'; search prints the id of each hit", 0),
    ):
        ran = run("show", given, "--home", sample.root)
        assert (ran.status, ran.out) == (2, "")
        assert words in ran.err
        assert len(ran.err.strip().splitlines()) == 1
        findall = re.findall(r"([0-9a-f]{8}) \(", ran.err)
        assert len(findall) >= candidates
        assert bool(findall) == bool(candidates)
        assert given != mistyped or hit in findall


def test_a_filter_that_leaves_nothing_says_which_values_there_are(run: Run, sample: Home) -> None:
    ran = run("search", QUESTION, "--home", sample.root, "--where", "kind=pros")
    assert ran.status == 0
    assert ran.err.strip() == "--where: no chunk has kind=pros; kind is one of: prose, row, record"
    both = run("search", QUESTION, "--home", sample.root, "--where", "kind=row", "--where", "kind=prose", "--json")
    assert both.json["hits"] == []
    assert "but none meets all" in both.err
    assert run("search", QUESTION, "--home", sample.root, "--where", "kind=prose").err == ""


@pytest.mark.parametrize("given", ["kind=row|pros", "kind!=pros"])
def test_a_value_that_no_chunk_has_is_said_even_where_there_are_results(run: Run, sample: Home, given: str) -> None:
    ran = run("search", QUESTION, "--home", sample.root, "--where", given, "--k", 1)
    assert ran.status == 0
    assert ran.out.startswith("  1. ")
    assert ran.err.strip() == "--where: no chunk has kind=pros; kind is one of: prose, row, record"


def test_search_as_json_holds_hits_and_receipt(run: Run, sample: Home) -> None:
    record = run("search", QUESTION, "--home", sample.root, "--json", "--strategy", "prefilter").json
    hits = record["hits"]
    assert isinstance(hits, list)
    assert [hit["rank"] for hit in hits] == list(range(1, 16))
    assert all(hit["id"] and hit["text"] and hit["heading_path"] for hit in hits)
    receipt = record["receipt"]
    assert isinstance(receipt, dict)
    assert "ac 6" in receipt["canonical"]


def test_where_keeps_to_chunks_with_that_metadata(run: Run, sample: Home) -> None:
    hits = run("search", QUESTION, "--home", sample.root, "--json", "--where", "kind=prose", "--where", "book!=x").json[
        "hits"
    ]
    assert isinstance(hits, list)
    assert hits
    assert {hit["kind"] for hit in hits} == {"prose"}
    refused = run("search", QUESTION, "--home", sample.root, "--where", "colour=red")
    assert refused.status != 0
    assert "no metadata key is called 'colour'" in refused.err


def test_debug_prints_keep_and_exclude(run: Run, sample: Home) -> None:
    ran = run("search", QUESTION, "--home", sample.root, "--strategy", "iterative", "--debug")
    assert "KEEP" in ran.out
    assert "EXCLUDE" in ran.out


def test_explain_without_a_chunk_is_about_the_first_hit(run: Run, sample: Home) -> None:
    (hit,) = run("search", QUESTION, "--home", sample.root, "--json", "--k", 1).json["hits"]
    assert run("explain", QUESTION, "--home", sample.root, "--json").json["chunk"] == hit["id"]


def test_explain_says_why_a_row_is_out(run: Run, sample: Home) -> None:
    hits = run("search", QUESTION, "--home", sample.root, "--json", "--strategy", "dense").json["hits"]
    assert isinstance(hits, list)
    other = next(hit for hit in hits if hit["query_must"] and " 6" not in hit["title"])
    ran = run("explain", QUESTION, "--chunk", other["id"], "--home", sample.root)
    assert ran.status == 0
    assert ran.out.startswith("OUT")
    record = run("explain", QUESTION, "--chunk", other["id"], "--home", sample.root, "--json").json
    assert record["excluded"] is True
    assert record["chunk"] == other["id"]


def test_eval_as_json_has_every_strategy_that_was_asked_for(run: Run, sample: Home) -> None:
    record = run("eval", "--home", sample.root, "--strategy", "dense", "--strategy", "prefilter", "--json").json
    strategies = record["strategies"]
    assert isinstance(strategies, dict)
    assert list(strategies) == ["dense", "prefilter"]
    assert strategies["prefilter"]["false_exclusions"] == 0
    assert strategies["prefilter"]["noise@15"] < strategies["dense"]["noise@15"]


def test_eval_writes_files_that_trec_eval_scores_the_same(run: Run, sample: Home, tmp_path: Path) -> None:
    ran = run("eval", "--home", sample.root, "--strategy", "default", "--json", "--trec", tmp_path)
    qrels, ranked = sorted(tmp_path.iterdir(), key=lambda path: path.suffix)
    assert (qrels.suffix, ranked.suffix) == (".qrels", ".run")
    assert str(ranked) in ran.err.replace("\n", "")
    calc_aggregate = ir_measures.calc_aggregate(
        [ir_measures.RR, ir_measures.nDCG @ 10],
        ir_measures.read_trec_qrels(str(qrels)),
        ir_measures.read_trec_run(str(ranked)),
    )
    ours = ran.json["strategies"]["default"]
    assert ours["ndcg@10"] == pytest.approx(calc_aggregate[ir_measures.nDCG @ 10], abs=1e-6)
    assert ours["mrr"] == pytest.approx(calc_aggregate[ir_measures.RR], abs=1e-2)


def test_a_strategy_that_is_named_twice_is_scored_once(run: Run, sample: Home) -> None:
    record = run("eval", "--home", sample.root, "--strategy", "dense", "--strategy", "dense", "--json").json
    assert list(record["strategies"]) == ["dense"]


def test_questions_check_passes_on_the_sample_and_names_what_is_stale(run: Run, sample: Home, tmp_path: Path) -> None:
    files = sample.settings.questions
    assert run("questions", "check", *files, "--home", sample.root).status == 0
    lines = [json.loads(line) for line in files[0].read_text().splitlines()[:2]]
    lines[1]["gold"][0]["snippet"] = "| 3 | no such row |"
    stale = tmp_path / "stale.jsonl"
    stale.write_text("\n".join(map(json.dumps, lines)))
    ran = run("questions", "check", stale, "--home", sample.root)
    assert ran.status == 1
    assert lines[1]["id"] in ran.err


@pytest.fixture
def namesakes(sample: Home, tmp_path: Path) -> tuple[Path, Path]:
    """Two files with one question each, both called `q`; the gold of the second is stale."""
    first, second = (json.loads(line) for line in sample.settings.questions[0].read_text().splitlines()[:2])
    second["gold"][0]["snippet"] = "| 3 | no such row |"
    paths = (tmp_path / "one.jsonl", tmp_path / "two.jsonl")
    for path, question in zip(paths, (first, second), strict=True):
        path.write_text(json.dumps(question | {"id": "q"}))
    return paths


def test_an_id_that_two_files_use_is_two_questions(run: Run, sample: Home, namesakes: tuple[Path, Path]) -> None:
    one, two = namesakes
    checked = run("questions", "check", one, two, one, "--home", sample.root, "--json")
    assert checked.status == 1
    assert (checked.json["questions"], checked.json["with_gold"], checked.json["evaluability"]) == (2, 2, 0.5)
    assert [line.startswith(f"{two}:q: ") for line in checked.json["stale"]] == [True]
    gold = run("questions", "resolve", one, two, "--home", sample.root, "--json").json
    alone = run("questions", "resolve", one, "--home", sample.root, "--json").json
    assert gold == {f"{one}:q": alone["q"], f"{two}:q": []}
    assert alone["q"]


def test_the_example_file_of_the_docs_stands_whole_in_the_sample(run, sample, sample_copy, tmp_path):
    (block,) = re.findall(r"^```jsonl\n(.*?)^```", QUESTIONS_PAGE, re.MULTILINE | re.DOTALL)
    path = tmp_path / "questions.jsonl"
    path.write_text(block)
    checked = run("questions", "check", path, "--home", sample.root, "--json")
    assert (checked.status, checked.json["evaluability"], checked.json["ambiguous"]) == (0, 1.0, [])
    result = run("questions", "resolve", path, "--home", sample.root, "--json").json
    assert {name: len(gold) for name, gold in result.items()} == {
        "one-row": 1,
        "two-rows": 2,
        "any-row": 2,
        "prose": 1,
        "nothing": 0,
    }
    shown = run("questions", "resolve", path, "--home", sample.root).out
    assert "    any of\n      " in shown
    scored = run("eval", "--questions", path, "--home", sample_copy.root, "--strategy", "default", "--json")
    assert scored.status == 0
    (recall,) = [
        number["value"]
        for number in scored.json["breakdown"]
        if (number["kind"], number["book"], number["metric"]) == ("question", "*", "recall@10")
    ]
    assert recall == 1


def test_what_a_question_must_have_is_what_the_docs_say(run: Run, sample: Home, tmp_path: Path) -> None:
    (listed,) = re.findall(r"((?:`\w+`(?:,\s|\sand\s)?)+)\sare required", QUESTIONS_PAGE)
    least = {"id": "q", "query": "turning a vampire", "gold": [{"row_key": "6"}]}
    assert re.findall(r"`(\w+)`", listed) == list(least)
    path = tmp_path / "questions.jsonl"
    for name in least:
        path.write_text(json.dumps({key: value for key, value in least.items() if key != name}))
        ran = run("questions", "check", path, "--home", sample.root)
        assert ran.status == 2
        assert f"{name}: " in ran.err


def test_questions_resolve_prints_ids_that_search_finds(run: Run, sample: Home) -> None:
    gold = run("questions", "resolve", *sample.settings.questions, "--home", sample.root, "--json").json
    hits = run("search", QUESTION, "--home", sample.root, "--json").json["hits"]
    assert isinstance(hits, list)
    assert isinstance(gold["sample-001"], list)
    assert set(gold["sample-001"]) <= {hit["id"] for hit in hits}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("search", QUESTION, "--home", "{empty}"), "querymust build"),
        (("search", "", "--home", "{sample}"), "at least one character"),
        (("search", QUESTION, "--home", "{sample}", "--strategy", "magic"), "magic"),
        (("explain", QUESTION, "--chunk", "none-such", "--home", "{sample}"), "none-such"),
        (("eval", "--questions", "{empty}/none.jsonl", "--home", "{sample}"), "none.jsonl"),
        (("questions", "check", "{empty}/none.jsonl", "--home", "{sample}"), "none.jsonl"),
        (("build", "--library", "{empty}/none", "--home", "{empty}/home"), "none"),
        (("build", "--home", "{empty}"), "--library"),
        (("build", "--library", "{sample}", "--questions", "{empty}/none.jsonl", "--home", "{empty}/h"), "none.jsonl"),
    ],
)
def test_what_a_person_can_fix_is_one_clear_line_and_status_2(run, sample, tmp_path, arguments, words):
    filled = [argument.format(empty=tmp_path, sample=sample.root) for argument in arguments]
    ran = run(*filled)
    assert ran.status == 2
    assert ran.out == ""
    assert len(ran.err.strip().splitlines()) == 1
    assert ran.err.startswith("error: ")
    assert words in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("question", ["--max-count default", "-k of a cleric"])
def test_a_question_may_begin_with_a_dash(run: Run, sample: Home, question: str) -> None:
    ran = run("search", question, "--home", sample.root, "--k", 1, "--json")

    assert (ran.status, json.loads(ran.out)["query"].strip()) == (0, question)


def test_a_home_is_also_named_by_the_environment(run, sample, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUERYMUST_HOME", str(sample.root))
    assert run("search", QUESTION, "--k", 1).status == 0


def test_a_cold_shell_answers_quickly_and_never_loads_dagster(sample: Home) -> None:
    program = (
        "import sys; from pipeline import cli; sys.argv[1:] = ['search', 'turning a vampire', '--home', sys.argv[1]]\n"
        "cli.main.__globals__['app'](standalone_mode=False)\n"
        "print(*[name for name in ('dagster', 'pandas', 'openai') if name in sys.modules], file=sys.stderr)"
    )
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-c", program, str(sample.root)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    after = os.times()
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    assert done.stderr.strip() == ""
    assert done.stdout.startswith("  1. ")
    assert seconds < 10, "two seconds of work on a quiet machine; ten leave room for a busy one"
