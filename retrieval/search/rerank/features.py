"""What is measured of every candidate: numbers that say the same of any book, so that they can be learned on others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.evidence.evidence import Evidence
from retrieval.search.fusion import Positions, Scores
from retrieval.search.query import Query
from retrieval.search.rerank.asked import Asked, ask
from retrieval.search.rerank.meaning import meaning
from retrieval.search.rerank.numbers import NAMES as NUMBERS
from retrieval.search.rerank.numbers import Held, number_features
from retrieval.search.rerank.said import Field, Marks, look
from retrieval.search.rerank.siblings import among_siblings, behind_best, in_section

Features = Mapping[str, Scores]

_PARTS = (
    *("lexical", "dense", "text", "title", "column", "head", "name", "heading", "quote", "figure", "number", "axis"),
)
_COVERED = ("key", "cell", "passage", "caption", "heading", "above", "further", "column")
_SHARED = ("key", "caption", "heading", "above")
_ORDERED = ("key", "cell", "passage", "caption", "heading", "column")
_RELATIVE = (
    *("covered", "together", "covered_row", "covered_head", "whole_cells", "best_cell", "distinct", "order"),
    *("said_heading", "column_said", "part_dense", "part_name", "number_key", "number_key_labelled", "meaning"),
)

NAMES = (
    *(f"part_{name}" for name in _PARTS),
    *("is_row", "length", "steps"),
    *(f"covered_{name}" for name in (*_COVERED, "head", "row", "head_row")),
    *("covered", "together", "missing_most", "missing_words", "only_head", "only_row", "only_column"),
    *("whole_cells", "best_cell", "best_cell_share", "column_said", "whole_key"),
    *(f"{what}_{name}" for name in _SHARED for what in ("said", "words")),
    *(f"order_{name}" for name in _ORDERED),
    "order",
    *("distinct", "behind_row", "behind_whole", "behind_covered", "behind_distinct"),
    *(f"number_{name}" for name in NUMBERS),
    *("behind_number_key", "behind_number", "behind_number_labelled"),
    *("meaning", "meaning_missing", "meaning_covered", "missing"),
    *("code_key", "other_code_key"),
    *("behind_section_number", "behind_section_whole", "behind_section_covered"),
    *(f"less_{name}" for name in _RELATIVE),
)
"""What the trees see, in the order of their columns."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """What may be among the best, and what the first look found out about it."""

    positions: Positions
    """(n,) rising."""
    tables: Positions
    """(n,) number of each one's table or passage."""
    is_row: Marks
    evidence: Mapping[str, Scores]
    """Every part of the evidence, (n,) each."""


def candidates(snapshot: Snapshot, evidence: Evidence, positions: Positions) -> Candidates:
    """The chunks at these positions, with what the first look says of them."""
    tables = snapshot.evidence.of[positions].astype(np.int64)
    is_row = tables < snapshot.evidence.n_tables
    return Candidates(positions, tables, is_row, evidence.at(positions))


def measure(snapshot: Snapshot, question: Query, found: Candidates) -> Features:
    """Every feature by name, (n,) each."""
    asked = ask(snapshot, question)
    rarity = snapshot.rarity
    fields = _fields(snapshot, asked, found, rarity)
    words = _words(asked, fields, found)
    numbers = _numbers(snapshot, asked, fields, found)
    elsewhere, somewhere = _where(fields, len(asked.words))
    columns = meaning(snapshot, question.text, asked, found.tables, elsewhere, somewhere)
    features = {
        **{f"part_{name}": found.evidence[name] for name in _PARTS},
        "is_row": found.is_row.astype(np.float64),
        "length": np.log1p(fields["cell"].size + fields["passage"].size),
        "steps": np.full(len(found.positions), float(question.wants_siblings)),
        **words,
        **numbers,
        **columns,
        **_codes(snapshot, asked, found),
    }
    features |= in_section(snapshot.fields.section[found.tables], features)
    features |= {f"less_{name}": features[name] - features[name].max(initial=0.0) for name in _RELATIVE}
    return features


def _fields(snapshot: Snapshot, asked: Asked, found: Candidates, rarity: Scores) -> Mapping[str, Field]:
    index = snapshot.fields
    by_chunk = {
        "key": look(index.key, found.positions, asked, rarity),
        "cell": look(index.cell, found.positions, asked, rarity, index.cell_of),
        "passage": look(index.passage, found.positions, asked, rarity),
    }
    by_table = {
        name: look(getattr(index, name), found.tables, asked, rarity)
        for name in ("caption", "heading", "above", "further")
    }
    return {**by_chunk, **by_table, "column": look(index.column, found.tables, asked, rarity, index.column_of)}


def _where(fields: Mapping[str, Field], t: int) -> tuple[Marks, Marks]:
    """Which words a row or its headings have, and which any field has, (n, t) each."""
    said = [field.said(t) for name, field in fields.items() if name != "column"]
    elsewhere = np.logical_or.reduce(said)
    return elsewhere, elsewhere | fields["column"].said(t)


def _words(asked: Asked, fields: Mapping[str, Field], found: Candidates) -> Features:
    t, n, weights, whole = len(asked.words), len(found.positions), asked.weights, asked.whole
    said = {name: field.said(t) for name, field in fields.items()}

    def covered(marks: Marks) -> Scores:
        return (marks @ weights) / whole if t else np.zeros(n)

    head = said["caption"] | said["heading"] | said["above"]
    row = said["cell"] | said["passage"] | said["key"]
    heads = head | said["further"]
    somewhere = row | heads | said["column"]
    cells, columns = fields["cell"].slots(), fields["column"].slots()
    in_whole = np.zeros((n, t + 1), dtype=np.bool_)
    quoted = cells.whole[fields["cell"].slot] if len(fields["cell"].slot) else np.zeros(0, dtype=np.bool_)
    in_whole[fields["cell"].owner[quoted], fields["cell"].asked[quoted]] = True
    missing = np.where(somewhere, 0.0, weights)
    features = {f"covered_{name}": covered(said[name]) for name in _COVERED}
    features |= {
        "covered": covered(somewhere),
        "covered_head": covered(head),
        "covered_row": covered(row),
        "covered_head_row": covered(head | said["cell"] | said["column"]),
        "together": np.where(found.is_row, covered(row), fields["passage"].densest(asked) / whole),
        "missing_most": missing.max(axis=1, initial=0.0) / max(float(weights.max(initial=0.0)), 1e-9),
        "missing_words": (missing > 0).sum(axis=1).astype(np.float64),
        "only_head": covered(heads & ~row & ~said["column"]),
        "only_row": covered(row & ~heads & ~said["column"]),
        "only_column": covered(said["column"] & ~row & ~heads),
        "whole_cells": covered(in_whole[:, :t]),
        "best_cell": cells.best(np.where(cells.whole, cells.weight, 0.0)) / whole,
        "best_cell_share": cells.best(cells.shares) / whole,
        "column_said": columns.best(columns.shares) / whole,
    }
    for name in _SHARED:
        features |= {f"said_{name}": fields[name].share(), f"words_{name}": fields[name].size}
    features["whole_key"] = (features["said_key"] > 0.999) * features["covered_key"]
    features |= _order(asked, fields)
    return features | among_siblings(features, said["cell"], weights / whole, covered, row, found.tables, found.is_row)


def _order(asked: Asked, fields: Mapping[str, Field]) -> dict[str, Scores]:
    worth, whole = asked.pairs.ravel(), float(asked.pairs.sum()) or 1.0
    marks = {name: fields[name].pairs(asked) for name in _ORDERED}
    anywhere = np.logical_or.reduce(list(marks.values()))
    return {
        **{f"order_{name}": (found @ worth) / whole for name, found in marks.items()},
        "order": (anywhere @ worth) / whole,
    }


def _numbers(snapshot: Snapshot, asked: Asked, fields: Mapping[str, Field], found: Candidates) -> Features:
    index, figures = snapshot.fields, snapshot.figures
    heads = [fields[name] for name in ("caption", "heading", "above")]
    head_words = [getattr(index, name).gather(found.tables) for name in ("caption", "heading", "above")]
    merged = Field(
        np.concatenate([field.owner for field in heads]),
        np.concatenate([field.asked for field in heads]),
        np.concatenate([field.weight for field in heads]),
        len(found.positions),
        np.concatenate([field.slot for field in heads]),
    )
    features = dict(
        number_features(
            asked,
            Held.of(figures.rows, found.positions),
            Held.of(figures.tables, found.tables),
            figures.key_cell[found.positions],
            (fields["column"], index.column.gather(found.tables).astype(np.int64)),
            (merged, np.concatenate(head_words).astype(np.int64)),
            figures.percent,
        )
    )
    tables, which = np.unique(found.tables, return_inverse=True)
    behind = behind_best(which, len(tables), found.is_row)
    fits = np.maximum(features["number_key"], features["number_cell"])
    labelled = np.maximum(features["number_key_labelled"], features["number_cell_labelled"])
    return features | {
        "behind_number_key": behind(features["number_key"] + features["number_key_labelled"]),
        "behind_number": behind(fits),
        "behind_number_labelled": behind(labelled + 0.5 * features["number_wide_labelled"]),
    }


def _codes(snapshot: Snapshot, asked: Asked, found: Candidates) -> Features:
    codes = snapshot.figures.code[found.positions]
    fits = np.isin(codes, list(asked.codes)) & (codes > 0)
    return {
        "code_key": fits.astype(np.float64),
        "other_code_key": ((codes > 0) & ~fits & bool(asked.codes)).astype(np.float64),
    }


def matrix(features: Features, names: Sequence[str]) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    """(n, names) as the trees were fitted on it."""
    return np.column_stack([features[name] for name in names]).astype(np.float32)
