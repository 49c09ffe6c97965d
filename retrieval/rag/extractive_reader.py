"""Answers read from the passages of a question: stated, stated after "Perhaps:", or none."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

import numpy as np

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.language.identifiers import identifiers
from retrieval.language.numbers import AS_TEXT, Quantity, whole_quantity
from retrieval.rag.cells import MOST, WORD, Cell, CellChoice, probabilities
from retrieval.rag.passages import Context, Passage
from retrieval.rag.question_words import CHOICE, LESS, MORE, QuestionWords
from retrieval.rag.statements import RIVAL, Statement, choose, statements
from retrieval.settings import AnswerSettings

Verdict = Literal["stated", "perhaps", "none"]

_COMPARES = re.compile(
    r"\b(?:vs\.?|versus|compar(?:ed?|ing|ison)|differ(?:ences?)?|than|both|respectively|which (?:one|of)|either)\b",
    re.IGNORECASE,
)
_ADVERB = re.compile(r"\b(?:more|less|most|least)\s+\w+ly\b", re.IGNORECASE)
_JOINS = re.compile(r"\b(?:or|and|against)\b", re.IGNORECASE)
_ALSO = 0.2
"""Another column that a comparison names is stated if its probability is at least this share of the highest."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The answer that the passages of a question contain."""

    verdict: Verdict
    statements: tuple[Statement, ...]
    """The answer first, then what may be meant instead; for a comparison, the answer of each side. Empty for `none`."""
    unanswered: tuple[str, ...] = ()
    """The sides of a comparison that no passage answers."""
    is_comparison: bool = False

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All stated cells, in order."""
        return tuple(cell for statement in self.statements for cell in statement.cells)

    @property
    def probability(self) -> float:
        """0 to 1: the probability that the first statement is right; for a comparison, that those of all sides are."""
        chances = [statement.probability for statement in self.statements]
        return round(prod(chances if self.is_comparison else chances[:1]), 4)


NOTHING = Reading("none", ())


def read(context: Context, settings: AnswerSettings = AnswerSettings()) -> Reading:  # noqa: B008
    """Read the answer to a question from its passages.

    Args:
        context: the passages, with their measures.
        settings: the minimum probabilities of an answer that is stated, and of one that is stated after "Perhaps:".
    """
    if not context.passages:
        return NOTHING
    if len(context.parts) > 1:
        return _compare(context, settings)
    rivals = statements(context.query, context.passages, context.snapshot)
    if not rivals:
        return NOTHING
    if is_contrast(context.query, rivals) or names_both_tables(context.query, rivals, context.snapshot):
        sides = [(context.query, _side(context, context.query, rival.passage)) for rival in rivals[:2]]
        return _of_sides(context, [(part, side) for part, side in sides if side], (), settings)
    best = max(rivals, key=lambda statement: statement.probability)
    verdict = _verdict(best.probability, settings)
    if verdict == "none":
        return NOTHING
    lacks_identifier = not set(identifiers(context.query)).isdisjoint(best.missing)
    # One row is seldom the whole answer to a comparison.
    if verdict == "stated" and (lacks_identifier or _compares(context.query)):
        verdict = "perhaps"
    return Reading(verdict, (best, *_alternatives(best, rivals)))


def _verdict(probability: float, settings: AnswerSettings) -> Verdict:
    if probability >= settings.min_probability:
        return "stated"
    return "perhaps" if probability >= settings.min_perhaps else "none"


def _alternatives(best: Statement, rivals: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return another row that the question may mean, if the question does not distinguish the two.

    A question that satisfies the predicate of a row names that row: only other rows with a satisfied predicate may be
    meant instead.
    """
    is_guarded = best.passage.hit.chunk.query_must is not None
    meant = [
        rival
        for rival in rivals
        if rival is not best
        and rival.cells
        and rival.passage.hit.chunk.cells
        and best.passage.hit.chunk.cells
        and rival.probability >= RIVAL * best.probability
        and rival.passage.says >= best.passage.says
        and (rival.passage.hit.chunk.query_must or not is_guarded)
    ]
    left = MOST - len(best.cells)
    return tuple(rival for rival in meant[:1] if len(rival.cells) <= left)


def is_contrast(question: str, rivals: Sequence[Statement]) -> bool:
    """Whether a question that the parser does not split compares its first two rows: each has a word of the question
    that the other lacks, and the question joins them. Rows of different tables and keys also need a comparing word."""
    if len(rivals) < 2:
        return False
    first, second = rivals[:2]
    chunks = (first.passage.hit.chunk, second.passage.hit.chunk)
    lacking = (frozenset(first.missing), frozenset(second.missing))
    if not lacking[0] - lacking[1] or not lacking[1] - lacking[0]:
        return False
    is_one_table = chunks[0].table_id is not None and chunks[0].table_id == chunks[1].table_id
    is_one_key = chunks[0].row_key is not None and chunks[0].row_key == chunks[1].row_key
    return _compares(question) or bool((is_one_table or is_one_key) and _JOINS.search(question))


def names_both_tables(question: str, rivals: Sequence[Statement], snapshot: Snapshot) -> bool:
    """Whether a question compares its first two rows by their tables: they are of two tables with the same columns, and
    it has a word of each title that the other lacks: `the fine on a canal and on a river`."""
    if len(rivals) < 2 or not (_compares(question) or _JOINS.search(question)):
        return False
    first, second = (rival.passage.hit.chunk for rival in rivals[:2])
    if first.signature is None or first.signature != second.signature or first.table_id == second.table_id:
        return False
    question_terms, *titles = (
        frozenset(snapshot.lexical.tokenize(text))
        for text in (question, *(" ".join((*chunk.heading_path, chunk.caption or "")) for chunk in (first, second)))
    )
    return bool(question_terms & (titles[0] - titles[1]) and question_terms & (titles[1] - titles[0]))


def _compares(question: str) -> bool:
    """Whether a question contains a comparing word: `differ`, or `larger` in `larger for a or for b`."""
    words = frozenset(WORD.findall(question.casefold()))
    chooses = bool(CHOICE.search(question)) and not words.isdisjoint(MORE | LESS)
    return chooses or bool(_COMPARES.search(question))


def _compare(context: Context, settings: AnswerSettings) -> Reading:
    """Read the answer of each side, from the first passage that was allocated to it: a row like those of the other
    sides."""
    sides: list[tuple[str, Statement]] = []
    unanswered: list[str] = []
    for part in context.parts:
        own = next((passage for passage in context.passages if passage.question == part), None)
        side = _side(context, part, own) if own else None
        if side and side.probability >= settings.min_perhaps:
            sides.append((part, side))
        else:
            unanswered.append(part)
    return _of_sides(context, sides, tuple(unanswered), settings)


def _side(context: Context, question: str, passage: Passage) -> Statement | None:
    """Return the statement of one passage for one side, of one cell. The passage of the other side is not a rival."""
    return next(iter(statements(question, (passage,), context.snapshot, 1)), None)


def _of_sides(
    context: Context, sides: Sequence[tuple[str, Statement]], unanswered: tuple[str, ...], settings: AnswerSettings
) -> Reading:
    if not sides:
        return NOTHING
    reading = Reading("perhaps", _in_one_column(context, sides), unanswered, is_comparison=True)
    is_stated = not unanswered and reading.probability >= settings.min_probability
    return replace(reading, verdict="stated") if is_stated else reading


def _in_one_column(context: Context, sides: Sequence[tuple[str, Statement]]) -> tuple[Statement, ...]:
    """Return the sides, with the cells of the column that is likeliest for all of them together.

    A column in which they do not differ is skipped unless the question names it, and one without numbers if the
    question asks which is more. Sides stay as they are if their rows have different columns, or if each names a column
    of its own, as in a matrix.
    """
    statements = tuple(statement for _, statement in sides)
    rows = [(part, side.passage.hit.chunk) for part, side in sides if side.passage.hit.chunk.cells]
    read_rows = (choose(QuestionWords.of(part, context.snapshot), chunk) for part, chunk in rows)
    choices = [choice for choice in read_rows if isinstance(choice, CellChoice)]
    if len(choices) < len(sides) or len({tuple(choice.row.columns) for choice in choices}) > 1:
        return statements
    if _name_columns_apart(choices):
        return statements
    named_by_all = np.logical_and.reduce([choice.is_named for choice in choices])
    joint = np.log([choice.chances for choice in choices]).mean(axis=0)
    by_column = list(zip(*(choice.row.cells for choice in choices), strict=True))
    are_keys = np.logical_or.reduce([np.arange(len(by_column)) == choice.row.key for choice in choices])
    differs = np.asarray([len({cell.strip().casefold() for cell in cells}) > 1 for cells in by_column])
    joint[are_keys | ~(differs | named_by_all)] = -np.inf
    has_numbers = np.asarray([_have_one_unit(cells) for cells in by_column])
    if direction(context.query) and (np.isfinite(joint) & has_numbers).any():
        joint[~(has_numbers | named_by_all)] = -np.inf
    if not np.isfinite(joint.max()):
        return statements
    chances = probabilities(joint)
    is_stated = (chances == chances.max()) | (named_by_all & (chances >= _ALSO * chances.max()))
    columns = np.flatnonzero(is_stated).tolist()
    return tuple(
        replace(side, cells=tuple(choice.cell(side.passage.hit.chunk.id, column) for column in columns))
        for side, choice in zip(statements, choices, strict=True)
    )


def _have_one_unit(cells: Sequence[str]) -> bool:
    values = [single_value(cell) for cell in cells]
    return None not in values and len({value.unit for value in values if value}) == 1


def single_value(text: str) -> Quantity | None:
    """Return the one number that a cell consists of, with its unit; None for a range, a date, dice or words."""
    value = whole_quantity(text)
    return value if value is not None and value.kind not in AS_TEXT and value.low == value.high else None


def direction(question: str) -> Literal["more", "less", ""]:
    """Return whether a question asks which of its things is more, or less; empty if neither."""
    words = WORD.findall(_ADVERB.sub(" ", question).casefold())
    first = next((word for word in words if word in MORE | LESS), "")
    return ("more" if first in MORE else "less") if first else ""


def _name_columns_apart(choices: Sequence[CellChoice]) -> bool:
    """Whether each side names its own column, and the columns of the other sides are unlikely for it."""
    chosen = [int(choice.chances.argmax()) for choice in choices]
    return len(set(chosen)) > 1 and all(
        choice.is_named[own]
        and all(choice.chances[column] < _ALSO * choice.chances[own] for column in chosen if column != own)
        for choice, own in zip(choices, chosen, strict=True)
    )
