"""The choice of answer cells: a row reader is trained, a conditional logit fitted, both scored on held-out sources."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evals.questions.question_sets import QuestionSet
from retrieval.files.atomic_files import write_atomically
from retrieval.index.embedding.minilm_model import MiniLmEmbedder
from retrieval.language.terms import Tokenize
from retrieval.rag.cells import MOST, NAMES, WEIGHTS, Features, column_features, row_of
from retrieval.rag.row_reader import ADAPTER, RowReader, RowTokens
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk, Embedder
from tools.corpora.books import LibraryBook
from tools.corpora.indexes import PASSAGES, ROW_READERS, SAMPLE, Tell, learned_from, open_index
from tools.fit.logit import FittingError, fit_conditional
from tools.fit.minilm import Adapter, adapters_without, save_adapter
from tools.fit.row_reader import ReadRow, RowReaderTrainer

_BRACKETS = re.compile(r"\([^()]*\)|\[[^\]]*\]")
_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """Lower-case words and numbers; `1,000` is one."""
    return _WORD.findall(text.casefold().replace(",", ""))


def wanted_words(answer: str) -> list[str]:
    """Words and numbers of an answer, without what it says in brackets."""
    return words_of(_BRACKETS.sub(" ", answer))


def says(texts: Iterable[str], answer: str) -> bool:
    """Whether every word and number of an answer outside brackets stands in these texts."""
    return set(words_of(" ".join(texts))).issuperset(wanted_words(answer))


def cells_that_say(answer: str, cells: Sequence[str]) -> npt.NDArray[np.float64]:
    """(cells,) how much each cell is what an answer is read from; they sum to 1, or all are 0 where none says a word.

    Equal cells share: `3` may stand in two of them. An answer of two parts is read from two.
    """
    shares = np.zeros(len(cells))
    output = [set(words_of(cell)) for cell in cells]
    left = set(wanted_words(answer))
    while left:
        hits = [len(words & left) for words in output]
        most = max(hits, default=0)
        if not most:
            break
        shortest = min(len(output[position]) for position, hit in enumerate(hits) if hit == most)
        best = [position for position, hit in enumerate(hits) if hit == most and len(output[position]) == shortest]
        for index in best:
            shares[index] += 1.0 / len(best)
        left.difference_update(*(output[position] for position in best))
    return shares / (shares.sum() or 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class CellExample:
    """A question of a person, and the row that answers it."""

    source: str
    """The book, or the set of tables, that it is from; what is left out is one of these."""
    is_book: bool
    question: str
    answer: str
    columns: tuple[str, ...]
    cells: tuple[str, ...]
    features: Features
    """(cells, `NAMES`); `read` is 0 until a reader has read the row."""
    wanted: npt.NDArray[np.float64]
    """(cells,) that say the answer; sums to 1."""

    def is_read(self, scores: Features, most: int) -> bool:
        """Whether the cells of the highest scores say the answer."""
        best = np.argsort(-scores, kind="stable")[:most]
        return says((self.cells[position] for position in best.tolist()), self.answer)

    def read_by(self, reader: RowReader) -> "CellExample":
        """The example with the scores of a reader."""
        features = self.features.copy()
        features[:, _READ] = reader.scores(self.question, self.columns, self.cells)
        return replace(self, features=features)


_READ = NAMES.index("read")


def cell_examples(
    source: str, asked: QuestionSet, chunks: Sequence[Chunk], tokenize: Tokenize, *, is_book: bool
) -> Iterator[CellExample]:
    """The questions of a set that one row answers, as examples; not those whose answer no cell has a word of.

    Args:
        source: their name.
        asked: the questions with their gold; generated ones are ignored.
        chunks: of the index.
        tokenize: of the index.
        is_book: whether the rows are of a book, or of tables of an encyclopaedia.
    """
    by_id = {chunk.id: chunk for chunk in chunks}
    gold = asked.resolution.gold
    for question in asked.questions:
        if not question.answer or question.generated or len(gold.get(question.id, ())) != 1:
            continue
        chunk = by_id[gold[question.id][0]]
        wanted = cells_that_say(question.answer, chunk.cells)
        if wanted.any():
            features = column_features(question.query, row_of(chunk), tokenize, np.zeros(len(chunk.cells)))
            yield CellExample(
                source, is_book, question.query, question.answer, chunk.columns, chunk.cells, features, wanted
            )


FOLDS = 2
"""Groups of sources; each is read by a reader that was trained on the other, here and by the fit of answers."""
_BOOK = 3.0
"""What a question about a book counts, beside one about a table of an encyclopaedia: books are what the reader and the
weights are for, and there are few such questions."""


def read_by_strangers(
    examples: Sequence[CellExample], embedder: MiniLmEmbedder, folder: Path, seed: int, tell: Tell = lambda *_: None
) -> tuple[Adapter, tuple[CellExample, ...]]:
    """Train the row reader on all examples, and read each by a reader that was trained on other sources.

    Args:
        examples: of two sources or more.
        embedder: gives the published weights.
        folder: keeps the readers of the folds.
        seed: of the folds and of the training.
        tell: hears of the progress.

    Raises:
        FittingError: there is one source only, or a library is not installed.
    """
    sources = frozenset(example.source for example in examples)
    if len(sources) < FOLDS:
        raise FittingError(
            f"the row reader is trained on questions to {FOLDS} sources or more; there are {sorted(sources)}"
        )
    rows = [
        ReadRow(
            RowTokens.of(example.question, example.columns, example.cells, embedder.tokenizer),
            example.wanted,
            _count(example),
        )
        for example in examples
    ]
    trainer = RowReaderTrainer(rows, embedder.weights, seed=seed)

    def train(some: frozenset[str]) -> Adapter:
        return trainer.adapter([number for number, example in enumerate(examples) if example.source in some])

    readers = {
        source: reader
        for held, _, file in adapters_without(sources, FOLDS, folder, train, seed, tell)
        for reader in [RowReader(file)]
        for source in held
    }
    read = tuple(example.read_by(readers[example.source]) for example in examples)
    return train(sources), read


@dataclass(frozen=True, slots=True)
class CellAccuracy:
    """How often cells that were chosen say the answer, where the row is the right one. Key: source."""

    source: str
    n: int
    first: float
    """Share of the questions whose answer stands in the first cell."""
    within: float
    """In the first `MOST`."""


def fit_cells(examples: Sequence[CellExample]) -> Features:
    """(NAMES,) weights that make the wanted cells most likely.

    Raises:
        FittingError: there is no example.
    """
    if not examples:
        raise FittingError("the choice of cells is fitted on questions that a row answers; there are none")
    features, wanted = [example.features for example in examples], [example.wanted for example in examples]
    return fit_conditional(features, wanted, list(map(_count, examples))).round(3)


def _count(example: CellExample) -> float:
    return _BOOK if example.is_book else 1.0


def left_out(examples: Sequence[CellExample]) -> tuple[CellAccuracy, ...]:
    """What is read of each source by weights that were fitted without it.

    Raises:
        FittingError: there is one source only.
    """
    readings = []
    for source in dict.fromkeys(example.source for example in examples):
        own = [example for example in examples if example.source == source]
        weights = fit_cells([example for example in examples if example.source != source])
        first, within = (
            sum(example.is_read(example.features @ weights, most) for example in own) / len(own) for most in (1, MOST)
        )
        readings.append(CellAccuracy(source, len(own), first, within))
    return tuple(readings)


def named(weights: Features) -> Mapping[str, float]:
    """The weights by the name of what they weigh."""
    return dict(zip(NAMES, weights.tolist(), strict=True))


_WITHOUT_CELLS = frozenset({SAMPLE, PASSAGES, "self-query", "fetaqa-rows"})
"""Sets whose answers are no cells, but sentences, documents or not there."""


@dataclass(frozen=True, slots=True)
class CellsReport:
    """A trained reader, fitted weights, and what they are worth on what had no say."""

    reader: Adapter
    weights: dict[str, float]
    readings: tuple[CellAccuracy, ...]
    """Each source left out."""

    def write(self, docs: Path, file: Path = WEIGHTS) -> None:
        """Ship the reader and the weights, and write `cells.md`."""
        save_adapter(self.reader, ADAPTER)
        write_atomically(file, json.dumps(self.weights, indent=1) + "\n")
        write_atomically(docs / "cells.md", self.page())

    def to_json(self) -> dict[str, Any]:
        """For `--json`: without the reader itself."""
        return {"weights": self.weights, "readings": [asdict(reading) for reading in self.readings]}

    def page(self) -> str:
        """Markdown: every source left out, and the weights."""
        lines = [
            "# Cells",
            "",
            "`python -m tools fit cells` writes this page.",
            "An answer without a language model consists of the cells of the best row for which the question asks. A",
            "conditional logit model over the features in `retrieval/rag/cells.py` selects these cells. One of the",
            "features is the score of the row reader: all-MiniLM-L6-v2 reads the question and the whole row together,",
            "with an adapter of low rank (LoRA) on its last three layers.",
            "",
            "## Held-out sources",
            "",
            "The correct row is given. *First* is the share of questions for which the first selected cell contains",
            f"every number and word of the answer outside brackets. *In {MOST}* is the same share for the {MOST} most",
            "probable cells. If an answer adds a unit (`12 kg` for a cell `12`), the unit counts as missing. The",
            "weights were fitted without the source, and the reader was trained on half of the other sources.",
            "",
            f"| source | questions | first | in {MOST} |",
            "|---|---:|---:|---:|",
            *(_line(reading) for reading in (*self.readings, *pooled(self.readings))),
            "",
            "## Shipped weights",
            "",
            "| feature | weight |",
            "|---|---:|",
            *(f"| `{name}` | {weight:g} |" for name, weight in self.weights.items()),
            "",
        ]
        return "\n".join(lines)


def _line(reading: CellAccuracy) -> str:
    return f"| {reading.source} | {reading.n} | {reading.first:.3f} | {reading.within:.3f} |"


def pooled(readings: Sequence[CellAccuracy]) -> tuple[CellAccuracy, ...]:
    """The questions about books together; nothing if there are none."""
    own = [reading for reading in readings if not reading.source.endswith("-rows")]
    n = sum(reading.n for reading in own)
    if not n:
        return ()
    first, within = (sum(getattr(reading, name) * reading.n for reading in own) / n for name in ("first", "within"))
    return (CellAccuracy("books, pooled", n, first, within),)


def fit_cell_choice(
    home: Path, data: Path, split: str, embedder: Embedder, seed: int = 0, tell: Tell = lambda *_: None
) -> CellsReport:
    """Fit on every set of books and of tables under `data` that has the split.

    The readers of the folds are kept under `home`, where the fit of answers finds them.

    Raises:
        BenchmarkDataError: there is no set under `data` with such a split.
        FittingError: no question has a row and an answer, or the embedder is another one than minilm.
    """
    if not isinstance(embedder, MiniLmEmbedder):
        raise FittingError(f"the row reader is an adapter of minilm, and the embedder is {embedder.identity.name}")
    examples: list[CellExample] = []
    for name, corpus in learned_from(data, split):
        if name in _WITHOUT_CELLS:
            continue
        tell(corpus.name, len(examples), 0)
        with open_index(home, name, corpus, embedder, tell) as snapshot:
            retriever, chunks = Retriever(snapshot, embedder), tuple(snapshot.chunks)
            is_book, asked = isinstance(corpus, LibraryBook), corpus.question_sets(retriever, chunks)[0]
            source, tokenize = corpus.name if is_book else name, snapshot.lexical.tokenize
            examples += cell_examples(source, asked, chunks, tokenize, is_book=is_book)
    reader, read = read_by_strangers(examples, embedder, home / ROW_READERS, seed, tell)
    tell("fitting", FOLDS + 1, FOLDS + 1)
    return CellsReport(reader, dict(named(fit_cells(read))), left_out(read))
