from pathlib import Path

from evals.terms.decisions import decided_terms, keep_decision


def test_decisions_are_kept_and_none_is_there_before_the_first(tmp_path: Path) -> None:
    assert decided_terms(tmp_path) == frozenset()
    keep_decision(tmp_path, "woods", "forest", "accepted")
    keep_decision(tmp_path, "woods", "wood", "rejected")
    assert decided_terms(tmp_path) == {("woods", "forest"), ("woods", "wood")}
