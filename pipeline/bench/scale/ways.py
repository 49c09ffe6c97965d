"""Every way of searching that the scale benchmark times: question in, number of results out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import process_time

import numpy as np
import numpy.typing as npt

from pipeline.bench.scale.library import AskedQuestion
from retrieval.clock import Clock
from retrieval.index.chroma.store import ChromaStore
from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.index.words.tokenizer import question_tokenizer, tokenizer
from retrieval.search.dense.cosine import similarity
from retrieval.search.foreign.filtering import retrieve_with_iterative_filtering
from retrieval.search.fusion import best
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import strategy
from retrieval.strategy import DEFAULT_K, Strategy

STRATEGIES = ("dense", "prefilter", "bm25", "hybrid", "hybrid_graph", "default")
EXHAUSTIVE = replace(strategy("default"), name="default_exhaustive", exhaustive=True)
"""`default` without its shortcut."""
_PASSES = 3

Way = Callable[[AskedQuestion], int]
Milliseconds = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Milliseconds and number of results for each question that was asked, aligned."""

    milliseconds: Milliseconds
    cpu: Milliseconds
    """Milliseconds of CPU, of all threads of this process: what else a machine does stretches them less."""
    counts: tuple[int, ...]
    asked: tuple[AskedQuestion, ...]


def measure(ways: Mapping[str, Way], asked: Sequence[AskedQuestion]) -> dict[str, Measured]:
    """Ask every question in every way, three times over; a question's time is the middle one.

    The passes of the ways alternate, so that what else the machine does meets all of them.
    """
    times: dict[str, list[list[tuple[float, float]]]] = {name: [] for name in ways}
    counts: dict[str, tuple[int, ...]] = {}
    for _ in range(_PASSES):
        for name, way in ways.items():
            way(asked[0])
            taken, found = zip(*(_timed(way, question) for question in asked), strict=True)
            times[name].append(list(taken))
            counts[name] = found
    middle = {name: np.median(np.asarray(taken), axis=0) for name, taken in times.items()}
    return {name: Measured(each[:, 0], each[:, 1], counts[name], tuple(asked)) for name, each in middle.items()}


def searches(retriever: Retriever, single: ChromaStore | None) -> dict[str, Way]:
    """Text in, ids out: a plain question to one collection, if there is one, an exact masked scan, our strategies."""
    snapshot, embedder = retriever.snapshot, retriever.embedder

    def exact_scan(asked: AskedQuestion) -> int:
        mask = passing(retriever, asked)
        return len(best(similarity(snapshot.vectors, embedder.embed_query(asked.text)), DEFAULT_K, mask))

    plain: dict[str, Way] = {}
    if single is not None:
        nearest = single.nearest
        plain["chroma_plain"] = lambda asked: len(nearest("open", embedder.embed_query(asked.text), DEFAULT_K).ids)
    return {
        **plain,
        "exact_scan": exact_scan,
        **{name: _strategy(retriever, name) for name in STRATEGIES},
    }


def exhaustive(retriever: Retriever) -> dict[str, Way]:
    """`default` without its shortcut."""
    return {EXHAUSTIVE.name: _strategy(retriever, EXHAUSTIVE)}


def nin_loop(retriever: Retriever, single: ChromaStore, rounds: list[int]) -> Way:
    """The published loop over one collection; the rounds of each question are added to `rounds`."""

    def ask(asked: AskedQuestion) -> int:
        outcome = retrieve_with_iterative_filtering(
            asked.text, single.collection("open"), DEFAULT_K, embedder=retriever.embedder, where=asked.chroma_where
        )
        rounds.append(outcome.rounds)
        return len(outcome.kept)

    return ask


def lexical_indexes(retriever: Retriever, texts: Sequence[str]) -> tuple[dict[str, Way], Way]:
    """Our lexical index and bm25s', and rank_bm25's, all on the same tokens; text in, positions out, no filter."""
    from bm25s import BM25
    from rank_bm25 import BM25Okapi

    snapshot = retriever.snapshot
    index: LexicalIndex = snapshot.lexical
    words, how = snapshot.vocabulary, snapshot.manifest.tokenization
    cut, ask = tokenizer(words, how), question_tokenizer(words, how)
    corpus = [cut(text) for text in texts]
    peer = BM25(k1=1.5, b=0.75, method="atire")
    peer.index(corpus, show_progress=False)
    slow = BM25Okapi(corpus)
    ways: dict[str, Way] = {
        "bm25_index": lambda asked: len(best(index.scores(asked.text), DEFAULT_K)),
        "bm25s": lambda asked: peer.retrieve([ask(asked.text)], k=DEFAULT_K, show_progress=False).documents.shape[1],
    }
    return ways, lambda asked: len(best(slow.get_scores(ask(asked.text)), DEFAULT_K))


def passing(retriever: Retriever, asked: AskedQuestion) -> npt.NDArray[np.bool_]:
    """(n,): chunks that may come back for a question, by query_must and by its filter."""
    snapshot = retriever.snapshot
    where = asked.where.mask(snapshot.metadata) if asked.where else None
    return retriever.admitted(Query.ask(asked.text, snapshot.vocabulary)).mask(snapshot, where)


def _strategy(retriever: Retriever, chosen: str | Strategy) -> Way:
    return lambda asked: len(retriever.retrieve(asked.text, DEFAULT_K, chosen, where=asked.where).hits)


def _timed(way: Way, asked: AskedQuestion) -> tuple[tuple[float, float], int]:
    clock, cpu = Clock(), process_time()
    found = way(asked)
    return (clock.milliseconds, 1000 * (process_time() - cpu)), found
