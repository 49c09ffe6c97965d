"""The models of answers, fitted on examples that a test makes."""

import json
from pathlib import Path

import numpy as np
import pytest

from retrieval.rag import sentences, statements
from retrieval.settings import AnswerSettings
from tools.fit.answers import (
    AnswerExamples,
    AnswerModels,
    AnswersFitReport,
    HeldOutAnswer,
    SentenceExample,
    StatementExample,
    fit_sentences,
    fit_statements,
    held_out_answers,
)
from tools.fit.logit import FittingError


def sentence_examples(n: int, seed: int = 0) -> tuple[SentenceExample, ...]:
    """The sentence that covers most of the question is right."""
    random = np.random.default_rng(seed)
    cover = sentences.NAMES.index("cover")
    examples = []
    for number in range(n):
        features = random.uniform(0, 1, (4, len(sentences.NAMES)))
        right = features[:, cover] == features[:, cover].max()
        examples.append(SentenceExample(f"b{number % 5}", f"q{number}", features, right))
    return tuple(examples)


def statement_examples(n: int, seed: int = 0) -> tuple[StatementExample, ...]:
    """What leads the ranking is right, unless it lacks the names of the question."""
    random = np.random.default_rng(seed)
    chance, unnamed = statements.NAMES.index("chance"), statements.NAMES.index("unnamed")
    examples = []
    for number in range(n):
        features = random.uniform(0, 1, (4, len(statements.NAMES)))
        right = features[:, chance] - features[:, unnamed] + random.normal(0, 0.1, 4) > 0.3
        kinds = ("row", "prose", "row", "prose")
        masked = number % 3 == 0
        examples.append(StatementExample(f"b{number % 5}", f"q{number}", "rule", masked, features, kinds, right))
    return tuple(examples)


def test_the_sentence_that_covers_most_is_the_likeliest() -> None:
    weights = fit_sentences(sentence_examples(400))
    unseen = sentence_examples(40, seed=1)
    assert np.mean([example.right[int((example.features @ weights).argmax())] for example in unseen]) > 0.85


@pytest.mark.parametrize("kind", ["row", "prose"])
def test_a_probability_is_monotone_in_every_feature(kind: str) -> None:
    weights = fit_statements(statement_examples(80), kind).weights
    for name, weight in zip(statements.NAMES, weights, strict=True):
        assert weight <= 0.0 if name in statements.FALLING else weight >= 0.0
        assert weight == 0.0 or name in statements.FEATURES[kind]


def test_what_is_right_is_more_probable_in_books_that_had_no_say() -> None:
    examples = AnswerExamples(sentence_examples(40), statement_examples(120))
    answers = held_out_answers(examples)
    assert {answer.kind for answer in answers} == {"rule", "masked"}
    assert len(answers) == 120
    stated = [answer.is_right for answer in answers if answer.probability >= 0.6]
    assert sum(stated) > 4 * (len(stated) - sum(stated))


def test_a_second_fit_is_the_same() -> None:
    examples = AnswerExamples(sentence_examples(20), statement_examples(30))
    assert AnswerModels.fit(examples) == AnswerModels.fit(examples)


def test_nothing_is_fitted_on_nothing() -> None:
    with pytest.raises(FittingError, match="there are none"):
        fit_sentences(())
    with pytest.raises(FittingError, match="one kind is missing"):
        fit_statements((), "row")


def test_the_models_are_shipped_by_the_names_of_their_features(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentences, "WEIGHTS", tmp_path / "sentences.json")
    monkeypatch.setattr(statements, "MODELS", tmp_path / "statements.json")
    examples = AnswerExamples(sentence_examples(20), statement_examples(30))
    report = AnswersFitReport(AnswerModels.fit(examples), held_out_answers(examples), AnswerSettings())
    report.write(tmp_path / "docs")
    assert tuple(json.loads((tmp_path / "sentences.json").read_text("utf-8"))) == sentences.NAMES
    stored = json.loads((tmp_path / "statements.json").read_text("utf-8"))
    assert {kind: tuple(values) for kind, values in stored.items()} == {
        kind: ("intercept", *names) for kind, names in statements.FEATURES.items()
    }
    assert "| rule |" in (tmp_path / "docs" / "answers.md").read_text("utf-8")


def test_the_page_counts_what_is_stated_at_each_threshold() -> None:
    answers = (
        HeldOutAnswer("rule", 0.9, is_right=True),
        HeldOutAnswer("rule", 0.7, is_right=False),
        HeldOutAnswer("rule", 0.3, is_right=True),
        HeldOutAnswer("rule", 0.1, is_right=False),
        HeldOutAnswer("masked", 0.9, is_right=False),
    )
    examples = AnswerExamples(sentence_examples(20), statement_examples(30))
    settings = AnswerSettings(min_probability=0.65, min_perhaps=0.2)
    page = AnswersFitReport(AnswerModels.fit(examples), answers, settings).page()
    assert "| rule | 4 | 0.250 | 0.250 | 0.250 | 0.250 | 0.500 |" in page
    assert "| masked | 1 | 0.000 | 1.000 | 0.000 | 0.000 | 1.000 |" in page
    assert "| 0.65 | 0.250 | 0.250 | 0.500 |" in page
    assert "| 0.8 | 0.250 | 0.000 | 0.000 |" in page
