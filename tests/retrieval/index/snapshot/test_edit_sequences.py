"""Whatever was edited one after another, the snapshot is the one that a build from nothing gives.

`QUERYMUST_EDIT_SEQUENCES=200 pytest tests/retrieval/index/snapshot/test_edit_sequences.py` tries so many sequences.
"""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from retrieval.index.chroma import collections
from retrieval.index.chroma.soundness import NAMES
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import embedding_text
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.index.snapshot.verification import verify_snapshot
from retrieval.ingest.chunking import chunks_of_book
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.types import Book, Chunk, Document, Vector
from tests.retrieval.index.conftest import begun_from_another, held

SEQUENCES = int(os.environ.get("QUERYMUST_EDIT_SEQUENCES", "3"))
WORDLLAMA = load_embedder("wordllama")
QUESTIONS = ("What does a cleric of level 4 need to hit AC 6?", "price of a lamp", "who opens the door")


@dataclass(frozen=True)
class Page:
    """A document: a matrix whose rows are strict, a price list, and paragraphs."""

    matrix: tuple[int, ...] = (10, 12, 14)
    prices: tuple[int, ...] = (3, 5, 8, 13)
    paragraphs: tuple[int, ...] = (1, 2)
    draft: bool = False

    def markdown(self) -> str:
        lines = ["# Rules", "", "## Attack Matrix for Clerics", ""]
        lines += ["| Opponent Armor Class | Level 1-3 | Level 4-6 |", "|---|---|---|"]
        lines += [f"| {6 - position} | {roll} | {roll - 2} |" for position, roll in enumerate(self.matrix)]
        lines += ["", "## Prices", "", "| Thing | Price |", "|---|---|"]
        lines += [f"| {thing} | {price} gp |" for thing, price in zip(THINGS, self.prices, strict=False)]
        lines += [line for number in self.paragraphs for line in ("", f"## Door {number}", "", f"Door {number} opens.")]
        return "\n".join(lines) + "\n"


THINGS = ("Lamp", "Rope", "Oil", "Tent", "Spade", "Chalk", "Flask", "Net")
Library = dict[str, dict[str, Page]]


@dataclass(frozen=True)
class Edit:
    """What happens, and where: `at` chooses among what there is."""

    what: str
    at: int
    value: int

    def apply(self, library: Library) -> None:
        slug = sorted(library)[self.at % len(library)]
        book, new = library[slug], f"new-{self.value}"
        name = sorted(book)[self.at // 7 % len(book)]
        match self.what:
            case "add a document":
                book[f"{new}.md"] = replace(Page(), paragraphs=(self.value, self.value + 1))
            case "copy a document":
                book[f"copy-{self.value}.md"] = book[name]
            case "rename a document":
                book[f"{new}.md"] = book.pop(name)
            case "remove a document" if len(book) > 1:
                del book[name]
            case "add a book":
                library[new] = {"01.md": replace(Page(), matrix=(self.value,))}
            case "rename a book":
                library[new] = library.pop(slug)
            case "remove a book" if len(library) > 1:
                del library[slug]
            case _:
                book[name] = self.edited(book[name])

    def edited(self, page: Page) -> Page:
        match self.what:
            case "change a cell":
                return replace(page, matrix=(self.value, *page.matrix[1:]))
            case "add a row":
                return replace(page, prices=(*page.prices, self.value)[: len(THINGS)])
            case "remove a row":
                return replace(page, prices=page.prices[:1] + page.prices[2:])
            case "change a paragraph":
                return replace(page, paragraphs=(*page.paragraphs[:-1], self.value))
            case "say what a document is":
                return replace(page, draft=not page.draft)
        return page


KINDS = (
    *("change a cell", "add a row", "remove a row", "change a paragraph", "say what a document is"),
    *("add a document", "copy a document", "rename a document", "remove a document"),
    *("add a book", "rename a book", "remove a book", "embed otherwise"),
)
EDITS = st.builds(Edit, st.sampled_from(KINDS), st.integers(0, 48), st.integers(1, 19))


@dataclass
class Edited:
    """A library that is edited, and vectors that a model gave otherwise than before."""

    books: Library = field(
        default_factory=lambda: {
            "one": {"01.md": Page(), "02.md": Page(paragraphs=(3,))},
            "two": {"01.md": Page((9, 11))},
        }
    )
    turned: set[str] = field(default_factory=set)

    def apply(self, edit: Edit) -> None:
        if edit.what == "embed otherwise":
            texts = sorted({embedding_text(chunk) for chunk in self.chunks()})
            self.turned ^= {texts[edit.at % len(texts)]}
        else:
            edit.apply(self.books)

    def chunks(self) -> list[Chunk]:
        return [chunk for slug in sorted(self.books) for chunk in self._chunks_of(slug)]

    def _chunks_of(self, slug: str) -> Iterable[Chunk]:
        documents = tuple(
            Document(slug, name, page.markdown(), {"draft": True} if page.draft else {})
            for name, page in sorted(self.books[slug].items())
        )
        return chunks_of_book(Book(slug, slug, documents), Vocabulary.default())

    def build(self, home: Path) -> str:
        chunks = self.chunks()
        texts = [embedding_text(chunk) for chunk in chunks]
        vectors = np.stack([-vector(text) if text in self.turned else vector(text) for text in texts])
        return build_snapshot(home, chunks, vectors, WORDLLAMA.identity, Vocabulary.default()).id


@cache
def vector(text: str) -> Vector:
    return WORDLLAMA.embed([text])[0]


def answers(home: Path, name: str) -> list[object]:
    with open_snapshot(home, name) as snapshot:
        assert verify_snapshot(snapshot) == ()
        retriever = Retriever(snapshot, WORDLLAMA)
        result: list[object] = [
            [(hit.chunk, hit.score) for hit in retriever.retrieve(question, 8, strategy).hits]
            for question in QUESTIONS
            for strategy in ("default", "prefilter", "dense")
        ]
        # Of vectors that are equal Chroma gives any.
        near = [
            np.round(snapshot.collections.nearest(each, vector(question), 5).distances, 4).tolist()
            for each in NAMES
            for question in QUESTIONS
        ]
        return [result, near, held(snapshot)]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the library was built once."""
    home = tmp_path_factory.mktemp("begun")
    Edited().build(home)
    return home


COPIED: list[bool] = []


@pytest.mark.slow
@settings(
    max_examples=SEQUENCES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    derandomize="QUERYMUST_EDIT_SEQUENCES" not in os.environ,
)
@example(edits=[Edit("change a cell", 0, 1), Edit("change a paragraph", 1, 2)], most=1.0)
@given(edits=st.lists(EDITS, min_size=2, max_size=3), most=st.sampled_from([collections.MOST_CHANGED, 1.0]))
def test_any_edits_give_what_a_build_from_nothing_gives(
    begun: Path, tmp_path_factory: pytest.TempPathFactory, edits: list[Edit], most: float
) -> None:
    folder = tmp_path_factory.mktemp("sequence")
    home = shutil.copytree(begun, folder / "home")
    library, name = Edited(), ""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collections, "MOST_CHANGED", most)
        for edit in edits:
            library.apply(edit)
            name = library.build(home)
            COPIED.append(begun_from_another(home, name))
    assert library.build(folder / "fresh") == name, "every file of ours is the same, byte for byte"
    assert answers(home, name) == answers(folder / "fresh", name)
    shutil.rmtree(folder)


@pytest.mark.slow
def test_some_of_them_began_as_a_copy() -> None:
    assert any(COPIED)
