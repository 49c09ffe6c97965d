"""MiniLM in JAX, with adapters of low rank (LoRA, Hu et al. 2021) that can be trained."""

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.files.atomic_files import write_atomically
from retrieval.index.embedding.minilm_model import HEADS
from retrieval.types import Vector
from tools.fit.logit import fitting_library

Arrays = Mapping[str, Any]
"""Arrays of JAX by name."""
Adapter = Mapping[str, npt.NDArray[np.float32]]
"""`<layer>.a` (inputs, rank) and `<layer>.b` (rank, outputs), as `BertGraph` reads them."""

_LAYERS = (
    *("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"),
    *("intermediate.dense", "output.dense"),
)
_EPSILON = 1e-12


BATCH = 32
"""Texts that are read at once."""


class MiniLmEncoder:
    """MiniLM in JAX: its lower layers as published, its upper layers with an adapter.

    Args:
        weights: file in the safetensors format, with the names of the transformers library.
        first_layer: that has an adapter.

    Raises:
        FittingError: JAX is not installed.
    """

    def __init__(self, weights: Path, first_layer: int) -> None:
        jax = jax_library()
        from safetensors.numpy import load_file

        numbers = {name: array for name, array in load_file(weights).items() if array.dtype.kind == "f"}
        self._weights: Arrays = {name: jax.numpy.asarray(array) for name, array in numbers.items()}
        layers = {int(name.split(".")[2]) for name in numbers if name.startswith("encoder.layer.")}
        self._below, self._above = range(first_layer), range(first_layer, len(layers))
        self._lower, self._upper = jax.jit(self._states), jax.jit(self.vectors)

    def states(self, tokens: npt.NDArray[np.int32], mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.float16]:
        """(texts, length, width) what the lower layers make of tokens; `mask`: which are tokens of the text."""
        batches = range(0, len(tokens), BATCH)
        parts = [np.asarray(self._lower(tokens[at : at + BATCH], mask[at : at + BATCH]), np.float16) for at in batches]
        return np.concatenate(parts)

    def embedded(self, states: npt.NDArray[np.float16], mask: npt.NDArray[np.bool_], adapter: Arrays) -> Vector:
        """(texts, dimensions) vectors of texts whose lower states are known."""
        batches = range(0, len(states), BATCH)
        return np.concatenate(
            [np.asarray(self._upper(states[at : at + BATCH], mask[at : at + BATCH], adapter)) for at in batches]
        )

    def fresh_adapter(self, rank: int, seed: int) -> dict[str, Any]:
        """An adapter that changes nothing yet."""
        draws, adapter = np.random.default_rng(seed), {}
        for layer in (f"encoder.layer.{number}.{name}" for number in self._above for name in _LAYERS):
            outputs, inputs = self._weights[f"{layer}.weight"].shape
            adapter[f"{layer}.a"] = (draws.standard_normal((inputs, rank)) / inputs**0.5).astype(np.float32)
            adapter[f"{layer}.b"] = np.zeros((rank, outputs), dtype=np.float32)
        return adapter

    def upper_states(self, states: Any, mask: Any, adapter: Arrays) -> Any:
        """(texts, length, width) what the upper layers make of lower states; JAX can differentiate it."""
        for number in self._above:
            states = self._layer(f"encoder.layer.{number}.", states, mask, adapter)
        return states

    def vectors(self, states: Any, mask: Any, adapter: Arrays) -> Any:
        """(texts, dimensions) L2-normalised means of `upper_states`."""
        states = self.upper_states(states, mask, adapter)
        shown = mask[..., None]
        means = (states * shown).sum(1) / shown.sum(1)
        return means / (means**2).sum(-1, keepdims=True) ** 0.5

    def _states(self, tokens: Any, mask: Any) -> Any:
        words, places, kinds = (
            self._weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
        )
        states = self._normed("embeddings.", words[tokens] + places[: tokens.shape[1]] + kinds[0])
        for number in self._below:
            states = self._layer(f"encoder.layer.{number}.", states, mask, {})
        return states

    def _layer(self, name: str, x: Any, mask: Any, adapter: Arrays) -> Any:
        jax, (n, length, width) = jax_library(), x.shape
        query, key, value = (
            self._linear(f"{name}attention.self.{what}", x, adapter)
            .reshape(n, length, HEADS, width // HEADS)
            .transpose(0, 2, 1, 3)
            for what in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) * (width // HEADS) ** -0.5
        shares = jax.nn.softmax(jax.numpy.where(mask[:, None, None, :], scores, -1e9), -1)
        heads = (shares @ value).transpose(0, 2, 1, 3).reshape(n, length, width)
        attended = self._linear(f"{name}attention.output.dense", heads, adapter)
        x = self._normed(f"{name}attention.output.", x + attended)
        wide = jax.nn.gelu(self._linear(f"{name}intermediate.dense", x, adapter), approximate=False)
        return self._normed(f"{name}output.", x + self._linear(f"{name}output.dense", wide, adapter))

    def _linear(self, name: str, x: Any, adapter: Arrays) -> Any:
        y = x @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return y + (x @ adapter[f"{name}.a"]) @ adapter[f"{name}.b"] if f"{name}.a" in adapter else y

    def _normed(self, name: str, x: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / ((centred**2).mean(-1, keepdims=True) + _EPSILON) ** 0.5
        return scaled * self._weights[f"{name}LayerNorm.weight"] + self._weights[f"{name}LayerNorm.bias"]


def jax_library() -> Any:
    """JAX. Raises FittingError: it is not installed."""
    return fitting_library("jax", "JAX")


def optax_library() -> Any:
    """Optax. Raises FittingError: it is not installed."""
    optax = fitting_library("optax", "Optax")
    # Abseil, which comes with it, logs to `sys.stderr` as it is now, and closes that once logging is configured anew
    # and `sys.stderr` is another. What the process began with it never closes.
    import_module("absl.logging").get_absl_handler().python_handler.setStream(sys.__stderr__)
    return optax


def save_adapter(adapter: Adapter, file: Path) -> None:
    """Write an adapter in the safetensors format, in half precision."""
    from safetensors.numpy import save

    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, save({name: values.astype(np.float16) for name, values in sorted(adapter.items())}))
