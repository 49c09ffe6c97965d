"""Hints at categories against a hard filter: what a right and a wrong one keep out, and what they lose."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Question, load_questions
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.library.book import read_book
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.metadata_filter import Eq
from retrieval.search.retriever import Retriever
from retrieval.types import Book, Chunk, Embedder
from retrieval.understand.hints import HintConfig, category_of, rerank_by_categories
from tools.bench.run import ScoringSearcher
from tools.corpora.books import BenchmarkDataError, BookCorpus, benchmark_folder, is_set_of_books, read_books
from tools.corpora.indexes import Tell, open_index

_LEFT, _TOP, _WIDTH, _HEIGHT = 52, 14, 420, 260
_COLOURS = {"right": "#2a9550", "wrong": "#d6454b"}


@dataclass(frozen=True, slots=True)
class HintPoint:
    """Means over the questions. Key: (way, boost)."""

    way: str
    """`no hint`, `hint` or `filter`."""
    boost: float | None
    """What a hint multiplies relevance by."""
    right_contamination: float
    """Share of the hits that are of another category than the answer, where the right category was named."""
    right_recall: float
    """Share of the gold that is among the hits."""
    wrong_contamination: float
    """The same where a wrong category was named."""
    wrong_recall: float

    @property
    def name(self) -> str:
        """As the table says it."""
        return self.way if self.boost is None else f"{self.way}, boost {self.boost:g}"


@dataclass(frozen=True, slots=True)
class HintCurve:
    """One run. Key: questions and categories."""

    k: int
    questions: int
    categories: tuple[str, ...]
    embedder: str
    points: tuple[HintPoint, ...]

    def lines(self) -> Iterator[str]:
        """A markdown table, and a sentence about what was asked."""
        yield "| | right category named: contamination | recall | wrong one named: contamination | recall |"
        yield "|---|---:|---:|---:|---:|"
        for point in self.points:
            yield (
                f"| {point.name} | {point.right_contamination:.3f} | {point.right_recall:.3f} "
                f"| {point.wrong_contamination:.3f} | {point.wrong_recall:.3f} |"
            )
        yield ""
        yield (
            f"{self.questions} questions with an answer, first {self.k} hits; categories: "
            f"{', '.join(self.categories)}; embedder {self.embedder}."
        )

    def svg(self) -> str:
        """Contamination to the right, recall upwards: a line for the right hint and one for the wrong."""
        lines = {
            "right": [(point.right_contamination, point.right_recall, point.name) for point in self.points],
            "wrong": [(point.wrong_contamination, point.wrong_recall, point.name) for point in self.points],
        }
        drawn = []
        for number, (output, places) in enumerate(lines.items()):
            path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y, _ in places)
            drawn.append(f'<polyline points="{path}" fill="none" stroke="{_COLOURS[output]}" stroke-width="1.5"/>')
            drawn += [
                f'<circle cx="{_x(x):.1f}" cy="{_y(y):.1f}" r="4" fill="{_COLOURS[output]}"><title>{output} category, '
                f"{name}: contamination {x:.3f}, recall {y:.3f}</title></circle>"
                for x, y, name in places
            ]
            label = f"the {output} category is named"
            drawn.append(
                f'<text x="{_LEFT + _WIDTH - 6}" y="{_TOP + 18 + 16 * number}" text-anchor="end" '
                f'fill="{_COLOURS[output]}">{label}</text>'
            )
        about = "Contamination against recall of the first hits: no hint, hints, filter"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 20}" height="{_TOP + _HEIGHT + 46}" '
            f'font-family="sans-serif" font-size="11" role="img" aria-label="{about}">'
            f'<rect width="100%" height="100%" fill="white"/>'
            f'<rect x="{_LEFT}" y="{_TOP}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#999"/>'
            f"{_ticks()}{''.join(drawn)}"
            f'<text x="{_x(0.5)}" y="{_TOP + _HEIGHT + 36}" text-anchor="middle">contamination</text>'
            f'<text transform="translate(14 {_y(0.5)}) rotate(-90)" text-anchor="middle">recall</text>'
            "</svg>\n"
        )


def _ticks() -> str:
    return "".join(
        f'<text x="{_x(at / 5):.1f}" y="{_TOP + _HEIGHT + 16}" text-anchor="middle">{at / 5:.1f}</text>'
        f'<text x="{_LEFT - 8}" y="{_y(at / 5) + 4:.1f}" text-anchor="end">{at / 5:.1f}</text>'
        for at in range(6)
    )


def _x(value: float) -> float:
    return _LEFT + value * _WIDTH


def _y(value: float) -> float:
    return _TOP + (1 - value) * _HEIGHT


KEY = "category"
"""The metadata key under which each document has the name of its book."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """Books that are searched together. A question is asked of all; its answer is in one."""

    books: tuple[BookCorpus, ...]

    @property
    def name(self) -> str:
        """There is one."""
        return "shelf"

    @property
    def digest(self) -> str:
        """Hash of all files of all books."""
        return sha256("\0".join(f"{book.name} {book.digest}" for book in self.books).encode()).hexdigest()

    @property
    def categories(self) -> tuple[str, ...]:
        """Names of the books, sorted."""
        return tuple(sorted(book.name for book in self.books))

    def chunks(self, vocabulary: Vocabulary) -> tuple[Chunk, ...]:
        """All books through the usual ingest, each document with its category."""
        return tuple(
            chunk
            for book in self.books
            for chunk in chunks_of_book(_with_category(read_book(book.folder), book.name), vocabulary)
        )

    def question_sets(self, retriever: Retriever, chunks: Sequence[Chunk]) -> tuple[QuestionSet, ...]:  # noqa: ARG002
        """A set for each book, its gold looked for in this book alone."""
        of_book: Mapping[str, list[Chunk]] = {book.name: [] for book in self.books}
        for chunk in chunks:
            of_book[chunk.book].append(chunk)
        return tuple(
            QuestionSet.of(book.name, book.split, load_questions(book.questions), of_book[book.name])
            for book in self.books
        )


def read_shelf(folder: Path, split: str) -> Shelf:
    """Every book with questions of the split in every set of books under a folder.

    Raises:
        BenchmarkDataError: no such folder, fewer than two such books, or two of one name.
    """
    root = benchmark_folder(folder)
    sets = [path for path in sorted(root.iterdir()) if path.is_dir() and is_set_of_books(path)]
    books = [book for path in sets for book in read_books(path, split)]
    if len(books) < 2:
        raise BenchmarkDataError(
            f"{root} has {len(books)} books with questions of the split {split!r} in the folders in it; "
            "a hint needs two to choose from"
        )
    twice = [name for name, count in Counter(book.name for book in books).items() if count > 1]
    if twice:
        raise BenchmarkDataError(f"two folders in {root} have a book {twice[0]!r}; rename one")
    return Shelf(tuple(books))


def _with_category(book: Book, category: str) -> Book:
    documents = tuple(replace(document, metadata={**document.metadata, KEY: category}) for document in book.documents)
    return replace(book, documents=documents)


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
    query = 0
    with open_index(folder, "hints", shelf, embedder, tell) as snapshot:
        chunks = tuple(snapshot.chunks)
        searcher = ScoringSearcher(Retriever(snapshot, embedder), chunks, timed=0).parsed
        of_chunk = {chunk.id: category_of(chunk, KEY) for chunk in chunks}
        for questions in shelf.question_sets(searcher, chunks):
            answered = [question for question in questions.scored if questions.gold(question)]
            for number, question in enumerate(answered):
                tell(f"asking about {questions.name}", number, len(answered))
                gold = {of_chunk[name] for name in questions.gold(question)}
                right = next(category for category in shelf.categories if category in gold)
                for way, ranked in _ranked(searcher, question, right, shelf.categories):
                    counts = sums.setdefault(way, Counter())
                    for output, result in (("right", ranked.right), ("wrong", ranked.wrong)):
                        counts.update(_measured(output, questions, question, result, right))
            query += len(answered)
    points = tuple(
        HintPoint(name, boost, *(round(counts[key] / query, 6) for key in _KEYS))
        for (name, boost), counts in sums.items()
    )
    return HintCurve(K, query, shelf.categories, f"{embedder.identity.name} {embedder.identity.version}", points)


_KEYS = ("right contamination", "right recall", "wrong contamination", "wrong recall")


def _ranked(
    searcher: Retriever, question: Question, right: str, categories: Sequence[str]
) -> Iterator[tuple[_Way, _Ranked]]:
    broad = searcher.retrieve(question.query, K * USUAL.broaden_search_multiplier, STRATEGY).hits
    shown = Counter(category_of(hit.chunk, KEY) for hit in broad)
    wrong = max(
        (category for category in categories if category != right), key=lambda category: (shown[category], category)
    )

    def hinted(boost: float) -> Callable[[str], list[Chunk]]:
        config = HintConfig(category_hint_boost=boost)
        return lambda named: [
            candidate.hit.chunk for candidate in rerank_by_categories(broad, [named], {}, config, KEY)[:K]
        ]

    def filtered(named: str) -> list[Chunk]:
        return [hit.chunk for hit in searcher.retrieve(question.query, K, STRATEGY, where=Eq(KEY, named)).hits]

    plain = [hit.chunk for hit in broad[:K]]
    yield ("no hint", None), _Ranked(plain, plain)
    for boost in BOOSTS:
        result = hinted(boost)
        yield ("hint", boost), _Ranked(result(right), result(wrong))
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
