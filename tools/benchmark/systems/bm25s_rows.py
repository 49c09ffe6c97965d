"""bm25s over rows and paragraphs, as its README sets it up."""

from collections.abc import Sequence
from pathlib import Path

import bm25s
import Stemmer

from retrieval.types import Embedder
from tools.benchmark.cutting import units_of
from tools.benchmark.system import Passage, markdown_files


class Bm25sRows:
    """One document for each table row and each paragraph."""

    name = "bm25s"
    about = "[bm25s](https://github.com/xhluca/bm25s), BM25 in NumPy."
    setup = (
        "The rows and paragraphs of `fts5`, each with its headings, caption and column names as one text. English stop "
        "words and the Snowball stemmer, as in its README."
    )
    packages = ("bm25s", "PyStemmer")

    def index(self, book: Path, folder: Path, embedder: Embedder) -> None:  # noqa: ARG002 -- it has no vectors
        """Cut, tokenize, index and save."""
        self._stemmer = Stemmer.Stemmer("english")
        units = [unit for _, text in markdown_files(book) for unit in units_of(text)]
        self._shown = [unit.shown for unit in units]
        corpus = [" ".join((*unit.headings, unit.caption, unit.header, unit.text)) for unit in units]
        tokens = bm25s.tokenize(corpus, stopwords="en", stemmer=self._stemmer, show_progress=False)
        self._bm25 = bm25s.BM25()
        self._bm25.index(tokens, show_progress=False)
        self._bm25.save(folder, corpus=self._shown)

    def search(self, question: str, k: int) -> Sequence[Passage]:
        """The k best, those without a word of the question too."""
        tokens = bm25s.tokenize(question, stopwords="en", stemmer=self._stemmer, show_progress=False)
        positions, _ = self._bm25.retrieve(tokens, k=min(k, len(self._shown)), show_progress=False)
        return [Passage(self._shown[int(position)]) for position in positions[0]]
