"""An answer read from the passages of a question: stated, stated under "Perhaps:", or none."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.rag.cells import MOST, Cell
from retrieval.rag.context import Context
from retrieval.rag.question_words import QuestionWords
from retrieval.rag.statements import Statement, choose, statements
from retrieval.settings import AnswerSettings
from retrieval.types import Chunk

Verdict = Literal["stated", "perhaps", "none"]

_RIVAL = 0.8
"""A second row is stated beside the first if it is at least this share as probable."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the passages of a question say to it."""

    verdict: Verdict
    statements: tuple[Statement, ...]
    """The answer first, then what may be meant instead; of a comparison the answer of each side. Of `none` nothing."""
    unanswered: tuple[str, ...] = ()
    """The sides of a comparison that no passage answers."""
    is_comparison: bool = False

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Everything that is stated, in its order."""
        return tuple(cell for statement in self.statements for cell in statement.cells)


NOTHING = Reading("none", ())


def read(context: Context, settings: AnswerSettings = AnswerSettings()) -> Reading:  # noqa: B008
    """What the passages of a question say to it.

    Args:
        context: the passages, measured.
        settings: the probabilities from which an answer is stated, and stated under "Perhaps:".
    """
    if not context.passages:
        return NOTHING
    if len(context.parts) > 1:
        return _compare(context, settings)
    rivals = statements(context.query, context.passages, context.snapshot)
    if not rivals:
        return NOTHING
    best = max(rivals, key=lambda statement: statement.probability)
    verdict = _verdict(best.probability, settings)
    if verdict == "none":
        return NOTHING
    return Reading(verdict, (best, *_alternatives(best, rivals)))


def _verdict(probability: float, settings: AnswerSettings) -> Verdict:
    if probability >= settings.min_probability:
        return "stated"
    return "perhaps" if probability >= settings.min_perhaps else "none"


def _alternatives(best: Statement, rivals: Sequence[Statement]) -> tuple[Statement, ...]:
    """Another row that the question may mean, where it does not distinguish the two.

    A row whose predicate the question meets is named by it: only others that are so named may be meant instead.
    """
    is_guarded = best.passage.hit.chunk.query_must is not None
    meant = [
        rival
        for rival in rivals
        if rival is not best
        and rival.passage.hit.chunk.cells
        and best.passage.hit.chunk.cells
        and rival.probability >= _RIVAL * best.probability
        and rival.passage.says >= best.passage.says
        and (rival.passage.hit.chunk.query_must or not is_guarded)
    ]
    left = MOST - len(best.cells)
    return tuple(rival for rival in meant[:1] if len(rival.cells) <= left)


def _compare(context: Context, settings: AnswerSettings) -> Reading:
    """The answer of each side, from the passages that were found for it."""
    sides: list[Statement] = []
    unanswered: list[str] = []
    for part in context.parts:
        own = [passage for passage in context.passages if passage.question == part]
        rivals = statements(part, own, context.snapshot, 1)
        best = max(rivals, key=lambda statement: statement.probability, default=None)
        if best is None or best.probability < settings.min_perhaps:
            unanswered.append(part)
        else:
            sides.append(best)
    if not sides:
        return NOTHING
    probability = min(side.probability for side in sides)
    is_stated = not unanswered and probability >= settings.min_probability
    return Reading("stated" if is_stated else "perhaps", tuple(sides), tuple(unanswered), is_comparison=True)


def read_chunk(question: str, chunk: Chunk, snapshot: Snapshot, most: int = MOST) -> tuple[Cell, ...]:
    """What a chunk says to a question: cells of a row; of prose labelled values that are asked for, else sentences.

    Args:
        question: as it was asked.
        chunk: from the snapshot.
        snapshot: its words weigh as much as they are rare.
        most: how many cells at most.
    """
    choice = choose(QuestionWords.of(question, snapshot), chunk)
    return choice.cells(chunk.id, most) if choice else ()
