"""Which documents hold a word: postings without scores."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.index.arrays import TermTable, load_array, save_array

Documents = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class WordIndex:
    """Distinct words of n documents, memory-mapped when loaded."""

    n_documents: int
    terms: TermTable
    starts: npt.NDArray[np.int64]
    """(terms + 1,): documents of term i lie between starts[i] and starts[i + 1]."""
    documents: Documents
    """Rising within a term, each once."""

    @classmethod
    def build(cls, documents: Iterable[Sequence[str]]) -> "WordIndex":
        """Index the words of each document; document i is the i-th."""
        found: dict[str, list[int]] = {}
        count = 0
        for number, words in enumerate(documents):
            for word in dict.fromkeys(words):
                found.setdefault(word, []).append(number)
            count = number + 1
        ordered = sorted((word.encode("utf-8", "surrogatepass"), postings) for word, postings in found.items())
        starts = np.zeros(len(ordered) + 1, dtype=np.int64)
        np.cumsum([len(postings) for _, postings in ordered], out=starts[1:])
        flat = np.fromiter((number for _, postings in ordered for number in postings), np.int32, count=int(starts[-1]))
        return cls(count, TermTable.build([word for word, _ in ordered]), starts, flat)

    def covered(self, weights: Iterable[tuple[str, float]]) -> npt.NDArray[np.float64]:
        """Sum of the weights of the words that each document holds, (n_documents,)."""
        total = np.zeros(self.n_documents)
        weighed = dict(weights)
        for documents, weight in zip(self.postings(list(weighed)), weighed.values(), strict=True):
            # Fancy `+=` makes two copies of what it adds to; this makes none.
            np.add.at(total, documents, weight)
        return total

    def postings(self, words: Sequence[str]) -> list[Documents]:
        """The documents that hold each of these words, rising; empty where none does."""
        places = self.terms.positions(words)
        nowhere = self.documents[:0]
        return [nowhere if at is None else self.documents[self.starts[at] : self.starts[at + 1]] for at in places]

    def save(self, folder: Path) -> None:
        """Write the arrays."""
        folder.mkdir(parents=True, exist_ok=True)
        self.terms.save(folder)
        save_array(folder / "size.npy", np.asarray([self.n_documents], dtype=np.int64))
        save_array(folder / "starts.npy", self.starts)
        save_array(folder / "documents.npy", self.documents)

    @classmethod
    def load(cls, folder: Path) -> "WordIndex":
        """Map what `save` wrote. Raises IndexCorruptError."""
        return cls(
            int(load_array(folder / "size.npy", np.int64)[0]),
            TermTable.load(folder),
            load_array(folder / "starts.npy", np.int64),
            load_array(folder / "documents.npy", np.int32),
        )
