"""Rows of scores for tests that need few of their fields."""

from typing import Any

from evals.scored_questions import ScoredQuestion


def scored_row(question_id: str, **given: Any) -> ScoredQuestion:
    """A row of `default` for a question of people with one gold chunk; other fields are empty unless given."""
    fields: dict[str, Any] = {
        "set": "asked",
        "split": "people",
        "strategy": "default",
        "book": "b",
        "kind": "lookup",
        "query": f"ask {question_id}",
        "gold": ("g",),
        "why": "",
    }
    fields |= dict.fromkeys(("chunk_ids", "deep_chunk_ids", "deep_scores", "excluded_gold"), ())
    fields |= dict.fromkeys(("unfiltered_noise", "unfiltered_guarded_noise", "unfiltered_recall"))
    return ScoredQuestion(**{**fields, "question_id": question_id, **given})
