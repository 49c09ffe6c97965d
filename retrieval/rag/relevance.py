"""Calibrated relevance of hits: measures, calibration, and the sentence shown if nothing is relevant."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.deadline import require_waiting_caller
from retrieval.errors import IndexCorruptError
from retrieval.files.atomic_files import write_atomically
from retrieval.language.english import word_set
from retrieval.search.candidates import Candidates
from retrieval.search.fusion import Positions, Scores
from retrieval.search.metadata_filter import Filter
from retrieval.search.query import Query
from retrieval.search.rerank.features import Features, matrix, measure
from retrieval.search.rerank.numbers import is_out_of_range
from retrieval.search.rerank.query_terms import ask
from retrieval.search.rerank.rerank import trees_file_of, trees_of
from retrieval.search.rerank.trees import Trees
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import strategy as strategy_named
from retrieval.strategy import Strategy
from retrieval.types import RELEVANCE, Chunk, Hit, Retrieval

_WRITTEN = re.compile(r"(?<![\w.])(?=[\w-]*\d)(?=[\w-]*[^\W\d_])[^\W_]+(?:[-_/][^\W_]+)*(?!\w|\.\d)")
_AMOUNT = re.compile(
    r"""
    [a-z]\d                             # P7: as often a parameter
    | \d+ (?: st | nd | rd | th )? (?: -? [a-z]+ )*     # 12th, 7th-lvl, 20kg, 3-phase
    | \d* [dx] \d+                      # 2d6, 8x8
    | (?-i: [a-z]{4,} - \d+ s? )        # under-21s
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PARTS = re.compile(r"\d+|[^\W\d_]+")


def codes_of(question: str) -> tuple[str, ...]:
    """Return the words of letters and digits that are not amounts, ranks or dice, each once.

    >>> codes_of("torque of the M54-60 at 24v, 2nd gear")
    ('M54-60',)
    """
    codes = (match[0] for match in _WRITTEN.finditer(question))
    return tuple(dict.fromkeys(word for word in codes if not _AMOUNT.fullmatch(word)))


def nowhere(question: str, chunks: Sequence[Chunk]) -> float:
    """Return the share of a question's codes that neither the chunks nor their headings contain; 0 if it has none.

    `MX-64T` contains `mx64`, but `BTR-70` does not contain `BTR-7`.
    """
    codes = codes_of(question)
    if not codes:
        return 0.0
    texts = [
        " ".join((chunk.book, chunk.document, chunk.search_text, *chunk.names, *chunk.searched_as)) for chunk in chunks
    ]
    return sum(not any(map(_pattern(code).search, texts)) for code in codes) / len(codes)


def _pattern(code: str) -> re.Pattern[str]:
    parts = _PARTS.findall(code)
    end = r"(?!\d)" if parts[-1].isdigit() else ""
    return re.compile(r"(?<![^\W_])" + r"[\W_]*".join(map(re.escape, parts)) + end, re.IGNORECASE)


_EVERYWHERE = word_set("of_any_question")
"""In a large library such words are common and so have little weight. A small one may never contain `what`."""

_EDGES = re.compile(r"^\W+|\W+$")
_CONTRACTED = re.compile(r"['’](?:s|re|d|ll|m|ve)$")


def is_everywhere(word: str) -> bool:
    """Whether a word, in lower case, occurs in any question, also as in `what's`."""
    return word in _EVERYWHERE or _CONTRACTED.sub("", word) in _EVERYWHERE


def subject_of(question: str) -> str:
    """Return the question without such words, the others unchanged; a question of only such words stays whole.

    >>> subject_of("What can I do during movement?")
    'movement?'
    """
    left = [word for word in question.split() if not is_everywhere(_EDGES.sub("", word).casefold())]
    return " ".join(left) or question


NAMES = (
    *("best_cosine", "alike", "best_alike", "best_celled", "numbered", "meant", "distinct"),
    *("told", "much", "ahead"),
    *("unexplained", "unknown", "beyond", "nowhere", "untold", "uncounted"),
)
"""Measures of each hit, 0 to 1, in the order of the columns; `best`: the maximum of the first hits:

- `best_cosine`: cosine of a chunk and the question;
- `alike`: share of the question that the chunk contains, in any wording; `best_alike`;
- `best_celled`: share that names whole cells of a row;
- `numbered`: whether a number of the question, under its label, is the row's key;
- `meant`: share that only the column names match in meaning, and the rest of the chunk does not contain;
- `distinct`: share that the cells of the row contain, and those of the rows beside it do not;
- `told`: highest share of the question that a chunk contains, each word weighted by its information in any text;
- `much`: the amount instead of the share: two words of four are more than one of two;
- `ahead`: how far the trees score the first hit above the others among the first;
- `unexplained`: share of the question's numbers that the chunk's cells, columns and headings do not explain;
- `unknown`: share of the question whose words the library lacks;
- `beyond`: whether a number of the question is out of the range of the keys of the row's table, such as a level that it
  does not reach;
- `nowhere`: share of the question's codes that none of the first hits contains;
- `untold`: information of the most informative word that the chunk lacks;
- `uncounted`: whether the chunk lacks a number of the question.
"""

N_CANDIDATES = 5
"""The number of first hits over which `best` is taken."""

_MUCH, _FAR = 4.0, 8.0
"""Informative words that give half of the highest value; score difference that gives the highest value."""

Measures = npt.NDArray[np.float64]


def measures(retriever: Retriever, question: str, chunk_ids: Sequence[str]) -> Measures:
    """Return the measures of the chunks of a ranking, best first, (hits, NAMES).

    Args:
        question: the question as asked; words that occur in any question are left out here.
        chunk_ids: ids of the ranking; at least its first `N_CANDIDATES`, if it has so many.
    """
    require_waiting_caller()
    if not chunk_ids:
        return np.empty((0, len(NAMES)))
    snapshot = retriever.snapshot
    subject = Query.of(subject_of(question), snapshot)
    positions = snapshot.chunks.positions(chunk_ids)
    order = np.argsort(positions)
    candidates = Candidates.of(snapshot, subject, retriever.vector_of(subject.text), positions[order])
    features = measure(snapshot, subject, candidates)
    query = ask(snapshot, subject)
    known = float(query.weights.sum())
    whole = known + sum(query.strangers.values()) or 1.0
    trees = trees_of(str(trees_file_of(snapshot.manifest.embedder.name)))
    ranked, first = np.argsort(order), slice(0, N_CANDIDATES)

    def of(feature: str) -> Measures:
        values: Measures = features[feature][ranked]
        return values

    much = of("told_words")[first].max()
    columns = {
        "best_cosine": of("dense")[first].max(),
        "alike": of("alike"),
        "best_alike": of("alike")[first].max(),
        "best_celled": of("whole_cells")[first].max(),
        "numbered": of("number_key_labelled"),
        "meant": of("meaning_covered"),
        "distinct": of("distinct"),
        "told": of("told")[first].max(),
        "much": much / (much + _MUCH),
        "ahead": _margin_of_first(trees, features, ranked[first]),
        "unexplained": of("number_unexplained"),
        "unknown": 1.0 - known / whole,
        "beyond": np.asarray([is_out_of_range(snapshot, query, int(position)) for position in positions]),
        "nowhere": nowhere(question, [snapshot.chunks[int(position)] for position in positions[first]]),
        "untold": of("untold"),
        "uncounted": of("untold_number"),
    }
    return np.column_stack([np.broadcast_to(columns[name], (len(positions),)) for name in NAMES]).astype(np.float64)


def _margin_of_first(trees: Trees, features: Features, first: Positions) -> float:
    """Return how far the trees score the first candidate above the mean of the others, 0 to 1; 0 if there are no
    others."""
    scores = trees.scores(matrix(features, trees.names)[first])
    if len(scores) < 2:
        return 0.0
    return min(max(float(scores[0] - scores[1:].mean()) / _FAR, 0.0), 1.0)


SHIPPED = Path(__file__).with_name("calibrations.json")
"""The built-in calibrations; `python -m tools fit relevance` fits and writes them."""
RELEVANCE_FILE = "relevance.json"
"""In a snapshot's folder: the calibration that it was built with. In a home's: the one that the next is built with."""
ANY = "any"
"""The calibration for every embedder without its own; it does not use cosines."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic function of some measures. It decreases with measures of what is missing, and increases with all
    others."""

    embedder: str
    """Name of the embedder whose cosines it uses, or `any`."""
    strategy: str
    """The strategy that ranked the hits that it was fitted on."""
    names: tuple[str, ...]
    """Names of its measures, a subset of `NAMES`."""
    weights: tuple[float, ...]
    intercept: float

    def of(self, values: Measures) -> Scores:
        """Return the relevance of each hit of a ranking, (hits,), 0 to 1: no hit is more relevant than the one before
        it."""
        chosen = values[:, [NAMES.index(name) for name in self.names]]
        log_odds = chosen @ np.asarray(self.weights) + self.intercept
        falling: Scores = np.minimum.accumulate(1.0 / (1.0 + np.exp(-log_odds)))
        return falling

    def write(self, folder: Path) -> None:
        """Write it to a folder; in a snapshot's folder it is not part of the hash that is the snapshot's id."""
        write_atomically(folder / RELEVANCE_FILE, json.dumps(asdict(self), indent=1) + "\n")

    @classmethod
    def of_json(cls, record: Mapping[str, Any]) -> "Calibration":
        """Return the calibration of a record that `asdict` made. Raises KeyError, TypeError or ValueError for anything
        else."""
        names = tuple(record["names"])
        weights = tuple(float(weight) for weight in record["weights"])
        if len(names) != len(weights) or not set(names) <= set(NAMES):
            raise ValueError(f"{names} are not measures, or not as many as there are weights")
        return cls(str(record["embedder"]), str(record["strategy"]), names, weights, float(record["intercept"]))


def shipped(embedder: str) -> Calibration:
    """Return the built-in calibration of an embedder, or the general one if there is none.

    Raises:
        IndexCorruptError: the file cannot be read.
    """
    try:
        calibrations = [Calibration.of_json(record) for record in json.loads(SHIPPED.read_text(encoding="utf-8"))]
        return next(
            calibration for name in (embedder, ANY) for calibration in calibrations if calibration.embedder == name
        )
    except (OSError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise IndexCorruptError(f"{SHIPPED} contains no calibrations ({error}); install the program again") from error


def keep_calibration(home: Path, snapshot: Path, embedder: str) -> None:
    """Write a home's calibration to a snapshot's folder.

    Raises:
        IndexCorruptError: the home's file cannot be read.
    """
    calibration_of(home, embedder).write(snapshot)


def calibration_of(folder: Path, embedder: str) -> Calibration:
    """Return the calibration of a snapshot or a home: its own, if it is for this embedder; else the built-in one.

    Args:
        folder: the folder of the snapshot or the home.

    Raises:
        IndexCorruptError: its file cannot be read.
    """
    path = folder / RELEVANCE_FILE
    if not path.is_file():
        return shipped(embedder)
    try:
        own = Calibration.of_json(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError) as error:
        raise IndexCorruptError(f"{path} contains no calibration ({error}); delete it") from error
    return own if own.embedder in {embedder, ANY} else shipped(embedder)


def relevances(retriever: Retriever, question: str, chunk_ids: Sequence[str], calibration: Calibration) -> Scores:
    """Return the relevance of the chunks of a ranking, best first, (hits,); for the arguments, see `measures`."""
    return calibration.of(measures(retriever, question, chunk_ids))


def relevance_of(retriever: Retriever) -> Callable[[str, Sequence[str]], Sequence[float]]:
    """Return a function that measures the relevance of the chunks of a ranking: (question, chunk ids, best first) -> 0
    to 1 each.

    Raises:
        IndexCorruptError: the snapshot's calibration cannot be read.
    """
    snapshot = retriever.snapshot
    calibration = calibration_of(snapshot.folder, snapshot.manifest.embedder.name)
    return lambda question, chunk_ids: relevances(retriever, question, chunk_ids, calibration).tolist()


def search(
    retriever: Retriever,
    query: str,
    k: int,
    strategy: str | Strategy,
    *,
    where: Filter | None = None,
    least: float | None = None,
    measured: bool = False,
    debug: bool = False,
) -> tuple[Retrieval, str | None]:
    """Search as the command line and the server do.

    Args:
        retriever: the retriever; see `Retriever.retrieve` for other details and the errors raised.
        where: restricts which chunks may be returned.
        least: minimum relevance of each hit, 0 to 1; None: any.
        measured: whether to measure relevance even if `least` is None.
        debug: whether to report excluded chunks, too.

    Returns:
        The hits, and why there are none if `least` excluded all.
    """
    retrieval = retriever.retrieve(query, k, strategy, where=where, debug=debug)
    if least is None and not measured:
        return retrieval, None
    # Relevance depends on the first `N_CANDIDATES` hits. The receipt is that of the k requested hits, and a model
    # that orders them is called once.
    enough = k >= N_CANDIDATES or retrieval.receipt.ordering is not None
    whole = retrieval if enough else retriever.retrieve(query, N_CANDIDATES, strategy, where=where, decisions=False)
    scores = _relevances_of_hits(retriever, whole, strategy)
    relevance = dict(zip(whole.chunk_ids, scores, strict=True))
    hits = tuple(marked(hit, relevance.get(hit.chunk.id)) for hit in whole.hits[:k])
    if least is None:
        return replace(retrieval, hits=hits), None
    relevant = tuple(hit for hit in hits if relevance.get(hit.chunk.id, 0.0) >= least)
    return replace(retrieval, hits=relevant), None if relevant else why_none(scores, least)


def _relevances_of_hits(retriever: Retriever, retrieval: Retrieval, strategy: str | Strategy) -> Sequence[float]:
    """Return the relevance of each hit, 0 to 1, descending.

    The calibration estimates whether the library answers, and is nearly the same for all hits; the re-ranking estimates
    which hit does. The relevance of a re-ranked hit is therefore multiplied by its odds against the first hit in the
    softmax of the scores, exp(score - best score). Of 5,712 hits of 714 questions to 10 libraries, it was 0.05 from the
    true share of answers on average, and 0.62 without the factor.
    """
    relevance = relevance_of(retriever)(retrieval.query, retrieval.chunk_ids)
    if not strategy_named(strategy).reranks or not retrieval.hits or retrieval.receipt.ordering is not None:
        return relevance  # other scores are not log-odds
    scores = np.asarray([hit.score for hit in retrieval.hits])
    odds: Sequence[float] = (np.asarray(relevance) * np.exp(scores - scores[0])).tolist()
    return odds


def marked(hit: Hit, relevance: float | None) -> Hit:
    """Return the hit with its relevance in its evidence; unchanged if there is none."""
    return hit if relevance is None else replace(hit, evidence={**hit.evidence, RELEVANCE: relevance})


def why_none(scores: Sequence[float], least: float) -> str:
    """Return a sentence that explains why nothing is shown.

    Args:
        scores: relevance of the hits that were found, best first.
        least: the minimum relevance, which none of them reaches.
    """
    if not scores:
        return "nothing in these books answers: no chunk may be shown for this question"
    return (
        f"nothing in these books answers: the best of {len(scores)} chunks has a relevance of {scores[0]:.2f}, "
        f"below {least:g}"
    )
