"""Acceptance of a strategy in a user's CI: bounds, failing questions, and changes since saved scores."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite
from pydantic import ValidationError

from evals.errors import AcceptanceError
from evals.evaluation import Evaluation, StaleGold
from evals.failures import METRIC, FailedQuestion, failures
from evals.metric_table import Use, names, sign
from evals.noise import Relatives
from evals.scored_questions import ScoredQuestion
from evals.significant_changes import Comparison, compare_rows
from retrieval.errors import UnknownNameError
from retrieval.files.atomic_files import write_atomically
from retrieval.files.records import dump_record, parse_record
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.types import Chunk

BOUNDED = names(Use.HEADLINE)


@dataclass(frozen=True, slots=True)
class Bound:
    """The smallest accepted value of a metric, or the largest if lower values are better."""

    metric: str
    value: float

    @classmethod
    def parse(cls, text: str) -> "Bound":
        """Parse `METRIC=NUMBER`.

        Raises:
            UnknownNameError: no metric of a whole strategy has this name.
            AcceptanceError: it does not have this form, or the number is outside the range of the metric.
        """
        metric, equals, number = (part.strip() for part in text.partition("="))
        if not equals:
            raise AcceptanceError(f"{text!r} is not a bound; write METRIC=NUMBER, like mrr=0.85")
        if metric not in BOUNDED:
            raise UnknownNameError("metric", metric, BOUNDED)
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        least_is_share = sign(metric) > 0
        if not math.isfinite(value) or value < 0 or (least_is_share and value > 1):
            wanted = "a number from 0 to 1" if least_is_share else "a number that is not negative"
            raise AcceptanceError(f"{text!r}: {number!r} is not a bound of {metric}; write {wanted}")
        return cls(metric, value)

    def __str__(self) -> str:
        return f"{self.metric} {'at least' if sign(self.metric) > 0 else 'at most'} {self.value:g}"

    def holds(self, score: float | None) -> bool:
        """Whether a score meets the bound; an undefined score does not."""
        return score is not None and sign(self.metric) * (score - self.value) >= 0


@dataclass(frozen=True, slots=True)
class CheckedBound:
    """A bound and the score that it limits."""

    bound: Bound
    score: float | None
    """None if the metric is undefined for these questions."""

    @property
    def holds(self) -> bool:
        """Whether the score meets the bound."""
        return self.bound.holds(self.score)


@dataclass(frozen=True, slots=True)
class MovedQuestion:
    """A question and its ranks in two evaluations. Key: that of its row."""

    row: ScoredQuestion
    """The later row."""
    before: int | None
    """1-based rank of the first gold chunk; None if not among the first 100."""
    after: int | None

    @classmethod
    def between(cls, before: ScoredQuestion, after: ScoredQuestion) -> "MovedQuestion":
        """Return the move from one row to a later one."""
        return cls(after, before.gold_rank, after.gold_rank)

    @property
    def better(self) -> bool:
        """Whether it moved up."""
        return rank_or_infinity(self.after) < rank_or_infinity(self.before)


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of one strategy since its scores were saved, on the questions that were asked both times."""

    baseline: str
    """Snapshot of the saved scores."""
    n_shared: int
    gained: tuple[MovedQuestion, ...]
    """Questions whose gold is first and was not."""
    lost: tuple[MovedQuestion, ...]
    """Questions whose gold was first and is not."""
    moved: tuple[MovedQuestion, ...]
    """Other questions whose gold has another rank; all three are in the order of the questions."""
    added: tuple[ScoredQuestion, ...]
    """Questions that were not saved: new ones, or with another text."""
    n_gone: int
    """Number of saved questions that are no longer asked."""
    comparisons: tuple[Comparison, ...]

    @property
    def worse(self) -> tuple[Comparison, ...]:
        """Comparisons by metrics on which the strategy is significantly worse than before."""
        return tuple(comparison for comparison in self.comparisons if comparison.behind and comparison.significant)


def changes(baseline: str, rows: Sequence[ScoredQuestion], saved: Sequence[ScoredQuestion]) -> Changes:
    """Compare one strategy's rows with its saved ones, question by question.

    Raises:
        AcceptanceError: no question was asked both times.
    """
    earlier = {row.key: row for row in saved}
    shared = [(row, earlier[row.key]) for row in rows if row.key in earlier]
    if not shared:
        raise AcceptanceError(
            "the baseline is about other questions: none of its questions is asked here; "
            "save a new one with `querymust eval --save FILE`"
        )
    moveds = [MovedQuestion.between(was, row) for row, was in shared if row.gold_rank != was.gold_rank]
    gained = tuple(moved for moved in moveds if moved.after == 1)
    lost = tuple(moved for moved in moveds if moved.before == 1)
    return Changes(
        baseline=baseline,
        n_shared=len(shared),
        gained=gained,
        lost=lost,
        moved=tuple(moved for moved in moveds if moved not in gained and moved not in lost),
        added=tuple(row for row in rows if row.key not in earlier),
        n_gone=len(earlier) - len(shared),
        comparisons=compare_rows(rows, saved) if any(METRIC in row.values for row, _ in shared) else (),
    )


def rank_or_infinity(rank: int | None) -> float:
    """Return a comparable rank: a missing one is after all others."""
    return float("inf") if rank is None else rank


FORMAT = "querymust scores 1"


@dataclass(frozen=True, slots=True)
class SavedScores:
    """The results of the strategies for each question, without times, so that the same index gives the same bytes."""

    format: str
    snapshot: str
    rows: tuple[ScoredQuestion, ...]
    """Rows with only the first result of each ranking, since ranks and scores are stored."""

    @classmethod
    def of(cls, snapshot: str, rows: Iterable[ScoredQuestion]) -> "SavedScores":
        """Return the saved scores of an evaluation's rows."""
        return cls(FORMAT, snapshot, tuple(_short(row) for row in rows))

    @classmethod
    def read(cls, path: Path) -> "SavedScores":
        """Read what `write` wrote.

        Raises:
            FileNotFoundError: no such file.
            AcceptanceError: the file has another format, or cannot be read.
        """
        advice = "give a file that `querymust eval --save FILE` wrote"
        try:
            record = parse_record(path.read_bytes(), cls)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise AcceptanceError(f"{path} cannot be read ({error.strerror}); {advice}") from error
        except ValidationError as error:
            raise AcceptanceError(f"{path} does not hold saved scores; {advice}") from error
        if record.format != FORMAT:
            raise AcceptanceError(f"{path} holds {record.format!r} and not {FORMAT!r}; save it again: {advice}")
        return record

    def write(self, path: Path) -> None:
        """Write the file atomically.

        Raises:
            OSError: it cannot be written.
        """
        write_atomically(path, json.dumps(json.loads(dump_record(self)), ensure_ascii=False, indent=1) + "\n")

    def of_strategy(self, name: str) -> tuple[ScoredQuestion, ...]:
        """Return the rows of one strategy."""
        return tuple(row for row in self.rows if row.strategy == name)


def _short(row: ScoredQuestion) -> ScoredQuestion:
    return replace(row, chunk_ids=row.chunk_ids[:1], deep_chunk_ids=(), deep_scores=(), milliseconds=0.0)


@dataclass(frozen=True, slots=True)
class StrategyVerdict:
    """The verdict on one strategy, with its reasons. Key: strategy."""

    strategy: str
    snapshot: str
    rows: tuple[ScoredQuestion, ...]
    """Rows of all scored questions, in the order of the files."""
    bounds: tuple[CheckedBound, ...]
    failures: tuple[FailedQuestion, ...]
    """Questions whose gold is not first; they do not make the strategy fail by themselves."""
    changes: Changes | None
    """None if no saved scores were given."""
    stale: tuple[StaleGold, ...]

    @property
    def passed(self) -> bool:
        """Whether every bound is met, no metric is significantly worse than before, and no gold is stale."""
        worse = self.changes.worse if self.changes else ()
        return all(bound.holds for bound in self.bounds) and not worse and not self.stale

    @property
    def n_asked(self) -> int:
        """Number of questions with gold, which can fail."""
        return sum(METRIC in row.values for row in self.rows)


def verdict(
    evaluation: Evaluation, snapshot: Snapshot, strategy: str, bounds: Sequence[Bound], saved: SavedScores | None
) -> StrategyVerdict:
    """Judge one strategy by the rows of its headline numbers.

    Raises:
        AcceptanceError: the saved scores are of other strategies or other questions.
    """
    rows = tuple(row for row in evaluation.headline_rows() if row.strategy == strategy)
    headline = evaluation.headline()[strategy]
    return StrategyVerdict(
        strategy=strategy,
        snapshot=evaluation.snapshot,
        rows=rows,
        bounds=tuple(CheckedBound(bound, headline.get(bound.metric)) for bound in bounds),
        failures=failures(rows, Relatives.of(tuple(snapshot.chunks)), snapshot.canonical_of),
        changes=changes(saved.snapshot, rows, _saved_rows(saved, strategy)) if saved else None,
        stale=evaluation.stale,
    )


def _saved_rows(saved: SavedScores, strategy: str) -> tuple[ScoredQuestion, ...]:
    rows = saved.of_strategy(strategy)
    if not rows:
        known = ", ".join(dict.fromkeys(row.strategy for row in saved.rows)) or "nothing"
        raise AcceptanceError(
            f"the baseline has no scores of {strategy}, only of {known}; "
            f"save them with `querymust eval --strategy {strategy} --save FILE`"
        )
    return rows


def broken_bound(judged: CheckedBound) -> str:
    """Return a sentence like `mrr is 0.812, and must be at least 0.85`."""
    score = "undefined for these questions" if judged.score is None else f"{judged.score:.3f}"
    wanted = str(judged.bound).removeprefix(judged.bound.metric + " ")
    return f"{judged.bound.metric} is {score}, but must be {wanted}"


def decline(comparison: Comparison) -> str:
    """Return `mrr is significantly worse than in the baseline: -0.120 over 40 questions, p = 0.003` or the like."""
    return (
        f"{comparison.metric} is significantly worse than in the baseline: {comparison.difference:+.3f} over "
        f"{comparison.n} questions, p = {comparison.corrected:.3f}"
    )


def rank_text(rank: int | None) -> str:
    """Return a phrase like `gold at rank 4`."""
    return f"gold at rank {rank}" if rank else "no gold in the first 100"


def move(moved: MovedQuestion) -> str:
    """Return a phrase like `rank 1 to 7`; a dash means not among the first 100."""
    return f"rank {moved.before or '–'} to {moved.after or '–'}"


def location(chunk: Chunk) -> str:
    """Return the place and the title of a chunk."""
    return f"{chunk.book}/{chunk.document}:{chunk.lines[0]}  {chunk.title}"


_SHOWN = 25
"""Most lines of one table, because a comment on GitHub is limited to 65,536 characters."""
_LETTERS = 160


def summary(verdicts: Iterable[StrategyVerdict]) -> str:
    """Return a section for each strategy: its bounds, changes, and collapsed the questions whose gold is not first."""
    return "\n".join(_section(verdict) for verdict in verdicts)


def _section(verdict: StrategyVerdict) -> str:
    lines = [f"### querymust: `{verdict.strategy}` {'passed' if verdict.passed else 'failed'}", ""]
    lines += [f"- :x: {_escaped(broken_bound(bound))}" for bound in verdict.bounds if not bound.holds]
    lines += [f"- :white_check_mark: {_held(bound)}" for bound in verdict.bounds if bound.holds]
    if verdict.changes:
        lines += [f"- :x: {_escaped(decline(comparison))}" for comparison in verdict.changes.worse]
    if verdict.stale:
        lines.append(f"- :x: stale gold: {len(verdict.stale)}")
    passed = verdict.n_asked - len(verdict.failures)
    lines += [f"- gold comes first for {passed} of {verdict.n_asked} questions with gold", ""]
    lines += _changed(verdict.changes) if verdict.changes else []
    lines += _stale_lines(verdict)
    lines += _failed(verdict.failures)
    return "\n".join([*lines, f"Snapshot `{verdict.snapshot}`", ""])


def _held(judged: CheckedBound) -> str:
    return f"{judged.bound.metric} is {judged.score:.3f}, {str(judged.bound).removeprefix(judged.bound.metric + ' ')}"


def _changed(changes: Changes) -> list[str]:
    counts = [(len(changes.gained), "gained"), (len(changes.lost), "lost"), (len(changes.moved), "moved")]
    counts += [(len(changes.added), "new"), (changes.n_gone, "gone")]
    counted = ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing changed"
    lines = [f"Against `{changes.baseline}`, on {changes.n_shared} questions: {counted}.", ""]
    for what, moved in (("Lost", changes.lost), ("Gained", changes.gained), ("Moved", changes.moved)):
        if moved:
            rows = [
                (question.row.question_id, question.row.query, _rank(question.before), _rank(question.after))
                for question in moved
            ]
            lines += [f"**{what}**", "", *_table(("question", "asked", "rank before", "rank now"), rows), ""]
    return lines


def _stale_lines(verdict: StrategyVerdict) -> list[str]:
    rows = [(anchor.question_id, anchor.reason) for anchor in verdict.stale]
    return ["**Stale gold**", "", *_table(("question", "reason"), rows), ""] if rows else []


def _failed(failures: Sequence[FailedQuestion]) -> list[str]:
    if not failures:
        return []
    rows = [
        (failure.row.question_id, failure.row.query, rank_text(failure.row.gold_rank), _seat(failure.first))
        for failure in failures
    ]
    table = _table(("question", "asked", "gold", "first"), rows)
    return ["<details><summary>Gold is not first</summary>", "", *table, "", "</details>", ""]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [_line(head), _line(["---"] * len(head)), *(_line(list(map(_escaped, row))) for row in rows[:_SHOWN])]
    return lines + ([f"\nand {len(rows) - _SHOWN} more"] if len(rows) > _SHOWN else [])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _escaped(text: str) -> str:
    """Return foreign text as one line without markup or mentions of users."""
    short = text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"
    plain = escape(" ".join(short.split()), quote=False)
    for letter in "\\`*_[]|~#@":
        plain = plain.replace(letter, f"\\{letter}" if letter != "@" else "@\u200b")
    return plain


def _rank(rank: int | None) -> str:
    return str(rank) if rank else "none in 100"


def _seat(chunk: Chunk | None) -> str:
    return f"{chunk.title} ({chunk.document}:{chunk.lines[0]})" if chunk else "nothing"


_OVERALL = "scores"


def junit_xml(verdicts: Iterable[StrategyVerdict]) -> bytes:
    """Return a suite for each strategy, with a case for each question, and one for its bounds and its baseline.

    A question fails if its gold is not first, for information. The last case contains whether the run passes. There are
    no times, so the same index gives the same bytes.
    """
    report = JUnitXml("querymust eval")
    for verdict in verdicts:
        suite = TestSuite(verdict.strategy)
        failed = {failure.row.key: failure for failure in verdict.failures}
        for row in verdict.rows:
            suite.add_testcase(_case(row, failed.get(row.key)))
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
        first = location(failure.first) if failure.first else "nothing"
        reported = Failure(_clean(f"{rank_text(failure.row.gold_rank)}; first is {first}"), METRIC)
        lines = [
            row.query,
            *(f"gold: {location(chunk)}" for chunk in failure.gold),
            *(f"why: {why}" for why in failure.why),
        ]
        reported.text = _clean("\n".join(lines))
        case.result = [reported]
    elif METRIC not in row.values:
        case.result = [Skipped("it has no gold, so nothing can be first")]
    return case


def _overall(verdict: StrategyVerdict) -> TestCase:
    case = TestCase(_OVERALL, _class(verdict.strategy, "verdict"))
    sentences = [broken_bound(bound) for bound in verdict.bounds if not bound.holds]
    sentences += [decline(comparison) for comparison in (verdict.changes.worse if verdict.changes else ())]
    sentences += [f"stale gold of {anchor.question_id}: {anchor.reason}" for anchor in verdict.stale]
    case.result = [Failure(_clean(sentence), _OVERALL) for sentence in sentences]
    return case


def _stale(verdict: StrategyVerdict) -> dict[str, list[str]]:
    unscored: dict[str, list[str]] = {}
    for anchor in verdict.stale:
        if not anchor.scored:
            unscored.setdefault(_clean(anchor.question_id), []).append(anchor.reason)
    return unscored


def _class(strategy: str, of: str) -> str:
    return _clean(f"{strategy}.{of}")


def _clean(text: str) -> str:
    """Return a text without the characters that XML cannot contain."""
    return "".join(letter for letter in text if letter in "\t\n" or letter.isprintable() or letter == "\u00a0")
