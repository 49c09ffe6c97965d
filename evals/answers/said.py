"""Whether what was read says an answer that a person wrote."""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

_BRACKETS = re.compile(r"\([^()]*\)|\[[^\]]*\]")
_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """Lower-case words and numbers; `1,000` is one."""
    return _WORD.findall(text.casefold().replace(",", ""))


def wanted_words(answer: str) -> list[str]:
    """Words and numbers of an answer, without what it says in brackets."""
    return words_of(_BRACKETS.sub(" ", answer))


def says(texts: Iterable[str], answer: str) -> bool:
    """Whether every word and number of an answer outside brackets stands in these texts."""
    return set(words_of(" ".join(texts))).issuperset(wanted_words(answer))


def cells_that_say(answer: str, cells: Sequence[str]) -> npt.NDArray[np.float64]:
    """(cells,) how much each cell is what an answer is read from; they sum to 1, or all are 0 where none says a word.

    Equal cells share: `3` may stand in two of them. An answer of two parts is read from two.
    """
    shares = np.zeros(len(cells))
    said = [set(words_of(cell)) for cell in cells]
    left = set(wanted_words(answer))
    while left:
        hits = [len(words & left) for words in said]
        most = max(hits, default=0)
        if not most:
            break
        shortest = min(len(said[place]) for place, hit in enumerate(hits) if hit == most)
        best = [place for place, hit in enumerate(hits) if hit == most and len(said[place]) == shortest]
        for place in best:
            shares[place] += 1.0 / len(best)
        left.difference_update(*(said[place] for place in best))
    return shares / (shares.sum() or 1.0)
