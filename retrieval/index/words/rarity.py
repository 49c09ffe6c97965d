"""What each word of a library is worth: how few of its tables and passages have it."""

import numpy as np
import numpy.typing as npt

from retrieval.index.words.lexical_index import LexicalIndex

Weights = npt.NDArray[np.float64]


def rarity(lexical: LexicalIndex, of: npt.NDArray[np.int32]) -> Weights:
    """Weight of every word: ln(1 + (N - n + 0.5) / (n + 0.5)), Lucene's idf, of N tables and passages, n with the word.

    (terms + 1,): the last entry is of a word that the index does not have, which is as rare as the rarest. The rows of
    a table count once: what heads forty rows is said once, as what heads a passage is.

    Args:
        lexical: the words of the chunks.
        of: (chunks,) number of each chunk's table or passage.
    """
    count = int(of.max(initial=-1)) + 1
    postings = lexical.documents
    terms = np.repeat(np.arange(lexical.n_terms), np.diff(postings.starts))
    pairs = np.unique(terms * count + of[postings.items])
    n = np.bincount(pairs // max(count, 1), minlength=lexical.n_terms)
    weights = np.log1p((count - n + 0.5) / (n + 0.5))
    return np.append(weights, weights.max(initial=0.0))
