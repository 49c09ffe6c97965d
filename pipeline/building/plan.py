"""The plan of a build: its books, the number of chunks to embed, and the cost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipeline.building.book_records import CHUNKS_FILE, book_entries
from pipeline.console.output import counted, named, out
from retrieval.errors import EmbedderUnavailableError, ModelKeyError
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.index.embedding.embedders import Cost, is_hosted, load_embedder, price_of, require_local
from retrieval.index.embedding.embedding_store import (
    EmbeddingStore,
    embedding_key,
    embedding_text,
    known_keys,
    text_key,
)
from retrieval.ingest.library.library import BookFolder, list_books
from retrieval.models.access import Access
from retrieval.types import Chunk, Embedder


def cost_of(store: EmbeddingStore, embedder: Embedder, chunks: Sequence[Chunk]) -> Cost:
    """Return the cost of embedding the chunks that the store lacks."""
    texts = {embedding_key(chunk): embedding_text(chunk) for chunk in chunks}
    return Cost.of([texts[key] for key in store.missing(list(texts))], price_of(embedder.identity))


@dataclass(frozen=True, slots=True)
class BookPlan:
    """The planned work on one book. Key: slug."""

    slug: str
    state: Literal["added", "changed", "removed", "unchanged"]
    """The state of its folder compared with the indexed one."""
    is_read: bool
    """Whether it is read and chunked again; so is an unchanged book if program, vocabulary or embedder changed."""
    n_embedded: int
    n_reused: int
    n_deleted: int
    """Number of keys that the book had and no longer has."""


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """The planned work on a library. A text that two books share is embedded once, and counts for the first."""

    embedder: str
    books: tuple[BookPlan, ...]
    """In slug order."""
    cost: Cost
    budget: float | None
    obstacle: str | None = None
    """The reason why a build could not start: the embedder lacks its library, its weights or its key."""

    def total(self, name: Literal["n_embedded", "n_reused", "n_deleted"]) -> int:
        """Return the sum of a count over the books."""
        return sum(int(getattr(book, name)) for book in self.books)


def plan_build(
    home: Home, cut: Callable[[BookFolder], tuple[Chunk, ...]], is_kept: Callable[[BookFolder], bool]
) -> BuildPlan:
    """Read the library and return the plan of a build; nothing is written, and nothing is sent.

    Args:
        cut: reads a book and splits it into chunks.
        is_kept: whether a build would leave a book's records as they are.

    Raises:
        LibraryError: the library cannot be read.
        UnknownNameError: no embedder has the name in the settings.
    """
    embedder, folders, entries = load_embedder(home.settings.embedder), list_books(home.library), book_entries(home)
    store = EmbeddingStore(home.embeddings, embedder.identity) if home.embeddings.is_dir() else None
    known = store.keys() if store is not None else frozenset()
    seen: set[str] = set()
    texts: list[str] = []
    books = []
    for folder in folders:
        kept = is_kept(folder)
        path = home.book(folder.slug)
        chunks = read_jsonl(path / CHUNKS_FILE, Chunk) if kept else cut(folder)
        wanted = {text_key(embedding_key(chunk)).hex(): embedding_text(chunk) for chunk in chunks}
        missing = {key: text for key, text in wanted.items() if key not in known and key not in seen}
        texts.extend(missing.values())
        seen.update(wanted)
        before = known_keys(path / "embedded.txt")
        entry = entries.get(folder.slug)
        state: Literal["added", "changed", "unchanged"] = "added"
        if entry is not None:
            state = "unchanged" if entry.digest == folder.digest else "changed"
        reused = len(wanted) - len(missing)
        books.append(BookPlan(folder.slug, state, not kept, len(missing), reused, len(before - wanted.keys())))
    present = {folder.slug for folder in folders}
    books += [_removed(home.book(slug), slug) for slug in entries if slug not in present]
    cost = Cost.of(texts, price_of(embedder.identity))
    obstacle = _obstacle(home.settings.embedder) if texts or home.settings.questions else None
    books.sort(key=lambda book: book.slug)
    return BuildPlan(embedder.identity.name, tuple(books), cost, home.settings.budget_usd, obstacle)


def _obstacle(embedder: str) -> str | None:
    try:
        if is_hosted(embedder):
            Access.of_environment().require(embedder, "use --embedder wordllama")
        require_local(embedder)
    except (EmbedderUnavailableError, ModelKeyError) as error:
        return str(error)
    return None


def plan_record(plan: BuildPlan) -> Mapping[str, object]:
    """Return a plan as JSON values."""
    return {
        "embedder": plan.embedder,
        **{state: [book.slug for book in plan.books if book.state == state] for state in STATES},
        "read": [book.slug for book in plan.books if book.is_read],
        "to_embed": plan.total("n_embedded"),
        "to_reuse": plan.total("n_reused"),
        "to_delete": plan.total("n_deleted"),
        "tokens": plan.cost.tokens,
        "usd": round(plan.cost.usd, 9),
        "prices_as_of": str(plan.cost.price.as_of) if plan.cost.price else None,
        "budget_usd": plan.budget,
        "obstacle": plan.obstacle,
    }


STATES = ("added", "changed", "removed", "unchanged")


def _removed(folder: Path, slug: str) -> BookPlan:
    return BookPlan(slug, "removed", False, 0, 0, len(known_keys(folder / "embedded.txt")))


_SHOWN = 5


def print_plan(plan: BuildPlan) -> None:
    """Print the books, the number of chunks, and the cost."""
    for state in STATES:
        slugs = [book.slug for book in plan.books if book.state == state]
        if slugs:
            out.print(f"{state:<10} {counted(len(slugs), 'book')}: {named(slugs, _SHOWN)}")
    again = [book.slug for book in plan.books if book.is_read and book.state == "unchanged"]
    if again:
        why = "the program, the words or the embedder changed"
        out.print(f"{'again':<10} {counted(len(again), 'unchanged book')}, because {why}")
    chunks = {"embed": plan.total("n_embedded"), "reuse": plan.total("n_reused"), "delete": plan.total("n_deleted")}
    out.print(f"{'chunks':<10} {', '.join(f'{count:,} to {what}' for what, count in chunks.items())}")
    cost = "missing" if plan.obstacle and plan.cost.price is None else plan.cost
    out.print(f"{'embedder':<10} {plan.embedder}: {cost}")
    budget = "none, so no limit" if plan.budget is None else f"${plan.budget:g}"
    out.print(f"{'budget':<10} {budget}")
