"""What a candidate is compared with besides what is live."""

from dataclasses import replace
from pathlib import Path

from evals.evaluation import SHIPPED, evaluation_of
from evals.judging.other_index import best_kept_scores, best_of, kept_rivals
from evals.scored_questions import ScoredQuestion
from retrieval.home import Home
from retrieval.index.snapshot.live import promote
from retrieval.search.strategies import STRATEGIES

QUESTION = '{"id": "q", "query": "What does a mace cost?", "gold": [{"snippet": "| Mace | 1d6 | 8 gp |"}]}\n'


def row(question: str, mrr: float, split: str = "people") -> ScoredQuestion:
    named = {"set": "s", "split": split, "strategy": SHIPPED, "question_id": question, "book": "b", "kind": "k"}
    nothing = {"gold": ("g",), "chunk_ids": (), "deep_chunk_ids": (), "deep_scores": (), "excluded_gold": ()}
    unfiltered = {"unfiltered_noise": None, "unfiltered_guarded_noise": None, "unfiltered_recall": None}
    return ScoredQuestion(**named, query=question, **nothing, **unfiltered, why="", values={"mrr": mrr})


def test_the_best_is_whom_the_candidate_is_furthest_behind() -> None:
    candidate = [row("a", 0.5), row("b", 0.5), row("c", 1.0, "generated")]
    better, other = [row("a", 1.0)], [row("a", 0.6), row("b", 0.6), row("c", 0.0, "generated")]
    assert best_of(candidate, {"other": other, "better": better}) == "better"
    assert best_of(candidate, {"other": other}) == "other"
    assert best_of(candidate, {"unrelated": [row("z", 1.0)]}) is None
    assert best_of(candidate, {"first": other, "second": other}) == "first"


def test_what_was_live_is_asked_the_questions_of_today_and_a_choice_by_hand_draws_a_line(
    twice_live: tuple[Home, str, str], tmp_path: Path
) -> None:
    home, first, second = twice_live
    asked = tmp_path / "questions.jsonl"
    asked.write_text(QUESTION)
    home = replace(home, settings=replace(home.settings, questions=(asked,)))
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
    assert "no snapshot besides what is live" in best_kept_scores(home, candidate).note
