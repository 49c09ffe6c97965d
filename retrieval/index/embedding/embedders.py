"""Embedders by name. Loading one is cheap: its library, weights, key and server are needed at its first text."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from retrieval.errors import UnknownNameError
from retrieval.index.embedding.minilm_model import MiniLmEmbedder
from retrieval.index.embedding.openai_model import OF_A_SERVER, OpenAiEmbedder
from retrieval.index.embedding.sentence_model import PREFIX, SentenceEmbedder
from retrieval.index.embedding.wordllama_model import WordllamaEmbedder
from retrieval.models.openai_client import OpenAiClient
from retrieval.types import Embedder

DEFAULT_EMBEDDER = "wordllama"

EMBEDDERS: Mapping[str, Callable[[], Embedder]] = MappingProxyType(
    {"wordllama": WordllamaEmbedder, "minilm": MiniLmEmbedder, "openai": OpenAiEmbedder}
)


def is_hosted(name: str) -> bool:
    """Whether an embedder of that name asks a server."""
    return name == "openai" or name.startswith(OF_A_SERVER)


def require_local(name: str) -> None:
    """See that an embedder of this machine has its library and its weights; one that asks a server is not asked.

    Raises:
        EmbedderUnavailableError: it lacks one of them.
        UnknownNameError: there is no such embedder.
    """
    if not is_hosted(name):
        load_embedder(name).embed_query("any")


def load_embedder(name: str = DEFAULT_EMBEDDER, client: OpenAiClient | None = None) -> Embedder:
    """The embedder of that name.

    `st:MODEL` is a model of the sentence-transformers library, `openai:MODEL` one of a server that speaks OpenAI's
    protocol.

    Args:
        name: of the embedder.
        client: what asks that server; None: one of its own.

    Raises:
        UnknownNameError: no such embedder; lists those that exist.
    """
    if name.startswith(PREFIX) and name != PREFIX:
        return SentenceEmbedder(name.removeprefix(PREFIX))
    if name.startswith(OF_A_SERVER) and name != OF_A_SERVER:
        return OpenAiEmbedder(model=name.removeprefix(OF_A_SERVER), client=client)
    if name not in EMBEDDERS:
        raise UnknownNameError("embedder", name, [*EMBEDDERS, f"{PREFIX}MODEL", f"{OF_A_SERVER}MODEL"])
    return OpenAiEmbedder(client=client) if is_hosted(name) else EMBEDDERS[name]()
