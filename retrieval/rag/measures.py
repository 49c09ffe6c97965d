"""How much a library has to say to a question: numbers that mean the same of any library, whatever ranks."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.rag.question_codes import nowhere
from retrieval.rag.question_words import subject_of
from retrieval.search.dense.cosine import Cosines
from retrieval.search.evidence.evidence import gather
from retrieval.search.fusion import Positions
from retrieval.search.query import Query
from retrieval.search.rerank.asked import ask
from retrieval.search.rerank.beyond import lies_beyond
from retrieval.search.rerank.candidates import candidates
from retrieval.search.rerank.features import Features, matrix, measure
from retrieval.search.rerank.rerank import shipped_for, trees_of
from retrieval.search.retriever import Retriever

NAMES = (
    *("best_cosine", "alike", "best_alike", "best_celled", "numbered", "meant", "distinct"),
    *("told", "much", "ahead"),
    *("unexplained", "unknown", "beyond", "nowhere", "untold", "uncounted"),
)
"""What is measured of each hit, each 0 to 1, in the order of the columns; `best`: the most among the first hits:

- `best_cosine` of a chunk and the question;
- `alike`: share of the question that the chunk says in whatever words; `best_alike`;
- `best_celled`: share that names cells of a row whole;
- `numbered`: whether a number of the question, under its label, is the row's own;
- `meant`: share that the names of the columns mean, and nothing else of the chunk says;
- `distinct`: share that the cells of the row say, and those of the rows beside it do not;
- `told`: share of the question that the chunk that says most says, each word by what it tells in any text;
- `much`: how much that is, whatever the share: two words of four are more than one of two;
- `ahead`: how far the second look puts the first hit before the others among the first;
- `unexplained`: share of the question's numbers that are nothing of the chunk's: of its cells, columns and headings;
- `unknown`: share of the question whose words the library does not have;
- `beyond`: whether a number of the question lies beyond all keys of the row's table, as a level that it does not reach;
- `nowhere`: share of the question's codes that no hit among the first writes;
- `untold`: what that word tells which tells most of those that the chunk does not say;
- `uncounted`: whether the chunk does not say some number of the question.
"""

LOOKED_AT = 5
"""Hits that the best are among."""

_MUCH, _FAR = 4.0, 8.0
"""Telling words that are half of all that can be said; scores of trees that put a hit before all doubt."""

Measures = npt.NDArray[np.float64]


def measures(retriever: Retriever, question: str, chunk_ids: Sequence[str]) -> Measures:
    """(hits, NAMES) for the chunks of a ranking, best first.

    Args:
        retriever: over the library.
        question: as it was asked; what any question says is left out here.
        chunk_ids: of the ranking, at least its first `LOOKED_AT` where it has so many.
    """
    if not chunk_ids:
        return np.empty((0, len(NAMES)))
    snapshot = retriever.snapshot
    subject = Query.of(subject_of(question), snapshot).among(snapshot.rivals)
    lexical = snapshot.lexical.scores(subject.text)
    cosines = Cosines(snapshot.vectors, retriever.vector_of(subject.text))
    positions = snapshot.chunks.positions(chunk_ids)
    order = np.argsort(positions)
    found = measure(
        snapshot, subject, candidates(snapshot, gather(snapshot, subject, lexical, cosines), positions[order])
    )
    asked = ask(snapshot, subject)
    known = float(asked.weights.sum())
    whole = known + sum(asked.strangers.values()) or 1.0
    ranked, first = np.argsort(order), slice(0, LOOKED_AT)

    def of(feature: str) -> Measures:
        values: Measures = found[feature][ranked]
        return values

    much = of("told_words")[first].max()
    columns = {
        "best_cosine": of("part_dense")[first].max(),
        "alike": of("alike"),
        "best_alike": of("alike")[first].max(),
        "best_celled": of("whole_cells")[first].max(),
        "numbered": of("number_key_labelled"),
        "meant": of("meaning_covered"),
        "distinct": of("distinct"),
        "told": of("told")[first].max(),
        "much": much / (much + _MUCH),
        "ahead": _ahead(snapshot, found, ranked[first]),
        "unexplained": of("number_unexplained"),
        "unknown": 1.0 - known / whole,
        "beyond": np.asarray([lies_beyond(snapshot, asked, int(place)) for place in positions]),
        "nowhere": nowhere(question, [snapshot.chunks[int(place)] for place in positions[first]]),
        "untold": of("untold"),
        "uncounted": of("untold_number"),
    }
    return np.column_stack([np.broadcast_to(columns[name], (len(positions),)) for name in NAMES]).astype(np.float64)


def _ahead(snapshot: Snapshot, found: Features, first: Positions) -> float:
    """How far the trees put the first of some candidates before the mean of the others, 0 to 1; 0 where it is alone."""
    trees = trees_of(str(shipped_for(snapshot.manifest.embedder.name)))
    scores = trees.scores(matrix(found, trees.names)[first])
    if len(scores) < 2:
        return 0.0
    return min(max(float(scores[0] - scores[1:].mean()) / _FAR, 0.0), 1.0)
