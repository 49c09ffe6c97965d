"""Models of sentence-transformers by name (`st:BAAI/bge-m3`), with prefixes from model cards."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

import numpy as np

from retrieval.errors import EmbedderMismatchError, EmbedderUnavailableError, ModelError
from retrieval.files.versions import install
from retrieval.index.embedding.wordllama_model import no_token_vector
from retrieval.types import EmbedderIdentity, Vector


@dataclass(frozen=True, slots=True)
class Card:
    """The dimensions and prefixes of one family of models."""

    dimensions: int | None = None
    """None if unknown: the model itself is then asked for a vector."""
    query: str = ""
    """The prefix for questions."""
    text: str = ""
    """The prefix for texts that are searched."""
    own_code: bool = False
    """Whether sentence-transformers runs Python code that comes with the model."""

    def version(self, of: str) -> str:
        """Return a model's version, which includes the prefix for texts because it changes their vectors."""
        return f"{of}+{self.text.strip()}" if self.text else of


_SEARCHING = "Represent this sentence for searching relevant passages: "
_ANSWERING = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "

CARDS: Mapping[str, Card] = {
    "nomic-embed-text": Card(768, "search_query: ", "search_document: ", own_code=True),
    "bge-small-en": Card(384, _SEARCHING),
    "bge-base-en": Card(768, _SEARCHING),
    "bge-large-en": Card(1024, _SEARCHING),
    "bge-m3": Card(1024),  # its card states that it was trained without an instruction
    "mxbai-embed-large": Card(1024, _SEARCHING),
    "e5-small": Card(384, "query: ", "passage: "),
    "e5-base": Card(768, "query: ", "passage: "),
    "e5-large": Card(1024, "query: ", "passage: "),
    "multilingual-e5-small": Card(384, "query: ", "passage: "),
    "multilingual-e5-base": Card(768, "query: ", "passage: "),
    "multilingual-e5-large": Card(1024, "query: ", "passage: "),
    "multilingual-e5-large-instruct": Card(1024, _ANSWERING),
    "all-minilm-l6": Card(384),
    "text-embedding-3-small": Card(1536),
    "text-embedding-3-large": Card(3072),
    "text-embedding-ada-002": Card(1536),
}
"""Cards by the beginning of a model's name, without its owner."""


def card_of(model: str) -> Card:
    """Return the card of the model's family, or an empty one if the family is unknown.

    Servers use several names for one model: `nomic-ai/nomic-embed-text-v2-moe`, `nomic-embed-text:latest`.
    """
    name = model.rstrip("/").rpartition("/")[2].lower()
    families = [family for family in CARDS if name.startswith(family)]
    return CARDS[max(families, key=len)] if families else Card()


Kind = Literal["SentenceTransformer", "CrossEncoder"]


def loaded(kind: Kind, model: str, *, may_run_code: bool = False) -> Any:
    """Load a model of the library.

    Args:
        model: its name on the hub, or a folder.
        may_run_code: whether Python code that comes with it is run.

    Raises:
        ModelError: the library or the model is not on this machine.
    """
    try:
        import sentence_transformers
    except ImportError as error:
        raise ModelError(f"{model} needs a Python package: {install('st')}") from error
    try:
        return getattr(sentence_transformers, kind)(model, local_files_only=True, trust_remote_code=may_run_code)
    except (OSError, ValueError) as error:
        raise ModelError(
            f'{model} is not on this machine ({error}); fetch it once with `python -c "from sentence_transformers '
            f"import {kind} as M; M('{model}')\"`"
        ) from error


PREFIX = "st:"
_BATCH = 32
_TRUST = "QUERYMUST_TRUST_MODEL_CODE"


class SentenceEmbedder:
    """Vectors of a sentence-transformers model that is already on this machine, L2-normalised.

    Args:
        model: its name on the hub, or a folder.
        environment: QUERYMUST_TRUST_MODEL_CODE=1 lets a model run its own code.
    """

    def __init__(self, model: str, environment: Mapping[str, str] = os.environ) -> None:
        self._name, self._card = model, card_of(model)
        self._trusted = environment.get(_TRUST) == "1"

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """`st:MODEL`, the library's version, and the model's dimensions; an unknown model is loaded to find them."""
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
            EmbedderMismatchError: the model's vectors have other dimensions than its card states.
        """
        return self._embed([self._card.text + text for text in texts])

    def count_tokens(self, text: str) -> int:
        """Return how many tokens of this model a text has, special tokens included."""
        return len(self._model.tokenizer.encode(text, truncation=False))

    def _embed(self, texts: list[str]) -> Vector:
        dimensions = self.identity.dimensions
        if not texts:
            return np.zeros((0, dimensions), dtype=np.float32)
        matrix = self._encoded(texts)
        if matrix.shape != (len(texts), dimensions):
            raise EmbedderMismatchError(
                f"{self._name} returned vectors of shape {matrix.shape}, not {(len(texts), dimensions)}; "
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
                f"{self._name} runs its own code; read it, then set {_TRUST}=1, or use --embedder wordllama",
                passing=False,
                general=True,
            )
        try:
            return loaded("SentenceTransformer", self._name, may_run_code=self._trusted)
        except ModelError as error:
            raise EmbedderUnavailableError(
                f"{PREFIX}{error}, or use --embedder wordllama", passing=False, general=True
            ) from error
