"""Any model of the sentence-transformers library, by name: `st:BAAI/bge-m3`, `st:nomic-ai/nomic-embed-text-v1.5`."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from retrieval.errors import EmbedderMismatchError, EmbedderUnavailableError
from retrieval.index.embedding.wordllama_model import no_token_vector
from retrieval.types import EmbedderIdentity, Vector

PREFIX = "st:"
_BATCH = 32
_TRUST = "QUERYMUST_TRUST_MODEL_CODE"


@dataclass(frozen=True, slots=True)
class _Known:
    """What a model's card says; a model that is not listed gets no prefix."""

    dimensions: int
    query: str = ""
    text: str = ""
    own_code: bool = False
    """The model brings Python code of its own."""


_KNOWN: Mapping[str, _Known] = {
    # bge-m3 was trained without an instruction, and says so.
    "BAAI/bge-m3": _Known(1024),
    "BAAI/bge-small-en-v1.5": _Known(384, "Represent this sentence for searching relevant passages: "),
    "BAAI/bge-base-en-v1.5": _Known(768, "Represent this sentence for searching relevant passages: "),
    "nomic-ai/nomic-embed-text-v1": _Known(768, "search_query: ", "search_document: ", own_code=True),
    "nomic-ai/nomic-embed-text-v1.5": _Known(768, "search_query: ", "search_document: ", own_code=True),
    "nomic-ai/nomic-embed-text-v2-moe": _Known(768, "search_query: ", "search_document: ", own_code=True),
    "intfloat/e5-base-v2": _Known(768, "query: ", "passage: "),
    "sentence-transformers/all-MiniLM-L6-v2": _Known(384),
}


class SentenceEmbedder:
    """Vectors of a sentence-transformers model that is on this machine already, L2-normalised.

    Args:
        model: as the hub or a folder calls it.
        environment: QUERYMUST_TRUST_MODEL_CODE=1 lets a model run code of its own.
    """

    def __init__(self, model: str, environment: Mapping[str, str] = os.environ) -> None:
        self._name, self._known = model, _KNOWN.get(model)
        self._trusted = environment.get(_TRUST) == "1"

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """`st:MODEL`, the library's version, and the model's dimensions; an unlisted model is loaded to ask it."""
        dimensions = self._known.dimensions if self._known else int(self._encoded(["dimensions"]).shape[1])
        try:
            release = version("sentence-transformers")
        except PackageNotFoundError:
            release = "unknown"
        return EmbedderIdentity(PREFIX + self._name, release, dimensions)

    def embed_query(self, query: str) -> Vector:
        """Return the vector of a question, (dimensions,), with the model's prefix for questions."""
        vector: Vector = self._embed([(self._known.query if self._known else "") + query])[0]
        return vector

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return a matrix (len(texts), dimensions), with the model's prefix for texts.

        Raises:
            EmbedderUnavailableError: the library or the model is not on this machine.
            EmbedderMismatchError: the model answers another dimension than its name promises.
        """
        prefix = self._known.text if self._known else ""
        return self._embed([prefix + text for text in texts])

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
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise EmbedderUnavailableError(
                f"{PREFIX}{self._name} needs the library: pip install 'querymust[st]', or use --embedder wordllama"
            ) from error
        if self._known and self._known.own_code and not self._trusted:
            raise EmbedderUnavailableError(
                f"{self._name} runs code of its own; read it, then set {_TRUST}=1, or use --embedder wordllama"
            )
        try:
            return SentenceTransformer(self._name, local_files_only=True, trust_remote_code=self._trusted)
        except (OSError, ValueError) as error:
            raise EmbedderUnavailableError(
                f'{self._name} is not on this machine ({error}); fetch it once with `python -c "from '
                f"sentence_transformers import SentenceTransformer as S; S('{self._name}')\"`, "
                "or use --embedder wordllama"
            ) from error
