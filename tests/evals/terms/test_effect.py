"""A change is tried on a copy of the index: who may come back, what comes first, what the gate says."""

from pathlib import Path

import pytest

from evals.questions.anchors import Anchor
from evals.questions.questions import Question, write_questions
from evals.terms.effect import Trial
from evals.terms.vocabulary_file import with_alias
from retrieval.home import Home
from retrieval.search.retriever import Retriever

APART, OTHER = "What does a longsword cost?", "Daggers are short, are they not?"


@pytest.fixture
def gold(live: Retriever, tmp_path: Path) -> Path:
    """Questions that the index answers."""
    rows = [chunk for chunk in live.snapshot.chunks if chunk.row_key]
    questions = [
        Question(f"q{place}", f"What does a {row.row_key} cost?", "tiny", gold=(Anchor.of(row),))
        for place, row in enumerate(rows)
    ]
    write_questions(tmp_path / "gold.jsonl", questions)
    return tmp_path / "gold.jsonl"


def test_an_alias_keeps_out_what_a_question_did_not_name_before(live: Retriever, gold: Path, tiny_built: Home) -> None:
    before = sorted(path for path in tiny_built.root.rglob("*") if "evaluations" not in path.parts)
    effect = Trial(live, [APART, OTHER, APART], [gold]).of(
        with_alias(live.snapshot.vocabulary, "longsword", "long sword")
    )
    assert (effect.admitted, effect.excluded) == ((), (APART,))
    assert effect.passes
    assert (effect.n_scored, effect.mrr_before, effect.mrr_after) == (3, 1.0, 1.0)
    assert effect.scores == "mrr 1.0000 to 1.0000 on 3 questions; the gate lets it pass"
    assert sorted(path for path in tiny_built.root.rglob("*") if "evaluations" not in path.parts) == before


def test_an_alias_that_hides_answers_is_refused_by_the_gate(live: Retriever, gold: Path) -> None:
    row = next(chunk for chunk in live.snapshot.chunks if chunk.row_key == "Long sword")
    write_questions(gold, [Question("q", APART, "tiny", gold=(Anchor.of(row),))])
    effect = Trial(live, [], [gold]).of(with_alias(live.snapshot.vocabulary, "longsword", "mace"))
    assert not effect.passes
    assert "the gate refuses it: no_false_exclusions" in effect.scores


def test_an_alias_that_nobody_says_does_nothing(live: Retriever, gold: Path) -> None:
    trial = Trial(live, [APART, OTHER], [gold])
    assert trial.of(with_alias(live.snapshot.vocabulary, "zeppelin", "long sword")).is_none


def test_without_gold_it_says_that_nothing_was_scored(live: Retriever) -> None:
    effect = Trial(live, [APART], []).of(with_alias(live.snapshot.vocabulary, "longsword", "long sword"))
    assert effect.excluded == (APART,)
    assert effect.scores == "nothing was scored: there are no questions with gold"
