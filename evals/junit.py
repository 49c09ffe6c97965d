"""Verdicts as JUnit XML, which most CI systems show. The only file that knows junitparser."""

from collections.abc import Iterable

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from evals.acceptance import StrategyVerdict, broken_bound, decline, place, rank_text
from evals.failures import METRIC, FailedQuestion
from evals.scored_questions import ScoredQuestion

_OVERALL = "scores"


def junit_xml(verdicts: Iterable[StrategyVerdict]) -> bytes:
    """A suite for each strategy, a case for each question, and one case more for its bounds and its baseline.

    A question fails if its gold is not first: a report of what to look at. Whether the run passes is in the last case.
    No times: the same index gives the same bytes.
    """
    report = JUnitXml("querymust eval")
    for verdict in verdicts:
        suite = TestSuite(verdict.strategy)
        failed = {_key(failure.row): failure for failure in verdict.failures}
        for row in verdict.rows:
            suite.add_testcase(_case(row, failed.get(_key(row))))
        for question_id, reasons in _stale(verdict).items():
            case = TestCase(question_id, _class(verdict.strategy, "stale"))
            case.result = [Error(_clean(f"stale gold: {'; '.join(reasons)}"), "stale")]
            suite.add_testcase(case)
        suite.add_testcase(_overall(verdict))
        report.add_testsuite(suite)
    report.update_statistics()  # type: ignore[no-untyped-call]
    written: bytes = report.tostring()  # type: ignore[no-untyped-call]
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + written + b"\n"


def _case(row: ScoredQuestion, failure: FailedQuestion | None) -> TestCase:
    case = TestCase(_clean(row.question_id), _class(row.strategy, f"{row.set}.{row.split}"))
    if failure is not None:
        first = place(failure.first) if failure.first else "nothing"
        output = Failure(_clean(f"{rank_text(failure.gold_rank)}; first is {first}"), METRIC)
        lines = [
            row.query,
            *(f"gold: {place(chunk)}" for chunk in failure.gold),
            *(f"why: {why}" for why in failure.why),
        ]
        output.text = _clean("\n".join(lines))
        case.result = [output]
    elif METRIC not in row.values:
        case.result = [Skipped("it has no gold, so nothing can be first")]
    return case


def _overall(verdict: StrategyVerdict) -> TestCase:
    case = TestCase(_OVERALL, _class(verdict.strategy, "verdict"))
    sentences = [broken_bound(bound) for bound in verdict.bounds if not bound.holds]
    sentences += [decline(each) for each in (verdict.changes.worse if verdict.changes else ())]
    case.result = [Failure(_clean(sentence), _OVERALL) for sentence in sentences]
    return case


def _stale(verdict: StrategyVerdict) -> dict[str, list[str]]:
    unscored: dict[str, list[str]] = {}
    for each in verdict.stale:
        if not each.scored:
            unscored.setdefault(_clean(each.question_id), []).append(each.reason)
    return unscored


def _class(strategy: str, of: str) -> str:
    return _clean(f"{strategy}.{of}")


def _clean(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return "".join(letter for letter in text if letter in "\t\n" or letter.isprintable() or letter == "\u00a0")


def _key(row: ScoredQuestion) -> tuple[str, str, str]:
    return (row.set, row.split, row.question_id)
