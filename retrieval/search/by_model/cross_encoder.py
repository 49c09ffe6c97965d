"""The order of a cross-encoder of the sentence-transformers library: it reads the question and a passage together."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from retrieval.models.sentence_library import loaded
from retrieval.types import Chunk

_BATCH = 32


def cross_encoded(model: str, question: str, chunks: Sequence[Chunk]) -> list[float]:
    """How well each passage answers, in the model's own unit.

    Raises:
        ModelError: the library or the model is not on this machine.
    """
    pairs = [(question, chunk.search_text) for chunk in chunks]
    scores = _encoder(model).predict(pairs, batch_size=_BATCH, convert_to_numpy=True, show_progress_bar=False)
    found: list[float] = np.asarray(scores, dtype=np.float64).reshape(len(chunks)).tolist()
    return found


@lru_cache(maxsize=2)
def _encoder(model: str) -> Any:
    return loaded("CrossEncoder", model)
