"""What is measured of every candidate: numbers that say the same of any book, so that they can be learned on others."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.field_index import HeadField, RowField
from retrieval.search.fusion import Scores
from retrieval.search.query import Query
from retrieval.search.rerank.candidates import Candidates, behind_best, distinct_cells, in_section, read_with_prose
from retrieval.search.rerank.meaning import meaning, semantic_similarity
from retrieval.search.rerank.numbers import NAMES as NUMBERS
from retrieval.search.rerank.numbers import NearbyWords, number_features
from retrieval.search.rerank.query_terms import QueryTerms, ask
from retrieval.search.rerank.term_matches import Fields, Mask, Numbers, match_terms
from retrieval.strategy import EvidenceWeights

Features = Mapping[str, Scores]

_PARTS = tuple(name for name, _ in EvidenceWeights().items() if name != "sibling")
_ROWS: tuple[RowField, ...] = ("key", "cell", "passage")
_HEADS: tuple[HeadField, ...] = ("caption", "heading", "above", "further", "column")
_MEANT = tuple(position for position, name in enumerate(_HEADS) if name != "further")
_COVERED = (*_ROWS, *_HEADS)
_SHARED = ("key", "caption", "heading", "above")
_ORDERED = ("key", "cell", "passage", "caption", "heading", "column")
_RELATIVE = (
    *(
        "alike",
        "alike_row",
        "alike_head",
        "alike_together",
        "alike_read",
        "covered_read",
        "covered_key_head",
    ),
    *("covered", "together", "covered_row", "covered_head", "whole_cells", "best_cell", "distinct", "order"),
    *("said_heading", "column_said", "part_dense", "part_name", "number_key", "number_key_labelled", "meaning"),
)

NAMES = (
    *(f"part_{name}" for name in _PARTS),
    *("is_row", "length", "steps"),
    *(f"covered_{name}" for name in (*_COVERED, "head", "row", "head_row", "key_head")),
    *("covered", "together", "missing_most", "missing_words", "only_head", "only_row", "only_column"),
    *("whole_cells", "best_cell", "best_cell_share", "column_said", "whole_key"),
    *(f"{what}_{name}" for name in _SHARED for what in ("said", "words")),
    *(f"order_{name}" for name in _ORDERED),
    "order",
    *("distinct", "behind_row", "behind_whole", "behind_covered", "behind_distinct", "behind_alike"),
    *(f"number_{name}" for name in NUMBERS),
    *("behind_number_key", "behind_number", "behind_number_labelled"),
    *("meaning", "meaning_missing", "meaning_covered", "missing"),
    *("alike", "alike_row", "alike_head", "alike_together"),
    *("code_key", "other_code_key"),
    *("behind_section_key", "behind_section_number", "behind_section_whole", "behind_section_covered"),
    *("covered_read", "alike_read", "behind_section_read", "behind_section_alike"),
    *("behind_section_meaning", "behind_section_column", "behind_section_wide"),
    *(f"less_{name}" for name in _RELATIVE),
)
"""What the trees see, in the order of their columns."""


def measure(snapshot: Snapshot, question: Query, found: Candidates) -> Features:
    """Every feature by name, and what is measured beside, (n,) each."""
    query, said_as = ask(snapshot, question), snapshot.lexical.said(question.text)
    rows, heads = _fields(snapshot, query, found)
    terms = {**_by_name(_ROWS, rows.said()), **_by_name(_HEADS, heads.said()[:, found.table_of])}
    near = NearbyWords(heads, len(_SHARED) - 1, snapshot.fields.column_of)
    numbers, counted = number_features(query, snapshot.figures, found.positions, found.tables, found.table_of, near)
    elsewhere = np.logical_or.reduce([counted, *(marks for name, marks in terms.items() if name != "column")])
    row = np.logical_or.reduce([counted, *(terms[name] for name in _ROWS)])
    head = np.logical_or.reduce([terms[_HEADS[position]] for position in _MEANT])
    words = _words(snapshot, query, rows, heads, terms, elsewhere, found)
    features = {
        **{f"part_{name}": found.evidence[name] for name in _PARTS},
        "is_row": found.is_row.astype(np.float64),
        "length": np.log1p((rows.sizes[1] + rows.sizes[2]).astype(np.float64)),
        "steps": np.full(len(found.positions), float(question.wants_siblings)),
        **words,
        **numbers,
        **meaning(snapshot, said_as, query, found.tables, found.table_of, elsewhere, elsewhere | terms["column"]),
        **semantic_similarity(
            snapshot,
            said_as,
            query,
            (rows, heads),
            _ROWS.index("passage"),
            _MEANT,
            (row, head),
            found,
        ),
        **_codes(snapshot, query, found),
    }
    somewhere = (elsewhere | terms["column"]).astype(np.float64)
    features["covered_read"] = read_with_prose(somewhere, found.section_of, found.is_row) @ query.weights / query.whole
    features |= _behind(features, found)
    features |= in_section(found.section_of, features)
    relative = np.asarray([features[name] for name in _RELATIVE])
    less = relative - relative.max(axis=1, initial=0.0, keepdims=True)
    return features | {f"less_{name}": values for name, values in zip(_RELATIVE, less, strict=True)}


def _fields(snapshot: Snapshot, asked: QueryTerms, found: Candidates) -> tuple[Fields, Fields]:
    """Those of the candidates, and those of their tables."""
    index, rarity = snapshot.fields, snapshot.rarity
    return (
        match_terms([getattr(index, name) for name in _ROWS], found.positions, asked, rarity),
        match_terms([getattr(index, name) for name in _HEADS], found.tables, asked, rarity),
    )


def _by_name(names: Sequence[str], values: "np.ndarray[tuple[int, ...], Any]") -> dict[str, Any]:
    return dict(zip(names, values, strict=True))


def _words(
    snapshot: Snapshot,
    asked: QueryTerms,
    rows: Fields,
    heads: Fields,
    said: Mapping[str, Mask],
    elsewhere: Mask,
    found: Candidates,
) -> Features:
    t, weights, whole, table_of = len(asked.words), asked.weights, asked.whole, found.table_of
    cells = rows.cells(_ROWS.index("cell"), snapshot.fields.cell_of)
    columns = heads.cells(_HEADS.index("column"), snapshot.fields.column_of)
    head = said["caption"] | said["heading"] | said["above"]
    row = said["cell"] | said["passage"] | said["key"]
    above, column = head | said["further"], said["column"]
    somewhere = elsewhere | column
    marks = {
        **{f"covered_{name}": said[name] for name in _COVERED},
        "covered": somewhere,
        "covered_head": head,
        "covered_row": row,
        "covered_head_row": head | said["cell"] | column,
        "covered_key_head": said["key"] | head,
        "only_head": above & ~row & ~column,
        "only_row": row & ~above & ~column,
        "only_column": column & ~row & ~above,
        "whole_cells": cells.in_whole(t),
    }
    features = _by_name(tuple(marks), np.matmul(np.asarray(list(marks.values())), weights) / whole)
    missing = np.where(somewhere, 0.0, weights)
    features |= {
        "together": np.where(found.is_row, features["covered_row"], rows.densest(_ROWS.index("passage")) / whole),
        "missing_most": missing.max(axis=1, initial=0.0) / max(float(weights.max(initial=0.0)), 1e-9),
        "missing_words": (missing > 0).sum(axis=1).astype(np.float64),
        "best_cell": cells.best(np.where(cells.whole, cells.weight, 0.0)) / whole,
        "best_cell_share": cells.best(cells.shares) / whole,
        "column_said": (columns.best(columns.shares) / whole)[table_of],
        "distinct": distinct_cells(said["cell"], weights / whole, table_of, found.is_row),
    }
    shares = (*rows.shares(1), *heads.shares(len(_SHARED) - 1)[:, table_of])
    sizes = (rows.sizes[0], *heads.sizes[: len(_SHARED) - 1, table_of])
    for name, share, size in zip(_SHARED, shares, sizes, strict=True):
        features |= {f"said_{name}": share, f"words_{name}": size.astype(np.float64)}
    features["whole_key"] = (features["said_key"] > 0.999) * features["covered_key"]
    return features | _order(asked, rows, heads, table_of)


def _order(asked: QueryTerms, rows: Fields, heads: Fields, table_of: Numbers) -> dict[str, Scores]:
    pairs = {**_by_name(_ROWS, rows.pairs()), **_by_name(_HEADS, heads.pairs()[:, table_of])}
    marks = [pairs[name] for name in _ORDERED]
    marks.append(np.logical_or.reduce(marks))
    names = (*(f"order_{name}" for name in _ORDERED), "order")
    return _by_name(names, np.matmul(np.asarray(marks), asked.worth) / asked.worth_of_all)


def _behind(features: Features, found: Candidates) -> dict[str, Scores]:
    """How far a row is behind the best candidate of its table; 0 for prose."""
    fits = np.maximum(features["number_key"], features["number_cell"])
    labelled = np.maximum(features["number_key_labelled"], features["number_cell_labelled"])
    values = {
        "behind_row": features["covered_row"],
        "behind_whole": features["whole_cells"],
        "behind_covered": features["covered"],
        "behind_distinct": features["distinct"],
        "behind_alike": features["alike_row"],
        "behind_number_key": features["number_key"] + features["number_key_labelled"],
        "behind_number": fits,
        "behind_number_labelled": labelled + 0.5 * features["number_wide_labelled"],
    }
    return _by_name(tuple(values), behind_best(found.table_of, list(values.values())) * found.is_row)


def _codes(snapshot: Snapshot, asked: QueryTerms, found: Candidates) -> Features:
    codes = snapshot.figures.code[found.positions]
    fits = np.isin(codes, list(asked.codes)) & (codes > 0) if asked.codes else np.zeros(len(codes), dtype=np.bool_)
    return {
        "code_key": fits.astype(np.float64),
        "other_code_key": ((codes > 0) & ~fits & bool(asked.codes)).astype(np.float64),
    }


def matrix(features: Features, names: Sequence[str]) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    """(n, names) as the trees were fitted on it; a feature's values lie together."""
    return np.asarray([features[name] for name in names]).astype(np.float32).T
