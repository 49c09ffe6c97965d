from pathlib import Path

from retrieval.home import Home
from retrieval.search.retriever import Retriever
from tools.pages.filtering_results import FilterTimes, QuestionTimes, measure, time_lines

CHEAP = QuestionTimes("cheap?", dense=1.0, iterative=2.0, rounds=(0.5,), prefilter=1.5, default=4.0)
DEAR = QuestionTimes("dear?", dense=3.0, iterative=9.0, rounds=(2.0, 3.0), prefilter=3.5, default=8.0)
DEARER = QuestionTimes("dearer?", dense=3.0, iterative=11.0, rounds=(3.0, 4.0), prefilter=4.5, default=10.0)


def test_times_are_read_as_they_were_written(tmp_path: Path) -> None:
    times = FilterTimes((DEAR,), (CHEAP, DEAR))
    times.write(tmp_path / "times.json")
    assert FilterTimes.read(tmp_path / "times.json") == times
    assert len((tmp_path / "times.json").read_text("utf-8").splitlines()) == 2 + 2 * 2 + 3


def test_examples_are_shown_one_by_one_and_all_questions_by_their_rounds() -> None:
    assert list(time_lines(FilterTimes((DEAR,), (CHEAP, DEAR, DEARER))))[2:] == [
        "| dear? | 2 | 2.0, 3.0 | 9.0 | 3.0 | 6.0 | 3.5 | 0.5 | 8.0 |",
        "| median of 1 sample questions | 1 | 0.5 | 2.0 | 1.0 | 1.0 | 1.5 | 0.5 | 4.0 |",
        "| median of 2 sample questions | 2 | 3.0 | 10.0 | 3.0 | 7.0 | 4.0 | 1.0 | 9.0 |",
    ]


def test_what_is_measured_is_the_receipts(sample: Home) -> None:
    with Retriever.open(sample.root).snapshot as snapshot:
        retriever = Retriever(snapshot, Retriever.open(sample.root).embedder)
        question = "What does a 7th level cleric need to roll to hit AC 6?"
        (one,) = measure(retriever, [question], [question]).examples
    assert one.query == question
    assert len(one.rounds) == 3
    assert 0 < sum(one.rounds) < one.iterative
    assert min(one.dense, one.prefilter, one.default) > 0
