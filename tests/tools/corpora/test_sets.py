import os
import re
from pathlib import Path

import pytest

from evals.questions.questions import Anchor
from retrieval.errors import UnknownNameError
from retrieval.language.vocabulary import Vocabulary
from tools.corpora.books import BenchmarkDataError, Corpus, read_records
from tools.corpora.sets import FORMATS, benchmarks_under, read_benchmark
from tools.corpora.tables import TablesCorpus, read_tables


def test_an_unknown_set_lists_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"no benchmark is called 'trec'; available: .*wtq-rows"):
        read_benchmark("trec", tmp_path, "open")


@pytest.fixture
def root(tmp_path: Path, tables_folder: Path, lines) -> Path:
    """A set in a format of its own, two sets of books, and folders that are none."""
    tables_folder.rename(tmp_path / "wtq-rows")
    for name, split in (("rules", "open"), ("atlases", "open"), ("novels", "held")):
        (tmp_path / name / "one").mkdir(parents=True)
        (tmp_path / name / "one" / "01.md").write_text("# One\n\nText.\n")
        lines(tmp_path / name / f"one.{split}.jsonl", [{"id": "q", "query": "x", "gold": []}])
    (tmp_path / "notes" / "inner").mkdir(parents=True)
    return tmp_path


def test_books_are_found_by_what_is_in_a_folder_and_other_sets_by_name(root: Path) -> None:
    benchmarks = benchmarks_under(root, "open")
    assert {name: [corpus.name for corpus in corpora] for name, corpora in benchmarks.corpora.items()} == {
        "atlases": ["one"],
        "rules": ["one"],
        "wtq-rows": ["wtq-rows.open"],
    }
    assert [each.partition(":")[0] for each in benchmarks.left_out] == [
        "novels",
        *(each for each in FORMATS if each != "wtq-rows"),
    ]


def test_a_split_that_no_set_has_is_refused(root: Path) -> None:
    with pytest.raises(BenchmarkDataError, match="no set with the split 'x' is under"):
        benchmarks_under(root, "x")


@pytest.fixture
def data() -> Path:
    given = os.environ.get("QUERYMUST_DATA")
    if given is None:
        pytest.skip("QUERYMUST_DATA names no folder")
    return Path(given)


@pytest.fixture
def some(data: Path, tmp_path: Path, lines) -> Path:
    """The real sets, of those of tables every sixteenth table with its questions."""
    for folder in (path for path in data.iterdir() if path.is_dir()):
        if FORMATS.get(folder.name) is not read_tables:
            (tmp_path / folder.name).symlink_to(folder)
            continue
        tables = list(read_records(folder / "open.tables.jsonl.gz", dict))[::16]
        kept = {table["table_id"] for table in tables}
        records = (
            record for record in read_records(folder / "open.queries.jsonl.gz", dict) if record["table_id"] in kept
        )
        lines(tmp_path / folder.name / "open.tables.jsonl.gz", tables)
        lines(tmp_path / folder.name / "open.queries.jsonl.gz", records)
    return tmp_path


@pytest.mark.slow
@pytest.mark.data
def test_the_gold_of_the_real_sets_resolves(some: Path) -> None:
    """Of the books the first of each set; `python -m tools bench all` says it of all, as `evaluability`."""
    result = benchmarks_under(some, "open").corpora
    assert result.keys() >= {"manuals", "ttrpg", *FORMATS}
    books = [corpora[0] for name, corpora in result.items() if name not in FORMATS]
    for corpus in (*books, *(each for name in FORMATS for each in result[name])):
        chunks = tuple(sorted(corpus.chunks(Vocabulary.default()), key=lambda chunk: chunk.id))
        retriever = None  # only asking needs one
        for questions in corpus.question_sets(retriever, chunks):  # type: ignore[arg-type]
            assert [each for each in questions.resolution.stale if not repeats_header(corpus, each.anchor)] == []
            assert questions.resolution.evaluability > 0.99


def repeats_header(corpus: Corpus, anchor: Anchor) -> bool:
    """Whether gold is a row that says its table's header again, which is no row: a slip of the set."""
    if not isinstance(corpus, TablesCorpus):
        return False
    tables = dict(read_records(corpus.tables, lambda record: (f"{record['table_id']}.md", record["markdown"])))
    header = next(line for line in tables[anchor.document].split("\n") if line.startswith("|"))
    return plain(header) == plain(anchor.snippet or "")


@pytest.mark.data
def test_gold_rows_hold_the_values_that_the_questions_name(some: Path) -> None:
    (corpus,) = read_benchmark("wikisql-rows", some / "wikisql-rows", "open")
    chunks = {chunk.id: chunk for chunk in corpus.chunks(Vocabulary.default())}
    together, _ = corpus.question_sets(None, tuple(chunks.values()))  # type: ignore[arg-type]
    queries = read_records(some / "wikisql-rows" / "open.queries.jsonl.gz", dict)
    query = {
        record["id"]: [plain(each["value"]) for each in record["conds"] if each["op"] == "="] for record in queries
    }
    for question in together.questions:
        for chunk_id in together.gold(question):
            cells = {plain(cell) for cell in chunks[chunk_id].cells}
            assert [value for value in query[question.id] if value not in cells] == [], question.id


def plain(text: str) -> str | float:
    """What the set's makers compared: no case, no white space, no thousands marks, one kind of dash; or a number."""
    folded = re.sub(r"[\s,]", "", re.sub("[‐-―−]", "-", text)).casefold()
    return float(folded) if re.fullmatch(r"-?\d+(\.\d+)?", folded) else folded
