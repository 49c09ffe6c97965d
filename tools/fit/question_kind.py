"""Which words of a question ask for prose, and which for a row: fitted on the kinds of published questions."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evals.questions.questions import load_questions
from retrieval.files.atomic_files import write_atomically
from retrieval.language.canonical import canonical
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.rerank.question_kind import START, WEIGHTS, question_terms
from retrieval.types import Embedder
from tools.corpora.books import BookCorpus
from tools.corpora.indexes import Tell
from tools.corpora.sets import benchmarks_under
from tools.fit.logit import FittingError, Floats, fit_conditional

LEAST_BOOKS = 15
"""Terms in the questions of fewer books say more about the books than about what is asked."""
FOLDS = 4
"""Groups of books; each is scored by weights that were fitted without it."""
PROSE, ROW = ("rule",), ("lookup", "matrix-lookup")
"""Kinds of questions that ask for prose and for a row."""


@dataclass(frozen=True, slots=True)
class KindExample:
    """One question. Key: (book, terms)."""

    book: str
    terms: frozenset[str]
    is_prose: bool


@dataclass(frozen=True, slots=True)
class KindsReport:
    """The weights, and how well those of other books tell the questions of a book apart."""

    n_prose: int
    n_row: int
    n_books: int
    left_out: float
    """Area under the ROC curve, each group of books by weights fitted without it."""
    weights: tuple[tuple[str, float], ...]

    def page(self) -> str:
        """Return the result as lines for a person."""
        ordered = sorted(self.weights, key=lambda pair: (pair[1], pair[0]))
        return "\n".join(
            (
                f"{self.n_prose} questions for prose and {self.n_row} for rows, about {self.n_books} books",
                f"area under the ROC curve, books left out: {self.left_out:.3f}",
                f"rows:  {', '.join(term for term, _ in ordered[:12])}",
                f"prose: {', '.join(term for term, _ in ordered[:-13:-1])}",
            )
        )

    def write(self, folder: Path) -> None:  # noqa: ARG002
        """Ship the weights; there is no page of them."""
        write_atomically(WEIGHTS, json.dumps(dict(self.weights), indent=0, ensure_ascii=False) + "\n")


def fit_kinds(
    home: Path,  # noqa: ARG001
    data: Path,
    split: str,
    embedder: Embedder,  # noqa: ARG001
    seed: int,  # noqa: ARG001
    tell: Tell,
) -> KindsReport:
    """Fit the weights of terms on the questions of all sets of books.

    Raises:
        BenchmarkDataError: there are no sets.
        FittingError: all questions are of one kind.
    """
    tell("reading questions", 0, FOLDS + 1)
    examples = list(_examples(data, split))
    books = sorted({example.book for example in examples})
    scores = np.zeros(len(examples))
    for fold in range(FOLDS):
        tell("learning without some books", fold, FOLDS + 1)
        left_out = set(books[fold::FOLDS])
        weights = dict(fit_weights([example for example in examples if example.book not in left_out]))
        for position, example in enumerate(examples):
            if example.book in left_out:
                scores[position] = sum(weights.get(term, 0.0) for term in example.terms)
    is_prose = np.asarray([example.is_prose for example in examples])
    tell("learning", FOLDS, FOLDS + 1)
    n_prose = int(is_prose.sum())
    area = _area(scores, is_prose)
    return KindsReport(n_prose, len(examples) - n_prose, len(books), area, fit_weights(examples))


def _examples(data: Path, split: str) -> Iterator[KindExample]:
    vocabulary = Vocabulary.default()
    for corpora in benchmarks_under(data, split).corpora.values():
        for book in (corpus for corpus in corpora if isinstance(corpus, BookCorpus)):
            for question in load_questions(book.questions):
                if question.kind in (*PROSE, *ROW):
                    terms = question_terms(canonical(question.query, vocabulary))
                    yield KindExample(book.name, terms, question.kind in PROSE)


def fit_weights(examples: Sequence[KindExample]) -> tuple[tuple[str, float], ...]:
    """Return the weight of each term that enough books have, by term; both kinds count the same.

    Raises:
        FittingError: all examples are of one kind, or there are none.
    """
    n_prose = sum(example.is_prose for example in examples)
    if not 0 < n_prose < len(examples):
        raise FittingError(f"{n_prose} of {len(examples)} questions ask for prose; add sets with both kinds")
    books_of: dict[str, set[str]] = defaultdict(set)
    for example in examples:
        for term in example.terms:
            books_of[term].add(example.book)
    terms = sorted(term for term, books in books_of.items() if len(books) >= LEAST_BOOKS or term == START)
    columns = {term: column for column, term in enumerate(terms)}
    counts = {True: 0.5 / n_prose, False: 0.5 / (len(examples) - n_prose)}
    features: list[Floats] = []
    for example in examples:
        row = np.zeros((2, len(terms)))
        row[0, [columns[term] for term in example.terms if term in columns]] = 1.0
        features.append(row)
    wanted = [np.asarray([example.is_prose, not example.is_prose], dtype=np.float64) for example in examples]
    weights = fit_conditional(features, wanted, [counts[example.is_prose] for example in examples])
    return tuple((term, round(float(weight), 3)) for term, weight in zip(terms, weights, strict=True))


def _area(scores: Floats, is_prose: np.ndarray) -> float:
    """Return the share of pairs of both kinds in which the question for prose has the higher score; ties count half."""
    prose, row = scores[is_prose][:, None], scores[~is_prose][None, :]
    return float(np.mean((prose > row) + 0.5 * (prose == row)))
