"""Verdicts as Markdown, for a comment on a pull request or a job's summary."""

from collections.abc import Iterable, Sequence
from html import escape

from evals.acceptance import Changes, CheckedBound, StrategyVerdict, broken_bound, decline, rank_text
from evals.failures import FailedQuestion
from retrieval.types import Chunk

_SHOWN = 25
"""Lines of one table: a comment on GitHub holds 65,536 characters."""
_LETTERS = 160


def summary(verdicts: Iterable[StrategyVerdict]) -> str:
    """A section for each strategy: its scores, what changed, and in a fold the questions whose gold is not first."""
    return "\n".join(_section(verdict) for verdict in verdicts)


def _section(verdict: StrategyVerdict) -> str:
    lines = [f"### querymust: `{verdict.strategy}` {'passed' if verdict.passed else 'failed'}", ""]
    lines += [f"- :x: {_text(broken_bound(bound))}" for bound in verdict.bounds if not bound.holds]
    lines += [f"- :white_check_mark: {_held(bound)}" for bound in verdict.bounds if bound.holds]
    if verdict.changes:
        lines += [f"- :x: {_text(decline(each))}" for each in verdict.changes.worse]
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
    output = ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing changed"
    lines = [f"Against `{changes.baseline}`, on {changes.n_shared} questions: {output}.", ""]
    for what, moved in (("Lost", changes.lost), ("Gained", changes.gained), ("Moved", changes.moved)):
        if moved:
            rows = [(each.row.question_id, each.row.query, _rank(each.before), _rank(each.after)) for each in moved]
            lines += [f"**{what}**", "", *_table(("question", "asked", "rank before", "rank now"), rows), ""]
    return lines


def _stale_lines(verdict: StrategyVerdict) -> list[str]:
    rows = [(each.question_id, each.reason) for each in verdict.stale]
    return ["**Stale gold**", "", *_table(("question", "reason"), rows), ""] if rows else []


def _failed(failures: Sequence[FailedQuestion]) -> list[str]:
    if not failures:
        return []
    rows = [
        (failure.row.question_id, failure.row.query, rank_text(failure.gold_rank), _place(failure.first))
        for failure in failures
    ]
    table = _table(("question", "asked", "gold", "first"), rows)
    return ["<details><summary>Gold is not first</summary>", "", *table, "", "</details>", ""]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [_line(head), _line(["---"] * len(head)), *(_line(list(map(_text, row))) for row in rows[:_SHOWN])]
    return lines + ([f"\nand {len(rows) - _SHOWN} more"] if len(rows) > _SHOWN else [])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _text(text: str) -> str:
    """Somebody's words as words: no markup, no mention of a person, one line."""
    short = text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"
    plain = escape(" ".join(short.split()), quote=False)
    for letter in "\\`*_[]|~#@":
        plain = plain.replace(letter, f"\\{letter}" if letter != "@" else "@\u200b")
    return plain


def _rank(rank: int | None) -> str:
    return str(rank) if rank else "none in 100"


def _place(chunk: Chunk | None) -> str:
    return f"{chunk.title} ({chunk.document}:{chunk.lines[0]})" if chunk else "nothing"
