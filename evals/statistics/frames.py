"""Rows and numbers as data frames. The only file that knows pandas; it is loaded with the first frame."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from evals.metric_table import report_place
from evals.scored_questions import ScoredQuestion
from evals.statistics.aggregates import Aggregate

if TYPE_CHECKING:
    import pandas as pd

Frame: TypeAlias = "pd.DataFrame"

_TEXTS = ("set", "split", "strategy", "book", "kind", "question_id", "query", "why")
_NUMBERS = ("unfiltered_noise", "unfiltered_guarded_noise", "unfiltered_recall", "milliseconds")


def question_frame(rows: Sequence[ScoredQuestion]) -> Frame:
    """One line for each question and strategy, in the order of the rows. Key: (set, split, strategy, question_id).

    Columns: `set split strategy book kind question_id query why` (text; `book` is empty for a question about none),
    `n_gold n_shown` (whole numbers: gold chunks, and hits for k = 15), then floats: one for each metric that a row
    has, in the order of reports, `false_exclusions` (gold chunks that the filter kept out),
    `unfiltered_noise unfiltered_guarded_noise unfiltered_recall` of the same strategy without query_must, and
    `milliseconds`. NaN is a metric that says nothing about the question, which is not 0.
    """
    metrics = sorted({name for row in rows for name in row.values}, key=lambda name: (report_place(name), name))
    return _frame(
        {
            **{name: ("str", [getattr(row, name) for row in rows]) for name in _TEXTS},
            "n_gold": ("int64", [len(row.gold) for row in rows]),
            "n_shown": ("int64", [len(row.chunk_ids) for row in rows]),
            **{name: ("float64", [row.values.get(name) for row in rows]) for name in metrics},
            "false_exclusions": ("float64", [len(row.excluded_gold) if row.gold else None for row in rows]),
            **{name: ("float64", [getattr(row, name) for row in rows]) for name in _NUMBERS},
        }
    )


def aggregate_frame(aggregates: Sequence[Aggregate]) -> Frame:
    """One line for each number. Key: (set, split, book, kind, strategy, metric); `*` in a key stands for all.

    `value low high` are floats, NaN where the metric is undefined or has no interval; `n` is a whole number.
    """
    types = {"value": "float64", "low": "float64", "high": "float64", "n": "int64"}
    names = Aggregate.__dataclass_fields__
    return _frame({name: (types.get(name, "str"), [getattr(each, name) for each in aggregates]) for name in names})


def _frame(columns: Mapping[str, tuple[str, Sequence[Any]]]) -> Frame:
    import pandas as pd

    return pd.DataFrame({name: pd.Series(values, dtype=dtype) for name, (dtype, values) in columns.items()})
