import json
from dataclasses import asdict

from evals.significance import wilson_interval
from tools.benchmark.scores import Example, SystemScores, Win, examples, wins
from tools.benchmark.worker import GradedAs, Outcome, QuestionOutcome


def question(
    name: str, rank: int | None, words: int | None, *, kind: str = "row", answer: GradedAs | None = None
) -> QuestionOutcome:
    return QuestionOutcome("book", name, kind, rank, words, 2, 5, 10.0, 30.0, answer)


def outcome(system: str, *questions: QuestionOutcome) -> Outcome:
    return Outcome(system, "wordllama", "books", 1.5, 2_000_000, 300_000_000, questions)


OURS = outcome(
    "default",
    question("a", 1, 40, answer="right"),
    question("b", 3, 120, answer="unsure"),
    question("c", None, None, answer="wrong"),
    question("d", None, None, kind="no-answer", answer="wrong"),
)
OTHER = outcome(
    "fts5",
    question("a", 2, 80),
    question("b", 1, 60),
    question("c", 7, 450),
    question("d", None, None, kind="no-answer"),
)


def test_shares_have_wilson_intervals() -> None:
    scores = SystemScores.of(OURS)
    interval = wilson_interval(1, 3)
    hit = scores.score("row", "hit@1")
    assert hit is not None
    assert (hit.value, hit.low, hit.high, hit.n) == (
        round(1 / 3, 6),
        round(interval.low, 4),
        round(interval.high, 4),
        3,
    )
    assert [scores.score("row", f"{words} words").value for words in (50, 200, 500)] == [0.333333, 0.666667, 0.666667]
    assert scores.score("prose", "hit@1") is None
    assert (scores.score("row", "siblings").value, scores.p50.value, scores.index_megabytes) == (2.0, 10.0, 2.0)


def test_answers_are_counted_apart_where_the_book_has_none() -> None:
    counts = SystemScores.of(OURS).answers
    assert counts is not None
    assert (counts.answerable, counts.right, counts.wrong, counts.unsure, counts.refused) == (3, 1, 1, 1, 0)
    assert (counts.unanswerable, counts.unanswerable_wrong) == (1, 1)
    assert SystemScores.of(OTHER).answers is None


def test_scores_are_read_as_they_were_written() -> None:
    scores = SystemScores.of(OURS)
    assert SystemScores.read(json.loads(json.dumps(asdict(scores)))) == scores


def test_what_others_do_better_is_told_with_its_questions() -> None:
    ahead = wins(OURS, [OTHER])
    assert ahead == (
        Win("row", "hit@10", "fts5", 1.0, 0.666667, 1.0),
        Win("row", "500 words", "fts5", 1.0, 0.666667, 1.0),
    )
    queries = {("book", name): f"{name}?" for name in "abcd"}
    assert examples(OURS, [OTHER], queries) == (Example("b", "b?", "row", 3, ("fts5",)),)
