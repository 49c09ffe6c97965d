"""The features of every candidate: numbers that mean the same in any book, so that they can be learned on others."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from retrieval.files.arrays import begins
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.field_index import HeadField, RowField
from retrieval.index.words.lexical_index import Selection
from retrieval.search.candidates import Candidates
from retrieval.search.fusion import Scores
from retrieval.search.query import Query
from retrieval.search.rerank.meaning import meaning, read_with_prose, semantic_similarity
from retrieval.search.rerank.numbers import NearbyWords, match_numbers
from retrieval.search.rerank.query_terms import QueryTerms, ask
from retrieval.search.rerank.term_matches import Fields, Mask, Numbers, match_terms

Features = Mapping[str, Scores]

_ROWS: tuple[RowField, ...] = ("key", "cell", "passage")
_TITLES: tuple[HeadField, ...] = ("caption", "heading", "above")
"""The fields that name a table."""
_HEADS: tuple[HeadField, ...] = (*_TITLES, "further", "column")
_NEAREST = tuple(position for position, name in enumerate(_HEADS) if name != "further")
_RELATIVE = (
    *("alike", "alike_head", "alike_together", "alike_read", "covered", "covered_read", "covered_key_head"),
    *("order", "said_heading", "table_dense", "table_covered"),
)

NAMES = (
    *("lexical", "name", "heading"),
    "is_row",
    *("table_dense", "table_lexical"),
    *("alike", "alike_row", "alike_together", "alike_read", "behind_section_alike"),
    *("told", "told_words", "untold"),
    *("covered_key", "covered_row", "covered_head_row"),
    *("whole_cells", "whole_key", "best_cell_share", "distinct", "said_key", "said_heading", "meaning"),
    *("number_key", "number_key_labelled", "number_unexplained", "behind_number_labelled"),
    *(f"less_{name}" for name in _RELATIVE),
    "less_dense",
)
"""The features that the trees use, in the order of their columns.

Chosen on 1,948 questions that people ask about 41 books, each ranked by trees fitted on other trades: the features that
the trees used most are as good as the original 124, and the text of the table ranks 8 in a thousand more first.
"""


def measure(snapshot: Snapshot, question: Query, candidates: Candidates) -> Features:
    """Return every feature by name, and additional measures, (n,) each."""
    query, index_text = ask(snapshot, question), snapshot.lexical.in_index_words(question.text)
    heads = match_terms([getattr(snapshot.fields, name) for name in _HEADS], candidates.tables, query, snapshot.rarity)
    near = NearbyWords(heads, len(_TITLES), snapshot.fields.column_of)
    numbers = match_numbers(query, snapshot.figures, candidates.positions, candidates.tables, candidates.table_of, near)
    of_rows = [getattr(snapshot.fields, name) for name in _ROWS]
    rows = match_terms(of_rows, candidates.positions, query, snapshot.rarity, numbers.contradicted)
    in_field = {**_by_name(_ROWS, rows.has_term()), **_by_name(_HEADS, heads.has_term()[:, candidates.table_of])}
    elsewhere = np.logical_or.reduce(
        [numbers.explained, *(marks for name, marks in in_field.items() if name != "column")]
    )
    row = np.logical_or.reduce([numbers.explained, *(in_field[name] for name in _ROWS)])
    head = np.logical_or.reduce([in_field[_HEADS[position]] for position in _NEAREST])
    somewhere = elsewhere | in_field["column"]
    features = {
        **{name: getattr(candidates, name) for name in ("lexical", "dense", "name", "heading")},
        "less_dense": _less_dense(candidates.dense),
        "is_row": candidates.is_row.astype(np.float64),
        **_table_features(snapshot, query, candidates),
        **_word_features(snapshot, query, (rows, heads), in_field, somewhere, candidates),
        **numbers.features,
        **meaning(snapshot, index_text, query, candidates.tables, candidates.table_of, elsewhere, somewhere),
        **semantic_similarity(
            snapshot, index_text, query, (rows, heads), _ROWS.index("passage"), _NEAREST, (row, head), candidates
        ),
    }
    features["behind_number_labelled"] = _number_gap(features, candidates)
    features["behind_section_alike"] = behind_best(candidates.section_of, features["alike_read"])
    relative = np.asarray([features[name] for name in _RELATIVE])
    less = relative - relative.max(axis=1, initial=0.0, keepdims=True)
    return features | {f"less_{name}": values for name, values in zip(_RELATIVE, less, strict=True)}


def _less_dense(cosines: Scores) -> Scores:
    """Return how far each candidate is behind the nearest, in standard deviations: the same for models of any scale."""
    if not len(cosines):
        return cosines
    less: Scores = (cosines - cosines.max()) / (float(cosines.std()) or 1.0)
    return less


def _by_name(names: Sequence[str], values: "np.ndarray[tuple[int, ...], Any]") -> dict[str, Any]:
    return dict(zip(names, values, strict=True))


def _table_features(snapshot: Snapshot, query: QueryTerms, candidates: Candidates) -> Features:
    """Return how well the texts of the candidates' tables and passages match the question."""
    texts = snapshot.tables.lexical
    weights = zip(query.known, query.weights.tolist(), strict=True)
    covered = texts.words.covered(weights, Selection(candidates.tables, texts.n_documents)) / query.whole
    values = {
        "table_lexical": candidates.table_lexical,
        "table_dense": candidates.table_dense,
        "table_covered": covered,
    }
    return {name: scores[candidates.table_of] for name, scores in values.items()}


def _word_features(
    snapshot: Snapshot,
    query: QueryTerms,
    fields: tuple[Fields, Fields],
    in_field: Mapping[str, Mask],
    somewhere: Mask,
    candidates: Candidates,
) -> Features:
    (rows, heads), weights, whole = fields, query.weights, query.whole
    cells = rows.cells(_ROWS.index("cell"), snapshot.fields.cell_of)
    head = in_field["caption"] | in_field["heading"] | in_field["above"]
    row = in_field["cell"] | in_field["passage"] | in_field["key"]
    marks: Mapping[str, Mask | Scores] = {
        "covered": somewhere,
        "covered_key": in_field["key"],
        "covered_row": row,
        "covered_head_row": head | in_field["cell"] | in_field["column"],
        "covered_key_head": in_field["key"] | head,
        "covered_read": read_with_prose(somewhere.astype(np.float64), candidates.section_of, candidates.is_row),
        "whole_cells": cells.in_whole(len(query.words)),
    }
    features: dict[str, Scores] = {name: np.matmul(mask, weights) / whole for name, mask in marks.items()}
    features |= {
        "best_cell_share": cells.best(cells.shares) / whole,
        "distinct": distinct_cells(in_field["cell"], weights / whole, candidates.table_of, candidates.is_row),
        "said_key": rows.shares(1)[0],
        "said_heading": heads.shares(_HEADS.index("heading") + 1)[-1, candidates.table_of],
        "order": _pairs_in_order(query, rows, heads, candidates.table_of),
    }
    return features | {"whole_key": (features["said_key"] > 0.999) * features["covered_key"]}


def _pairs_in_order(query: QueryTerms, rows: Fields, heads: Fields, table_of: Numbers) -> Scores:
    """Return (n,) the share of the question's word pairs that occur in some field in the same order."""
    pairs = np.concatenate([rows.pairs(), heads.pairs()[[*_NEAREST], :][:, table_of]])
    order: Scores = np.logical_or.reduce(pairs) @ query.worth / query.worth_of_all
    return order


def _number_gap(features: Features, candidates: Candidates) -> Scores:
    """Return how far a row is behind the best candidate of its table in matches of the question's numbers; 0 for
    prose."""
    labelled = np.maximum(features["number_key_labelled"], features["number_cell_labelled"])
    values = labelled + 0.5 * features["number_wide_labelled"]
    return behind_best(candidates.table_of, values) * candidates.is_row


def matrix(features: Features, names: Sequence[str]) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    """Return the features (n, names) in the order in which the trees were fitted; the values of a feature are
    contiguous."""
    return np.asarray([features[name] for name in names]).astype(np.float32).T


def distinct_cells(cells: Mask, shares: Scores, table_of: Numbers, is_row: Mask) -> Scores:
    """Return (n,) the weight of the question's words that the cells of a row contain and those of other candidates of
    its table do not.

    Args:
        cells: (n, t) whether the cells contain the question's word.
        shares: (t,) weight of each word.
        table_of: (n,) number of the table of each candidate; every table has a candidate.
        is_row: (n,) whether each is a row.
    """
    order, starts = _groups(table_of)
    count = np.diff(starts, append=len(order))
    common = np.add.reduceat(cells[order].astype(np.float64), starts, axis=0) if len(order) else np.zeros(cells.shape)
    distinct: Scores = ((cells * (1.0 - common[table_of] / count[table_of][:, None])) @ shares) * is_row
    return distinct


def behind_best(group: Numbers, values: Scores) -> Scores:
    """Return (n,) how far each candidate is behind the best of its group.

    Args:
        group: (n,) numbers from 0, without gaps.
        values: (n,) values to compare.
    """
    if not len(group):
        return values
    order, starts = _groups(group)
    gap: Scores = np.maximum.reduceat(values[order], starts)[group] - values
    return gap


def _groups(group: Numbers) -> tuple[Numbers, Numbers]:
    """Return candidates group by group, and where each group begins."""
    order = np.argsort(group, kind="stable")
    return order, np.flatnonzero(begins(group[order]))
