"""The choice of answer cells: fitted as a conditional logit, and evaluated on held-out sources."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Question
from retrieval.files.atomic_files import write_atomically
from retrieval.language.terms import Tokenize
from retrieval.rag.cells import MOST, NAMES, WEIGHTS, Features, column_features, row_of
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk, Embedder
from tools.corpora.books import Corpus, LibraryBook, generated_questions
from tools.corpora.indexes import PASSAGES, SAMPLE, Tell, drawn, learned_from, open_index
from tools.fit.logit import FittingError, fit_conditional

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
    """A question, and the row that answers it."""

    source: str
    """The book, or the set of tables, that it is from; what is left out is one of these."""
    question: str
    generated: bool
    answer: str
    columns: tuple[str, ...]
    cells: tuple[str, ...]
    features: Features
    """(cells, `NAMES`)."""
    wanted: npt.NDArray[np.float64]
    """(cells,) that say the answer; sums to 1."""

    def read(self, scores: Features, most: int) -> bool:
        """Whether the cells of the highest scores say the answer."""
        best = np.argsort(-scores, kind="stable")[:most]
        return says((self.cells[position] for position in best.tolist()), self.answer)


def cell_examples(
    source: str, asked: QuestionSet, chunks: Sequence[Chunk], tokenize: Tokenize, most: int, seed: int = 0
) -> tuple[CellExample, ...]:
    """The questions of a set that one row answers, as examples; not those whose answer no cell has a word of.

    Args:
        source: their name.
        asked: the questions with their gold.
        chunks: of the index.
        tokenize: of the index.
        most: so many, drawn by the seed.
        seed: of the draw.
    """
    by_id = {chunk.id: chunk for chunk in chunks}
    gold = asked.resolution.gold
    usable = [
        (question, by_id[gold[question.id][0]])
        for question in asked.questions
        if question.answer and len(gold.get(question.id, ())) == 1 and by_id[gold[question.id][0]].cells
    ]
    examples = (_example(source, question, chunk, tokenize) for question, chunk in drawn(usable, most, seed))
    return tuple(example for example in examples if example is not None)


def _example(source: str, question: Question, chunk: Chunk, tokenize: Tokenize) -> CellExample | None:
    answer = question.answer or ""
    wanted = cells_that_say(answer, chunk.cells)
    if not wanted.any():
        return None
    features = column_features(question.query, row_of(chunk), tokenize)
    return CellExample(source, question.query, question.generated, answer, chunk.columns, chunk.cells, features, wanted)


_BOOK, _GENERATED = 4.0, 0.5
"""What a question of a person about a book counts, and a generated one, beside one about a table of an encyclopaedia:
books are what the weights are for, and there are few such questions."""
_TABLES = frozenset({"wikisql-rows", "wtq-rows"})


@dataclass(frozen=True, slots=True)
class CellAccuracy:
    """How often cells that were chosen say the answer, where the row is the right one. Key: (source, generated)."""

    source: str
    generated: bool
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
    weights = fit_conditional(
        [example.features for example in examples],
        [example.wanted for example in examples],
        [_count(example) for example in examples],
    )
    return weights.round(3)


def _count(example: CellExample) -> float:
    if example.generated:
        return _GENERATED
    return 1.0 if example.source in _TABLES else _BOOK


def left_out(examples: Sequence[CellExample]) -> tuple[CellAccuracy, ...]:
    """What is read of each source by weights that were fitted without it.

    Raises:
        FittingError: there is one source only.
    """
    sources = list(dict.fromkeys(example.source for example in examples))
    return tuple(
        reading
        for source in sources
        for reading in _readings(
            source, examples, fit_cells([example for example in examples if example.source != source])
        )
    )


def _readings(source: str, examples: Sequence[CellExample], weights: Features) -> Sequence[CellAccuracy]:
    readings = []
    for generated in (False, True):
        own = [example for example in examples if example.source == source and example.generated == generated]
        if own:
            first = sum(each.read(each.features @ weights, 1) for each in own)
            within = sum(each.read(each.features @ weights, MOST) for each in own)
            readings.append(CellAccuracy(source, generated, len(own), first / len(own), within / len(own)))
    return readings


def named(weights: Features) -> Mapping[str, float]:
    """The weights by the name of what they weigh."""
    return dict(zip(NAMES, weights.tolist(), strict=True))


STRANGERS, GENERATED = 2000, 400
"""Questions of people of one source, and generated ones of one book, at most."""


_WITHOUT_CELLS = frozenset({SAMPLE, PASSAGES, "self-query", "fetaqa-rows"})
"""Sets whose answers are no cells, but sentences, documents or not there."""


@dataclass(frozen=True, slots=True)
class CellsReport:
    """Fitted weights, and what they are worth on what had no say."""

    weights: dict[str, float]
    readings: tuple[CellAccuracy, ...]
    """Each source left out."""

    def write(self, docs: Path, file: Path = WEIGHTS) -> None:
        """Ship the weights, and write `cells.md`."""
        write_atomically(file, json.dumps(self.weights, indent=1) + "\n")
        write_atomically(docs / "cells.md", self.page())

    def page(self) -> str:
        """Markdown: every source left out, and the weights."""
        lines = [
            "# Cells",
            "",
            "`python -m tools fit cells` writes this page.",
            "An answer without a language model consists of the cells of the",
            "best row for which the question asks. A conditional logit model over the features in",
            "`retrieval/rag/cells.py` selects these cells.",
            "",
            "## Held-out sources",
            "",
            "The correct row is given. *First* is the share of questions for which the first selected cell contains",
            f"every number and word of the answer outside brackets. *In {MOST}* is the same share for the {MOST} most",
            "probable cells. If an answer adds a unit (`12 kg` for a cell `12`), the unit counts as missing. The",
            "pooled scores cover the human questions about books.",
            "",
            f"| source | questions | | first | in {MOST} |",
            "|---|---|---:|---:|---:|",
            *self._rows(),
            "",
            "## Shipped weights",
            "",
            "| feature | weight |",
            "|---|---:|",
            *(f"| `{name}` | {weight:g} |" for name, weight in self.weights.items()),
            "",
        ]
        return "\n".join(lines)

    def _rows(self) -> Iterator[str]:
        for reading in (*self.readings, pooled(self.readings)):
            if reading:
                who = "generated" if reading.generated else "people"
                yield f"| {reading.source} | {who} | {reading.n} | {reading.first:.3f} | {reading.within:.3f} |"


def pooled(readings: Sequence[CellAccuracy]) -> CellAccuracy | None:
    """The people's questions about books, together."""
    own = [reading for reading in readings if not reading.generated and not reading.source.endswith("-rows")]
    n = sum(each.n for each in own)
    if not n:
        return None
    first, within = (sum(getattr(each, name) * each.n for each in own) / n for name in ("first", "within"))
    return CellAccuracy("books, pooled", False, n, first, within)


def fit_cell_choice(
    home: Path, data: Path, split: str, embedder: Embedder, seed: int = 0, tell: Tell = lambda *_: None
) -> CellsReport:
    """Fit on every set of books and of tables under `data` that has the split.

    Raises:
        BenchmarkDataError: there is no set under `data` with such a split.
        FittingError: no question has a row and an answer.
    """
    examples: list[CellExample] = []
    with ExitStack() as opened:
        for name, corpus in learned_from(data, split):
            if name in _WITHOUT_CELLS:
                continue
            tell(corpus.name, len(examples), 0)
            snapshot = opened.enter_context(open_index(home, name, corpus, embedder, tell))
            examples += _examples(name, corpus, Retriever(snapshot, embedder), seed)
    tell("fitting", 0, 1)
    return CellsReport(dict(named(fit_cells(examples))), left_out(examples))


def _examples(name: str, corpus: Corpus, retriever: Retriever, seed: int) -> Iterator[CellExample]:
    snapshot = retriever.snapshot
    chunks, tokenize = tuple(snapshot.chunks), snapshot.lexical.tokenize
    is_book = isinstance(corpus, LibraryBook)
    source = corpus.name if is_book else name
    query = corpus.question_sets(retriever, chunks)[0]
    yield from cell_examples(source, query, chunks, tokenize, STRANGERS, seed)
    if is_book:
        written = QuestionSet.of(name, "generated", generated_questions(chunks, snapshot.vocabulary, seed), chunks)
        yield from cell_examples(source, written, chunks, tokenize, GENERATED, seed)
