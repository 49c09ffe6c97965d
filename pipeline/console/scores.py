"""Scores in a terminal: leaderboard, intervals, failures, acceptance and the gate's verdict."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from textwrap import fill
from typing import TYPE_CHECKING

from rich.table import Table

from evals.metric_table import Use, metric_text, names
from pipeline.console.output import counted, out, print_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evals.acceptance import Changes, MovedQuestion, StrategyVerdict
    from evals.aggregates import Aggregate
    from evals.failures import FailedQuestion
    from evals.verdicts import GateState
    from retrieval.types import Chunk


def print_leaderboard(leaderboard: Mapping[str, Mapping[str, float | None]]) -> None:
    """Print a line for each strategy; `-` if a metric is undefined."""
    if not leaderboard:
        out.print("No questions, so no strategy was scored.")
        return
    shown = names(Use.TERMINAL)
    out.print("Strategies on the questions with gold\n", style="bold")
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("strategy", no_wrap=True)
    for name in shown:
        table.add_column(name, justify="right", no_wrap=True)
    for strategy, metrics in leaderboard.items():
        table.add_row(strategy, *(metric_text(name, metrics.get(name)) for name in shown))
    out.print(table)


def print_better_strategy(leaderboard: Mapping[str, Mapping[str, float | None]], used: str, n_questions: int) -> None:
    """Print the sentence of `better_strategy`, if any."""
    if sentence := better_strategy(leaderboard, used, n_questions):
        out.print(f"\n{sentence}")


_FEWEST = 30
"""Number of questions from which a strategy is recommended; with fewer, one question decides."""


def better_strategy(leaderboard: Mapping[str, Mapping[str, float | None]], used: str, n_questions: int) -> str:
    """Return a sentence on the strategy with the best mrr, and how to choose it; empty if it is the used one."""
    if n_questions < _FEWEST:
        return ""
    mrr = {name: value for name, metrics in leaderboard.items() if (value := metrics.get("mrr")) is not None}
    best = min(mrr, key=lambda name: (-mrr[name], name != used, name), default=used)
    if used not in mrr or best == used:
        return ""
    return (
        f"{best} has a higher mrr than {used} here ({mrr[best]:.3f}, {mrr[used]:.3f}). "
        "`querymust report` shows whether that may be chance. "
        f"To search with it, write `strategy: {best}` in the home's rag.yaml, or use --strategy {best}."
    )


ALL = "*"
BROKEN_DOWN = ("hit@1", "mrr", "recall@10", "ndcg@10", "noise@15")
"""Columns of a breakdown, as many as fit the terminal: three in 80 characters."""
SHORT = ("bm25", "default")
"""Strategies shown after a build: the shipped one, and the simplest for comparison."""

_NAME, _CELL, _MARGIN = 24, 17, 7
_GOLD_SHOWN = 3


def print_breakdown(strategy: str, numbers: Sequence[Aggregate]) -> None:
    """Print one strategy's scores on all questions, by kind and by book, each with its 95 % interval."""
    kinds = list(dict.fromkeys(number.kind for number in numbers if number.book == ALL))
    books = [ALL, *dict.fromkeys(number.book for number in numbers if number.kind == ALL and number.book != ALL)]
    _print_numbers(f"{strategy} by kind", "kind", {name: _of(numbers, ALL, name) for name in kinds})
    if len(books) > 1:
        _print_numbers(f"{strategy} by book", "book", {name: _of(numbers, name, ALL) for name in books})


def print_failures(strategy: str, failures: Sequence[FailedQuestion], n_asked: int) -> None:
    """Print the questions whose first result is not gold: the first result, the gold and its rank, and known causes."""
    from evals.acceptance import location, rank_text

    out.print(
        f"\n{strategy}: {len(failures)} of {n_asked} questions with gold fail hit@1: gold is not first", style="bold"
    )
    several = len({(failure.row.set, failure.row.split) for failure in failures}) > 1
    for failure in failures:
        row = failure.row
        name = f"{row.set}: {row.question_id}" if several else row.question_id
        out.print(f"\n{name}  {row.kind}, {rank_text(row.gold_rank)}", style="bold")
        _print_told("", row.query, indent=2)
        _print_told("first", location(failure.first) if failure.first else "nothing")
        for chunk in failure.gold[:_GOLD_SHOWN]:
            _print_told("gold", location(chunk))
        if len(failure.gold) > _GOLD_SHOWN:
            _print_told("", f"and {len(failure.gold) - _GOLD_SHOWN} more")
        for sentence in failure.why:
            _print_told("why", sentence)


def print_short_leaderboard(leaderboard: Mapping[str, Mapping[str, float | None]], questions: int, ask: str) -> None:
    """Print the scores of the strategies in `SHORT` after a build; `ask` is the command for details."""
    out.print()
    print_leaderboard({name: leaderboard[name] for name in SHORT if name in leaderboard})
    shares = [metrics["evaluability"] for metrics in leaderboard.values() if metrics.get("evaluability") is not None]
    stale = f"; the gold of {1 - shares[0]:.1%} is stale" if shares and shares[0] and shares[0] < 1 else ""
    out.print(f"\n{questions} questions{stale}. By kind and book, with failures:  {ask}")


def breakdown_records(strategy: str, numbers: Sequence[Aggregate]) -> list[dict[str, object]]:
    """Return the breakdown as JSON values: every metric; `*` stands for all kinds or all books."""
    from evals.aggregates import flat_records

    kept = ("book", "kind", "metric", "value", "low", "high", "n")
    return [{"strategy": strategy} | {name: record[name] for name in kept} for record in flat_records(numbers)]


def failure_record(failure: FailedQuestion) -> dict[str, object]:
    """Return a failed question as JSON values."""
    row = failure.row
    return {
        "strategy": row.strategy,
        "set": row.set,
        "split": row.split,
        "id": row.question_id,
        "query": row.query,
        "book": row.book or None,
        "kind": row.kind,
        "gold_rank": row.gold_rank,
        "first": _chunk_record(failure.first) if failure.first else None,
        "gold": [_chunk_record(chunk) for chunk in failure.gold],
        "why": list(failure.why),
    }


def _print_told(what: str, text: str, indent: int = 9) -> None:
    """A line of a failure, wrapped to the terminal under where its text begins."""
    first = f"  {what:<7}"[:indent]
    later = " " * indent
    wrapped = fill(
        text, out.width, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )
    out.print(wrapped)


def _of(numbers: Sequence[Aggregate], book: str, kind: str) -> dict[str, Aggregate]:
    return {number.metric: number for number in numbers if (number.book, number.kind) == (book, kind)}


def _print_numbers(title: str, what: str, lines: Mapping[str, Mapping[str, Aggregate]]) -> None:
    width = min(_NAME, max(len(name) for name in [what, *lines]))
    metrics = BROKEN_DOWN[: max(1, (out.width - width - _MARGIN) // _CELL)]
    out.print(f"\n{title}, with 95 % intervals\n", style="bold")
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(what, no_wrap=True, overflow="ellipsis", max_width=_NAME)
    table.add_column("n", justify="right", no_wrap=True)
    for metric in metrics:
        table.add_column(metric, no_wrap=True)
    for name, numbers in lines.items():
        with_gold = numbers.get(metrics[0])  # None if no question of this line has gold
        n_questions = with_gold.n if with_gold else max((number.n for number in numbers.values()), default=0)
        cells = (_number(metric, numbers.get(metric)) for metric in metrics)
        table.add_row("all" if name == ALL else name, str(n_questions), *cells)
    out.print(table)


def _number(metric: str, number: Aggregate | None) -> str:
    if number is None or number.value is None:
        return "-"
    value = metric_text(metric, number.value)
    if number.low is None or number.high is None:
        return value
    digits = 1 if metric.startswith("noise@") else 2
    return f"{value} {number.low:.{digits}f}–{number.high:.{digits}f}"


def _chunk_record(chunk: Chunk) -> dict[str, object]:
    return {name: getattr(chunk, name) for name in ("id", "title", "book", "document", "lines")}


def print_verdict(verdict: StrategyVerdict) -> None:
    """Print changes on standard output, and the reasons for a failure on standard error."""
    from evals.acceptance import broken_bound, decline

    if verdict.changes:
        _print_changes(verdict.strategy, verdict.changes)
    for judged in verdict.bounds:
        if not judged.holds:
            print_error(f"{verdict.strategy}: {broken_bound(judged)}")
    for comparison in verdict.changes.worse if verdict.changes else ():
        print_error(f"{verdict.strategy}: {decline(comparison)}")


def verdict_record(verdict: StrategyVerdict) -> dict[str, object]:
    """Return a verdict as JSON values; the failing questions are under `failures`."""
    changes = verdict.changes
    return {
        "strategy": verdict.strategy,
        "passed": verdict.passed,
        "bounds": [
            {"metric": bound.bound.metric, "bound": bound.bound.value, "score": bound.score, "holds": bound.holds}
            for bound in verdict.bounds
        ],
        "changes": changes
        and {
            "baseline": changes.baseline,
            "questions": changes.n_shared,
            "gained": _records(changes.gained),
            "lost": _records(changes.lost),
            "moved": _records(changes.moved),
            "new": [row.question_id for row in changes.added],
            "gone": changes.n_gone,
            "worse": [
                {"metric": comparison.metric, "difference": comparison.difference, "p": comparison.corrected}
                for comparison in changes.worse
            ],
        },
    }


def _records(moved: Sequence[MovedQuestion]) -> list[dict[str, object]]:
    return [
        {"set": question.row.set, "id": question.row.question_id, "query": question.row.query}
        | {"rank_before": question.before, "rank": question.after}
        for question in moved
    ]


def _print_changes(strategy: str, changes: Changes) -> None:
    from evals.acceptance import move

    out.print(
        f"\n{strategy}: against {changes.baseline}, on {counted(changes.n_shared, 'question')}: "
        f"{len(changes.gained)} gained, {len(changes.lost)} lost, {len(changes.moved)} moved",
        style="bold",
    )
    for what, moved in (("gained", changes.gained), ("lost", changes.lost), ("moved", changes.moved)):
        for question in moved:
            out.print(f"  {what}  {question.row.question_id}: {move(question)}: {question.row.query}")
    if changes.added or changes.n_gone:
        out.print(f"  not compared: {len(changes.added)} new, {changes.n_gone} gone")


_UNITS = (("week", 7 * 86_400), ("day", 86_400), ("hour", 3_600), ("minute", 60))


def ago(then: datetime, now: datetime | None = None) -> str:
    """Return `just now`, `1 minute ago` or `3 days ago`: in the largest unit of which at least one has passed."""
    seconds = ((now or datetime.now(UTC)) - then).total_seconds()
    for name, length in _UNITS:
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {name}{'' if count == 1 else 's'} ago"
    return "just now"


def gate_lines(gate: GateState) -> Iterator[tuple[str, str]]:
    """Yield a line for the verdict, then one for each reason."""
    when = f", {ago(gate.at)}" if gate.at else ""
    if gate.verdict == "held":
        yield "gate", f"every blocking check passed{when}"
    elif gate.verdict == "forced":
        yield "gate", f"live by force{when}: {gate.forced}"
    elif gate.verdict == "refused":
        yield "gate", f"refused{when}; the live index has not changed"
    elif gate.snapshot is not None:
        yield "gate", "not judged yet; querymust build judges it"
    for reason in (*gate.reasons, *(f"warning: {warning}" for warning in gate.warnings)):
        yield "", reason
