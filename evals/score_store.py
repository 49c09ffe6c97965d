"""The files of scored questions, in Parquet; the only import of pyarrow.

Under the folder of the store, for every snapshot and strategy::

    <snapshot>/<strategy>/<set>.<split>.parquet           the rows; byte-identical on a second run
    <snapshot>/<strategy>/<set>.<split>.timings.parquet   milliseconds by question; differs from run to run
    <snapshot>/<strategy>/.<set>.<split>.<fingerprint>.<process>-<number>.parquet   parts of an unfinished run
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evals.scored_questions import ScoredQuestion
from retrieval.files.atomic_files import replacing


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
        return _with_times(_read_rows(path), timings)

    def scored_snapshots(self) -> tuple[str, ...]:
        """Return the ids of the snapshots that have finished rows of some strategy, in id order."""
        snapshots = {
            path.parents[1].name for path in self._folder.glob("*/*/*.parquet") if not path.name.startswith(".")
        }
        return tuple(sorted(snapshots))

    def of_snapshot(self, snapshot: str, strategy: str) -> tuple[ScoredQuestion, ...]:
        """Return the finished rows of every set whatever their fingerprint: for history, not for decisions.

        Sets come in the order of their file names. A set that lacks its rows or their times is omitted.
        """
        folder = self._folder / snapshot / strategy
        times = [path for path in sorted(folder.glob(f"*{_TIMINGS}")) if not path.name.startswith(".")]
        pairs = [(path.with_name(path.name.removesuffix(_TIMINGS) + ".parquet"), path) for path in times]
        return tuple(row for rows, path in pairs if rows.is_file() for row in _with_times(_read_rows(rows), path))

    def parts(self, key: ScoresKey) -> tuple[ScoredQuestion, ...]:
        """Return the rows of unfinished earlier runs of `key`, each question once."""
        rows = [row for path in self._part_paths(key) for row in _with_times(_read_rows(path), path)]
        return tuple({row.question_id: row for row in rows}.values())

    def save_part(self, key: ScoresKey, rows: Sequence[ScoredQuestion]) -> None:
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


def _read_rows(path: Path) -> list[ScoredQuestion]:
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
    return tuple(replace(row, milliseconds=by_question.get(row.question_id, 0.0)) for row in rows)


def _write(path: Path, table: Any) -> None:
    with replacing(path) as partial:
        pq.write_table(table, partial)
