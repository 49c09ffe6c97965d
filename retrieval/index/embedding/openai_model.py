"""OpenAI's text-embedding-3-small, and any other model of a server that speaks OpenAI's protocol."""

import os
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from retrieval.errors import EmbedderMismatchError, EmbedderUnavailableError, ModelError, ModelKeyError
from retrieval.index.embedding.sentence_model import card_of
from retrieval.models.access import Access
from retrieval.models.openai_client import CHECK, OpenAiClient
from retrieval.types import EmbedderIdentity, Vector

OF_A_SERVER = "openai:"
_MODEL = "text-embedding-3-small"
_BATCH = 256
_MAX_CHARACTERS = 8191 * 4
"""Longer texts are truncated: the model refuses more than 8,192 tokens, and an English token has about 4 characters."""

_ABOUT_A_TEXT = frozenset({400, 413, 422})
"""HTTP statuses that reject the text of a request; the server may accept another text."""


class OpenAiEmbedder:
    """Vectors from an OpenAI-compatible server, in batches of 256, retried with growing pauses.

    Args:
        environment: OPENAI_API_KEY, and OPENAI_BASE_URL for another server.
        model: its name on the server.
        client: the client for the server; None: a new one.

    The key and the server are only needed for the first text: a build whose vectors are all stored needs neither. Only
    the dimensions of a model that has no card must be requested before.
    """

    def __init__(
        self,
        environment: Mapping[str, str] = os.environ,
        *,
        model: str = _MODEL,
        client: OpenAiClient | None = None,
    ) -> None:
        self._model, self._card = model, card_of(model)
        self._client = client or OpenAiClient(Access.of_environment(environment))

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """`openai`, or `openai:MODEL` for another model than OpenAI's usual one.

        Raises:
            EmbedderUnavailableError: the model has no card, and the server cannot be reached.
        """
        name = "openai" if self._model == _MODEL else OF_A_SERVER + self._model
        dimensions = self._card.dimensions or len(self._request(["dimensions"])[0])
        return EmbedderIdentity(name, self._card.version(self._model), dimensions)

    def embed_query(self, query: str) -> Vector:
        """Return the vector of a question, with the model's prefix for questions."""
        vector: Vector = self._embed([self._card.query + query])[0]
        return vector

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return a matrix (len(texts), dimensions), L2-normalised. An empty text is sent as one space.

        Raises:
            EmbedderUnavailableError: there is no key, or the server cannot be reached or refuses.
            EmbedderMismatchError: it returned vectors of another dimension, or none.
        """
        return self._embed([self._card.text + text for text in texts])

    def _embed(self, texts: Sequence[str]) -> Vector:
        dimensions = self.identity.dimensions
        if not texts:
            return np.empty((0, dimensions), dtype=np.float32)
        sent = [text[:_MAX_CHARACTERS] or " " for text in texts]
        rows = [row for start in range(0, len(sent), _BATCH) for row in self._request(sent[start : start + _BATCH])]
        matrix = np.asarray(rows, dtype=np.float32).reshape(len(texts), -1)
        if matrix.shape[1] != dimensions:
            raise EmbedderMismatchError(
                f"{self._model} returned vectors of {matrix.shape[1]} dimensions, not {dimensions}; does "
                "OPENAI_BASE_URL serve another model?"
            )
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not (np.isfinite(matrix).all() and (lengths > 0).all()):
            raise EmbedderMismatchError(f"{self._model} returned a zero or infinite vector; ask the server's operator")
        normalised: Vector = (matrix / lengths).reshape(len(texts), dimensions)
        return normalised

    def _request(self, texts: list[str]) -> list[list[float]]:
        access = self._client.access
        try:
            access.require("openai", "use --embedder wordllama")
            rows = self._client.embed(self._model, texts)
        except ModelError as error:
            if isinstance(error, ModelKeyError):
                advice = "" if not access else ", or use --embedder wordllama"
                raise EmbedderUnavailableError(f"{error}{advice}", passing=False, general=True) from error
            raise EmbedderUnavailableError(
                f"{self._model} at {access.server} could not embed {len(texts)} texts ({error.reason}); {CHECK}, then "
                "run again: finished batches are kept",
                passing=error.passing,
                general=error.passing or error.status not in _ABOUT_A_TEXT,
            ) from error
        if len(rows) != len(texts):
            raise EmbedderMismatchError(f"{self._model} returned {len(rows)} vectors for {len(texts)} texts")
        return rows
