"""A small BERT as an ONNX graph: from the weights that its makers publish to a session, without torch."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.types import Vector

_OPSET, _IR = 20, 10
_EPSILON = 1e-12


class BertGraph:
    """BERT (Devlin et al. 2019) for one text at a time, with the mean of its tokens as the text's vector.

    One text at a time needs no padding, and what stands beside a text does not move the last bit of its vector.

    Args:
        weights: file in the safetensors format, with the names of the transformers library.
        heads: attention heads of a layer.
    """

    def __init__(self, weights: Path, heads: int) -> None:
        from safetensors.numpy import load_file

        self._weights: Mapping[str, npt.NDArray[np.float32]] = load_file(weights)
        self._heads = heads
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def session(self) -> "Session":
        """Ready to run; any number of threads may share it.

        Raises:
            ImportError: onnx or onnxruntime is not installed.
            KeyError: the file is of another kind of model.
        """
        x = self._embedded()
        layers = {int(name.split(".")[2]) for name in self._weights if name.startswith("encoder.layer.")}
        for layer in sorted(layers):
            x = self._layer(f"encoder.layer.{layer}.", x)
        pooled = self._node("ReduceMean", x, self._constant(np.asarray([1])), keepdims=0)
        return Session(self._nodes, self._constants, self._node("LpNormalization", pooled, axis=-1, p=2))

    def _embedded(self) -> str:
        words, places, kinds = (
            self._weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
        )
        word = self._node("Gather", self._constant(words), Session.TOKENS)
        place = self._node("Gather", self._constant(places + kinds[0]), Session.PLACES)
        return self._normed("embeddings.", self._node("Add", word, place))

    def _layer(self, name: str, x: str) -> str:
        said = self._linear(f"{name}attention.output.dense", self._attention(f"{name}attention.self.", x))
        x = self._normed(f"{name}attention.output.", self._node("Add", x, said))
        wide = self._node("Gelu", self._linear(f"{name}intermediate.dense", x))
        return self._normed(f"{name}output.", self._node("Add", x, self._linear(f"{name}output.dense", wide)))

    def _attention(self, name: str, x: str) -> str:
        width = self._weights[f"{name}query.weight"].shape[0]
        split = self._constant(np.asarray([0, 0, self._heads, width // self._heads]))
        query, key, value = (
            self._node("Transpose", self._node("Reshape", self._linear(name + what, x), split), perm=order)
            for what, order in (("query", (0, 2, 1, 3)), ("key", (0, 2, 3, 1)), ("value", (0, 2, 1, 3)))
        )
        scale = self._constant(np.asarray((width // self._heads) ** -0.5, dtype=np.float32))
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
        from onnx import numpy_helper

        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        name = f"n{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name


class Session:
    """A graph that onnxruntime runs, one thread a text.

    Args:
        nodes: of the graph, in their order.
        constants: its weights.
        output: name of the node whose value is the vector.
    """

    TOKENS, PLACES = "tokens", "places"

    def __init__(self, nodes: Sequence[Any], constants: Sequence[Any], output: str) -> None:
        import onnxruntime
        from onnx import TensorProto, helper

        inputs = [
            helper.make_tensor_value_info(self.TOKENS, TensorProto.INT64, [1, "length"]),
            helper.make_tensor_value_info(self.PLACES, TensorProto.INT64, ["length"]),
        ]
        outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, [1, "width"])]
        graph = helper.make_graph(nodes, "bert", inputs, outputs, constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )

    def vector(self, tokens: Sequence[int]) -> Vector:
        """The vector of a text, (width,), L2-normalised.

        Args:
            tokens: at least one; they begin and end as the model was taught.
        """
        ids = np.asarray([tokens], dtype=np.int64)
        found: Vector = self._session.run(None, {self.TOKENS: ids, self.PLACES: np.arange(ids.shape[1])})[0][0]
        return found
