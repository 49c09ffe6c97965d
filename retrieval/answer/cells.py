"""The cells of a row that answer a question."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from retrieval.answer.column_features import NAMES, AskedRow, Features, column_features
from retrieval.index.words.tokenizer import Tokenize
from retrieval.types import Chunk

MOST = 3
"""Cells that one answer reads."""
SURE = 0.95
"""Cells are read until one of them is the one that is asked for with this probability."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What was read of a chunk: a cell under the head of its column, or a sentence of prose. Key: (chunk_id, start)."""

    chunk_id: str
    column: str
    """Head of its column, `column 1` where it has none, or the label before a value of prose; empty for a sentence."""
    text: str
    """As it is written."""
    place: int
    """0-based: which cell of the row, or which labelled value or sentence of the prose."""
    probability: float
    """0 to 1: that this cell of the row is asked for."""


WEIGHTS = Path(__file__).with_name("cell_weights.json")


@cache
def shipped_weights() -> Features:
    """(features,): what `querymust fit cells` found."""
    stored: dict[str, float] = json.loads(WEIGHTS.read_text("utf-8"))
    return np.asarray([stored[name] for name in NAMES])


def read_cells(question: str, chunk: Chunk, tokenize: Tokenize, most: int = MOST) -> tuple[Cell, ...]:
    """The cells of a row that a question asks for, the likeliest first; none of a chunk without cells.

    As many as it takes to be sure, so one where one column is plainly asked for. A choice among the row's
    columns by its features (`column_features`), as a conditional logit: McFadden, Conditional logit analysis of
    qualitative choice behavior, 1974.

    Args:
        question: as it was asked.
        chunk: a row or a record.
        tokenize: of the index that it is from.
        most: how many at most.
    """
    if not chunk.cells:
        return ()
    row = row_of(chunk)
    return choose(row, column_features(question, row, tokenize), chunk.id, most)


def row_of(chunk: Chunk) -> AskedRow:
    """The row that a chunk is."""
    key = chunk.cells.index(chunk.row_key) if chunk.row_key in chunk.cells else None
    names = [name for name in (chunk.row_key, chunk.called, *chunk.names) if name]
    return AskedRow(chunk.columns, chunk.cells, key, names)


def choose(row: AskedRow, features: Features, chunk_id: str, most: int = MOST) -> tuple[Cell, ...]:
    """The cells of a row by the features of its columns, as `read_cells` chooses them."""
    chances = probabilities(features @ shipped_weights())
    found: list[Cell] = []
    sure = 0.0
    for place in np.argsort(-chances, kind="stable")[:most].tolist():
        if sure >= SURE or (found and not row.cells[place].strip()):
            break
        head = row.columns[place].strip() or f"column {place + 1}"
        found.append(Cell(chunk_id, head, row.cells[place], place, round(float(chances[place]), 4)))
        sure += chances[place]
    return tuple(found)


def probabilities(scores: Features) -> Features:
    """(n,) softmax."""
    raised: Features = np.exp(scores - scores.max())
    raised /= raised.sum()
    return raised
