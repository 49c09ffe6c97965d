"""One row for each question and strategy, and its files: Parquet (the only import of pyarrow) and trec_eval's formats.

Under the folder of the store, for every snapshot and strategy::

    <snapshot>/<strategy>/<set>.<split>.parquet           the rows; byte-identical on a second run
    <snapshot>/<strategy>/<set>.<split>.timings.parquet   milliseconds by question; differs from run to run
    <snapshot>/<strategy>/.<set>.<split>.<fingerprint>.<process>-<number>.parquet   parts of an unfinished run

In files of trec_eval, a run line is `question Q0 chunk rank score tag`, a qrels line `question 0 chunk relevance`, one
space between. trec_eval ranks by the score alone, in single precision, and breaks ties by the larger id; our rankings
break them by the smaller one. So where scores tie, `write_run` lowers the later score by the smallest possible step.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from evals.errors import RunFileError
from retrieval.files.atomic_files import replacing, write_atomically


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """The results of one strategy for one question. Key: (set, split, strategy, question_id) within a snapshot."""

    set: str
    split: str
    strategy: str
    question_id: str
    book: str
    """Empty if the question is about no book in particular."""
    kind: str
    query: str
    gold: tuple[str, ...]
    """Gold chunk ids; empty if the library holds no answer."""
    chunk_ids: tuple[str, ...]
    """The ranking requested with k = 15."""
    deep_chunk_ids: tuple[str, ...]
    """The ranking requested with k = 100."""
    deep_scores: tuple[float, ...]
    excluded_gold: tuple[str, ...]
    """Gold chunks that the filter excluded, in id order."""
    unfiltered_noise: float | None
    """`noise@15` of the same strategy without query_must; None if it has no such counterpart."""
    unfiltered_guarded_noise: float | None
    """The part of `unfiltered_noise` that has a predicate, so that a filter can remove it."""
    unfiltered_recall: float | None
    """`recall@10` of the same strategy without query_must."""
    why: str
    """One line that states where the gold was."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Metric name to value; a metric that does not apply to this question is absent."""
    milliseconds: float = field(default=0.0, compare=False)
    """Wall time of the k = 15 retrieval."""

    @property
    def gold_rank(self) -> int | None:
        """The 1-based rank of the first gold chunk; None if it is not among the first 100 or there is no gold."""
        reciprocal = self.values.get("mrr", 0.0)
        return round(1 / reciprocal) if reciprocal else None


@dataclass(frozen=True, slots=True)
class ScoresKey:
    """Identifies rows: one question set asked of one strategy over one snapshot."""

    snapshot: str
    strategy: str
    set: str
    split: str
    fingerprint: str
    """Hash of everything else that the rows depend on; rows with another fingerprint are not used."""


_FINGERPRINT = b"fingerprint"
_METRIC = "metric:"
_TIMINGS = ".timings.parquet"
_TEXTS = pa.list_(pa.string())
_TYPES: Mapping[str, Any] = {
    "gold": _TEXTS,
    "chunk_ids": _TEXTS,
    "deep_chunk_ids": _TEXTS,
    "deep_scores": pa.list_(pa.float64()),
    "excluded_gold": _TEXTS,
    "unfiltered_noise": pa.float64(),
    "unfiltered_guarded_noise": pa.float64(),
    "unfiltered_recall": pa.float64(),
}
_COLUMNS = tuple(field.name for field in fields(ScoredQuestion) if field.name not in {"values", "milliseconds"})


class ScoreStore:
    """Rows on disk. Finished rows are complete; an interrupted run resumes from the parts that it saved."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parts_written = 0

    def finished(self, key: ScoresKey) -> tuple[ScoredQuestion, ...] | None:
        """Return the finished rows of `key`, or None if there are none with its fingerprint."""
        path, timings = self.path(key), self.timings_path(key)
        if not path.is_file() or not timings.is_file():
            return None
        if (pq.read_schema(path).metadata or {}).get(_FINGERPRINT) != key.fingerprint.encode():
            return None
        return _with_times(_read(path), timings)

    def scored_snapshots(self) -> tuple[str, ...]:
        """Return the ids of the snapshots that have finished rows of some strategy, in id order."""
        snapshots = {
            path.parents[1].name for path in self._folder.glob("*/*/*.parquet") if not path.name.startswith(".")
        }
        return tuple(sorted(snapshots))

    def kept(self, snapshot: str, strategy: str) -> tuple[ScoredQuestion, ...]:
        """Return the finished rows of every set whatever their fingerprint: for history, not for decisions.

        Sets come in the order of their file names. A set that lacks its rows or their times is omitted.
        """
        folder = self._folder / snapshot / strategy
        times = [path for path in sorted(folder.glob(f"*{_TIMINGS}")) if not path.name.startswith(".")]
        pairs = [(path.with_name(path.name.removesuffix(_TIMINGS) + ".parquet"), path) for path in times]
        return tuple(row for rows, path in pairs if rows.is_file() for row in _with_times(_read(rows), path))

    def parts(self, key: ScoresKey) -> tuple[ScoredQuestion, ...]:
        """Return the rows of unfinished earlier runs of `key`, each question once."""
        rows = [row for path in self._part_paths(key) for row in _with_times(_read(path), path)]
        return tuple({row.question_id: row for row in rows}.values())

    def keep(self, key: ScoresKey, rows: Sequence[ScoredQuestion]) -> None:
        """Save some rows of an unfinished run."""
        self._parts_written += 1
        path = self._part(key, f"{os.getpid()}-{self._parts_written:05}")
        _write(path, _table(rows, key).append_column("milliseconds", pa.array([row.milliseconds for row in rows])))

    def finish(self, key: ScoresKey, rows: Sequence[ScoredQuestion]) -> None:
        """Save all rows of `key`, in the order given, and delete its parts."""
        times = {"question_id": [row.question_id for row in rows], "milliseconds": [row.milliseconds for row in rows]}
        _write(self.timings_path(key), pa.table(times))
        _write(self.path(key), _table(rows, key))
        for path in self._part_paths(key):
            path.unlink(missing_ok=True)

    def path(self, key: ScoresKey) -> Path:
        """Return the path of the finished rows."""
        return self._folder / key.snapshot / key.strategy / f"{key.set}.{key.split}.parquet"

    def timings_path(self, key: ScoresKey) -> Path:
        """Return the path of the finished rows' milliseconds."""
        return self.path(key).with_suffix(_TIMINGS)

    def _part(self, key: ScoresKey, name: str) -> Path:
        return self.path(key).with_name(f".{key.set}.{key.split}.{key.fingerprint}.{name}.parquet")

    def _part_paths(self, key: ScoresKey) -> list[Path]:
        pattern = self._part(key, "*")
        return sorted(pattern.parent.glob(pattern.name))


def _table(rows: Sequence[ScoredQuestion], key: ScoresKey) -> Any:
    metrics = sorted({name for row in rows for name in row.values})
    columns = {
        name: pa.array([getattr(row, name) for row in rows], type=_TYPES.get(name, pa.string())) for name in _COLUMNS
    }
    for name in metrics:
        columns[_METRIC + name] = pa.array([row.values.get(name) for row in rows], type=pa.float64())
    return pa.table(columns).replace_schema_metadata({_FINGERPRINT: key.fingerprint.encode()})


def _read(path: Path) -> list[ScoredQuestion]:
    return [_row(record) for record in pq.ParquetFile(path).read().to_pylist()]


def _row(record: Mapping[str, Any]) -> ScoredQuestion:
    metrics = {name.removeprefix(_METRIC): value for name, value in record.items() if name.startswith(_METRIC)}
    values = {name: value for name, value in metrics.items() if value is not None}
    plain: dict[str, Any] = {
        name: tuple(record[name]) if isinstance(record[name], list) else record[name] for name in _COLUMNS
    }
    return ScoredQuestion(**plain, values=values)


def _with_times(rows: Iterable[ScoredQuestion], path: Path) -> tuple[ScoredQuestion, ...]:
    times = pq.ParquetFile(path).read(columns=["question_id", "milliseconds"]).to_pydict()
    by_question = dict(zip(times["question_id"], times["milliseconds"], strict=True))
    return tuple(replace(row, milliseconds=by_question[row.question_id]) for row in rows)


def _write(path: Path, table: Any) -> None:
    with replacing(path) as partial:
        pq.write_table(table, partial)


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
