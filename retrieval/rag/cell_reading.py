"""An answer read from cells of the likeliest rows or from sentences of the best passage."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.word_vectors import word_vector
from retrieval.rag.cells import (
    MOST,
    NAMES,
    SURE,
    CandidateRow,
    Cell,
    CellChoice,
    column_features,
    probabilities,
    read_cells,
    shipped_weights,
)
from retrieval.rag.context import Context, Passage
from retrieval.rag.relevance import subject_of
from retrieval.types import Chunk

_LABELLED = re.compile(r"(?P<marks>\*\*|__)_?(?P<label>[^*_\n]{1,40}?)[.:]?_?(?P=marks)[.:]?[ \t]+(?P<value>[^*\n]+)")
_DEFINED = re.compile(r"^[-*] +(?P<label>[^:\n.]{1,40}): +(?P<value>[^\n]+)$", re.MULTILINE)
_BREAK = re.compile(
    r"(?<=[.!?])[*_)\"”’]*\s+(?=[*_(\"“‘]*[A-Z0-9])|\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.)\s)|\n(?=#)|<br ?/?>"
)
_MARK = re.compile(r"^\s*(?:#{1,6}\s+|[-*+]\s+|\d+\.\s+|>\s+)")
_ELSEWHERE = re.compile(r"\[Table:[^\]]*\]")
_LONGEST_VALUE = 160
"""Characters; what is longer is a paragraph with a heading of its own, which is read by its sentences."""


def labelled_values(text: str) -> tuple[tuple[str, str], ...]:
    """(label, value) pairs of markdown, in their order: `**AC** 12`, `- Range: 30 ft.`."""
    matches = [
        (match.start(), match["label"].strip(), match["value"].strip())
        for pattern in (_LABELLED, _DEFINED)
        for match in pattern.finditer(text)
        if len(match["value"].strip()) <= _LONGEST_VALUE
    ]
    return tuple((label, value) for _, label, value in sorted(matches))


def sentences(text: str) -> tuple[str, ...]:
    """Sentences of markdown, as they are written, without the marks of lists and without headings."""
    pieces = [piece.strip() for piece in _BREAK.split(_ELSEWHERE.sub("\n\n", text))]
    return tuple(
        " ".join(_MARK.sub("", piece).split()) for piece in pieces if len(piece) > 1 and not piece.startswith("#")
    )


_UNLIKELY = 0.15
"""A passage that is so much less likely than the best is not read."""
_FAR = 0.05
"""A cell that is so much less likely than the first is not read."""
_NAMED = 0.5
"""From this on a label of prose is what the question asks for."""
_ALIKE = 0.5
"""What the cosine of a sentence counts beside the share of the question that it says."""
_NEXT = 0.75
"""A second sentence is read where it is nearly as good as the first."""
_MOST_SENTENCES = 2
_SPEAKING = [NAMES.index(name) for name in ("head", "asked", "short_for", "means_word")]


def read(context: Context) -> tuple[Cell, ...]:
    """What the passages of a question say to it: at most three cells, or sentences of the best passage.

    The cells of all passages are weighed together, a passage by its score, a cell by its column; as many are read as it
    takes to be sure: twins that the question does not tell apart both have their say. Of a comparison each part reads
    the best passage that answers it.
    """
    if not context.passages:
        return ()
    if len(context.parts) > 1:
        return _compared(context)
    scores = np.asarray([passage.hit.score for passage in context.passages], dtype=np.float64)
    likely = probabilities(scores)
    first = read_chunk(context.query, context.passages[0].hit.chunk, context.snapshot)
    if not first or not first[0].column:
        return first
    # A row whose predicate the question meets is named by it; only others that are so named may be meant instead.
    guarded = context.passages[0].hit.chunk.query_must is not None
    weighed = [
        replace(cell, probability=round(cell.probability * float(chance), 4))
        for chance, passage in zip(likely, context.passages, strict=True)
        if chance >= _UNLIKELY * likely.max() and (passage.hit.chunk.query_must or not guarded)
        # Another is meant instead only where it says as much of the question.
        if passage.says >= context.passages[0].says
        for cell in (first if passage is context.passages[0] else _cells(context, passage))
    ]
    order = {passage.hit.chunk.id: position for position, passage in enumerate(context.passages)}
    weighed.sort(key=lambda cell: (-cell.probability, order[cell.chunk_id], cell.place))
    kept: list[Cell] = []
    for cell in weighed[:MOST]:
        if sum(each.probability for each in kept) >= SURE or cell.probability < _FAR * weighed[0].probability:
            break
        kept.append(cell)
    return tuple(kept)


def _cells(context: Context, passage: Passage) -> tuple[Cell, ...]:
    chunk = read_chunk(context.query, passage.hit.chunk, context.snapshot)
    return chunk if chunk and chunk[0].column else ()


def _compared(context: Context) -> tuple[Cell, ...]:
    """A cell for each part, and what is left of the number for the whole question.

    `turn undead: vampire versus cleric` looks like a comparison; its answer is one cell of one row.
    """
    cells: list[Cell] = []
    for part in context.parts:
        cells += _of(context, part, partial(_answers, part))
    cells += _of(context, context.query, lambda each: each.hit.chunk.id == context.best)
    return tuple({(cell.chunk_id, cell.place): cell for cell in cells}.values())[:MOST]


def _answers(part: str, passage: Passage) -> bool:
    return passage.question == part


def _of(context: Context, question: str, meant: Callable[[Passage], bool]) -> tuple[Cell, ...]:
    own = next((passage for passage in context.passages if meant(passage)), None)
    return read_chunk(question, own.hit.chunk, context.snapshot, 1) if own else ()


def read_chunk(question: str, chunk: Chunk, snapshot: Snapshot, most: int = MOST) -> tuple[Cell, ...]:
    """What a chunk says to a question: cells of a row; of prose labelled values that are asked for, else sentences.

    Args:
        question: as it was asked.
        chunk: from the snapshot.
        snapshot: its words weigh as much as they are rare.
        most: how many cells at most.
    """
    question = snapshot.spelling(question)
    if chunk.cells:
        return read_cells(snapshot.lexical.said(question), chunk, snapshot.lexical.tokenize, most)
    return _labelled(question, chunk, snapshot, most) or _sentences(question, chunk, snapshot)[:most]


def _labelled(question: str, chunk: Chunk, snapshot: Snapshot, most: int) -> tuple[Cell, ...]:
    pairs = labelled_values(chunk.text)
    if not pairs:
        return ()
    row = CandidateRow([label for label, _ in pairs], [value for _, value in pairs], None)
    features = column_features(snapshot.lexical.said(question), row, snapshot.lexical.tokenize)
    if features[:, _SPEAKING].max() < _NAMED:
        return ()
    return CellChoice(row, features, probabilities(features @ shipped_weights())).cells(chunk.id, most)


def _sentences(question: str, chunk: Chunk, snapshot: Snapshot) -> tuple[Cell, ...]:
    matches = sentences(chunk.text)
    if not matches:
        return ()
    subject = subject_of(question)
    query = set(snapshot.lexical.read(subject))
    above = set(snapshot.lexical.tokenize(" ".join(chunk.heading_path[-1:])))
    wanted = query - above or query
    whole = _weight(snapshot, wanted) or 1.0
    terms = np.asarray([_weight(snapshot, wanted & set(snapshot.lexical.tokenize(match))) / whole for match in matches])
    vector = word_vector(subject.casefold())
    alike = np.asarray([float(word_vector(match.casefold()) @ vector) for match in matches])
    scores = terms + _ALIKE * alike
    order = np.argsort(-scores, kind="stable")[:_MOST_SENTENCES].tolist()
    kept = [position for position in order if scores[position] >= _NEXT * scores[order[0]]]
    best = max(float(scores.max()), 1.0)
    return tuple(
        Cell(chunk.id, "", matches[position], position, round(float(scores[position]) / best, 4))
        for position in sorted(kept)
    )


def _weight(snapshot: Snapshot, words: set[str]) -> float:
    places: Sequence[int | None] = list(snapshot.lexical.terms.words(sorted(words)))
    return float(sum(snapshot.rarity[-1 if position is None else position] for position in places))
