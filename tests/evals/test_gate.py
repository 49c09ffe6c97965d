"""What a candidate is compared with besides what is live."""

from dataclasses import replace

import pytest

from evals.evaluation import SHIPPED, evaluation_of
from evals.experiment import Measurement, run_experiment
from evals.gate import (
    RULES,
    SCORE_RULES,
    Objection,
    Rule,
    Scores,
    best_kept_scores,
    best_of,
    decide,
    kept_rivals,
)
from evals.questions.question_sets import QuestionSet
from evals.scored_questions import ScoredQuestion
from retrieval.index.snapshot.live import promote
from retrieval.search.strategies import STRATEGIES
from retrieval.strategy import Strategy
from tests.scored_rows import scored_row


@pytest.fixture
def wide(make_chunk):
    """Twenty guarded rows and a question for each."""

    class Wide:
        chunks = [make_chunk(f"g{n}", query_must=f'"ac {n}"') for n in range(20)] + [make_chunk("u", table_id="x")]

    return Wide


@pytest.fixture
def experiment(library, wide, dense, prefilter):
    """Run dense and prefilter with `answer(n, strategy) -> ranking` over questions 0 to 19."""

    def experiment(answer, strategies=(dense, prefilter), stale=()):
        questions = [library.question(f"q{n}", "gone" if n in stale else f"g{n}") for n in range(20)]
        library.chunks = wide.chunks
        searcher = library.searcher(
            **{strategy.name: "/".join(answer(n, strategy) for n in range(20)) for strategy in strategies}
        )
        sets = [QuestionSet.of("wide", "open", questions, wide.chunks)]
        return run_experiment(searcher, strategies, sets, wide.chunks, snapshot="snap", measures=Measurement())

    return experiment


def siblings(number):
    return [f"g{(number + step) % 20}" for step in range(4)]


def good(number, strategy):
    """The gold and three siblings; the filter leaves the gold alone."""
    return " ".join(siblings(number)) if strategy.query_must == "off" else f"g{number} u"


def inverted(number, strategy):
    """The filter keeps what it should exclude, and says nothing about it."""
    return " ".join(siblings(number)[1:]) if strategy.query_must != "off" else good(number, strategy)


def test_a_good_candidate_passes_with_and_without_a_live_index(experiment):
    candidate = experiment(good)
    assert decide(candidate, None).passed
    assert decide(candidate, candidate).passed
    assert decide(candidate, None).reasons == ()


def test_an_inverted_filter_is_caught_and_named_with_its_questions(experiment):
    decision = decide(experiment(inverted), None)
    assert not decision.passed
    (reason,) = [reason for reason in decision.reasons if reason.rule == "no_false_exclusions"]
    assert reason.objection.strategy == "prefilter"
    assert reason.objection.question_ids == tuple(f"q{n}" for n in range(20))
    assert "prefilter: the filter excluded 20 gold chunks" in str(reason)
    assert "q0, q1, " in str(reason)
    assert "and 10 more" in str(reason)
    assert "dense" not in {reason.objection.strategy for reason in decision.reasons}


def test_a_single_excluded_gold_chunk_stops_the_gate(experiment):
    decision = decide(experiment(lambda n, strategy: inverted(n, strategy) if n == 7 else good(n, strategy)), None)
    assert [(reason.rule, reason.objection.strategy, reason.objection.question_ids) for reason in decision.reasons] == [
        ("no_false_exclusions", "prefilter", ("q7",))
    ]


def test_a_filter_that_does_nothing_about_guarded_noise_is_named_and_does_not_stop_the_gate(experiment, dense):
    decision = decide(experiment(lambda n, strategy: good(n, dense)), None)
    (reason,) = decision.reasons
    assert (reason.rule, reason.objection.strategy) == ("query_must_lessens_noise", "prefilter")
    assert "60 guarded chunks were noise" in str(reason)
    assert not reason.blocks
    assert decision.passed


def test_a_filter_with_no_guarded_noise_to_remove_passes(experiment, wide, dense):
    wide.chunks = [replace(chunk, query_must=None) for chunk in wide.chunks]
    assert decide(experiment(lambda n, strategy: good(n, dense)), None).reasons == ()


def test_stale_gold_stops_the_gate_and_is_named(experiment):
    decision = decide(experiment(good, stale={3, 4}), None)
    assert not decision.passed
    (reason,) = decision.reasons
    assert (reason.rule, reason.objection.strategy, reason.blocks) == ("gold_resolves", "*", True)
    assert reason.objection.question_ids == ("q3", "q4")
    assert "0.900 of set wide, split open, is below 0.950" in str(reason)


def test_a_stale_anchor_above_the_floor_warns(experiment):
    (rule,) = [each for each in SCORE_RULES if each.name == "gold_resolves"]
    (reason,) = rule.reasons(Scores(experiment(good), stale=("q3: no chunk holds it",)))
    assert str(reason) == "gold_resolves: q3: no chunk holds it"
    assert not reason.blocks


def falling(*numbers, strategy="dense"):
    """The gold of these questions is fourth and not first."""

    def answer(number, asked):
        result = good(number, asked)
        return " ".join(reversed(result.split())) if number in numbers and asked.name == strategy else result

    return answer


def test_a_candidate_that_loses_more_than_one_question_is_stopped_and_named(experiment, dense):
    decision = decide(experiment(falling(*range(20))), experiment(good))
    assert {(reason.rule, reason.objection.strategy) for reason in decision.reasons} == {
        ("not_worse_than_live", dense.name)
    }
    (reason,) = decision.reasons
    assert reason.objection.question_ids == tuple(f"q{n}" for n in range(20))
    assert "mrr is below that of live, open: -0.750 (-0.750 to -0.750) over 20 questions" in str(reason)
    assert decide(experiment(good), experiment(falling(*range(20)))).passed, "better than live is not a reason"


def test_what_one_question_of_twenty_may_do_does_not_stop_the_gate_and_two_do(experiment):
    assert decide(experiment(falling(5)), experiment(good)).passed
    assert not decide(experiment(falling(5, 6)), experiment(good)).passed


def test_the_best_that_was_live_is_a_bar_too(experiment):
    (rule,) = [each for each in SCORE_RULES if each.name == "not_worse_than_best_kept"]
    candidate, live, best = experiment(falling(5, 6)), experiment(falling(5)), experiment(good)
    assert decide(candidate, live).passed, "one more"
    (objection,) = [reason.objection for reason in rule.reasons(Scores(candidate, live, best))]
    assert "the best snapshot kept" in str(objection)
    assert objection.question_ids == ("q5", "q6")
    assert rule.reasons(Scores(candidate, live)) == ()


def test_experiments_with_nothing_in_common_do_not_pass(experiment):
    other = [Strategy("bm25", lexical_weight=1.0)]
    decision = decide(experiment(good), experiment(good, strategies=other))
    assert [reason.rule for reason in decision.reasons] == ["not_worse_than_live"]
    assert "no scored question and strategy in common" in str(decision.reasons[0])


@pytest.fixture
def odd():
    def judge(numbers):
        return [Objection(f"{number} is odd", only_warns=number == 1) for number in numbers if number % 2]

    return judge


def test_a_rule_says_what_stands_against_it_and_one_that_warns_never_blocks(odd):
    rule = Rule("numbers_are_even", "Every number is even.", "numbers", odd)
    assert rule.reasons([2, 4]) == ()
    assert [(str(reason), reason.blocks) for reason in rule.reasons([1, 2, 3])] == [
        ("numbers_are_even: 1 is odd", False),
        ("numbers_are_even: 3 is odd", True),
    ]
    rule = Rule("numbers_are_even", "Every number is even.", "numbers", odd, blocks=False)
    assert [reason.blocks for reason in rule.reasons([3])] == [False]


def test_rules_say_a_sentence_and_objections_name_their_first_questions():
    assert len({rule.name for rule in RULES}) == len(RULES) == 7
    assert [rule.name for rule in RULES if not rule.says.endswith((".", ")."))] == []
    objection = Objection("is worse", "dense", tuple(f"q{n}" for n in range(12)))
    assert str(objection) == f"dense: is worse ({', '.join(f'q{n}' for n in range(10))} and 2 more)"


QUESTION = '{"id": "q", "query": "What does a mace cost?", "gold": [{"snippet": "| Mace | 1d6 | 8 gp |"}]}\n'


def row(question: str, mrr: float, split: str = "people") -> ScoredQuestion:
    return scored_row(question, split=split, values={"mrr": mrr})


def test_the_best_is_whom_the_candidate_is_furthest_behind() -> None:
    candidate = [row("a", 0.5), row("b", 0.5), row("c", 1.0, "generated")]
    better, other = [row("a", 1.0)], [row("a", 0.6), row("b", 0.6), row("c", 0.0, "generated")]
    assert best_of(candidate, {"other": other, "better": better}) == "better"
    assert best_of(candidate, {"other": other}) == "other"
    assert best_of(candidate, {"unrelated": [row("z", 1.0)]}) is None
    assert best_of(candidate, {"first": other, "second": other}) == "first"


def test_what_was_live_is_asked_the_questions_of_today_and_a_choice_by_hand_draws_a_line(twice_live, tmp_path):
    home, first, second = twice_live
    query = tmp_path / "questions.jsonl"
    query.write_text(QUESTION)
    home = replace(home, settings=replace(home.settings, questions=(query,)))
    candidate = evaluation_of(home, home.candidate, STRATEGIES[SHIPPED])
    assert kept_rivals(home, home.candidate) == (first,)
    best = best_kept_scores(home, candidate)
    assert best.evaluation is not None
    assert best.evaluation.snapshot == first
    assert best.on_questions_of(candidate) == best.evaluation.experiment
    (home.root / "snapshots" / first / "manifest.json").write_text("{}")
    assert best_kept_scores(home, candidate).evaluation is None, "what cannot be read is no bar"
    promote(home.root, second, forced="the tables were wrong before")
    assert kept_rivals(home, home.candidate) == ()
    assert "no other snapshot that was scored" in best_kept_scores(home, candidate).note
