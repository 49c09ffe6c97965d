"""Reads a row together with a question: a score for each cell, by MiniLM with an adapter that was trained for this."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.index.embedding.minilm_model import MiniLmEmbedder, readable

Scores = npt.NDArray[np.float64]

ADAPTER = Path(__file__).with_name("row_reader.safetensors")
"""What `python -m tools fit cells` trained."""
SCORE = "score"
"""The array of an adapter by which the state of a cell is scored, (width,)."""
LONGEST = 192
"""Tokens of a question and a row that are read; cells beyond them have the lowest score of the others."""
_QUESTION, _HEAD, _CELL = 48, 10, 14
"""Tokens of a question, of a head and of a cell that are read."""


@dataclass(frozen=True, slots=True)
class RowTokens:
    """A question and a row as the model reads them: `[CLS] question [SEP] head: cell [SEP] head: cell [SEP]`."""

    tokens: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    """First token of each cell with its head, and the one after the last; fewer than the cells if the row is too
    long."""

    @classmethod
    def of(cls, question: str, columns: Sequence[str], cells: Sequence[str], tokenizer: Any) -> "RowTokens":
        """Tokenize a question and a row of at least one cell."""

        def cut(text: str, most: int) -> list[int]:
            ids: list[int] = tokenizer.encode(readable(text) or "-", add_special_tokens=False).ids[:most]
            return ids

        separator, colon = tokenizer.token_to_id("[SEP]"), cut(":", 1)
        tokens = [tokenizer.token_to_id("[CLS]"), *cut(question, _QUESTION), separator]
        spans: list[tuple[int, int]] = []
        for head, cell in zip(columns, cells, strict=True):
            read = [*cut(head, _HEAD), *colon, *cut(cell, _CELL)]
            if len(tokens) + len(read) >= LONGEST and spans:
                break
            spans.append((len(tokens), len(tokens) + len(read)))
            tokens += [*read, separator]
        return cls(tuple(tokens), tuple(spans))


class RowReader:
    """Scores the cells of a row by the mean of the states of their tokens, which see the question and the whole row.

    Args:
        adapter: file of low-rank matrices for MiniLM (LoRA, Hu et al. 2021), and `SCORE`.
    """

    def __init__(self, adapter: Path = ADAPTER) -> None:
        self._adapter = adapter

    def scores(self, question: str, columns: Sequence[str], cells: Sequence[str]) -> Scores:
        """Return how well each cell answers a question, (cells,), read-only: 0 for the best, less for the others.

        Recent rows are cached: a comparison reads the rows of its sides again.

        Raises:
            EmbedderUnavailableError: the weights of MiniLM, or the library that runs them, are not on this machine.
            EmbedderMismatchError: the files are not those of this model.
        """
        return _scores(self._adapter, question, tuple(columns), tuple(cells))


_MINILM = MiniLmEmbedder(query_adapter=None)
_KEPT = 1 << 8
"""Rows whose scores are cached."""


@lru_cache(maxsize=_KEPT)
def _scores(adapter: Path, question: str, columns: tuple[str, ...], cells: tuple[str, ...]) -> Scores:
    row = RowTokens.of(question, columns, cells, _MINILM.tokenizer)
    states = _MINILM.states(row.tokens, adapter)
    read = np.asarray([states[start:end].mean(axis=0) for start, end in row.spans]) @ _score(adapter)
    scores = np.full(len(cells), read.min(), dtype=np.float64)
    scores[: len(read)] = read
    scores -= scores.max()
    scores.setflags(write=False)
    return scores


@cache
def _score(adapter: Path) -> npt.NDArray[np.float32]:
    from safetensors.numpy import load_file

    score: npt.NDArray[np.float32] = load_file(adapter)[SCORE].astype(np.float32)
    return score


SHIPPED_READER = RowReader()
