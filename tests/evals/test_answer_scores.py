from evals.answer_scores import HEADER, AnsweredQuestion, Outcome, score_answers


def answer(kind: str, outcome: Outcome) -> AnsweredQuestion:
    return AnsweredQuestion(f"{kind}{outcome}", kind, "q", "a", outcome, "", None)


def test_outcomes_are_counted_by_kind_and_without_no_answers_in_all() -> None:
    answers = [answer("rule", "right"), answer("rule", "wrong"), answer("no-answer", "refused"), answer("x", "perhaps")]
    rule, none, x, together = score_answers(answers)
    assert (rule.kind, rule.n, rule.right, rule.wrong, rule.stated) == ("rule", 2, 1, 1, 2)
    assert (none.refused, x.perhaps, x.stated) == (1, 1, 0)
    assert (together.kind, together.n, together.right, together.perhaps) == ("all", 3, 1, 1)


def test_a_line_has_a_cell_for_each_of_the_header() -> None:
    lines = [score.line() for score in score_answers([answer("rule", "right")])]
    assert {line.count("|") for line in (*lines, HEADER[0])} == {lines[0].count("|")}
    assert "0.207 to 1.000" in lines[0]
    assert "0.000 to 1.000" in score_answers([])[-1].line()
