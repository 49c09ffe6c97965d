"""The hosted models of one run or one build: one client, its usage, and a check that it can be used at all."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

from pipeline.building.book_records import read_for_index
from pipeline.building.model_work import chosen_tables, describer_of, options_of, reader_of
from retrieval.errors import EmbedderUnavailableError, EmbeddingFailureError, ModelError
from retrieval.home import Home
from retrieval.index.embedding.embedders import Cost, cuts_for, is_hosted, load_embedder, price_of
from retrieval.index.embedding.embedding_store import EmbeddingStore, embedding_key, embedding_text, text_key
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.library.library import BookFolder
from retrieval.ingest.parsed_book import parse_book
from retrieval.models.access import Access
from retrieval.models.openai_client import OpenAiClient
from retrieval.types import Embedder

_ANY = "Is anybody there?"


class HostedModels:
    """The access of assets to hosted models.

    Args:
        read: returns key, address and limits; called when they are first needed.
    """

    def __init__(self, read: Callable[[], Access] = Access.of_environment) -> None:
        self._read, self._is_ready = read, False
        self._embedder_error: EmbedderUnavailableError | None = None

    @cached_property
    def access(self) -> Access:
        """Key, address and limits. Raises UnreadableSettingsError."""
        return self._read()

    @cached_property
    def client(self) -> OpenAiClient:
        """The client of the server; it costs nothing until it is used."""
        return OpenAiClient(self.access)

    @property
    def embedded(self) -> int:
        """Number of tokens embedded, as counted by the server."""
        return self.client.embedded.total if "client" in vars(self) else 0

    def embedder(self, name: str) -> Embedder:
        """Return the embedder of that name; a hosted one uses this client.

        Raises:
            EmbedderUnavailableError: the embedder failed before and is not tried again.
            UnknownNameError: there is no such embedder.
        """
        if self._embedder_error is not None:
            raise self._embedder_error
        return load_embedder(name, self.client if is_hosted(name) else None)

    @contextmanager
    def embedding(self, *, last: bool) -> Iterator[None]:
        """Stop using the embedder, for all books that follow, once it fails whatever the text.

        Args:
            last: whether this is the last attempt at this book.
        """
        try:
            yield
        except EmbedderUnavailableError as error:
            if error.general and (last or not error.passing):
                self._embedder_error = error
            raise

    def require_ready(self, home: Home, folders: Sequence[BookFolder]) -> None:
        """Check, before any of these books is read, that the models they need can be used; done once for all books.

        Stored results need no model: an unavailable embedder is no obstacle if every vector is stored, nor is a chat
        model if all of its answers are.

        Raises:
            BudgetExceededError: it would cost more than the settings allow; nothing was sent.
            EmbeddingFailureError: the embedder lacks its library, weights, key or server.
            ModelError: the server refuses the key for tables or passages, or has no such model.
            UnreadableSettingsError: there is a budget, and the prices of the model are unknown.
        """
        if self._is_ready or not folders:
            return
        self._require_chat_model(home, folders)
        self._require_embedder(home, folders)
        self._is_ready = True

    def _require_embedder(self, home: Home, folders: Sequence[BookFolder]) -> None:
        embedder, budget = self.embedder(home.settings.embedder), home.settings.budget_usd
        if budget is not None and (price := price_of(embedder.identity)) is not None:
            Cost.of(_unembedded(home, embedder, folders), price).require_within(budget)
        try:
            embedder.embed_query(_ANY)
        except EmbeddingFailureError:
            # Scoring has to embed questions too.
            if home.settings.questions or _unembedded(home, embedder, folders):
                raise

    def _require_chat_model(self, home: Home, folders: Sequence[BookFolder]) -> None:
        settings = home.settings
        if settings.tables.transformer == "rules" and settings.passages.enrichment == "rules":
            return
        options = options_of(settings)
        if not self.access:
            return  # the rules do its work, and the build says so
        self.access.require(options.model, "let the rules do the work")
        try:
            self.client.check_model(options.model)
        except ModelError as error:
            if any(_lacks_answers(home, self.access, folder) for folder in folders):
                raise ModelError(f"{options.model} cannot be called: {error}") from error


def _unembedded(home: Home, embedder: Embedder, folders: Sequence[BookFolder]) -> list[str]:
    """Return the texts of these books that have no vector yet, each once; nothing is written."""
    store = EmbeddingStore(home.embeddings, embedder.identity) if home.embeddings.is_dir() else None
    known = store.keys() if store is not None else frozenset()
    cuts = cuts_for(home.settings, embedder)
    cut = (chunk for folder in folders for chunk in chunks_of_book(read_for_index(home, folder), home.vocabulary, cuts))
    texts = {text_key(embedding_key(chunk)).hex(): embedding_text(chunk) for chunk in cut}
    return [text for key, text in texts.items() if key not in known]


def _lacks_answers(home: Home, access: Access, folder: BookFolder) -> bool:
    settings, book = home.settings, read_for_index(home, folder)
    if settings.tables.transformer != "rules":
        tables = parse_book(book).tables
        chosen = chosen_tables(settings, tables, home.vocabulary)
        if reader_of(settings, access, home.models).unanswered(tables, home.vocabulary, chosen):
            return True
    if settings.passages.enrichment == "rules":
        return False
    chunks = chunks_of_book(book, home.vocabulary, cuts_for(settings, load_embedder(settings.embedder)))
    return bool(describer_of(settings, access, home.models).unanswered(chunks))
