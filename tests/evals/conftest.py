"""Builders of small inputs: a chunk, a ranking, a searcher that answers from a table."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from evals.acceptance import Bound, CheckedBound, StrategyVerdict, changes
from evals.failures import FailedQuestion
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Anchor, Question
from evals.scored_questions import ScoredQuestion
from retrieval.home import Home
from retrieval.search.retriever import Retriever
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Decision, Hit, Receipt, Retrieval
from tests.scored_rows import scored_row

DENSE = Strategy("dense", dense_weight=1.0)
PREFILTER = Strategy("prefilter", dense_weight=1.0, query_must="prefilter")


def build_chunk(name: str, **given: object) -> Chunk:
    """A row chunk of table `t` in book `b`; its source is its name unless given."""
    values: dict[str, object] = {
        "book": "b",
        "document": "d.md",
        "kind": "row",
        "text": name,
        "search_text": name,
        "source": name,
        "lines": (1, 1),
        "heading_path": (),
        "table_id": "t" if given.get("kind", "row") == "row" else None,
    }
    return Chunk(id=name, **{**values, **given})  # type: ignore[arg-type]


def build_retrieval(ranking: str, chunks: Mapping[str, Chunk], strategy: str = "s", excluded: str = "") -> Retrieval:
    """Hits in the order of `ranking` ("d3 d1 d7") with falling scores, and a receipt that excludes `excluded`."""
    names = ranking.split()
    hits = tuple(Hit(chunks[name], float(len(names) - rank), rank + 1) for rank, name in enumerate(names))
    decisions = tuple(Decision(name, name, kept=False, reason="contain_one_of") for name in excluded.split())
    return Retrieval("q", strategy, hits, Receipt("q", decisions))


class TableSearcher:
    """Answers from `{strategy: {query: ranking}}`, at most k hits; counts what it was asked."""

    def __init__(self, answers: Mapping[str, Mapping[str, str]], chunks: Sequence[Chunk]) -> None:
        self.answers, self.chunks = answers, {chunk.id: chunk for chunk in chunks}
        self.asked: list[tuple[str, str, int]] = []

    def retrieve(self, query: str, k: int, strategy: Strategy) -> Retrieval:
        self.asked.append((strategy.name, query, k))
        ranking = " ".join(self.answers[strategy.name][query].split()[:k])
        return build_retrieval(ranking, self.chunks, strategy.name)


@pytest.fixture(scope="session")
def make_chunk() -> Callable[..., Chunk]:
    return build_chunk


@pytest.fixture(scope="session")
def make_retrieval() -> Callable[..., Retrieval]:
    return build_retrieval


@pytest.fixture(scope="session")
def dense() -> Strategy:
    return DENSE


@pytest.fixture(scope="session")
def prefilter() -> Strategy:
    return PREFILTER


class Library:
    """Ten rows g0 ... g9 of one guarded table, a row `u` of another, prose `p`, and questions about g0, g1, p."""

    def __init__(self) -> None:
        self.chunks = [build_chunk(f"g{n}", query_must=f'[["ac {n}"]]', row_key=str(n)) for n in range(10)]
        self.chunks += [build_chunk("u", table_id="other"), build_chunk("p", kind="prose")]
        self.questions = [self.question("q0", "g0"), self.question("q1", "g1"), self.question("q2", "p", kind="rule")]
        self.questions.append(Question("q3", "ask q3", book="b", kind="no-answer"))

    @staticmethod
    def question(name: str, snippet: str, kind: str = "lookup", **given: str) -> Question:
        return Question(name, f"ask {name}", book="b", kind=kind, gold=(Anchor("b", snippet=snippet),), **given)

    def set(self, name: str = "tiny", split: str = "open") -> QuestionSet:
        return QuestionSet.of(name, split, self.questions, self.chunks)

    def searcher(self, **answers: str) -> TableSearcher:
        """Rankings of q0 to q3, `/` between them, by strategy."""
        by_query = {
            strategy: {f"ask q{number}": ranking for number, ranking in enumerate(rankings.split("/"))}
            for strategy, rankings in answers.items()
        }
        return TableSearcher(by_query, self.chunks)


@pytest.fixture
def library() -> Library:
    return Library()


@pytest.fixture
def live(tiny_built: Home) -> Retriever:
    """The small book, indexed: a dagger, a long sword, a mace."""
    return Retriever.open(tiny_built.root)


def build_row(name: str, rank: int | None = 1, query: str = "", strategy: str = "default") -> ScoredQuestion:
    """A question whose gold is at `rank`; 0: a question without gold."""
    values = {} if rank == 0 else {"hit@1": float(rank == 1), "mrr": 1 / rank if rank else 0.0}
    return scored_row(
        name,
        strategy=strategy,
        query=query or f"ask {name}",
        gold=() if rank == 0 else ("g",),
        chunk_ids=("a", "b", "c"),
        deep_chunk_ids=("a", "b", "c", "d"),
        deep_scores=(4.0, 3.0, 2.0, 1.0),
        values=values,
        milliseconds=7.0,
    )


@pytest.fixture(scope="session")
def make_row() -> Callable[..., ScoredQuestion]:
    return build_row


@pytest.fixture
def make_verdict(make_chunk: Callable[..., Chunk]) -> Callable[..., StrategyVerdict]:
    """A verdict on rows; the failing ones were beaten by the chunk `other`."""

    def make(
        *rows: ScoredQuestion, bound: float = 0.5, before: Sequence[ScoredQuestion] = (), **given: Any
    ) -> StrategyVerdict:
        gold, other = make_chunk("g", row_key="6"), make_chunk("other", row_key="9")
        failed = tuple(
            FailedQuestion(row, (gold,), other, ("the first is another row of the same table",))
            for row in rows
            if row.values.get("hit@1") == 0
        )
        mrr = [row.values["mrr"] for row in rows if "mrr" in row.values]
        return StrategyVerdict(
            strategy="default",
            snapshot="snap",
            rows=rows,
            bounds=(CheckedBound(Bound("mrr", bound), sum(mrr) / len(mrr) if mrr else None),),
            failures=failed,
            changes=changes("then", rows, before) if before else None,
            stale=given.get("stale", ()),
        )

    return make
