from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evals.errors import ExperimentError
from evals.experiment import (
    AskedQuestion,
    Measurement,
    Progress,
    Scorer,
    counterpart_among,
    run_experiment,
    without_query_must,
)
from evals.noise import Relatives
from evals.questions.questions import Anchor, Question
from evals.score_store import ScoreStore
from retrieval.strategy import Strategy
from retrieval.types import EmbedderIdentity, Iteration

UNFILTERED = "g0 g1 g2 u / g3 g1 / g4 p / g5 u".replace(" / ", "/")
FILTERED = "g0 u/g1/p/u"
IDS = ("q0", "q1", "q2", "q3")


@pytest.fixture
def run(library, dense, prefilter):
    """Run dense and prefilter over the library's questions."""

    def run(store=None, strategies=(dense, prefilter), answers=None, progress=None, **given):
        searcher = library.searcher(**(answers or {"dense": UNFILTERED, "prefilter": FILTERED}))
        measures = Measurement(store=store, progress=progress, **given)
        experiment = run_experiment(
            searcher, strategies, [library.set()], library.chunks, snapshot="snap", measures=measures
        )
        return experiment, searcher

    return run


def value(experiment, strategy, metric, book="*", kind="*"):
    (result,) = [
        aggregate
        for aggregate in experiment.aggregates
        if (aggregate.strategy, aggregate.metric, aggregate.book, aggregate.kind) == (strategy, metric, book, kind)
    ]
    return result.value


def row(experiment, strategy, question_id):
    (result,) = [one for one in experiment.rows if (one.strategy, one.question_id) == (strategy, question_id)]
    return result


def test_every_strategy_is_asked_every_question_at_both_depths(run):
    experiment, searcher = run()
    assert [(one.strategy, one.question_id) for one in experiment.rows] == [
        (strategy, question_id) for strategy in ("dense", "prefilter") for question_id in IDS
    ]
    assert {(query, k) for name, query, k in searcher.asked if name == "dense"} == {
        (f"ask {question_id}", k) for question_id in IDS for k in (15, 100)
    }


def test_aggregates_are_means_over_questions_with_gold(run):
    experiment, _ = run()
    assert value(experiment, "dense", "hit@1") == pytest.approx((1 + 0 + 0) / 3)
    assert value(experiment, "dense", "mrr") == pytest.approx((1 + 1 / 2 + 1 / 2) / 3)
    assert value(experiment, "dense", "mrr", kind="rule") == 1 / 2
    assert value(experiment, "prefilter", "mrr", book="b") == 1
    assert value(experiment, "dense", "no_answer_accuracy") == 0
    assert value(experiment, "dense", "no_answer_accuracy", kind="no-answer") == 0
    assert value(experiment, "*", "evaluability") == 1


def test_a_filter_is_compared_with_the_same_search_without_it(run):
    experiment, _ = run()
    before, after = [2, 1, 0, 1], [0, 0, 0, 0]
    assert [row(experiment, "dense", name).values["noise@15"] for name in IDS] == before
    assert [row(experiment, "prefilter", name).values["noise@15"] for name in IDS] == after
    assert [row(experiment, "prefilter", name).unfiltered_noise for name in IDS] == before
    assert value(experiment, "prefilter", "noise_reduction") == 1 - sum(after) / sum(before)
    assert value(experiment, "prefilter", "noise_reduction", kind="rule") is None
    assert value(experiment, "prefilter", "recall_preserved") == 1
    assert value(experiment, "prefilter", "false_exclusions") == 0
    assert row(experiment, "dense", "q0").unfiltered_noise is None


def test_gold_that_a_filter_loses_in_silence_is_counted_and_named(run):
    experiment, _ = run(answers={"dense": UNFILTERED, "prefilter": "u/u/p/u"})
    assert value(experiment, "prefilter", "false_exclusions") == 2
    assert row(experiment, "prefilter", "q1").excluded_gold == ("g1",)
    assert row(experiment, "prefilter", "q1").why == "no gold in the first 100; the filter excluded g1"
    assert value(experiment, "prefilter", "recall_preserved") == 1 / 3


def test_gold_whose_own_predicate_refuses_the_question_is_counted(run):
    experiment, _ = run(admits=lambda question, query_must: question != "ask q0")
    assert row(experiment, "prefilter", "q0").excluded_gold == ("g0",)
    assert row(experiment, "dense", "q0").excluded_gold == ()


def test_a_counterpart_that_nobody_asked_for_runs_but_is_not_reported(run, prefilter):
    experiment, searcher = run(strategies=[prefilter])
    assert experiment.strategies == ("prefilter",)
    assert value(experiment, "prefilter", "noise_reduction") == 1
    assert "dense" in {name for name, _, _ in searcher.asked}


def test_a_stale_question_is_unscored_and_not_zero(library, run):
    library.questions[1] = library.question("q1", "gone")
    experiment, _ = run()
    (unscored,) = experiment.unscored
    assert (unscored.question_id, unscored.reason) == ("q1", "snippet 'gone' is found nowhere")
    assert value(experiment, "dense", "mrr") == (1 + 1 / 2) / 2
    assert value(experiment, "*", "evaluability") == 2 / 3


def grouped(*names):
    """A question for which any of these chunks is enough."""
    return Question("q0", "ask q0", "b", "lookup", tuple(Anchor("b", snippet=name, group=0) for name in names))


def test_a_chunk_of_the_same_answer_is_neither_noise_nor_a_wrong_row(library, run):
    library.questions[0] = grouped("g0", "g1")
    experiment, _ = run(answers={"dense": "g1 g0 g2/g1/p/u", "prefilter": "u/g1/p/u"})
    values = row(experiment, "dense", "q0").values
    assert (values["hit@1"], values["recall@10"], values["noise@15"], values["wrong_row_rate"]) == (1, 1, 1, 0)
    assert row(experiment, "dense", "q0").why == "gold at rank 1"
    assert row(experiment, "dense", "q0").gold == ("g0", "g1"), "trec_eval is told of both"


@pytest.mark.parametrize(("filtered", "excluded"), [("u g1", ()), ("u", ("g0",))])
def test_an_answer_is_excluded_once_and_only_if_none_of_its_chunks_is_left(library, run, filtered, excluded):
    library.questions[0] = grouped("g0", "g1")
    experiment, _ = run(
        answers={"dense": "g1 g0/g1/p/u", "prefilter": f"{filtered}/g1/p/u"},
        admits=lambda question, query_must: question != "ask q0" or "ac 0" not in query_must,
    )
    assert row(experiment, "prefilter", "q0").excluded_gold == excluded


def test_a_question_with_a_stale_anchor_in_a_group_is_scored(library, run):
    library.questions[0] = grouped("g0", "gone")
    experiment, _ = run()
    assert experiment.unscored == ()
    assert row(experiment, "dense", "q0").gold == ("g0",)
    assert value(experiment, "*", "evaluability") == 1


class OneEmbedder:
    """Every text is the same."""

    identity = EmbedderIdentity("one", "1", 1)

    def embed_query(self, query):
        return self.embed([query])[0]

    def embed(self, texts):
        return np.ones((len(texts), 1), dtype=np.float32)


def test_metrics_of_15_and_of_100_hits_are_judged_on_rankings_of_their_own(library, run, dense, make_chunk):
    fillers = [make_chunk(f"x{n}", kind="prose") for n in range(17)]
    library.chunks += fillers
    late = " ".join([*(filler.id for filler in fillers), "g0"])
    experiment, _ = run(strategies=[dense], answers={"dense": f"{late}/g1/p/u"})
    values = row(experiment, "dense", "q0").values
    assert (values["precision@15"], values["mrr"]) == (0, 1 / 18)


def test_similarity_to_the_answer_is_measured_where_there_is_one(library, run):
    library.questions[0] = replace(library.questions[0], answer="16")
    experiment, _ = run(embedder=OneEmbedder())
    assert row(experiment, "dense", "q0").values["answer_similarity"] == 1
    assert "answer_similarity" not in row(experiment, "dense", "q1").values


def test_a_second_run_is_byte_identical_and_asks_nothing(run, tmp_path):
    first, searcher = run(ScoreStore(tmp_path / "kept"))
    again, silent = run(ScoreStore(tmp_path / "kept"))
    other, _ = run(ScoreStore(tmp_path / "anew"))
    assert searcher.asked
    assert not silent.asked
    assert first.rows == again.rows == other.rows
    assert first.aggregates == again.aggregates == other.aggregates
    name = Path("snap", "prefilter", "tiny.open.parquet")
    assert (tmp_path / "kept" / name).read_bytes() == (tmp_path / "anew" / name).read_bytes()
    assert [one.milliseconds for one in first.rows] == [one.milliseconds for one in again.rows]


def test_a_changed_question_gold_or_strategy_is_asked_again(library, run, tmp_path, dense):
    run(ScoreStore(tmp_path))
    library.questions[0] = library.question("q0", "g1")
    experiment, searcher = run(ScoreStore(tmp_path))
    assert row(experiment, "dense", "q0").gold == ("g1",)
    assert searcher.asked
    run(ScoreStore(tmp_path), strategies=[dense])
    _, searcher = run(ScoreStore(tmp_path), strategies=[replace(dense, dense_weight=0.5)])
    assert searcher.asked


class Interrupted(BaseException):
    """Ctrl-C, say."""


def test_an_interrupted_run_goes_on_where_it_was(run, tmp_path):
    def interrupt(progress: Progress) -> None:
        if (progress.strategy, progress.done) == ("prefilter", 2):
            raise Interrupted

    with pytest.raises(Interrupted):
        run(ScoreStore(tmp_path), progress=interrupt)
    experiment, searcher = run(ScoreStore(tmp_path))
    assert {(name, query) for name, query, _ in searcher.asked} == {("prefilter", "ask q2"), ("prefilter", "ask q3")}
    assert experiment.rows == run()[0].rows
    assert not list(tmp_path.rglob(".*")), "parts are gone once the rows are whole"


def test_rows_are_saved_while_a_long_run_goes_on(run, tmp_path, monkeypatch):
    monkeypatch.setattr("evals.experiment._PART_SECONDS", 0.0)
    seen = []
    run(ScoreStore(tmp_path), progress=lambda progress: seen.append(len(list(tmp_path.rglob(".tiny*")))))
    assert max(seen) == len(IDS) - 1, "before the last question all others are on disk"


def test_progress_counts_up_to_all_questions(run):
    told = []
    run(progress=lambda progress: told.append((progress.strategy, progress.done, progress.total)))
    assert [done for name, done, _ in told if name == "prefilter"] == [0, 1, 2, 3, 4]
    assert {total for _, _, total in told} == {4}


def test_timings_stand_apart(run):
    experiment, _ = run()
    assert {timing.metric for timing in experiment.timings} == {"p50_ms", "p95_ms"}
    assert not any(aggregate.metric.endswith("_ms") for aggregate in experiment.aggregates)
    assert all(timing.n == len(IDS) and timing.value >= 0 for timing in experiment.timings)


def test_a_set_may_be_put_in_its_own_way(library, dense, make_retrieval):
    chunks = {chunk.id: chunk for chunk in library.chunks}
    own = replace(library.set(), ask=lambda question, k, strategy: make_retrieval("g1", chunks))
    experiment = run_experiment(library.searcher(), [dense], [own], library.chunks, snapshot="snap")
    assert [one.chunk_ids for one in experiment.rows] == [("g1",)] * len(IDS)
    assert experiment.strategies == ("dense",)


def test_every_problem_is_reported_before_anything_is_asked(library, dense):
    searcher = library.searcher()
    generated = Question("q9", "x", gold=(Anchor(snippet="g0"),), tags=("generated",))
    library.questions += [library.questions[0], generated]
    sets = [library.set("a/b"), library.set("a/b")]
    with pytest.raises(ExperimentError) as caught:
        run_experiment(searcher, [dense, dense, Strategy("x y")], sets, library.chunks[1:], snapshot="..")
    problems = " ".join(caught.value.problems)
    for part in (
        "strategy 'dense' is given twice",
        "'x y' cannot be a file name",
        "'..' cannot be a file name",
        "set 'a/b', split 'open' is given twice",
        "set 'a/b', split 'open': 'a/b' cannot be a file name",
        "question id 'q0' occurs twice",
        "mixes generated questions with those of people",
        "1 gold chunks are not in this index, the first is 'g0'",
    ):
        assert part in problems
    assert not searcher.asked


def test_an_experiment_without_anything_is_refused(library, dense):
    with pytest.raises(ExperimentError, match=r"no strategies are given(.|\n)*no question sets(.|\n)*no chunks"):
        run_experiment(library.searcher(), [], [], [], snapshot="snap")
    empty = replace(library.set(), questions=())
    with pytest.raises(ExperimentError, match="no questions"):
        run_experiment(library.searcher(), [dense], [empty], library.chunks, snapshot="snap")


def test_rounds_are_counted_for_a_search_that_had_some_and_for_no_other(library, make_retrieval):
    chunks = {chunk.id: chunk for chunk in library.chunks}
    plain = make_retrieval("g1 p", chunks)
    iterations = (Iteration(1, 15, 9, 1.0), Iteration(2, 15, 2, 1.0), Iteration(3, 0, 0, 1.0))
    asked_again = replace(plain, receipt=replace(plain.receipt, rounds=2, iterations=iterations))
    scorer, questions = Scorer(Relatives.of(library.chunks)), library.set()
    rows = [
        scorer.row(AskedQuestion(questions.scored[1], "s", shown, plain, 1.0), questions, None)
        for shown in (plain, asked_again)
    ]
    assert {"rounds", "excluded"}.isdisjoint(rows[0].values)
    assert (rows[1].values["rounds"], rows[1].values["excluded"]) == (2.0, 11.0)


def test_what_a_counterpart_is(dense, prefilter):
    bare = without_query_must(prefilter)
    assert bare == replace(prefilter, name="prefilter-query_must", query_must="off")
    assert without_query_must(dense) is None
    iterative = Strategy("iterative", dense_weight=1.0, query_must="iterative", max_iterations=5)
    counterpart = counterpart_among([dense, prefilter, iterative])
    assert counterpart(prefilter) == dense
    assert counterpart(iterative) == dense
    assert counterpart(dense) is None
    named = replace(prefilter, name="default", reranks=True)
    assert counterpart_among([dense])(named).name == "default-query_must"
