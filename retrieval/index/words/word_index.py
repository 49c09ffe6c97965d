"""Which documents hold a word: postings without scores."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.arrays import load_array, save_array
from retrieval.index.term_table import TermTable
from retrieval.index.words.selection import Selection
from retrieval.ragged import RaggedArray

DocumentNumbers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class WordIndex:
    """Distinct words of n documents, memory-mapped when loaded."""

    n_documents: int
    terms: TermTable
    documents: RaggedArray[np.int32]
    """Those that hold each term, rising, each once."""

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
        postings = RaggedArray.build([postings for _, postings in ordered], np.int32)
        return cls(count, TermTable.build([word for word, _ in ordered]), postings)

    def covered(self, weights: Iterable[tuple[str, float]], among: Selection | None = None) -> npt.NDArray[np.float64]:
        """Sum of the weights of the words that each document holds, (n_documents,); or each of those in `among`."""
        total = np.zeros(self.n_documents if among is None else len(among))
        weighed = dict(weights)
        for at, weight in zip(self.terms.words(list(weighed)), weighed.values(), strict=True):
            if at is not None:
                documents = self.documents[at] if among is None else among.meet_list(self.documents, at)[1]
                # Fancy `+=` makes two copies of what it adds to; this makes none.
                np.add.at(total, documents, weight)
        return total

    def postings(self, words: Sequence[str]) -> list[DocumentNumbers]:
        """The documents that hold each of these words, rising; empty where none does."""
        places = self.terms.words(words)
        nowhere = self.documents.items[:0]
        return [nowhere if at is None else self.documents[at] for at in places]

    def save(self, folder: Path) -> None:
        """Write the arrays."""
        folder.mkdir(parents=True, exist_ok=True)
        self.terms.save(folder)
        save_array(folder / "size.npy", np.asarray([self.n_documents], dtype=np.int64))
        self.documents.save(folder, "documents")

    @classmethod
    def load(cls, folder: Path) -> "WordIndex":
        """Map what `save` wrote. Raises IndexCorruptError."""
        return cls(
            int(load_array(folder / "size.npy", np.int64)[0]),
            TermTable.load(folder),
            RaggedArray.load(folder, np.int32, "documents"),
        )
