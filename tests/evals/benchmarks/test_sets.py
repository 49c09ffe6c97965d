import os
import re
from pathlib import Path

import pytest

from evals.benchmarks.data_files import read_records
from evals.benchmarks.sets import BENCHMARKS, read_benchmark
from retrieval.errors import UnknownNameError
from retrieval.query_must.vocabulary.vocabulary import Vocabulary


def test_an_unknown_set_lists_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"no benchmark is called 'trec'; there are: .*ttrpg"):
        read_benchmark("trec", tmp_path, "open")


@pytest.fixture
def data() -> Path:
    given = os.environ.get("QUERYMUST_DATA")
    if given is None:
        pytest.skip("QUERYMUST_DATA names no folder")
    return Path(given)


@pytest.mark.data
@pytest.mark.parametrize("name", [name for name in BENCHMARKS if name != "generated"])
def test_every_gold_of_the_real_sets_resolves(data: Path, name: str, opened) -> None:
    for corpus in read_benchmark(name, data / name, "open"):
        chunks = tuple(sorted(corpus.chunks(Vocabulary.default()), key=lambda chunk: chunk.id))
        retriever = None  # only asking needs one
        for questions in corpus.question_sets(retriever, chunks):  # type: ignore[arg-type]
            assert questions.resolution.stale == ()
            assert questions.resolution.evaluability == 1.0


@pytest.mark.data
def test_gold_rows_hold_the_values_that_the_questions_name(data: Path) -> None:
    (corpus,) = read_benchmark("wikisql-rows", data / "wikisql-rows", "open")
    chunks = {chunk.id: chunk for chunk in corpus.chunks(Vocabulary.default())}
    together, _ = corpus.question_sets(None, tuple(chunks.values()))  # type: ignore[arg-type]
    queries = read_records(data / "wikisql-rows" / "open.queries.jsonl.gz", dict)
    asked = {
        record["id"]: [plain(each["value"]) for each in record["conds"] if each["op"] == "="] for record in queries
    }
    for question in together.questions:
        for chunk_id in together.gold(question):
            cells = {plain(cell) for cell in chunks[chunk_id].cells}
            assert [value for value in asked[question.id] if value not in cells] == [], question.id


def plain(text: str) -> str | float:
    """What the set's makers compared: no case, no white space, no thousands marks, one kind of dash; or a number."""
    folded = re.sub(r"[\s,]", "", re.sub("[‐-―−]", "-", text)).casefold()
    return float(folded) if re.fullmatch(r"-?\d+(\.\d+)?", folded) else folded
