"""Answers that are read: the choice of sentences and the probability that a statement is right, fitted on books."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evals.answer_scores import COMPARISON, NO_ANSWER, GoldAnswer, gold_answer, grade_answer
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Question
from retrieval.files.atomic_files import write_atomically
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.rag import sentences, statements
from retrieval.rag.cells import Cell
from retrieval.rag.passages import Gatherer
from retrieval.rag.question_words import QuestionWords
from retrieval.rag.rag_context import ContextSource
from retrieval.rag.relevance import N_CANDIDATES
from retrieval.rag.row_reader import SHIPPED_READER, RowReader
from retrieval.search.retriever import Retriever
from retrieval.settings import AnswerSettings
from retrieval.types import Chunk, Embedder, Hit
from tools.corpora.books import LibraryBook
from tools.corpora.indexes import Tell, embedder_without, learned_from, open_index, row_reader_without
from tools.fit.logit import FittingError, fit_conditional, fit_monotone

Floats = npt.NDArray[np.float64]

FOLDS = 5
"""Groups of books; each is scored by what was fitted on the others."""


@dataclass(frozen=True, slots=True, eq=False)
class SentenceExample:
    """A question, and a passage of prose that answers it. Key: (book, question)."""

    book: str
    question: str
    features: Floats
    """(sentences, `sentences.NAMES`)."""
    right: npt.NDArray[np.bool_]
    """(sentences,) that answer; at least one."""


@dataclass(frozen=True, slots=True, eq=False)
class StatementExample:
    """A question, and what could be stated of each of the first passages. Key: (book, question, masked)."""

    book: str
    question: str
    kind: str
    """Of the question; `no-answer` where the gold passages are masked."""
    masked: bool
    """Whether the gold passages were taken out of the ranking: the library is then one that does not answer."""
    features: Floats
    """(candidates, `statements.NAMES`), in the order of the ranking."""
    kinds: tuple[str, ...]
    """Of the candidates: `row` or `prose`."""
    right: npt.NDArray[np.bool_]
    """(candidates,)"""


@dataclass(frozen=True, slots=True, eq=False)
class AnswerExamples:
    """Everything that one fit is made from."""

    sentences: tuple[SentenceExample, ...]
    statements: tuple[StatementExample, ...]


@dataclass(frozen=True, slots=True, eq=False)
class AskedBook:
    """A book and the questions that people asked about it, comparisons left out. Key: name."""

    name: str
    gatherer: Gatherer
    gold: tuple[tuple[Question, GoldAnswer], ...]
    """Each question that has an answer, or no gold."""
    row_reader: RowReader = SHIPPED_READER
    """One that was trained without the book."""

    @classmethod
    def of(
        cls, name: str, sets: Sequence[QuestionSet], gatherer: Gatherer, row_reader: RowReader = SHIPPED_READER
    ) -> "AskedBook":
        """Take the questions of some sets."""
        gold = tuple(
            (question, gold_answer(questions, question))
            for questions in sets
            for question in questions.scored
            if question.kind != COMPARISON and (question.answer or not question.gold)
        )
        return cls(name, gatherer, gold, row_reader)

    @property
    def snapshot(self) -> Snapshot:
        """Its index."""
        return self.gatherer.reader.retriever.snapshot

    def sentence_examples(self) -> Iterator[SentenceExample]:
        """The questions that a passage of prose answers."""
        chunks = self.snapshot.chunks
        for question, gold in self.gold:
            words = QuestionWords.of(question.query, self.snapshot)
            own = [chunks[position] for position in chunks.positions(gold.chunk_ids[:2])]
            yield from _sentence_examples(self.name, words, [chunk for chunk in own if chunk.kind == "prose"], gold)

    def statement_examples(self, sentence_weights: Floats) -> Iterator[StatementExample]:
        """Every question; each that has an answer a second time with its gold passages masked."""
        for question, gold in self.gold:
            hits = self.gatherer.reader.retriever.retrieve(question.query, 2 * N_CANDIDATES, decisions=False).hits
            yield from self._asked(question, gold, hits, sentence_weights, masked=False)
            if gold.chunk_ids:
                others = [hit for hit in hits if hit.chunk.id not in gold.chunk_ids]
                yield from self._asked(question, gold, others, sentence_weights, masked=True)

    def _asked(
        self, question: Question, gold: GoldAnswer, hits: Sequence[Hit], sentence_weights: Floats, *, masked: bool
    ) -> Iterator[StatementExample]:
        words = QuestionWords.of(question.query, self.snapshot)
        passages = self.gatherer.measured(question.query, hits[:N_CANDIDATES])
        rivals = statements.candidates(
            words, passages, self.snapshot, sentence_weights=sentence_weights, row_reader=self.row_reader
        )
        if not rivals:
            return
        chunks = {rival.passage.hit.chunk.id: rival.passage.hit.chunk for rival in rivals}
        right = [bool(gold.chunk_ids) and grade_answer(rival.cells, chunks, gold) == "right" for rival in rivals]
        yield StatementExample(
            self.name,
            question.query,
            question.kind if gold.chunk_ids and question.kind else NO_ANSWER,
            masked,
            statements.statement_features(words, rivals),
            tuple(rival.kind for rival in rivals),
            np.asarray(right, dtype=np.bool_),
        )


def _sentence_examples(
    book: str, words: QuestionWords, passages: Sequence[Chunk], gold: GoldAnswer
) -> Iterator[SentenceExample]:
    for chunk in passages:
        pieces = sentences.split_sentences(chunk.text)
        cells = [Cell(chunk.id, "", piece.whole_text, position, 1.0) for position, piece in enumerate(pieces)]
        right = np.asarray([grade_answer([cell], {chunk.id: chunk}, gold) == "right" for cell in cells], dtype=np.bool_)
        if right.any():
            yield SentenceExample(book, words.text, sentences.sentence_features(words, pieces), right)


_MASKED, _NOT_FIRST = 0.35, 0.5
"""What a masked question counts beside one that is asked as it is, and a candidate that is not the first."""


def fit_sentences(examples: Sequence[SentenceExample]) -> Floats:
    """(sentences.NAMES,) weights that make the right sentences most likely.

    Raises:
        FittingError: there is no example.
    """
    if not examples:
        raise FittingError("the choice of sentences is fitted on questions that prose answers; there are none")
    weights = fit_conditional(
        [example.features for example in examples],
        [example.right / example.right.sum() for example in examples],
        [1.0] * len(examples),
    )
    return weights.round(3)


def fit_statements(examples: Sequence[StatementExample], kind: str) -> statements.StatementModel:
    """The model of one kind of statement, `row` or `prose`.

    Raises:
        FittingError: no statement of the kind is right, or all are.
    """
    chosen = [
        (example.features[position], bool(example.right[position]), _weight(example, position))
        for example in examples
        for position in range(len(example.right))
        if example.kinds[position] == kind
    ]
    right = np.asarray([is_right for _, is_right, _ in chosen], dtype=np.float64)
    if not 0 < right.sum() < len(right):
        raise FittingError(f"statements of {kind} are fitted on right and wrong ones; one kind is missing")
    columns = [statements.NAMES.index(name) for name in statements.FEATURES[kind]]
    values = np.asarray([features[columns] for features, _, _ in chosen])
    signs = np.asarray([-1.0 if name in statements.FALLING else 1.0 for name in statements.FEATURES[kind]])
    counts = np.asarray([weight for _, _, weight in chosen])
    intercept, fitted = fit_monotone(values, signs, right, counts / counts.sum())
    weights = np.zeros(len(statements.NAMES))
    weights[columns] = fitted.round(4) + 0.0
    return statements.StatementModel(round(intercept, 4), tuple(weights.tolist()))


def _weight(example: StatementExample, position: int) -> float:
    return (_MASKED if example.masked else 1.0) * (_NOT_FIRST if position else 1.0)


@dataclass(frozen=True, slots=True)
class AnswerModels:
    """What one fit found."""

    sentence_weights: tuple[float, ...]
    """In the order of `sentences.NAMES`."""
    row: statements.StatementModel
    prose: statements.StatementModel

    @classmethod
    def fit(cls, examples: AnswerExamples) -> "AnswerModels":
        """Fit all three. Raises FittingError where examples of one are missing."""
        return cls(
            tuple(fit_sentences(examples.sentences).tolist()),
            fit_statements(examples.statements, "row"),
            fit_statements(examples.statements, "prose"),
        )

    def probabilities(self, example: StatementExample) -> Floats:
        """(candidates,) that each is right."""
        row, prose = self.row.of(example.features), self.prose.of(example.features)
        return np.where(np.asarray(example.kinds) == "row", row, prose)


MASKED = "masked"


@dataclass(frozen=True, slots=True)
class HeldOutAnswer:
    """The most probable statement that answers a question, by models that were fitted without its group of books."""

    kind: str
    """Of the question; `masked` is a kind of its own."""
    probability: float
    """That the statement is right."""
    is_right: bool


def held_out_answers(examples: AnswerExamples) -> tuple[HeldOutAnswer, ...]:
    """Answer the questions about each group of books by models that were fitted on the other groups."""
    books = sorted({example.book for example in examples.statements})
    answers: list[HeldOutAnswer] = []
    for fold in range(min(FOLDS, len(books))):
        own = frozenset(books[fold::FOLDS])
        models = AnswerModels.fit(
            AnswerExamples(
                tuple(example for example in examples.sentences if example.book not in own),
                tuple(example for example in examples.statements if example.book not in own),
            )
        )
        answers += [_answer(example, models) for example in examples.statements if example.book in own]
    return tuple(answers)


def _answer(example: StatementExample, models: AnswerModels) -> HeldOutAnswer:
    chances = models.probabilities(example)
    best = int(chances.argmax())
    kind = MASKED if example.masked else example.kind
    return HeldOutAnswer(kind, float(chances[best]), bool(example.right[best]))


_TRIED = (
    "## Tried without a gain",
    "",
    "On held-out books, none of these separates right from wrong statements better:",
    "",
    "- boosted trees instead of the logistic model",
    "- cosines of the question with the cell, the sentence and the whole row, by MiniLM",
    "- the shares of the question that are column heads, titles of similar tables, or keys of other rows",
    "- 1,677 more questions without an answer, by cutting columns, rows and tables out of 91 books",
    "- MiniLM with an adapter that reads question, title and cells, and may choose none of them (SQuAD 2.0)",
    "- leaving out cells that the question already says, or reading a blank cell in a row of marks as a no: of 1,534",
    "  questions, one or two more answers wrong and none more right",
)
THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
"""Minimum probabilities of a stated answer that the page compares, besides the default."""


@dataclass(frozen=True, slots=True)
class AnswersFitReport:
    """Fitted models, and what they are worth on books that had no say."""

    models: AnswerModels
    answers: tuple[HeldOutAnswer, ...]
    settings: AnswerSettings

    def write(self, docs: Path) -> None:
        """Ship the models, and write `answers.md`."""
        weights = dict(zip(sentences.NAMES, self.models.sentence_weights, strict=True))
        write_atomically(sentences.WEIGHTS, json.dumps(weights, indent=1) + "\n")
        stored = {kind: _named(getattr(self.models, kind), kind) for kind in statements.FEATURES}
        write_atomically(statements.MODELS, json.dumps(stored, indent=1) + "\n")
        write_atomically(docs / "answers.md", self.page())

    def page(self) -> str:
        """Markdown: every kind of question left out, and the weights."""
        lines = [
            "# Answers",
            "",
            "`python -m tools fit answers` writes this page.",
            "An answer without a language model is stated if its probability",
            "is high enough. Two conditional logit models select the [cells](cells.md) of a row and the sentences of a",
            "passage; a logistic model over the features in `retrieval/rag/statements.py` gives the probability that",
            "the statement is right. The model is monotone in every feature.",
            "",
            "## Held-out books",
            "",
            f"Each of {FOLDS} groups of books is scored by models that were fitted on the other groups. The ranking",
            "and the cells were fitted on the same books. *Masked* questions are asked a second time without the",
            "passages that answer them, so that every statement is wrong unless another passage has the same value.",
            "*Wrong of stated* is the share of stated answers that are wrong.",
            "",
            "| questions | n | stated, right | stated, wrong | perhaps | refused | wrong of stated |",
            "|---|---:|---:|---:|---:|---:|---:|",
            *(self._row_of_kind(kind) for kind in sorted({answer.kind for answer in self.answers})),
            "",
            "The next table counts all questions except masked ones, by the minimum probability of a stated answer.",
            "",
            "| `min_probability` | stated, right | stated, wrong | wrong of stated |",
            "|---:|---:|---:|---:|",
            *map(self._row_of_threshold, sorted({*THRESHOLDS, self.settings.min_probability})),
            "",
            "## Shipped weights",
            "",
            "| feature of a statement | row | prose |",
            "|---|---:|---:|",
            *(
                f"| `{name}` | {self._weight('row', name)} | {self._weight('prose', name)} |"
                for name in statements.NAMES
            ),
            f"| intercept | {self.models.row.intercept:g} | {self.models.prose.intercept:g} |",
            "",
            "| feature of a sentence | weight |",
            "|---|---:|",
            *(
                f"| `{name}` | {weight:g} |"
                for name, weight in zip(sentences.NAMES, self.models.sentence_weights, strict=True)
            ),
            "",
            *_TRIED,
            "",
        ]
        return "\n".join(lines)

    def _row_of_kind(self, kind: str) -> str:
        own = [answer for answer in self.answers if answer.kind == kind]
        stated = [answer for answer in own if answer.probability >= self.settings.min_probability]
        offered = sum(answer.probability >= self.settings.min_perhaps for answer in own)
        shares = (*_right_and_wrong(stated), offered - len(stated), len(own) - offered)
        cells = " | ".join(f"{share / len(own):.3f}" for share in shares)
        return f"| {kind} | {len(own)} | {cells} | {_wrong_share(stated)} |"

    def _row_of_threshold(self, threshold: float) -> str:
        unmasked = [answer for answer in self.answers if answer.kind != MASKED]
        stated = [answer for answer in unmasked if answer.probability >= threshold]
        cells = " | ".join(f"{count / (len(unmasked) or 1):.3f}" for count in _right_and_wrong(stated))
        return f"| {threshold:g} | {cells} | {_wrong_share(stated)} |"

    def _weight(self, kind: str, name: str) -> str:
        model: statements.StatementModel = getattr(self.models, kind)
        return f"{model.weights[statements.NAMES.index(name)]:g}" if name in statements.FEATURES[kind] else "-"


def _named(model: statements.StatementModel, kind: str) -> dict[str, float]:
    weights = dict(zip(statements.NAMES, model.weights, strict=True))
    return {"intercept": model.intercept} | {name: weights[name] for name in statements.FEATURES[kind]}


def _right_and_wrong(answers: Sequence[HeldOutAnswer]) -> tuple[int, int]:
    right = sum(answer.is_right for answer in answers)
    return right, len(answers) - right


def _wrong_share(stated: Sequence[HeldOutAnswer]) -> str:
    return f"{_right_and_wrong(stated)[1] / len(stated):.3f}" if stated else "-"


def fit_answers(
    home: Path, data: Path, split: str, embedder: Embedder, seed: int = 0, tell: Tell = lambda *_: None
) -> AnswersFitReport:
    """Fit on every set of books under `data` that has the split, on the shelf and on the sample.

    Args:
        home: of the benchmarks' indexes.
        data: folder with a folder for each set.
        split: of the questions.
        embedder: makes the vectors.
        seed: nothing is drawn; as the other fits take it.
        tell: called as the work goes on.

    Raises:
        BenchmarkDataError: there is no set under `data` with such a split.
        FittingError: there are no examples of some kind.
    """
    del seed
    with ExitStack() as opened:
        books: list[AskedBook] = []
        for name, corpus in learned_from(data, split):
            if not isinstance(corpus, LibraryBook):
                continue
            tell(f"opening {corpus.name}", len(books), 0)
            snapshot = opened.enter_context(open_index(home, name, corpus, embedder, tell))
            retriever = Retriever(snapshot, embedder_without(home, corpus.name, embedder))
            gatherer = Gatherer(ContextSource.of(retriever))
            sets = corpus.question_sets(retriever, tuple(snapshot.chunks))
            books.append(AskedBook.of(corpus.name, sets, gatherer, row_reader_without(home, corpus.name)))
        return fit_books(books, tell)


def fit_books(books: Sequence[AskedBook], tell: Tell = lambda *_: None) -> AnswersFitReport:
    """Fit on some books: the sentences first, and then what is stated with them.

    Raises:
        FittingError: there are no examples of some kind.
    """
    of_sentences = tuple(example for book in books for example in book.sentence_examples())
    weights = fit_sentences(of_sentences)
    of_statements: list[StatementExample] = []
    for number, book in enumerate(books):
        tell(f"asking {book.name}", number, len(books))
        of_statements += book.statement_examples(weights)
    tell("fitting", 0, 1)
    examples = AnswerExamples(of_sentences, tuple(of_statements))
    return AnswersFitReport(AnswerModels.fit(examples), held_out_answers(examples), AnswerSettings())
