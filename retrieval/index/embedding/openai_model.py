"""OpenAI's text-embedding-3-small, or any server that speaks its protocol."""

import os
from collections.abc import Mapping, Sequence

import numpy as np

from retrieval.errors import EmbedderMismatchError, EmbedderUnavailableError, ModelError
from retrieval.models.access import Access
from retrieval.models.openai_client import CHECK, OpenAiClient
from retrieval.types import EmbedderIdentity, Vector

_MODEL = "text-embedding-3-small"
_DIMENSIONS = 1536
_BATCH = 256
_MAX_CHARACTERS = 8191 * 4
"""Longer texts are cut: the model refuses more than 8,192 tokens, and a token of English has about 4 characters."""


class OpenAiEmbedder:
    """Vectors from an OpenAI-compatible server, in batches of 256, retried with growing pauses.

    Args:
        environment: OPENAI_API_KEY, and OPENAI_BASE_URL for another server.
        retries: how often a request that failed for a passing reason is sent again.
        timeout: seconds for one request.

    The key and the server are needed at the first text only: a build whose vectors are all there needs neither.
    """

    identity = EmbedderIdentity("openai", _MODEL, _DIMENSIONS)

    def __init__(self, environment: Mapping[str, str] = os.environ, *, retries: int = 4, timeout: float = 60.0) -> None:
        self._access = Access.of_environment(environment)
        self._client = OpenAiClient(self._access, retries=retries, timeout=timeout)

    def embed_query(self, query: str) -> Vector:
        """Return the vector of a question; this model reads it as it reads a text."""
        vector: Vector = self.embed([query])[0]
        return vector

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return a matrix (len(texts), 1536), L2-normalised. An empty text is sent as one space.

        Raises:
            EmbedderUnavailableError: there is no key, or the server cannot be reached or refuses.
            EmbedderMismatchError: it answered vectors of another dimension, or none.
        """
        if not texts:
            return np.empty((0, _DIMENSIONS), dtype=np.float32)
        sent = [text[:_MAX_CHARACTERS] or " " for text in texts]
        rows = [row for start in range(0, len(sent), _BATCH) for row in self._request(sent[start : start + _BATCH])]
        matrix = np.asarray(rows, dtype=np.float32).reshape(len(texts), -1)
        if matrix.shape[1] != _DIMENSIONS:
            raise EmbedderMismatchError(
                f"{_MODEL} answered {matrix.shape[1]} dimensions, not {_DIMENSIONS}; is OPENAI_BASE_URL another model?"
            )
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not (np.isfinite(matrix).all() and (lengths > 0).all()):
            raise EmbedderMismatchError(f"{_MODEL} answered a zero or endless vector; ask the server's owner")
        normalised: Vector = (matrix / lengths).reshape(len(texts), _DIMENSIONS)
        return normalised

    def _request(self, texts: list[str]) -> list[list[float]]:
        try:
            self._access.require("openai", "use --embedder wordllama")
            rows = self._client.embed(_MODEL, texts)
        except ModelError as error:
            if not self._access:
                raise EmbedderUnavailableError(str(error)) from error
            raise EmbedderUnavailableError(
                f"openai could not embed {len(texts)} texts ({error.said}); {CHECK}, then run again: "
                "finished batches are kept"
            ) from error
        if len(rows) != len(texts):
            raise EmbedderMismatchError(f"{_MODEL} answered {len(rows)} vectors for {len(texts)} texts")
        return rows
