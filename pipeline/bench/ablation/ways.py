"""Ways to search that are tried and are not strategies."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from evals.metrics import DEPTH
from evals.questions.question_sets import QuestionSet
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.index.words.tokenizer import question_tokenizer, tokenizer
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.search.fusion import best
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk
from retrieval.understand.iterate.retriever import IterativeRetriever
from retrieval.understand.traversal import TraversalIndex, retrieve_candidates
from retrieval.understand.traversal_config import TraversalConfig

ALIASED, UNALIASED = "bm25, aliases on", "bm25, aliases off"
TRAVERSED, APART = "traversal", "default, decomposed"
WAYS: Mapping[str, str] = {UNALIASED: ALIASED, TRAVERSED: "default", APART: "default"}
"""Each way and what it is compared with."""

Ask = Callable[[str, str], Sequence[str]]
"""(id of a question, its text) -> chunk ids."""


def ways(searcher: Retriever, questions: QuestionSet, chunks: Sequence[Chunk]) -> Mapping[str, Callable[[], Ask]]:
    """Every way by its name, with that of `WAYS` which is compared with and is not a strategy either.

    A set that puts its questions in a way of its own is asked by words alone.
    """
    vocabulary = searcher.snapshot.vocabulary
    found: dict[str, Callable[[], Ask]] = {
        ALIASED: lambda: _lexical(chunks, vocabulary),
        UNALIASED: lambda: _lexical(chunks, Vocabulary()),
    }
    if questions.ask is None:
        found |= {TRAVERSED: lambda: _traversal(searcher.snapshot, chunks), APART: lambda: _apart(searcher)}
    return found


def _lexical(chunks: Sequence[Chunk], vocabulary: Vocabulary) -> Ask:
    """BM25 whose tokens fold the vocabulary's labels and aliases, or fold nothing where it has none."""
    index = LexicalIndex.build([chunk.search_text for chunk in chunks], tokenizer(vocabulary))
    index = replace(index, ask=question_tokenizer(vocabulary))
    return lambda _, query: [chunks[place].id for place in best(index.scores(query), DEPTH).tolist()]


def _traversal(snapshot: Snapshot, chunks: Sequence[Chunk]) -> Ask:
    """The walk from what a question names, by the graph alone."""
    index = TraversalIndex.build(snapshot.graph, chunks, snapshot.lexical.tokenize)
    config = TraversalConfig.of(chunks, snapshot.id)
    return lambda _, query: [each.chunk_id for each in retrieve_candidates(query, index, config).candidates]


def _apart(searcher: Retriever) -> Ask:
    """A comparison part by part, any other question as it is."""
    rounds = IterativeRetriever(searcher)

    def ask(_: str, query: str) -> Sequence[str]:
        if len(rounds.decomposer.decompose(query).sub_queries) == 1:
            return searcher.retrieve(query, DEPTH, "default").chunk_ids
        return [hit.chunk.id for hit in rounds.retrieve(query, DEPTH).hits]

    return ask
