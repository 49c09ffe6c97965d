"""all-MiniLM-L6-v2 as Chroma ships it (ONNX); its weights are downloaded once, if you allow it."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from retrieval.errors import EmbedderMismatchError, EmbedderUnavailableError
from retrieval.index.chroma.store import onnx_minilm
from retrieval.index.embedding.wordllama_model import no_token_vector
from retrieval.types import EmbedderIdentity, Vector

_DIMENSIONS = 384
_BATCH = 256
_WEIGHTS = ("model.onnx", "tokenizer.json")


class MiniLmEmbedder:
    """Sentence vectors of all-MiniLM-L6-v2, 384 dimensions, L2-normalised. Nothing is downloaded behind one's back."""

    identity = EmbedderIdentity("minilm", "all-MiniLM-L6-v2-onnx", _DIMENSIONS)

    def embed_query(self, query: str) -> Vector:
        """Return the vector of a question; this model reads it as it reads a text."""
        vector: Vector = self.embed([query])[0]
        return vector

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return a matrix (len(texts), 384).

        Raises:
            EmbedderUnavailableError: the weights are not on this machine.
            EmbedderMismatchError: they are another model's.
        """
        rows: list[Vector] = []
        for start in range(0, len(texts), _BATCH):
            rows.extend(self._function(list(texts[start : start + _BATCH])))
        matrix = np.asarray(rows, dtype=np.float32).reshape(len(texts), -1 if texts else _DIMENSIONS)
        if matrix.shape[1] != _DIMENSIONS:
            raise EmbedderMismatchError(
                f"minilm answered {matrix.shape[1]} dimensions, not {_DIMENSIONS}; "
                "delete its weights and fetch them again"
            )
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        matrix /= np.where(lengths > 0, lengths, 1)
        matrix[lengths[:, 0] == 0] = no_token_vector(_DIMENSIONS)
        return matrix

    def count_tokens(self, text: str) -> int:
        """How many tokens of this model a text has.

        Raises:
            EmbedderUnavailableError: the tokenizer is not on this machine.
        """
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        _, folder = onnx_minilm()
        _require_weights(folder)
        return Tokenizer.from_file(str(folder / "tokenizer.json"))

    @cached_property
    def _function(self) -> Callable[[list[str]], Sequence[Vector]]:
        function, folder = onnx_minilm()
        _require_weights(folder)
        return function


def _require_weights(folder: Path) -> None:
    absent = [name for name in _WEIGHTS if not (folder / name).is_file()]
    if absent:
        raise EmbedderUnavailableError(
            f"minilm has no {' and no '.join(absent)} in {folder}; fetch them once with "
            "`python -c \"from chromadb.utils.embedding_functions import ONNXMiniLM_L6_V2 as M; M()(['x'])\"`, "
            "or use --embedder wordllama"
        )
