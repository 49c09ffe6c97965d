"""The last evaluation of an index, as the page of `querymust serve` shows it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from evals.errors import QuestionsError
from evals.evaluation import SHIPPED
from evals.failures import METRIC, FailedQuestion, failures
from evals.noise import NOISE, Relatives
from evals.questions.question_sets import of_people, set_name
from evals.questions.questions import load_questions
from evals.score_store import ScoreStore
from evals.scored_questions import ScoredQuestion
from pipeline.console.output import counted
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.serve.schema import EvaluatedQuestion, EvaluationRecord, NamedChunk, ScoreCard
from retrieval.types import Chunk


def live_evaluation(root: Path) -> EvaluationRecord | None:
    """Return the scores of the live index of a home; None if it has none. This scores nothing."""
    live = live_id(root)
    files = sorted((Home.at(root).evaluations / live / SHIPPED).glob("*.parquet")) if live else []
    return _read_evaluation(root, live, max(file.stat().st_mtime_ns for file in files)) if live and files else None


@lru_cache(maxsize=1)
def _read_evaluation(root: Path, live: str, _changed: int) -> EvaluationRecord | None:
    """Return the scores of one index; they are read again after it is scored again."""
    home = Home.at(root)
    sets = {set_name(path) for path in of_people(home.settings.questions, _is_generated)}
    rows = [row for row in ScoreStore(home.evaluations).of_snapshot(live, SHIPPED) if not sets or row.set in sets]
    if not rows:
        return None
    with open_snapshot(root, live) as snapshot:
        relatives = Relatives.of(tuple(snapshot.chunks))
        failed = {id(failure.row): failure for failure in failures(rows, relatives, snapshot.canonical_of)}
    return EvaluationRecord(
        snapshot=live,
        strategy=SHIPPED,
        cards=_cards(rows),
        questions=[_question(row, failed.get(id(row)), relatives.chunks) for row in rows],
    )


def _is_generated(questions: Path) -> bool:
    """Whether a program wrote these questions. Scores are also shown if the file can no longer be read."""
    try:
        return any(question.generated for question in load_questions(questions))
    except (QuestionsError, OSError):
        return False


def _cards(rows: Sequence[ScoredQuestion]) -> list[ScoreCard]:
    answered = [row for row in rows if row.gold]
    first = sum(row.values.get(METRIC, 0) for row in answered)
    among_five = sum(row.values.get("hit@5", 0) for row in answered)
    noise = [(row.values[NOISE], row.unfiltered_noise) for row in rows if row.unfiltered_noise is not None]
    after, before = (sum(counts) / (len(noise) or 1) for counts in (zip(*noise, strict=True) if noise else ((), ())))
    of = f"of {counted(len(answered), 'question')} with an answer"
    return [
        ScoreCard(title="Right answer first", value=f"{first:.0f}", about=f"{of} (hit@1)"),
        ScoreCard(title="Right answer in the first 5", value=f"{among_five:.0f}", about=f"{of} (hit@5)"),
        ScoreCard(
            title="Answers excluded",
            value=str(sum(len(row.excluded_gold) for row in rows)),
            about="correct rows that the filter excluded",
        ),
        ScoreCard(title="Wrong rows in 15 hits", value=f"{after:.1f}", about=f"{before:.1f} with the filter off"),
    ]


def _question(row: ScoredQuestion, failure: FailedQuestion | None, chunks: Mapping[str, Chunk]) -> EvaluatedQuestion:
    return EvaluatedQuestion(
        query=row.query,
        gold=[_named_chunk(chunks[chunk_id]) for chunk_id in row.gold],
        gold_rank=row.gold_rank,
        first=_named_chunk(failure.first) if failure and failure.first else None,
        why=list(failure.why) if failure else [],
    )


def _named_chunk(chunk: Chunk) -> NamedChunk:
    return NamedChunk(id=chunk.id, title=chunk.title, book=chunk.book, document=chunk.document)
