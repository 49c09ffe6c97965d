"""Trains the row reader: MiniLM with an adapter that finds the cell of a row for which a question asks."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.rag.row_reader import LONGEST, SCORE, RowTokens
from tools.fit.logit import FittingError
from tools.fit.minilm import Adapter, Arrays, MiniLmEncoder, Settings, jax_library, padded, trained

BATCH = 16
_LENGTHS = (48, 64, 96, 128, LONGEST)
"""Numbers of tokens to which a batch is filled up, so that few shapes are compiled."""
_CELLS = 24
"""Cells of a row that are trained on."""
_FAR = -1e9


SETTINGS = Settings(epochs=3, rate=1e-3, warm_up=50, longest_step=1.0)


@dataclass(frozen=True, slots=True, eq=False)
class ReadRow:
    """A question and the row that answers it, as the model reads them."""

    row: RowTokens
    wanted: npt.NDArray[np.float64]
    """(cells,) how much each cell is the answer; sums to 1."""
    weight: float


class RowReaderTrainer:
    """Trains readers on rows whose lower states are computed once.

    The loss of a question is the cross-entropy of its cells' softmax and the cells that are wanted.

    Args:
        rows: all questions; a reader is trained on some of them.
        weights: file of the published model.
        settings: how.
        seed: of the order of questions and the first values.

    Raises:
        FittingError: JAX is not installed.
    """

    def __init__(self, rows: Sequence[ReadRow], weights: Path, settings: Settings = SETTINGS, seed: int = 0) -> None:
        self._rows, self._settings, self._seed = rows, settings, seed
        self._encoder = MiniLmEncoder(weights, settings.first_layer)
        self._states: dict[int, npt.NDArray[np.float16]] = {}

    def adapter(self, numbers: Sequence[int]) -> Adapter:
        """Train on some rows.

        Args:
            numbers: positions of the rows.

        Raises:
            FittingError: there are none, or JAX or Optax is not installed.
        """
        settings, draws = self._settings, random.Random(self._seed)
        steps = [step for _ in range(settings.epochs) for step in self._order(numbers, draws)]
        if not steps:
            raise FittingError("the row reader is trained on questions that a row answers; there are none")
        adapter = self._encoder.fresh_adapter(settings.rank, self._seed)
        adapter[SCORE] = np.zeros(next(iter(adapter.values())).shape[0], dtype=np.float32)
        batches = (self._arrays(length, chosen) for length, chosen in steps)
        return trained(adapter, self._loss, batches, len(steps), settings)

    def _order(self, numbers: Sequence[int], draws: random.Random) -> list[tuple[int, list[int]]]:
        """Batches of rows of about the same length, in the order of an epoch."""
        waiting: dict[int, list[int]] = {length: [] for length in _LENGTHS}
        batches: list[tuple[int, list[int]]] = []
        for number in draws.sample(numbers, len(numbers)):
            length = next(length for length in _LENGTHS if len(self._rows[number].row.tokens) <= length)
            waiting[length].append(number)
            if len(waiting[length]) == BATCH:
                batches.append((length, waiting[length]))
                waiting[length] = []
        batches += [(length, rest) for length, rest in waiting.items() if rest]
        draws.shuffle(batches)
        return batches

    def _arrays(self, length: int, numbers: Sequence[int]) -> tuple[Any, ...]:
        """The arrays of a batch that `_loss` takes."""
        self._read(length, [number for number in numbers if number not in self._states])
        width = self._states[numbers[0]].shape[1]
        states, mask = np.zeros((BATCH, length, width), np.float32), np.zeros((BATCH, length), np.bool_)
        cells, wanted = np.zeros((BATCH, _CELLS, length), np.float32), np.zeros((BATCH, _CELLS), np.float32)
        weights = np.zeros(BATCH, np.float32)
        mask[:, 0] = True  # filling, too, needs a token to attend to
        for position, number in enumerate(numbers):
            example, kept = self._rows[number], self._states[number]
            states[position, : len(kept)], mask[position, : len(kept)] = kept, True
            for cell, (start, end) in enumerate(example.row.spans[:_CELLS]):
                cells[position, cell, start:end] = 1.0 / (end - start)
            shares = example.wanted[: min(_CELLS, len(example.row.spans))]
            wanted[position, : len(shares)], weights[position] = shares, example.weight * bool(shares.any())
        return states, mask, cells, wanted, weights

    def _read(self, length: int, numbers: Sequence[int]) -> None:
        """Keep the lower states of up to `BATCH` rows."""
        if not numbers:
            return
        tokens, mask = padded([self._rows[number].row.tokens for number in numbers], length, BATCH)
        for number, states in zip(numbers, self._encoder.states(tokens, mask), strict=False):
            self._states[number] = states[: len(self._rows[number].row.tokens)]

    def _loss(self, adapter: Arrays, states: Any, mask: Any, cells: Any, wanted: Any, weights: Any) -> Any:
        """Mean loss of a batch.

        Args:
            adapter: that is trained.
            states: (BATCH, length, width) of the lower layers.
            mask: (BATCH, length) which are tokens.
            cells: (BATCH, _CELLS, length) each token's share of the mean of its cell.
            wanted: (BATCH, _CELLS)
            weights: (BATCH,) 0 for filling.
        """
        numpy, nn = jax_library().numpy, jax_library().nn
        means = numpy.einsum("bcl,bld->bcd", cells, self._encoder.upper_states(states, mask, adapter))
        is_cell = cells.any(-1)
        shares = nn.log_softmax(numpy.where(is_cell, means @ adapter[SCORE], _FAR), -1)
        losses = -(numpy.where(is_cell, shares, 0.0) * wanted).sum(-1)
        return (losses * weights).sum() / numpy.maximum(weights.sum(), 1e-6)
