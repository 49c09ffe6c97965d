"""MiniLM in JAX, with adapters of low rank (LoRA, Hu et al. 2021) that can be trained."""

import random
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.files.atomic_files import write_atomically
from retrieval.index.embedding.minilm_model import HEADS
from retrieval.types import Vector
from tools.corpora.indexes import Tell, keep_adapters
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


@dataclass(frozen=True, slots=True)
class Settings:
    """How an adapter is trained."""

    first_layer: int = 3
    """The layers below stay as they are: their states are computed once, and what is left fits a small file."""
    rank: int = 8
    epochs: int = 2
    rate: float = 5e-4
    warm_up: int = 20
    """Steps in which the rate rises, at most half of all."""
    longest_step: float | None = None
    """L2 norm to which a gradient is cut; None: none is cut."""


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


def padded(
    texts: Sequence[Sequence[int]], length: int, n_texts: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
    """(n_texts, length) token ids, filled up with 0, and which of them are tokens of a text."""
    tokens, mask = np.zeros((n_texts, length), np.int32), np.zeros((n_texts, length), np.bool_)
    for number, text in enumerate(texts):
        tokens[number, : len(text)], mask[number, : len(text)] = text, True
    return tokens, mask


def trained(
    adapter: Arrays, loss: Callable[..., Any], batches: Iterable[Sequence[Any]], n_batches: int, settings: Settings
) -> Adapter:
    """An adapter after one step of AdamW (Loshchilov and Hutter 2019) for each batch, with a rate that falls to 0.

    Args:
        adapter: to begin with.
        loss: of an adapter and the arrays of a batch; JAX differentiates it.
        batches: arrays of each, in order.
        n_batches: so many; at least one.
        settings: how.

    Raises:
        FittingError: JAX or Optax is not installed.
    """
    jax, optax = jax_library(), optax_library()
    n_rising = min(settings.warm_up, n_batches // 2)
    optimizer = optax.adamw(
        optax.warmup_cosine_decay_schedule(0.0, settings.rate, n_rising, n_batches), weight_decay=0.01
    )
    if settings.longest_step is not None:
        optimizer = optax.chain(optax.clip_by_global_norm(settings.longest_step), optimizer)
    state, gradient = optimizer.init(adapter), jax.jit(jax.grad(loss))
    for batch in batches:
        updates, state = optimizer.update(gradient(adapter, *batch), state, adapter)
        adapter = optax.apply_updates(adapter, updates)
    return {name: np.asarray(values) for name, values in adapter.items()}


def adapters_without(
    names: Iterable[str], n_folds: int, folder: Path, train: Callable[[frozenset[str]], Adapter], seed: int, tell: Tell
) -> Iterator[tuple[frozenset[str], Adapter, Path]]:
    """Train an adapter for each group of books on the other groups, and keep it where other fits find it.

    Args:
        names: of the books or other sources.
        n_folds: groups.
        folder: keeps the adapters.
        train: an adapter on some of the books.
        seed: of the groups.
        tell: hears of the progress; the adapter of all books is one step more.

    Yields:
        A group, the adapter that was trained without it, and its file.
    """
    ordered = sorted(names)
    random.Random(seed).shuffle(ordered)
    files: dict[str, Path] = {}
    for number in range(n_folds):
        held = frozenset(ordered[number::n_folds])
        tell(f"learning without {len(held)} of {len(ordered)} books", number, n_folds + 1)
        adapter, file = train(frozenset(ordered) - held), folder / f"{number}.safetensors"
        save_adapter(adapter, file)
        files |= dict.fromkeys(held, file)
        yield held, adapter, file
    keep_adapters(folder, files)
    tell("learning", n_folds, n_folds + 1)


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
