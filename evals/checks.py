"""What must hold of the scores before a snapshot may go live. Without questions there is nothing to contradict them."""

from collections.abc import Sequence

import dagster as dg

from evals.assets import evaluation_of, leaderboard
from evals.evaluation import SHIPPED, Evaluation
from evals.gate import Thresholds, decide
from retrieval.errors import RetrievalError
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id
from retrieval.search.strategies import STRATEGIES

ERROR, WARN = dg.AssetCheckSeverity.ERROR, dg.AssetCheckSeverity.WARN
NO_QUESTIONS = "no questions were given"


@dg.asset_check(asset=leaderboard, blocking=True)
def gold_resolves(home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
    """Every gold anchor stands in the candidate. Below the floor nothing goes live; above it the check only warns."""
    scores = _shipped(home, home.candidate)
    return dg.AssetCheckResult(
        passed=not scores.stale,
        severity=ERROR if objections(scores, None, "evaluability") else WARN,
        description=_first([str(each) for each in scores.stale]) if scores.sets else NO_QUESTIONS,
        metadata={
            "n_stale": len(scores.stale),
            "evaluability": _number(scores.evaluability),
            "floor": Thresholds().evaluability,
            "snapshot": scores.snapshot,
        },
    )


@dg.asset_check(asset=leaderboard, blocking=True)
def no_false_exclusions(home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
    """No predicate keeps the gold of a question out of what ships."""
    return _judged(_shipped(home, home.candidate), None, "false_exclusions")


@dg.asset_check(asset=leaderboard)
def query_must_lessens_noise(home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
    """Where guarded siblings of the right row crowd the results, the filter of what ships leaves fewer of them.

    It only warns: the one guarded row among the results of a book with few may well be one that the question admits.
    """
    return _judged(_shipped(home, home.candidate), None, "noise_reduction", WARN)


@dg.asset_check(asset=leaderboard, blocking=True)
def not_worse_than_live(home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
    """On the questions that both can be asked, what ships is not significantly worse than on what is live."""
    candidate, before, note = _shipped(home, home.candidate), None, ""
    try:
        live = live_id(home.root)
        # Of a book that is new, live can be asked nothing; of all others it can.
        before = evaluation_of(home, live, STRATEGIES[SHIPPED], foreign=True) if live is not None else None
    except RetrievalError as error:
        note = f"what is live cannot be read, by readers neither, so nothing is worse: {error}"
    return _judged(candidate, before, "not_worse_than_live", note=note)


def objections(candidate: Evaluation, live: Evaluation | None, check: str) -> list[str]:
    """What the gate has against the candidate under one check's name, a sentence each."""
    if candidate.experiment is None:
        return []
    before = live.experiment if live and _share_a_question(candidate, live) else None
    return [str(reason) for reason in decide(candidate.experiment, before).reasons if reason.check == check]


def _judged(
    candidate: Evaluation, live: Evaluation | None, check: str, severity: dg.AssetCheckSeverity = ERROR, note: str = ""
) -> dg.AssetCheckResult:
    found = objections(candidate, live, check)
    headline = candidate.headline().get(SHIPPED, {})
    before = live.headline().get(SHIPPED, {}) if live else {}
    return dg.AssetCheckResult(
        passed=not found,
        severity=severity,
        description=note or (_first(found) if candidate.sets else NO_QUESTIONS),
        metadata={
            "n_questions": candidate.n_questions,
            "mrr": _number(headline.get("mrr")),
            "mrr_live": _number(before.get("mrr")),
            "false_exclusions": _number(headline.get("false_exclusions")),
            "noise_reduction": _number(headline.get("noise_reduction")),
            "snapshot": candidate.snapshot,
        },
    )


def _shipped(home: Home, snapshot: str) -> Evaluation:
    return evaluation_of(home, snapshot, STRATEGIES[SHIPPED])


def _share_a_question(candidate: Evaluation, live: Evaluation) -> bool:
    left, right = (
        {(row.set, row.split, row.question_id) for row in each.rows(SHIPPED) if row.gold} for each in (candidate, live)
    )
    return bool(left & right)


def _number(value: float | None) -> dg.MetadataValue:
    return dg.MetadataValue.null() if value is None else dg.MetadataValue.float(value)


def _first(sentences: Sequence[str], shown: int = 5) -> str:
    more = f"; and {len(sentences) - shown} more" if len(sentences) > shown else ""
    return "; ".join(sentences[:shown]) + more if sentences else "nothing contradicts it"
