"""Any model of the sentence-transformers library, by name: `st:BAAI/bge-m3`, `st:nomic-ai/nomic-embed-text-v1.5`."""

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from retrieval.errors import EmbedderMismatchError, EmbedderUnavailableError, ModelError
from retrieval.index.embedding.model_cards import card_of
from retrieval.index.embedding.wordllama_model import no_token_vector
from retrieval.models.sentence_library import loaded
from retrieval.types import EmbedderIdentity, Vector

PREFIX = "st:"
_BATCH = 32
_TRUST = "QUERYMUST_TRUST_MODEL_CODE"


class SentenceEmbedder:
    """Vectors of a sentence-transformers model that is on this machine already, L2-normalised.

    Args:
        model: as the hub or a folder calls it.
        environment: QUERYMUST_TRUST_MODEL_CODE=1 lets a model run code of its own.
    """

    def __init__(self, model: str, environment: Mapping[str, str] = os.environ) -> None:
        self._name, self._card = model, card_of(model)
        self._trusted = environment.get(_TRUST) == "1"

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """`st:MODEL`, the library's version, and the model's dimensions; an unknown model is loaded to ask it."""
        dimensions = self._card.dimensions or int(self._encoded(["dimensions"]).shape[1])
        try:
            release = version("sentence-transformers")
        except PackageNotFoundError:
            release = "unknown"
        return EmbedderIdentity(PREFIX + self._name, self._card.version(release), dimensions)

    def embed_query(self, query: str) -> Vector:
        """Return the vector of a question, (dimensions,), with the model's prefix for questions."""
        vector: Vector = self._embed([self._card.query + query])[0]
        return vector

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return a matrix (len(texts), dimensions), with the model's prefix for texts.

        Raises:
            EmbedderUnavailableError: the library or the model is not on this machine.
            EmbedderMismatchError: the model answers another dimension than its name promises.
        """
        return self._embed([self._card.text + text for text in texts])

    def count_tokens(self, text: str) -> int:
        """How many tokens of this model a text has, with those that it puts around every text."""
        return len(self._model.tokenizer.encode(text, truncation=False))

    def _embed(self, texts: list[str]) -> Vector:
        dimensions = self.identity.dimensions
        if not texts:
            return np.zeros((0, dimensions), dtype=np.float32)
        matrix = self._encoded(texts)
        if matrix.shape != (len(texts), dimensions):
            raise EmbedderMismatchError(
                f"{self._name} answered vectors of shape {matrix.shape}, not {(len(texts), dimensions)}; "
                "fetch the model again, or give a folder of another model its own name"
            )
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        matrix /= np.where(lengths > 0, lengths, 1)
        matrix[lengths[:, 0] == 0] = no_token_vector(dimensions)
        return matrix

    def _encoded(self, texts: list[str]) -> Vector:
        encoded = self._model.encode(texts, batch_size=_BATCH, convert_to_numpy=True, show_progress_bar=False)
        return np.array(encoded, dtype=np.float32)

    @cached_property
    def _model(self) -> Any:
        if self._card.own_code and not self._trusted:
            raise EmbedderUnavailableError(
                f"{self._name} runs code of its own; read it, then set {_TRUST}=1, or use --embedder wordllama",
                passing=False,
                general=True,
            )
        try:
            return loaded("SentenceTransformer", self._name, may_run_code=self._trusted)
        except ModelError as error:
            raise EmbedderUnavailableError(
                f"{PREFIX}{error}, or use --embedder wordllama", passing=False, general=True
            ) from error
