"""`querymust lint` on the sample book, and on copies of a home whose index was made wrong in one way."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pipeline.building.book_records import GUARDS
from pipeline.lint.inspection import Inspection, inspect
from retrieval.files.records import read_jsonl, write_jsonl
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.live import promote
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.ingest.tables.table import Table
from retrieval.types import Book, Chunk, Find, Row, TableRule

Lint = Callable[..., tuple[int, str]]


@pytest.fixture
def lint(run: Callable[..., tuple[int, str, str]]) -> Lint:
    return lambda *arguments: run("lint", *arguments)[:2]


@pytest.fixture(scope="module")
def printed() -> dict[tuple[str, ...], tuple[int, str]]:
    return {}


@pytest.fixture
def lint_sample(lint: Lint, sample: Home, printed: dict[tuple[str, ...], tuple[int, str]]) -> Lint:
    """`querymust lint` on the sample, which nobody changes: each set of options runs once."""

    def once(*options: str) -> tuple[int, str]:
        if options not in printed:
            printed[options] = lint("--home", sample.root, *options)
        return printed[options]

    return once


def with_chunks(home: Home, chunks: list[Chunk], *, recorded: bool = True) -> str:
    """Make a snapshot of these chunks live; `recorded` makes them the book's own, too."""
    identity = load_embedder(home.settings.embedder).identity
    vectors = np.eye(len(chunks), identity.dimensions, dtype=np.float32)
    with open_snapshot(home.root) as live:
        vocabulary = live.vocabulary
    made = build_snapshot(home.root, chunks, vectors, identity, vocabulary).id
    promote(home.root, made)
    if recorded:
        write_jsonl(home.book("tiny") / "chunks.jsonl", chunks)
    return made


def tiny_chunks(home: Home) -> list[Chunk]:
    return list(read_jsonl(home.book("tiny") / "chunks.jsonl", Chunk))


def inspected(home: Home) -> Inspection:
    with open_snapshot(home.root) as snapshot:
        return inspect(home, snapshot)


def test_the_sample_book_has_no_errors(lint_sample: Lint) -> None:
    status, out = lint_sample()
    assert status == 0
    assert out.splitlines()[-1].endswith("721 guarded; 0 errors, 0 warnings")
    assert "122 tables, 69 guarded; not guarded: 53 describe one thing" in out.splitlines()


def test_tables_that_are_not_guarded_are_listed_with_their_place_and_their_reason(lint_sample, sample):
    short, long = (lint_sample(*more)[1].splitlines() for more in ((), ("--all",)))
    assert short[0].startswith("53 tables describe one thing. Nothing to do: ")
    assert short[1] == "  lantern-and-blade/05-magic.md:98  Bless"
    assert short[6] == "  and 48 more; to list all: querymust lint --all"
    assert len([line for line in long if line.startswith("  lantern-and-blade/")]) == 53
    source = (sample.library / "lantern-and-blade" / "05-magic.md").read_text().splitlines()
    assert (source[95], source[97]) == ("### Bless", "| Level: | Cleric 1 |")


def test_crowded_tables_are_counted_and_listed_on_request(lint_sample: Lint) -> None:
    short, long = (lint_sample(*more)[1] for more in ((), ("--density",)))
    assert "39 of 69 tables have a near-duplicate density of 0.5 or more; querymust lint --density lists them" in short
    assert "I.A. Attack Matrix for Clerics, Druids and Monks" not in short
    assert "  21       21  lantern-and-blade: I.A. Attack Matrix for Clerics, Druids and Monks" in long


def test_the_verdict_on_every_table_is_kept_with_the_book(lint_sample: Lint) -> None:
    guards = json.loads(lint_sample("--json")[1])["guards"]
    assert len(guards) == 122
    by_title = {guard["caption"] or guard["heading"]: guard for guard in guards}
    forest = by_title["Random Encounters: Forest"]
    assert (forest["document"], forest["n_rows"], forest["n_guarded"], forest["reason"]) == (
        "08-encounters.md",
        12,
        12,
        None,
    )
    assert by_title["Bless"]["reason"] == "record"
    assert by_title["Bless"]["n_guarded"] == 0


def test_a_book_of_an_index_that_kept_no_verdicts_is_said_to_need_a_build(lint: Lint, tiny: Home) -> None:
    (tiny.book("tiny") / GUARDS).unlink()
    status, out = lint("--home", tiny.root)
    assert status == 0
    assert "rebuild it" in out
    assert "not guarded" not in out


def test_as_json_it_holds_every_table_with_its_density(lint_sample: Lint) -> None:
    status, out = lint_sample("--json")
    report = json.loads(out)
    assert status == 0
    assert (report["findings"], report["fidelity"], report["books_without_records"]) == ([], [], [])
    tables = {table["title"]: table for table in report["tables"]}
    matrix = tables["I.C. Attack Matrix for Magic-Users and Illusionists"]
    assert (matrix["rows"], matrix["guarded"], matrix["density"]) == (21, 21, 1.0)
    assert tables["Random Encounters: Forest"]["density"] == 0.0
    short = tables["II.C. Saving Throws for Magic-Users and Illusionists"]
    assert (short["rows"], short["density"]) == (5, 1.0), "with the tables of the same columns"
    assert tables["Random Encounters: Forest"]["guarded"] == 12
    densities = [table["density"] for table in report["tables"]]
    assert densities == sorted(densities, reverse=True)


@pytest.mark.parametrize(
    ("query_must", "rule", "status"),
    [
        ('{"contain": "mace"}', "self_excluding", 1),
        ('{"contain_range": {"min": 9, "max": 1}}', "invalid", 1),
        ('{"contain_any": ["dagger"]}', "unknown_operator", 1),
        ('{"contain_range": {"min": 1, "of": ["sharpness"]}}', "unsatisfiable", 1),
        ('{"contain": "dagger"}', "not_strict", 0),
        ('{"contain_one_of": [["dagger", "—"]]}', "empty_term", 0),
    ],
)
def test_a_bad_predicate_is_named_with_its_rule_and_its_row(lint, tiny, query_must, rule, status):
    chunks = [
        replace(chunk, query_must=query_must if chunk.row_key == "Dagger" else None) for chunk in tiny_chunks(tiny)
    ]
    with_chunks(tiny, chunks)
    result, out = lint("--home", tiny.root)
    assert result == status
    assert f"{'error' if status else 'warning'}: {rule}: Weapons - Dagger" in out
    (row,) = [chunk for chunk in chunks if chunk.query_must]
    assert row.id in out


def test_a_range_of_any_number_is_a_warning_where_columns_hold_several(tiny: Home) -> None:
    must = '{"contain_range": {"min": 1, "max": 9}}'
    chunks = [
        replace(chunk, cells=(chunk.row_key or "", "1", "2"), query_must=must if chunk.row_key == "Dagger" else None)
        if chunk.kind == "row"
        else chunk
        for chunk in tiny_chunks(tiny)
    ]
    with_chunks(tiny, chunks, recorded=False)
    rules = [finding.rule for finding in inspected(tiny).findings]
    assert "unlabelled_range" in rules
    assert "not_strict" not in rules, "the records of another build say nothing about which tables are strict"


def ruled(home: Home, rule: TableRule) -> None:
    """Make the rule one of the book's, as if it had been built with it."""
    folder = home.book("tiny")
    (book,) = read_jsonl(folder / "book.jsonl", Book)
    write_jsonl(folder / "book.jsonl", [replace(book, table_rules=(rule,))])
    tables = read_jsonl(folder / "tables.jsonl", Table)
    write_jsonl(folder / "tables.jsonl", [replace(table, rule=rule) for table in tables])


def test_a_predicate_that_the_owner_gives_a_table_is_meant_for_all_its_rows(tiny: Home) -> None:
    must = '{"contain": "weapon"}'
    chunks = [replace(chunk, query_must=must if chunk.kind == "row" else None) for chunk in tiny_chunks(tiny)]
    with_chunks(tiny, chunks)
    assert {finding.rule for finding in inspected(tiny).findings} == {"not_strict", "shadowed"}
    ruled(tiny, TableRule(1, Find(heading="Weapons"), query_must=must))
    assert inspected(tiny).findings == ()


def test_a_predicate_of_the_owner_that_its_row_does_not_satisfy_is_an_error(lint: Lint, tiny: Home) -> None:
    must = '{"contain": "armory"}'
    chunks = [replace(chunk, query_must=must if chunk.kind == "row" else None) for chunk in tiny_chunks(tiny)]
    with_chunks(tiny, chunks)
    ruled(tiny, TableRule(1, Find(heading="Weapons"), query_must=must))
    status, out = lint("--home", tiny.root)
    assert status == 1
    assert out.count("error: self_excluding: Weapons - ") == 3


def test_an_entry_about_nothing_is_a_warning_that_names_the_file(lint: Lint, tiny: Home) -> None:
    ruled(tiny, TableRule(1, Find(heading="Weapons"), names={"Dager": ("knife",)}))
    status, out = lint("--home", tiny.root)
    assert status == 0
    assert "warning: tiny/tables.toml: entry 1 (heading 'Weapons') finds no row 'Dager' in the table at 01.md:7" in out
    assert out.splitlines()[-1].endswith("0 errors, 1 warnings")
    (sentence,) = json.loads(lint("--home", tiny.root, "--json")[1])["unmet"]
    assert "there is 'Dagger'" in sentence


def test_rows_that_are_in_no_table_are_a_warning_with_their_line(lint: Lint, tiny: Home) -> None:
    path = tiny.book("tiny") / "book.jsonl"
    (book,) = read_jsonl(path, Book)
    text = "# Tides\n\n<div>\n| Port | Tide |\n| --- | --- |\n| Kiel | 7 |\n</div>\n"
    write_jsonl(path, [replace(book, documents=(*book.documents, replace(book.documents[0], path="x.md", text=text)))])
    status, out = lint("--home", tiny.root)
    assert status == 0
    assert "warning: tiny/x.md:5: the line of dashes of a table that was not read" in out
    assert out.splitlines()[-1].endswith("0 errors, 1 warnings")
    (sentence,) = json.loads(lint("--home", tiny.root, "--json")[1])["unread_tables"]
    assert sentence.startswith("tiny/x.md:5: ")


def test_siblings_that_one_question_admits_are_named(tiny: Home) -> None:
    must = {"Dagger": '{"contain": "weapon"}', "Mace": '{"contain_one_of": [["weapon"], ["mace"]]}'}
    with_chunks(tiny, [replace(chunk, query_must=must.get(chunk.row_key or "")) for chunk in tiny_chunks(tiny)])
    result = inspected(tiny)
    (shadowed,) = [finding for finding in result.findings if finding.rule == "shadowed"]
    assert result.titles[shadowed.id] == "Weapons - Mace"


def test_a_lost_cell_is_an_error_of_fidelity(lint: Lint, tiny: Home) -> None:
    path = tiny.book("tiny") / "predicates.jsonl"
    first, *others = read_jsonl(path, Row)
    write_jsonl(path, [replace(first, cells=("Dagger", "1d4", "")), *others])
    status, out = lint("--home", tiny.root)
    assert status == 1
    assert "error: fidelity: tiny: 01.md:" in out
    assert "2 gp" in out


def test_a_row_in_no_chunk_or_in_two_is_an_error_of_fidelity(tiny: Home) -> None:
    chunks = tiny_chunks(tiny)
    with_chunks(tiny, [chunk for chunk in chunks if chunk.row_key != "Mace"])
    (sentence,) = inspected(tiny).violations
    assert "'Mace'" in sentence
    assert "in no chunk" in sentence
    with_chunks(tiny, [*chunks, *(replace(chunk, id="twin") for chunk in chunks if chunk.row_key == "Mace")])
    (sentence,) = inspected(tiny).violations
    assert "matches no row" in sentence


def test_records_of_another_build_are_not_compared(lint: Lint, tiny: Home) -> None:
    with_chunks(tiny, tiny_chunks(tiny)[:-1], recorded=False)
    status, out = lint("--home", tiny.root)
    assert status == 0
    assert "tiny: its records are not from this snapshot" in out


def test_the_candidate_is_linted_when_asked_for(lint: Lint, tiny: Home) -> None:
    chunks = [replace(chunk, query_must='{"contain": "mace"}') for chunk in tiny_chunks(tiny)[-1:]]
    live = inspected(tiny).snapshot
    made = with_chunks(tiny, chunks, recorded=False)
    promote(tiny.root, live)
    tiny.nominate(made)
    assert json.loads(lint("--home", tiny.root, "--json")[1])["snapshot"] == live
    assert json.loads(lint("--home", tiny.root, "--json", "--candidate")[1])["snapshot"] == made


def test_where_nothing_is_built_it_says_so(lint: Lint, tmp_path: Path) -> None:
    assert lint("--home", tmp_path)[0] == 2
    assert lint("--home", tmp_path, "--candidate")[0] == 2


def test_a_book_that_a_killed_build_left_half_read_is_not_held_against_the_live_index(tiny: Home, lint: Lint) -> None:
    folder = tiny.book("tiny")
    write_jsonl(folder / "predicates.jsonl", read_jsonl(folder / "predicates.jsonl", Row)[:1])
    status, output = lint("--home", tiny.root, "--json")
    assert (status, json.loads(output)["books_without_records"]) == (1, [])  # the records say that they are whole
    (folder / "digest.txt").write_text("another state of the book\n")
    status, output = lint("--home", tiny.root, "--json")
    assert (status, json.loads(output)["fidelity"], json.loads(output)["books_without_records"]) == (0, [], ["tiny"])
