"""Chooses the cells of a row that answer a question, by features of its columns and the kind of answer wanted."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.index.embedding.minilm_model import MiniLmEmbedder
from retrieval.index.words.word_vectors import word_vector
from retrieval.language.english import word_set, word_sets
from retrieval.language.numbers import AS_TEXT, Quantity, holds, quantities, whole_quantity
from retrieval.language.terms import Tokenize, cut_word
from retrieval.rag.relevance import is_everywhere
from retrieval.rag.row_reader import SHIPPED_READER, RowReader
from retrieval.search.query import NEAR
from retrieval.types import Chunk, Vector

_WH = re.compile(
    r"\b(?:what(?:['’]s)?|which|how(?:\s+\w+)?|who(?:m|se)?|when|where|name\s+the|(?:tell|give)\s+me\s+the)\b"
)
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_AFTER = 4
"""Words after `which` that may name what is wanted: `which breathing gear does`."""

_NUMBER_WORDS = word_set("asks_number")
_MEASURED = word_sets("measured")
_MONEY = frozenset({"dollar", "euro", "pound sterling", "credit", "yen", "gp", "sp", "cp", "gold", "silver"})
"""Units of money."""


@dataclass(frozen=True, slots=True)
class AnswerKind:
    """The kind of answer that the words of a question ask for, such as a number, a date or a unit."""

    number: bool
    date: bool
    measures: frozenset[str]
    """Base units, or `money`, that the answer may be in."""
    after: frozenset[str]
    """Words that follow `which` or a similar word, as tokens of the index."""

    def fits(self, unit: str | None) -> bool:
        """Whether a quantity of this base unit is of a kind that is asked for."""
        return unit is not None and ("money" if unit in _MONEY else unit) in self.measures

    def measured_by(self, head: str) -> bool:
        """Whether the head of a column names the thing that is measured: `Wgt` if the question contains `how heavy`."""
        words = WORD.findall(head.casefold())
        return any(
            word == term or (2 <= len(word) <= 5 and is_short(word, term))
            for unit in self.measures
            for term in _MEASURED[unit]
            for word in words
        )


def is_short(short: str, word: str) -> bool:
    """Whether a word is short for another: `wgt` for `weight`, by first and last letter and others in order; `atmos`
    for `atmosphere`, by its beginning."""
    if len(word) <= len(short) + 1:
        return False
    rest = iter(word)
    skeleton = word[0] == short[0] and word[-1] == short[-1] and all(letter in rest for letter in short)
    return skeleton or (len(short) > 2 and word.startswith(short))


def answer_kind(question: str, tokenize: Tokenize) -> AnswerKind:
    """Return the kind of answer that a question asks for."""
    text = question.casefold()
    words = frozenset(WORD.findall(text))
    asks = _WH.search(text)
    first = asks[0].split()[0] if asks else ""
    following = WORD.findall(text[asks.end() :])[:_AFTER] if asks else []
    wanted = [word for word in ((asks[0].split()[1:] if asks else []) + following) if not is_everywhere(word)]
    return AnswerKind(
        number=not words.isdisjoint(_NUMBER_WORDS),
        date=first == "when" or not {"year", "date", "day", "month", "season"}.isdisjoint(following[:1]),
        measures=frozenset(unit for unit, terms in _MEASURED.items() if not words.isdisjoint(terms)),
        after=frozenset(part for word in wanted for part in cut_word(tokenize, word)),
    )


NAMES = (
    *("head", "asked", "short_for", "means_word", "means_rest", "means_whole"),
    *("said", "said_whole", "cell_alike", "head_unsaid", "length"),
    *("holds", "holds_labelled", "key", "key_named", "key_farther", "empty", "beside", "axis", "axis_other"),
    *("number", "measure", "date"),
    "read",
)
"""Features of a column, each 0 to 1 except `read`:

- `head`: share of the head's words that the question contains; `asked`: share that follows its `which`; `short_for`:
  the head is short for words of the question;
- `means_word`, `means_rest`: cosine of the head and the nearest word of the question, and of the head and all its
  words, without the words that cells contain; `means_whole`: cosine of the sentence embeddings of the head and the
  question;
- `said`: share of the cell's words that the question contains; `said_whole`: whether it contains all of them;
  `cell_alike`: cosine of cell and question; `head_unsaid`: `head` times (1 - `said`); `length`: logarithm of the cell's
  number of characters;
- `holds`: the cell is a number or a range that contains a number of the question; `holds_labelled`: under the label of
  that number;
- `key`: the cell is the row's key; `key_named`: and the question names the row; `key_farther`: by how much another cell
  exceeds the key in `cell_alike`: if the question describes the row by another cell, it asks for the key;
- `empty`: the cell has no value; `beside`: it follows a cell with `said_whole` or `holds`, in a table with repeated
  heads;
- `axis`: the head contains a number of the question, more if under its label; `axis_other`: the head of another column
  does;
- `number`, `measure`, `date`: the cell is of the kind that is asked for;
- `read`: the score of the row reader minus that of the best cell, so at most 0.
"""
_NAMING = [NAMES.index(name) for name in ("head", "asked", "short_for", "means_word")]
_NAMED = 0.5
"""If one of these features is at least this, the question names the head."""
_NEAR, _SAME = 0.3, 0.8
_BESIDE = 3
"""Words on each side of a number that may be its label."""
_LONGEST = 200
"""Characters of a cell that are read; the rest is ignored."""
_EMPTY = re.compile(r"[\s\W_]*|n/?a|nil|none", re.IGNORECASE)
_DATE = re.compile(
    r"\b(?:1[5-9]\d\d|20\d\d)\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:[a-z]{2,6}|\.)?\b",
    re.IGNORECASE,
)
_NUMBER_CELL = re.compile(r"[\W\d]*\d[\W\d]*(?:[a-z]{1,4}\.?)?", re.IGNORECASE)
_UNIT = re.compile(r"\(([^()]{1,12})\)\s*$")

Features = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class CandidateRow:
    """A row that may answer a question."""

    columns: Sequence[str]
    cells: Sequence[str]
    key: int | None
    """Index of the cell that is the row's key."""
    names: Sequence[str] = ()
    """Names that a question may use for the row."""


@dataclass(frozen=True, slots=True, eq=False)
class _Figure:
    quantity: Quantity
    near: frozenset[str]


class _Question:
    def __init__(self, text: str, tokenize: Tokenize) -> None:
        self.text, self.tokenize = text, tokenize
        self.wants: AnswerKind = answer_kind(text, tokenize)
        self.words = WORD.findall(text.casefold())
        self.tokens = frozenset(tokenize(text))
        self.figures = [
            _Figure(quantity, self._near(quantity)) for quantity in quantities(text) if quantity.kind not in AS_TEXT
        ]

    def _near(self, quantity: Quantity) -> frozenset[str]:
        before = WORD.findall(self.text[max(0, quantity.start - NEAR) : quantity.start].casefold())[-_BESIDE:]
        after = WORD.findall(self.text[quantity.end : quantity.end + NEAR].casefold())[:_BESIDE]
        beside = (*before, *after, quantity.unit or "", quantity.label or "")
        return frozenset(
            part for word in beside if word and not is_everywhere(word) for part in cut_word(self.tokenize, word)
        ) | frozenset(part for part in self.tokenize(quantity.text) if part.isalpha())


def column_features(question: str, row: CandidateRow, tokenize: Tokenize, read: Features) -> Features:
    """Return the features of the columns of a row, (columns, NAMES).

    Args:
        question: the question as asked.
        row: a row with at least one column.
        tokenize: the tokenizer of the row's index.
        read: (columns,) scores of the row reader.
    """
    query = _Question(question, tokenize)
    heads = [tuple(cut_word(tokenize, head)) for head in row.columns]
    cells = [cell[:_LONGEST] for cell in row.cells]
    parts = [tuple(cut_word(tokenize, cell)) for cell in cells]
    numbers = [whole_quantity(cell) for cell in cells]
    terms = np.asarray(
        [0.0 if number else _share(words, query.tokens) for words, number in zip(parts, numbers, strict=True)]
    )
    whole = np.asarray([float(share == 1.0 and _says(words)) for share, words in zip(terms, parts, strict=True)])
    head = np.asarray([_share(words, query.tokens) for words in heads])
    held, labelled, axis, other = _numbers(query, row.columns, heads, numbers)
    named = _names_row(query, row.names) if row.key is not None else False
    key = np.asarray([float(number == row.key) for number in range(len(cells))])
    picked = np.maximum(whole, labelled)
    if named and row.key is not None:
        picked[row.key] = 1.0
    means_word, means_rest, alike = _meanings(query, row.columns, cells, parts, picked)
    repeated = len({head.casefold() for head in row.columns}) < len(row.columns)
    beside = np.append(0.0, np.maximum(whole, held)[:-1]) if repeated else np.zeros(len(cells))
    empty = np.asarray([float(bool(_EMPTY.fullmatch(cell))) for cell in cells])
    return np.column_stack(
        [
            *(head, [_share(words, query.wants.after) for words in heads]),
            [_short_for(name, query.words) for name in row.columns],
            *(means_word, means_rest, np.stack(list(map(_sentence_vector, row.columns))) @ _sentence_vector(question)),
            *(terms, whole, alike, head * (1.0 - terms), np.log1p(list(map(len, cells))) / np.log1p(_LONGEST)),
            *(held, labelled, key, key * np.maximum(float(named), picked), key * (_best_other(alike) - alike)),
            *(empty, beside, axis, other),
            *_kinds(query.wants, row.columns, cells, numbers),
            read,
        ]
    )


def _best_other(values: Features) -> Features:
    """Return (n,) the highest of the other values; a value without others is returned as it is."""
    others = [np.delete(values, position) for position in range(len(values))]
    return np.asarray([other.max() if len(other) else value for other, value in zip(others, values, strict=True)])


def _share(words: Sequence[str], tokens: frozenset[str]) -> float:
    return sum(word in tokens for word in words) / len(words) if words else 0.0


def _says(words: Sequence[str]) -> bool:
    return any(character.isalnum() for word in words for character in word)


def _names_row(query: _Question, names: Sequence[str]) -> bool:
    return any(words and query.tokens.issuperset(words) for words in map(query.tokenize, names))


def _numbers(
    query: _Question, columns: Sequence[str], heads: Sequence[Sequence[str]], cells: Sequence[Quantity | None]
) -> tuple[Features, Features, Features, Features]:
    """Return `holds`, `holds_labelled`, `axis` and `axis_other` of each column.

    A number is first matched with cells under its label, then with heads, and only then with any cell.
    """
    held, labelled, axis, numbered = np.zeros((4, len(columns)))
    of_heads = [[quantity for quantity in quantities(column) if quantity.kind not in AS_TEXT] for column in columns]
    for figure in query.figures:
        holding = np.asarray([cell is not None and holds(cell, figure.quantity) for cell in cells], dtype=np.bool_)
        names_figure = np.asarray([_labels(figure, *column) for column in zip(heads, cells, of_heads, strict=True)])
        if (holding & names_figure).any():
            labelled[holding & names_figure] = 1.0
            continue
        fits = np.asarray([any(holds(quantity, figure.quantity) for quantity in head) for head in of_heads])
        if fits.any():
            near = len(figure.near) or 1
            shares = np.asarray([1.0 + len(figure.near.intersection(head)) / near for head in heads]) * fits / 2.0
            axis = np.maximum(axis, np.where(shares == shares.max(), shares, 0.0))
            continue
        held[holding] = 1.0
    numbered[[bool(head) for head in of_heads]] = float(axis.any())
    return np.maximum(held, labelled), labelled, axis, numbered * (axis == 0.0)


def _labels(figure: _Figure, head: Sequence[str], cell: Quantity | None, of_head: Sequence[Quantity]) -> bool:
    """Whether a cell has the unit of the question's number, or its head contains a word near that number. A number in a
    head belongs to the head, not to its cells."""
    same = cell is not None and cell.unit is not None and cell.unit == figure.quantity.unit
    return same or (not of_head and not figure.near.isdisjoint(head))


def _meanings(
    query: _Question,
    columns: Sequence[str],
    cells: Sequence[str],
    parts: Sequence[Sequence[str]],
    picked: Features,
) -> tuple[Features, Features, Features]:
    explained = {word for words, pick in zip(parts, picked, strict=True) if pick for word in words}
    free = {
        word
        for word in query.words
        if not is_everywhere(word) and not explained.issuperset(cut_word(query.tokenize, word))
    }
    pairs = [f"{first} {second}" for first, second in pairwise(query.words) if first in free or second in free]
    near = [*sorted(free), *pairs]
    rest = " ".join(word for word in query.words if word in free or word in {"how", "when", "who", "where"})
    heads = np.stack([_vector(name) for name in columns])
    word = np.zeros(len(columns))
    if near:
        cosines = (np.stack([_vector(phrase) for phrase in near]) @ heads.T).max(axis=0)
        word = np.clip((cosines - _NEAR) / (_SAME - _NEAR), 0.0, 1.0)
    texts = np.stack([_vector(cell) for cell in cells])
    means_rest = (heads @ _vector(rest)).astype(np.float64)
    alike = (texts @ _vector(query.text)).astype(np.float64)
    return word * (1.0 - picked), means_rest, alike


def _vector(text: str) -> Vector:
    vector: Vector = word_vector(text.casefold() if text.strip() else "-")
    return vector


_SENTENCES = MiniLmEmbedder(query_adapter=None)


def _sentence_vector(text: str) -> Vector:
    """Return the sentence embedding of a head or a question, (dimensions,); it must not be modified."""
    return _SENTENCES.embed_query(text if text.strip() else "-")


def _short_for(head: str, words: Sequence[str]) -> float:
    """Whether a word of the head is short for words of the question: `TL`, `Wgt`, `Atmos.`."""
    shorts = [word.casefold() for word in WORD.findall(_UNIT.sub("", head)) if 2 <= len(word) <= 5 and word.isalpha()]
    initials = "".join(word[0] for word in words)
    return float(any(short in initials or any(is_short(short, word) for word in words) for short in shorts))


def _kinds(
    wants: AnswerKind, columns: Sequence[str], cells: Sequence[str], numbers: Sequence[Quantity | None]
) -> Features:
    """Return `number`, `measure` and `date` of each column, (kinds, columns)."""
    rows = []
    for column, cell, number in zip(columns, cells, numbers, strict=True):
        is_number = number is not None or bool(_NUMBER_CELL.fullmatch(cell.strip()))
        unit = _UNIT.search(column)
        of_head = next((quantity.unit for quantity in quantities(f"1 {unit[1]}")), None) if unit else None
        rows.append(
            (
                wants.number and is_number,
                wants.fits(number.unit if number else None) or wants.fits(of_head) or wants.measured_by(column),
                wants.date and bool(_DATE.search(cell)),
            )
        )
    return np.asarray(rows, dtype=np.float64).T


MOST = 3
"""The maximum number of cells of a row that one answer contains."""
SURE = 0.95
"""Cells are added until their probabilities together reach this."""
FAR = 0.1
"""A cell is left out if its probability is less than this share of the highest."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value read from a chunk: a cell under the head of its column, or a sentence of prose. Key: (chunk_id,
    place)."""

    chunk_id: str
    column: str
    """Head of its column, `column 1` if it has none, or the label before a value of prose; empty for a sentence."""
    text: str
    """The text as written."""
    place: int
    """0-based position: the cell in its row, or the labelled value or sentence in the prose."""
    probability: float
    """0 to 1: the probability that the question asks for this cell of the row."""


WEIGHTS = Path(__file__).with_name("cell_weights.json")


@cache
def shipped_weights() -> Features:
    """Return the weights that `python -m tools fit cells` found, (features,)."""
    stored: dict[str, float] = json.loads(WEIGHTS.read_text("utf-8"))
    return np.asarray([stored[name] for name in NAMES])


@dataclass(frozen=True, slots=True, eq=False)
class CellChoice:
    """For each cell of a row, the probability that it is the one that a question asks for."""

    row: CandidateRow
    features: Features
    """(cells, NAMES)."""
    chances: Features
    """(cells,); they sum to 1."""

    @classmethod
    def of(
        cls, question: str, row: CandidateRow, tokenize: Tokenize, reader: RowReader = SHIPPED_READER
    ) -> "CellChoice":
        """Weigh the cells of a row by their features (`column_features`), with a conditional logit.

        McFadden, Conditional logit analysis of qualitative choice behavior, 1974.

        Args:
            question: the question as asked.
            row: a row with at least one cell.
            tokenize: the tokenizer of the row's index.
            reader: the row reader to use instead of the built-in one.
        """
        features = column_features(question, row, tokenize, reader.scores(question, row.columns, row.cells))
        return cls(row, features, probabilities(features @ shipped_weights()))

    def cells(self, chunk_id: str, most: int = MOST) -> tuple[Cell, ...]:
        """Return the likeliest cells, as many as needed to be sure: only one if the question clearly asks for one
        column."""
        chosen: list[Cell] = []
        sure = 0.0
        for position in np.argsort(-self.chances, kind="stable")[:most].tolist():
            cell = self.cell(chunk_id, position)
            if sure >= SURE or (chosen and not cell.text.strip()) or cell.probability < FAR * self.chances.max():
                break
            chosen.append(cell)
            sure += cell.probability
        return tuple(chosen)

    def cell(self, chunk_id: str, position: int) -> Cell:
        """Return one cell of the row."""
        head = self.row.columns[position].strip() or f"column {position + 1}"
        return Cell(chunk_id, head, self.row.cells[position], position, round(float(self.chances[position]), 4))

    @property
    def is_named(self) -> npt.NDArray[np.bool_]:
        """(cells,): whether the question names the head of the column."""
        named: npt.NDArray[np.bool_] = self.features[:, _NAMING].max(axis=1) >= _NAMED
        return named


def row_of(chunk: Chunk) -> CandidateRow:
    """Return the row of a chunk."""
    key = chunk.cells.index(chunk.row_key) if chunk.row_key in chunk.cells else None
    names = [name for name in (chunk.row_key, chunk.called, *chunk.names) if name]
    return CandidateRow(chunk.columns, chunk.cells, key, names)


def probabilities(scores: Features) -> Features:
    """Return the softmax of scores, (n,)."""
    raised: Features = np.exp(scores - scores.max())
    raised /= raised.sum()
    return raised
