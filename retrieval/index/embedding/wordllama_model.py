"""The offline default: wordllama's static vectors, whose weights and tokenizer are inside its wheel."""

import logging
from collections.abc import Sequence
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from retrieval.errors import EmbedderMismatchError
from retrieval.language.canonical import canonical, literal
from retrieval.types import EmbedderIdentity, Vector

_DIMENSIONS = 256
_BEGINS_A_WORD = "▁"
_BATCH = 1024


class WordllamaEmbedder:
    """Mean of static token vectors, L2-normalised; no network ever.

    A mean of tokens has no grammar, so texts are embedded in literal form and questions in canonical form: `AC` and
    `armour class` become one word, and `7th level` matches `level 7`.
    A text's vector does not depend on the texts embedded beside it, to the last bit.
    A text without a token (the empty one) gets the fixed unit vector of `no_token_vector`, never NaN.
    """

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """`wordllama`, the version of its wheel and of the form in which texts are read, and 256 dimensions."""
        return EmbedderIdentity("wordllama", f"{version('wordllama')}+canonical", _DIMENSIONS)

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return a matrix (len(texts), 256)."""
        return self._embed([literal(text) for text in texts])

    def embed_query(self, query: str) -> Vector:
        """Return the vector of a question, (256,)."""
        vector: Vector = self._embed([canonical(query).text.strip()])[0]
        return vector

    def embed_one(self, text: str) -> Vector:
        """Return the vector that `embed` gives this text, (256,); faster for a few short texts."""
        return self._pooled(self._tokenizer.encode(literal(text), add_special_tokens=False).ids)

    def length_of(self, text: str) -> float:
        """Return the length of the sum of a text's token vectors: greater for rare words than for common ones."""
        rows = np.minimum(self._tokenizer.encode(text, add_special_tokens=False).ids, len(self._table) - 1)
        return float(np.linalg.norm(self._table[rows].sum(axis=0))) if len(rows) else 0.0

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Words that are one token of this model, in lower case, sorted; some are only beginnings of words."""
        begun = (token[1:] for token in self._tokenizer.get_vocab() if token[0] == _BEGINS_A_WORD)
        return tuple(sorted(token for token in begun if token.isascii() and token.isalpha() and token.islower()))

    def count_tokens(self, text: str) -> int:
        """Return how many tokens of this model a text has."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _embed(self, texts: Sequence[str]) -> Vector:
        matrix = np.empty((len(texts), _DIMENSIONS), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = list(texts[start : start + _BATCH])
            for position, encoding in enumerate(self._tokenizer.encode_batch(batch, add_special_tokens=False), start):
                matrix[position] = self._pooled(encoding.ids)
        return matrix

    def _pooled(self, token_ids: list[int]) -> Vector:
        if not token_ids:
            return no_token_vector(_DIMENSIONS)
        # Token ids above the table are clipped, as wordllama itself does.
        rows = np.minimum(token_ids, len(self._table) - 1)
        mean: Vector = self._table[rows].mean(axis=0)
        length = float(np.linalg.norm(mean))
        return mean / np.float32(length) if length > 0 else no_token_vector(_DIMENSIONS)

    @property
    def _tokenizer(self) -> Any:
        return _model().tokenizer

    @cached_property
    def _table(self) -> Vector:
        table: Vector = _model().embedding
        if table.ndim != 2 or table.shape[1] != _DIMENSIONS:
            raise EmbedderMismatchError(
                f"the weights of wordllama are of shape {table.shape}, not (tokens, {_DIMENSIONS}); install it again: "
                "pip install --force-reinstall wordllama"
            )
        return table


@cache
def _model() -> Any:
    """Load the weights and the tokenizer, once in each process; embedders only read them."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    import wordllama

    # Importing it calls logging.basicConfig(INFO), which would make every library write to stderr.
    root.handlers[:] = before
    root.setLevel(level)
    model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    model.tokenizer.no_padding()
    return model


def no_token_vector(dimensions: int) -> Vector:
    """Return the unit vector of a text that has no token: the first axis."""
    vector = np.zeros(dimensions, dtype=np.float32)
    vector[0] = 1.0
    return vector
