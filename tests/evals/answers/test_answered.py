from evals.answers.answered import AnsweredBook, answered
from evals.questions.gold import Resolution
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Question, load_questions
from evals.sample import SAMPLE_QUESTIONS
from retrieval.answer.context import Gatherer
from retrieval.home import Home
from retrieval.rag.live import LiveIndex


def test_what_is_read_of_the_sample_is_what_people_say(sample: Home) -> None:
    live = LiveIndex(sample)
    gatherer = Gatherer(live.reader())
    asked = load_questions(SAMPLE_QUESTIONS)
    some = [question for question in asked if question.kind == "matrix-lookup"][:10]
    pasta = Question("pasta", "How do I cook pasta?", kind="no-answer")
    gold = {question.id: (question.id,) for question in some}
    every = QuestionSet("s", "open", (*some, pasta), Resolution(gold, (), (), 10))
    found, strict = (answered("s", every, gatherer, 5, least) for least in (0.4, 1.0))
    live.close()
    assert (found.book, found.look_ups, found.answerable, found.unanswerable) == ("s", 10, 10, 1)
    assert found.said >= 7
    assert found.said <= found.said_with_heads <= 10
    assert 10 <= found.cells <= 30
    assert (found.refused, found.refused_rightly) == (0, 1)
    assert (strict.refused, strict.refused_rightly, strict.said) == (10, 1, 0)


def test_books_add_up() -> None:
    one, two = AnsweredBook("a", 1, 1, 1, 2, 3, 0, 1, 1), AnsweredBook("b", 2, 1, 2, 3, 4, 1, 0, 0)
    assert one + two == AnsweredBook("all", 3, 2, 3, 5, 7, 1, 1, 1)
