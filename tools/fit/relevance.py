"""Relevance calibrated on sets of books: examples, a monotone logistic function, reliability and its diagram."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evals.questions.questions import Question
from retrieval.files.atomic_files import write_atomically
from retrieval.rag.relevance import ANY, N_CANDIDATES, NAMES, SHIPPED, Calibration, measures
from retrieval.search.retriever import Retriever
from retrieval.settings import DEFAULT_EMBEDDER
from retrieval.types import Embedder
from tools.corpora.books import Corpus, LibraryBook, generated_questions
from tools.corpora.indexes import SAMPLE, Tell, drawn, embedder_without, learned_from, open_index
from tools.fit.logit import FittingError, fit_monotone


@dataclass(frozen=True, slots=True)
class Put:
    """A question that was put to a book, and what was measured of the first hit. Key: (book, source, question)."""

    set: str
    """Of the book."""
    book: str
    """That was asked."""
    source: str
    """That the question was written about; a question about another book has no answer in this one."""
    question: str
    generated: bool
    """Whether a program wrote it."""
    answered: bool
    values: tuple[float, ...]
    """In the order of `NAMES`."""

    @property
    def is_near_miss(self) -> bool:
        """Whether it is about the very book, which does not answer it."""
        return not self.answered and self.book == self.source


def put(
    retriever: Retriever, question: str, *, set_: str, book: str, source: str, generated: bool, answered: bool
) -> Put:
    """Ask a book; a search that may show nothing measures nothing, which is what it says of the answer."""
    hits = retriever.retrieve(question, k=N_CANDIDATES).hits
    result = measures(retriever, question, [hit.chunk.id for hit in hits])
    values = result[0].tolist() if len(result) else [float(name == "unknown") for name in NAMES]
    return Put(set_, book, source, question, generated, answered, tuple(values))


BINS = 10

Floats = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Bin:
    """Questions of about one relevance."""

    n: int
    predicted: float
    """Mean relevance."""
    observed: float
    """Share that has an answer."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """How far a relevance can be believed. Questions with and without an answer weigh the same."""

    n_answered: int
    n_unanswered: int
    auc: float
    """Chance that a question with an answer gets more than one without; ties count half."""
    ece: float
    """Expected calibration error: mean distance of what is said from what is true, over the bins by their weight."""
    bins: tuple[Bin, ...]
    """Of equal width; empty ones are left out."""


def reliability(relevance: Floats, answered: Marks, bins: int = BINS) -> Reliability:
    """Judge the relevance of the first hit of some questions.

    Args:
        relevance: (n,) 0 to 1.
        answered: (n,), some True and some False.
        bins: how many.
    """
    weights = np.where(answered, 0.5 / answered.sum(), 0.5 / (~answered).sum())
    position = np.minimum((relevance * bins).astype(np.int64), bins - 1)
    result, error = [], 0.0
    for number in range(bins):
        inside = position == number
        weight = weights[inside].sum()
        if weight == 0:
            continue
        output = float(weights[inside] @ relevance[inside] / weight)
        true = float(weights[inside] @ answered[inside] / weight)
        error += float(weight) * abs(output - true)
        result.append(Bin(int(inside.sum()), output, true))
    return Reliability(int(answered.sum()), int((~answered).sum()), area(relevance, answered), error, tuple(result))


def area(relevance: Floats, answered: Marks) -> float:
    """The area under the ROC curve."""
    from scipy.stats import rankdata  # takes longer to load than most builds have use for

    ranks, n = rankdata(relevance), int(answered.sum())
    return float((ranks[answered].sum() - n * (n + 1) / 2) / (n * (len(ranks) - n)))


def share_above(relevance: Floats, chosen: Sequence[bool] | Marks, threshold: float) -> float | None:
    """Share of the chosen questions that meet a threshold; None of none."""
    values = relevance[np.asarray(chosen, dtype=np.bool_)]
    return float((values >= threshold).mean()) if len(values) else None


WITHOUT_COSINES = tuple(name for name in NAMES if name not in {"best_cosine", "ahead"})
"""The trees that say how far a hit is ahead read cosines too."""

_FALLING = {"unexplained", "unknown", "beyond", "nowhere", "untold", "uncounted"}
_GENERATED, _NEAR_MISSES = 0.2, 0.12
"""Shares of the weight: of generated questions among those of people, and of near misses among those without answer."""
_DIGITS = 4


def fit(examples: Sequence[Put], embedder: str, strategy: str, names: Sequence[str] = NAMES) -> Calibration:
    """The calibration that makes these examples most likely.

    Questions with and without an answer weigh the same: a library's own share of them is not known.

    Args:
        examples: with and without an answer.
        embedder: whose cosines were measured; `any` for names without them.
        strategy: what ranked.
        names: the measures it may look at.

    Raises:
        FittingError: all of the examples have an answer, or none has.
    """
    answered = np.asarray([example.answered for example in examples], dtype=np.float64)
    if not 0 < answered.sum() < len(answered):
        raise FittingError("relevance is fitted on questions with an answer and questions without; one kind is missing")
    signs = np.asarray([-1.0 if name in _FALLING else 1.0 for name in names])
    columns = [NAMES.index(name) for name in names]
    values = np.asarray([example.values for example in examples])[:, columns]
    intercept, fitted = fit_monotone(values, signs, answered, weights_of(examples))
    weights = [round(float(weight), _DIGITS) + 0.0 for weight in fitted]
    return Calibration(embedder, strategy, tuple(names), tuple(weights), round(intercept, _DIGITS))


def weights_of(examples: Sequence[Put]) -> Floats:
    """What each example counts, (n,); with and without an answer half each. Groups that are missing leave no gap."""
    groups: dict[tuple[bool, bool, bool], list[int]] = {}
    for position, example in enumerate(examples):
        near = example.is_near_miss
        groups.setdefault((example.answered, near, example.generated and not near), []).append(position)
    weights = np.zeros(len(examples))
    for (answered, near, generated), places in groups.items():
        share = _GENERATED if generated else 1.0 - _GENERATED
        if not answered:
            share = _NEAR_MISSES if near else (1.0 - _NEAR_MISSES) * share
        weights[places] = share / len(places)
    with_answer = np.asarray([example.answered for example in examples])
    for side in (with_answer, ~with_answer):
        if side.any():
            weights[side] *= 0.5 / weights[side].sum()
    return weights


THRESHOLD = 0.6
"""The default of `retrieval.min_relevance`."""


@dataclass(frozen=True, slots=True)
class BookReliability:
    """People's questions to one book, or to several together. Key: book."""

    book: str
    reliability: Reliability
    met_answered: float | None
    """Share of the questions with an answer that meet the threshold."""
    n_near: int
    met_near: float | None
    """... of those about this book without an answer."""
    met_other: float | None
    """... of those about other books."""
    met_generated: float | None
    """... of generated questions with an answer, which are in no other number here."""


def left_out(examples: Sequence[Put], embedder: str, strategy: str, names: Sequence[str] = NAMES) -> Floats:
    """The relevance of every example, (n,), by what was fitted on neither questions to its book nor about it."""
    result = np.full(len(examples), np.nan)
    for book in sorted({example.book for example in examples}):
        others = [example for example in examples if book not in {example.book, example.source}]
        fitted = fit(others, embedder, strategy, names)
        at = [position for position, example in enumerate(examples) if example.book == book]
        values = np.asarray([examples[position].values for position in at])
        result[at] = [float(fitted.of(row[None, :])[0]) for row in values]
    return result


def by_book(examples: Sequence[Put], relevance: Floats, threshold: float = THRESHOLD) -> tuple[BookReliability, ...]:
    """One row a book that both kinds of people's questions were put to."""
    rows = []
    for book in sorted({example.book for example in examples}):
        at = [position for position, example in enumerate(examples) if example.book == book]
        row = of_books(book, [examples[position] for position in at], relevance[at], threshold)
        rows += [] if row is None else [row]
    return tuple(rows)


def of_books(name: str, examples: Sequence[Put], relevance: Floats, threshold: float) -> BookReliability | None:
    """All these examples together; None where people's questions are of one kind alone."""
    people = np.asarray([not example.generated for example in examples])
    answered = np.asarray([example.answered for example in examples])
    near = np.asarray([example.is_near_miss for example in examples])
    if not (people & answered).any() or not (people & ~answered).any():
        return None
    return BookReliability(
        name,
        reliability(relevance[people], answered[people]),
        share_above(relevance, people & answered, threshold),
        int((people & near).sum()),
        share_above(relevance, people & near, threshold),
        share_above(relevance, people & ~answered & ~near, threshold),
        share_above(relevance, ~people & answered, threshold),
    )


_SIZE, _LEFT, _TOP = 260, 46, 14


def diagram(bins: Sequence[Bin], title: str) -> str:
    """A point for each bin, its area by its number of questions; on the diagonal what is said is true."""
    most = max((bin_.n for bin_ in bins), default=1)
    points = "".join(
        f'<circle cx="{_x(bin_.predicted):.1f}" cy="{_y(bin_.observed):.1f}" r="{3 + 7 * (bin_.n / most) ** 0.5:.1f}" '
        f'fill="#3b6ea5" fill-opacity="0.75"><title>{bin_.n} questions: said {bin_.predicted:.2f}, '
        f"true {bin_.observed:.2f}</title></circle>"
        for bin_ in bins
    )
    ticks = "".join(
        f'<text x="{_x(at / 5):.1f}" y="{_TOP + _SIZE + 16}" text-anchor="middle">{at / 5:.1f}</text>'
        f'<text x="{_LEFT - 8}" y="{_y(at / 5) + 4:.1f}" text-anchor="end">{at / 5:.1f}</text>'
        for at in range(6)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _SIZE + 20}" height="{_TOP + _SIZE + 46}" '
        f'font-family="sans-serif" font-size="11" role="img" aria-label="{title}">'
        f'<rect width="100%" height="100%" fill="white"/>'
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_SIZE}" height="{_SIZE}" fill="none" stroke="#999"/>'
        f'<line x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}" stroke="#bbb" stroke-dasharray="4 3"/>'
        f"{points}{ticks}"
        f'<text x="{_x(0.5)}" y="{_TOP + _SIZE + 36}" text-anchor="middle">relevance</text>'
        f'<text transform="translate(12 {_y(0.5)}) rotate(-90)" text-anchor="middle">share with an answer</text>'
        "</svg>\n"
    )


def _x(value: float) -> float:
    return _LEFT + value * _SIZE


def _y(value: float) -> float:
    return _TOP + (1 - value) * _SIZE


GENERATED, ELSEWHERE = 250, 10
"""Generated questions that a book is asked about itself; questions of people, and as many generated ones, about each
other book. What a book cannot answer weighs as much as what it can, however many those are."""
KIN = ({"ttrpg", SAMPLE},)
"""Sets whose books are of one kind: what one of them is asked, another may answer."""
STRATEGY = "default"


@dataclass(frozen=True, slots=True)
class BookQuestions:
    """A book, and what people and templates ask about it."""

    set: str
    name: str
    retriever: Retriever
    people: tuple[Question, ...]
    generated: tuple[Question, ...]

    def is_like(self, other: "BookQuestions") -> bool:
        """Whether this book may answer what is asked about the other."""
        return self.name == other.name or any({self.set, other.set} <= kin for kin in KIN)


@dataclass(frozen=True, slots=True)
class RelevanceReport:
    """Calibrations, and what they are worth on books that had no say."""

    calibrations: tuple[Calibration, ...]
    """Of the embedder, and of any other."""
    books: tuple[BookReliability, ...]
    """Left out one by one."""
    together: BookReliability
    named: BookReliability
    """Those of `--data`: all but the sample book, whose questions were written with the program at hand."""
    without_cosines: BookReliability
    """By the calibration of any embedder."""

    def write(self, docs: Path, file: Path = SHIPPED) -> None:
        """Ship the calibrations beside those of other embedders, and write a page with its diagram.

        The calibration of any other embedder is the default embedder's to fit.
        """
        kept = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
        fitted = {
            calibration.embedder: asdict(calibration)
            for calibration in (self.calibrations if self._is_default else (self._own,))
        }
        every = {calibration["embedder"]: calibration for calibration in kept} | fitted
        write_atomically(file, json.dumps([every[name] for name in sorted(every)], indent=1) + "\n")
        write_atomically(docs / f"{self._name}.md", self.page())
        write_atomically(docs / f"{self._name}.svg", self.diagram())

    @property
    def _own(self) -> Calibration:
        return self.calibrations[0]

    @property
    def _is_default(self) -> bool:
        return self._own.embedder == DEFAULT_EMBEDDER

    @property
    def _name(self) -> str:
        return "relevance" if self._is_default else re.sub(r"\W+", "_", f"relevance_{self._own.embedder}")

    def diagram(self) -> str:
        """The reliability diagram of all books together, as SVG."""
        return diagram(self.together.reliability.bins, "Relevance against the share of questions with an answer")

    def page(self) -> str:
        """Markdown: every book left out, and all together."""
        own = self._own
        lines = [
            "# Relevance",
            "",
            "`python -m tools fit relevance` writes this page.",
            "`relevance_score` estimates the probability that a chunk",
            "answers the question. It is a logistic function of measures that are comparable between libraries",
            "(`retrieval/rag/relevance.py`), with monotone weights. Questions with and without an answer have equal",
            "weight. If your books answer more than half of your users' questions, the true probability is higher.",
            "",
            "## Held-out books",
            "",
            "The table covers human questions. Each book was scored with a calibration that was fitted without any",
            f"question about it. *Met* is the share of questions with a relevance of at least {THRESHOLD:g}. *Near*",
            "counts questions about this book that it does not answer. *Other* counts questions about books of",
            "another kind. *Generated met* covers generated questions with an answer, which count in no other",
            "column.",
            "",
            "| book | answered | met | near | met | other | met | generated met | AUC | ECE |",
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
            *map(_row, [*self.books, self.together, self.named, self.without_cosines]),
            "",
            f"![Reliability of all books together]({self._name}.svg)",
            "",
            "## Shipped weights",
            "",
            f"These weights are for `{own.embedder}`. An embedder without its own calibration uses the weights",
            "without cosines.",
            "",
            "| measure | weight | without cosines |",
            "|---|---:|---:|",
            *(f"| `{name}` | {_weight(own, name)} | {_weight(self.calibrations[1], name)} |" for name in NAMES),
            f"| intercept | {own.intercept:g} | {self.calibrations[1].intercept:g} |",
            "",
        ]
        return "\n".join(lines)


def fit_relevance(
    home: Path, data: Path, split: str, embedder: Embedder, seed: int = 0, tell: Tell = lambda *_: None
) -> RelevanceReport:
    """Fit on every set of books under `data` that has the split, and on the sample book.

    Raises:
        BenchmarkDataError: there is no set under `data` with such a split.
        FittingError: there are too few books to leave one out.
    """
    examples = asked_of_books(home, data, split, embedder, seed, tell)
    name = embedder.identity.name
    if len({example.book for example in examples}) < 3:
        raise FittingError("relevance is fitted on three books or more: one is left out, and two ask each other")
    tell("fitting", 0, 1)
    relevance = left_out(examples, name, STRATEGY)
    blind = left_out(examples, ANY, STRATEGY, WITHOUT_COSINES)
    together = of_books("all", examples, relevance, THRESHOLD)
    without = of_books("all, without cosines", examples, blind, THRESHOLD)
    own = [position for position, example in enumerate(examples) if example.set != SAMPLE]
    theirs = of_books("all but the sample", [examples[position] for position in own], relevance[own], THRESHOLD)
    if together is None or without is None or theirs is None:
        raise FittingError("no question of people has an answer, or all have; name sets with both")
    return RelevanceReport(
        (fit(examples, name, STRATEGY), fit(examples, ANY, STRATEGY, WITHOUT_COSINES)),
        by_book(examples, relevance),
        together,
        theirs,
        without,
    )


def asked_of_books(
    home: Path, data: Path, split: str, embedder: Embedder, seed: int = 0, tell: Tell = lambda *_: None
) -> tuple[Put, ...]:
    """Every example: what is asked of each book.

    Raises:
        BenchmarkDataError: there is no set under `data` with such a split.
    """
    with ExitStack() as opened:
        books = [
            _asked(name, corpus, Retriever(snapshot, embedder_without(home, corpus.name, embedder)), seed)
            for name, corpus in learned_from(data, split)
            if isinstance(corpus, LibraryBook)
            and (snapshot := opened.enter_context(open_index(home, name, corpus, embedder, tell)))
        ]
        puts: list[Put] = []
        for number, book in enumerate(books):
            tell(f"asking {book.name}", number, len(books))
            for other in books:
                puts += _questions_to(book, other, seed)
        return tuple(puts)


def _asked(name: str, corpus: Corpus, retriever: Retriever, seed: int) -> BookQuestions:
    chunks = tuple(retriever.snapshot.chunks)
    people = [question for one in corpus.question_sets(retriever, chunks) for question in one.scored]
    written = generated_questions(chunks, retriever.snapshot.vocabulary, seed)
    return BookQuestions(name, corpus.name, retriever, tuple(people), tuple(drawn(written, GENERATED, seed)))


def _questions_to(book: BookQuestions, other: BookQuestions, seed: int) -> Iterator[Put]:
    own = book.name == other.name
    if not own and book.is_like(other):
        return
    people, generated = other.people, other.generated
    if not own:
        people, generated = (
            tuple(drawn([question for question in questions if question.gold], ELSEWHERE, seed))
            for questions in (people, generated)
        )
    for question in (*people, *generated):
        yield put(
            book.retriever,
            question.query,
            set_=book.set,
            book=book.name,
            source=other.name,
            generated=question.generated,
            answered=own and bool(question.gold),
        )


def _row(row: BookReliability) -> str:
    reliability = row.reliability
    shares = (row.met_answered, row.met_near, row.met_other, row.met_generated)
    met, near, other, generated = ("-" if share is None else f"{share:.3f}" for share in shares)
    others = reliability.n_unanswered - row.n_near
    return (
        f"| {row.book} | {reliability.n_answered} | {met} | {row.n_near} | {near} | {others} | {other} | {generated} | "
        f"{reliability.auc:.3f} | {reliability.ece:.3f} |"
    )


def _weight(calibration: Calibration, name: str) -> str:
    return f"{calibration.weights[calibration.names.index(name)]:g}" if name in calibration.names else "-"
