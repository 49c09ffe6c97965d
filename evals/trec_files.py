"""Rankings and gold in the formats of trec_eval.

A run line is `question Q0 chunk rank score tag`, a qrels line `question 0 chunk relevance`, one space between.
trec_eval ranks by the score alone, in single precision, and breaks ties by the larger id; our rankings break them by
the smaller one. So where scores tie, `write_run` lowers the later score by the smallest possible step.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evals.errors import RunFileError
from evals.scored_questions import ScoredQuestion
from retrieval.files.atomic_files import write_atomically


@dataclass(frozen=True, slots=True)
class Scored:
    """A chunk of a ranking and its score."""

    chunk_id: str
    score: float


TrecRun = Mapping[str, Sequence[Scored]]
"""Rankings by question id, best first."""


def write_run(path: Path, run: TrecRun, tag: str) -> None:
    """Write rankings such that trec_eval reads them in the same order.

    Raises:
        RunFileError: an id or the tag contains white space or is empty, or a question ranks a chunk twice.
    """
    _refuse_unwritable(path, [tag, *run, *(scored.chunk_id for ranking in run.values() for scored in ranking)])
    lines = []
    for question_id, ranking in run.items():
        if len({scored.chunk_id for scored in ranking}) < len(ranking):
            raise RunFileError(f"{path}: question {question_id!r} ranks a chunk twice; a run holds each chunk once")
        for rank, (scored, score) in enumerate(zip(ranking, _falling(ranking), strict=True), start=1):
            lines.append(f"{question_id} Q0 {scored.chunk_id} {rank} {score:.9g} {tag}\n")
    _write_lines(path, lines)


def write_qrels(path: Path, gold: Mapping[str, Iterable[str]]) -> None:
    """Write gold chunk ids by question id, each with relevance 1.

    Raises:
        RunFileError: an id has white space or is empty.
    """
    pairs = [(question_id, chunk_id) for question_id, chunk_ids in gold.items() for chunk_id in chunk_ids]
    _refuse_unwritable(path, [name for pair in pairs for name in pair])
    _write_lines(path, [f"{question_id} 0 {chunk_id} 1\n" for question_id, chunk_id in pairs])


def write_rows(folder: Path, rows: Sequence[ScoredQuestion]) -> tuple[Path, ...]:
    """Write `<set>.<split>.qrels`, and `<set>.<split>.<strategy>.run` with the deep rankings; return the sorted paths.

    Raises:
        RunFileError: an id has white space or is empty.
    """
    gold: dict[str, dict[str, tuple[str, ...]]] = {}
    runs: dict[tuple[str, str], dict[str, list[Scored]]] = {}
    for row in rows:
        name = f"{row.set}.{row.split}"
        gold.setdefault(name, {})[row.question_id] = row.gold
        ranking = [Scored(*pair) for pair in zip(row.deep_chunk_ids, row.deep_scores, strict=True)]
        runs.setdefault((name, row.strategy), {})[row.question_id] = ranking
    written: list[Path] = []
    for name, of_set in gold.items():
        written.append(folder / f"{name}.qrels")
        write_qrels(written[-1], of_set)
    for (name, strategy), run in runs.items():
        written.append(folder / f"{name}.{strategy}.run")
        write_run(written[-1], run, strategy)
    return tuple(sorted(written))


def _falling(ranking: Sequence[Scored]) -> Iterator[float]:
    """Yield the scores in single precision, each below the one before it."""
    ceiling = np.float32(np.inf)
    for scored in ranking:
        ceiling = min(np.float32(scored.score), np.nextafter(ceiling, np.float32(-np.inf)))
        yield float(ceiling)


def _refuse_unwritable(path: Path, names: Sequence[str]) -> None:
    bad = sorted({name for name in names if not name or name.split() != [name]})
    if bad:
        raise RunFileError(f"{path} cannot hold these ids: a TREC line is split at white space:", list(map(repr, bad)))


def _write_lines(path: Path, lines: Sequence[str]) -> None:
    write_atomically(path, "".join(lines))
