"""The query adapter of MiniLM: training examples, LoRA (the only use of JAX), hits of books left out."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evals.questions.question_sets import QuestionSet
from retrieval.files.atomic_files import write_atomically
from retrieval.index.embedding.minilm_model import QUERY_ADAPTER, MiniLmEmbedder
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.retriever import Retriever
from retrieval.types import Embedder, Vector
from tools.corpora.books import LibraryBook
from tools.corpora.indexes import QUERY_ADAPTERS, Tell, open_index
from tools.corpora.sets import benchmarks_under
from tools.fit.logit import FittingError
from tools.fit.minilm import (
    BATCH,
    Adapter,
    Arrays,
    MiniLmEncoder,
    Settings,
    adapters_without,
    jax_library,
    padded,
    save_adapter,
    trained,
)

FOLDS = 4
"""Groups of books; each is scored, and asked by every other fit, with an adapter that was trained without it."""
LONGEST = 48
"""Tokens of a question that are trained on."""
_CHUNKS = 4096
"""Matrices of chunks are filled up to a multiple of this, so that few shapes are compiled."""


@dataclass(frozen=True, slots=True)
class QuerySettings(Settings):
    """How a query adapter is trained."""

    temperature: float = 0.05
    drift: float = 1.0
    """What a vector costs that moves away from the published model's, times 1 minus their cosine."""


SETTINGS = QuerySettings()


@dataclass(frozen=True, slots=True, eq=False)
class QueryExample:
    """A question and the chunks that answer it. Key: (book, question)."""

    book: str
    question: str
    kind: str
    gold: npt.NDArray[np.int64]
    """Positions; at least one."""


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """Questions to some books, and the vectors that they are trained to come near to."""

    examples: tuple[QueryExample, ...]
    vectors: Mapping[str, Vector]
    """(chunks, dimensions) by book."""


def tokens_of(questions: Sequence[str], tokenizer: Any) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
    """(questions, LONGEST) token ids, and which of them are tokens of the question."""
    return padded([tokenizer.encode(question).ids[:LONGEST] for question in questions], LONGEST, len(questions))


class QueryTrainer:
    """Trains adapters on questions whose lower states are computed once.

    The loss of a question is -log of the share that its gold has in the softmax over all chunks of its book.

    Args:
        training: all questions; an adapter is trained on those of some books.
        weights: of the published model.
        tokenizer: of the model.
        settings: how.
        seed: of the order of questions and the first values.
    """

    def __init__(
        self, training: Training, weights: Path, tokenizer: Any, settings: QuerySettings = SETTINGS, seed: int = 0
    ) -> None:
        self._training, self._settings, self._seed = training, settings, seed
        self._encoder = MiniLmEncoder(weights, settings.first_layer)
        tokens, self._mask = tokens_of([example.question for example in training.examples], tokenizer)
        self._states = self._encoder.states(tokens, self._mask)
        self._chunks = {
            book: np.pad(vectors, ((0, -len(vectors) % _CHUNKS), (0, 0))) for book, vectors in training.vectors.items()
        }

    def adapter(self, books: frozenset[str]) -> Adapter:
        """Train on the questions to some books.

        Raises:
            FittingError: there are none, or JAX or Optax is not installed.
        """
        settings, draws = self._settings, random.Random(self._seed)
        steps = [step for _ in range(settings.epochs) for step in self._order(books, draws)]
        if not steps:
            raise FittingError("no question has gold among the chunks of its book; nothing can be learned")
        adapter = self._encoder.fresh_adapter(settings.rank, self._seed)
        batches = (self._arrays(book, numbers) for book, numbers in steps)
        return trained(adapter, self._loss, batches, len(steps), settings)

    def ranks(self, books: frozenset[str], adapter: Adapter) -> Iterator[tuple[QueryExample, int]]:
        """1-based rank of the best gold of each question to some books, by the cosine alone; {} for the published."""
        numbers = [n for n, example in enumerate(self._training.examples) if example.book in books]
        vectors = self._encoder.embedded(self._states[numbers], self._mask[numbers], adapter)
        for number, vector in zip(numbers, vectors, strict=True):
            example = self._training.examples[number]
            cosines = self._training.vectors[example.book] @ vector
            yield example, int(np.count_nonzero(cosines > cosines[example.gold].max())) + 1

    def _order(self, books: frozenset[str], draws: random.Random) -> list[tuple[str, list[int]]]:
        """The questions of an epoch, those of one book at a time, in a drawn order."""
        by_book: dict[str, list[int]] = {}
        for number, example in enumerate(self._training.examples):
            if example.book in books:
                by_book.setdefault(example.book, []).append(number)
        steps: list[tuple[str, list[int]]] = []
        for book, numbers in sorted(by_book.items()):
            draws.shuffle(numbers)
            steps += [(book, numbers[at : at + BATCH]) for at in range(0, len(numbers), BATCH)]
        draws.shuffle(steps)
        return steps

    def _arrays(self, book: str, numbers: Sequence[int]) -> tuple[Any, ...]:
        """The arrays of a batch that `_loss` takes: questions to one book, filled up to `BATCH`."""
        n, filling = len(numbers), BATCH - len(numbers)
        mask = np.pad(self._mask[numbers], ((0, filling), (0, 0)))
        mask[n:, 0] = True  # filling, too, needs a token to attend to
        length = -(-int(mask.sum(1).max()) // 8) * 8
        gold = np.zeros((BATCH, len(self._chunks[book])), dtype=np.bool_)
        for row, number in enumerate(numbers):
            gold[row, self._training.examples[number].gold] = True
        states = np.pad(self._states[numbers].astype(np.float32), ((0, filling), (0, 0), (0, 0)))[:, :length]
        chunks, n_chunks = self._chunks[book], len(self._training.vectors[book])
        return states, mask[:, :length], chunks, n_chunks, gold, (np.arange(BATCH) < n).astype(np.float32)

    def _loss(
        self, adapter: Arrays, states: Any, mask: Any, chunks: Any, n_chunks: Any, gold: Any, weights: Any
    ) -> Any:
        """Mean loss of a batch.

        Args:
            adapter: that is trained.
            states: (BATCH, length, width) of the lower layers.
            mask: (BATCH, length) which are tokens.
            chunks: (chunks and filling, dimensions)
            n_chunks: how many are chunks.
            gold: (BATCH, chunks and filling)
            weights: (BATCH,) 0 for filling.
        """
        jax = jax_library()
        vectors, published = (self._encoder.vectors(states, mask, some) for some in (adapter, {}))
        is_chunk = jax.numpy.arange(chunks.shape[0]) < n_chunks
        scores = jax.numpy.where(is_chunk, vectors @ chunks.T / self._settings.temperature, -1e9)
        of_gold = jax.nn.logsumexp(jax.numpy.where(gold, scores, -1e9), -1)
        losses = jax.nn.logsumexp(scores, -1) - of_gold
        drifts = 1.0 - (vectors * published).sum(-1)
        return ((losses + self._settings.drift * drifts) * weights).sum() / weights.sum()


@dataclass(frozen=True, slots=True)
class VectorHits:
    """Questions of one kind to books that were left out, ranked by the cosine alone. Key: kind."""

    kind: str
    n: int
    published: tuple[float, ...]
    """hit@1, hit@5 and hit@15 with the vector of the published model."""
    adapted: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class QueriesReport:
    """A trained adapter and what it is worth."""

    adapter: Adapter
    hits: tuple[VectorHits, ...]

    def write(self, docs: Path) -> None:
        """Ship the adapter, and write `queries.md`."""
        save_adapter(self.adapter, QUERY_ADAPTER)
        write_atomically(docs / "queries.md", self.page())

    def to_json(self) -> dict[str, Any]:
        """For `--json`: without the adapter itself."""
        return {"hits": [asdict(row) for row in self.hits]}

    def page(self) -> str:
        """Markdown: every kind of question."""
        lines = [
            "# The query adapter of `minilm`",
            "",
            "`python -m tools fit queries` writes this page.",
            "The embedder `minilm` embeds texts with all-MiniLM-L6-v2 as published, and questions with an adapter of",
            "low rank (LoRA) on its last three layers. The adapter was trained to bring a question near the rows and",
            "passages that answer it, among all chunks of their book. An index does not depend on it.",
            "",
            f"Each of {FOLDS} groups of books is scored by an adapter that was trained on the other groups. Chunks are",
            "ranked by the cosine alone. The cells show hit@1 / hit@5 / hit@15.",
            "",
            "| kind | questions | published | adapted, held out |",
            "|---|---:|---|---|",
            *(f"| {row.kind} | {row.n} | {_cell(row.published)} | {_cell(row.adapted)} |" for row in self.hits),
            "",
        ]
        return "\n".join(lines)


def _cell(hits: Sequence[float]) -> str:
    return " / ".join(f"{hit:.3f}" for hit in hits)


def fit_queries(
    home: Path, data: Path, split: str, embedder: Embedder, seed: int = 0, tell: Tell = lambda *_: None
) -> QueriesReport:
    """Train on every set of books under `data` that has the split; not on the shelf and the sample, which stay a test.

    The adapters of the folds are kept under `home`, where the other fits find them.

    Raises:
        BenchmarkDataError: there is no set under `data` with such a split.
        FittingError: the embedder is another one, there are fewer than two books, or a library is not installed.
    """
    if not isinstance(embedder, MiniLmEmbedder):
        raise FittingError(f"the adapter is one of minilm, and the embedder is {embedder.identity.name}")
    training = _training(home, data, split, embedder, tell)
    trainer = QueryTrainer(training, embedder.weights, embedder.tokenizer, seed=seed)
    books = frozenset(example.book for example in training.examples)
    if len(books) < 2:
        raise FittingError(f"the adapter is fitted on questions to two books or more; {data} has {len(books)}")
    ranks: list[tuple[str, int, int]] = []
    folder, n_folds = home / QUERY_ADAPTERS, min(FOLDS, len(books))
    for held, adapter, _ in adapters_without(books, n_folds, folder, trainer.adapter, seed, tell):
        pairs = zip(trainer.ranks(held, {}), trainer.ranks(held, adapter), strict=True)
        ranks += [(example.kind, published, adapted) for (example, published), (_, adapted) in pairs]
    return QueriesReport(trainer.adapter(books), _hits(ranks))


def _training(home: Path, data: Path, split: str, embedder: Embedder, tell: Tell) -> Training:
    examples: list[QueryExample] = []
    vectors: dict[str, Vector] = {}
    for name, corpora in benchmarks_under(data, split).corpora.items():
        for corpus in corpora:
            if not isinstance(corpus, LibraryBook):
                continue
            tell(f"{name}, {corpus.name}", len(vectors), 0)
            with open_index(home, name, corpus, embedder, tell) as snapshot:
                vectors[corpus.name] = np.array(snapshot.vectors)
                retriever, chunks = Retriever(snapshot, embedder), tuple(snapshot.chunks)
                for questions in corpus.question_sets(retriever, chunks):
                    examples += _examples(corpus.name, questions, snapshot)
    return Training(tuple(examples), vectors)


def _examples(book: str, questions: QuestionSet, snapshot: Snapshot) -> Iterator[QueryExample]:
    for question in questions.scored:
        gold = snapshot.chunks.positions(list(questions.gold(question)))
        if len(gold) and not question.generated:
            yield QueryExample(book, question.query, question.kind, gold)


def _hits(ranks: Sequence[tuple[str, int, int]]) -> tuple[VectorHits, ...]:
    by_kind: dict[str, list[tuple[int, int]]] = {}
    for kind, published, adapted in ranks:
        by_kind.setdefault(kind, []).append((published, adapted))
    rows: list[VectorHits] = []
    for kind, pairs in sorted(by_kind.items()):
        hits = [tuple(float((column <= k).mean()) for k in (1, 5, 15)) for column in np.asarray(pairs).T]
        rows.append(VectorHits(kind, len(pairs), hits[0], hits[1]))
    return tuple(rows)
