"""Hints at categories against a hard filter: what a right and a wrong one keep out, and what they lose."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.benchmarks.parsed_chunks import ScoringSearcher
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Question
from pipeline.bench.index import Tell, open_index
from pipeline.bench.understanding.hint_curve import HintCurve, HintPoint
from pipeline.bench.understanding.shelf import KEY, Shelf
from retrieval.search.metadata_filter.filter import Eq
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk, Embedder
from retrieval.understand.hints import HintConfig, category_of, rerank_by_categories

BOOSTS = (1.05, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0)
K = 10
USUAL = HintConfig()
STRATEGY = "default"


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The first k for one question in one way, by the category that was named."""

    right: Sequence[Chunk]
    wrong: Sequence[Chunk]


_Way = tuple[str, float | None]
"""Name, and the boost of a hint."""


def run_hints(folder: Path, shelf: Shelf, embedder: Embedder, tell: Tell = lambda *_: None) -> HintCurve:
    """Ask every question with gold without a hint, with hints of several boosts, and with a filter.

    The right hint is the category of the gold. The wrong one is, of all others, the one that the search without a hint
    shows most often: a guess that is wrong is rarely wrong at random.

    Args:
        folder: folder of the benchmarks' indexes.
        shelf: the books.
        embedder: makes the vectors.
        tell: called as the work goes on.
    """
    sums: dict[_Way, Counter[str]] = {}
    asked = 0
    with open_index(folder, "hints", shelf, embedder, tell) as snapshot:
        chunks = tuple(snapshot.chunks)
        searcher = ScoringSearcher(Retriever(snapshot, embedder), chunks, timed=0).parsed
        of_chunk = {chunk.id: category_of(chunk, KEY) for chunk in chunks}
        for questions in shelf.question_sets(searcher, chunks):
            answered = [each for each in questions.scored if questions.gold(each)]
            for number, question in enumerate(answered):
                tell(f"asking about {questions.name}", number, len(answered))
                gold = {of_chunk[name] for name in questions.gold(question)}
                right = next(each for each in shelf.categories if each in gold)
                for way, ranked in _ranked(searcher, question, right, shelf.categories):
                    counts = sums.setdefault(way, Counter())
                    for said, found in (("right", ranked.right), ("wrong", ranked.wrong)):
                        counts.update(_measured(said, questions, question, found, right))
            asked += len(answered)
    points = tuple(
        HintPoint(name, boost, *(round(counts[key] / asked, 6) for key in _KEYS))
        for (name, boost), counts in sums.items()
    )
    return HintCurve(K, asked, shelf.categories, f"{embedder.identity.name} {embedder.identity.version}", points)


_KEYS = ("right contamination", "right recall", "wrong contamination", "wrong recall")


def _ranked(
    searcher: Retriever, question: Question, right: str, categories: Sequence[str]
) -> Iterator[tuple[_Way, _Ranked]]:
    broad = searcher.retrieve(question.query, K * USUAL.broaden_search_multiplier, STRATEGY).hits
    shown = Counter(category_of(hit.chunk, KEY) for hit in broad)
    wrong = max((each for each in categories if each != right), key=lambda each: (shown[each], each))

    def hinted(boost: float) -> Callable[[str], list[Chunk]]:
        config = HintConfig(category_hint_boost=boost)
        return lambda named: [each.hit.chunk for each in rerank_by_categories(broad, [named], {}, config, KEY)[:K]]

    def filtered(named: str) -> list[Chunk]:
        return [hit.chunk for hit in searcher.retrieve(question.query, K, STRATEGY, where=Eq(KEY, named)).hits]

    plain = [hit.chunk for hit in broad[:K]]
    yield ("no hint", None), _Ranked(plain, plain)
    for boost in BOOSTS:
        found = hinted(boost)
        yield ("hint", boost), _Ranked(found(right), found(wrong))
    yield ("filter", None), _Ranked(filtered(right), filtered(wrong))


def _measured(
    said: str, questions: QuestionSet, question: Question, found: Sequence[Chunk], right: str
) -> dict[str, float]:
    """Contamination and recall of one ranking; of an empty one, none of both."""
    judgement = questions.judge(question, [chunk.id for chunk in found])
    strangers = sum(category_of(chunk, KEY) != right for chunk in found)
    return {
        f"{said} contamination": strangers / len(found) if found else 0.0,
        f"{said} recall": len(judgement.ranks) / judgement.gold,
    }
