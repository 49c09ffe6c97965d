import pytest

from retrieval.rag.question_words import subject_of


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What can I do during movement?", "movement?"),
        ("How do I cook pasta?", "cook pasta?"),
        ("range of the long rifle", "range long rifle"),
        ("What is it?", "What is it?"),
        ("  AC -2  ", "AC -2"),
    ],
)
def test_what_any_question_says_is_left_out(question: str, subject: str) -> None:
    assert subject_of(question) == subject
