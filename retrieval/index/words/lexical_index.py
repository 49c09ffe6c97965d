"""BM25 whose query costs its postings and not its corpus: every (term, document) score is computed at build time."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from retrieval.arrays import load_array, save_array
from retrieval.index.term_table import TermTable
from retrieval.index.words.selection import Selection
from retrieval.index.words.tokenizer import Tokenize, cut_identity, tokens
from retrieval.index.words.word_index import WordIndex
from retrieval.ragged import RaggedArray

if TYPE_CHECKING:
    from hashlib import _Hash as Hash

K1, B, EPSILON = 1.5, 0.75, 0.25


@dataclass(frozen=True, slots=True, eq=False)
class LexicalIndex:
    """Okapi BM25 scores as a sparse matrix (terms, documents), memory-mapped when loaded.

    The scores are those of `rank_bm25.BM25Okapi(k1=1.5, b=0.75, epsilon=0.25)` (Trotman, Puurula and Burgess 2014,
    ATIRE's variant), its floor for terms of more than half of the documents included::

        idf(t) = ln(N - n + 0.5) - ln(n + 0.5);  negative: 0.25 * mean of all idf
        score  = sum over the question's tokens of idf * f * (k1 + 1) / (f + k1 * (1 - b + b * length / mean length))
    """

    n_documents: int
    fingerprint: str
    """SHA-256 of the texts in their order and of how they are cut, vocabulary included: whose index this is."""
    terms: TermTable
    documents: RaggedArray[np.int32]
    """The postings of each term: documents, ascending."""
    weights: npt.NDArray[np.float64]
    """Score of each posting."""
    tokenize: Tokenize = tokens
    """Cuts questions as it cut the texts."""
    ask: Tokenize | None = None
    """What of a question is scored, once it is put into the index's words; None: all that `tokenize` finds."""
    put: Callable[[str], str] | None = None
    """Puts a question into the index's words; None: it stays as it is."""

    @classmethod
    def build(cls, texts: Iterable[str], tokenize: Tokenize = tokens) -> "LexicalIndex":
        """Index the texts; document i is the i-th text."""
        numbers: dict[str, int] = {}
        flat: list[int] = []
        lengths: list[int] = []
        digest = sha256()
        for text in texts:
            _digest(digest, text)
            found = tokenize(text)
            lengths.append(len(found))
            flat.extend([numbers.setdefault(token, len(numbers)) for token in found])
        _digest(digest, _cut(tokenize))
        ordered = sorted((term.encode("utf-8", "surrogatepass"), number) for term, number in numbers.items())
        place = np.empty(len(ordered), dtype=np.int64)
        place[[number for _, number in ordered]] = np.arange(len(ordered))
        length = np.asarray(lengths, dtype=np.int64)
        pairs = place[np.asarray(flat, dtype=np.int64)] * max(len(length), 1) + np.repeat(
            np.arange(len(length)), length
        )
        keys, frequency = np.unique(pairs, return_counts=True)
        term, document = np.divmod(keys, max(len(length), 1))
        spread = np.bincount(term, minlength=len(ordered))
        return cls(
            n_documents=len(length),
            fingerprint=digest.hexdigest(),
            terms=TermTable.build([text for text, _ in ordered]),
            documents=RaggedArray.of_sizes(spread, document.astype(np.int32)),
            weights=_idf(spread, len(length))[term] * _saturation(frequency, length[document], length),
            tokenize=tokenize,
        )

    def said(self, question: str) -> str:
        """A question in the words of the index: see `compounds`."""
        return self.put(question) if self.put else question

    def read(self, question: str) -> Sequence[str]:
        """All words of a question, stop words too."""
        return self.tokenize(self.said(question))

    def looked_for(self, question: str) -> Sequence[str]:
        """The words of a question that are scored."""
        return (self.ask or self.tokenize)(self.said(question))

    @property
    def n_terms(self) -> int:
        """Distinct terms."""
        return len(self.terms)

    @property
    def n_postings(self) -> int:
        """Distinct (term, document) pairs."""
        return len(self.documents.items)

    def scores(self, query: str, among: Selection | None = None) -> npt.NDArray[np.float64]:
        """Score of every document, (n_documents,), or of each in `among`; a token that is twice counts twice."""
        total = np.zeros(self.n_documents if among is None else len(among))
        for term in self.terms.words(self.looked_for(query)):
            if term is not None:
                weights = self.weights[self.documents.span(term)]
                if among is None:
                    np.add.at(total, self.documents[term], weights)
                else:
                    which, places = among.meet_list(self.documents, term)
                    np.add.at(total, places, weights[which])
        return total

    @property
    def words(self) -> WordIndex:
        """The same postings without their scores."""
        return WordIndex(self.n_documents, self.terms, self.documents)

    def save(self, folder: Path) -> None:
        """Write the arrays as .npy files."""
        folder.mkdir(parents=True, exist_ok=True)
        self.terms.save(folder)
        save_array(folder / "size.npy", np.asarray([self.n_documents], dtype=np.int64))
        save_array(folder / "fingerprint.npy", np.frombuffer(bytes.fromhex(self.fingerprint), dtype=np.uint8))
        self.documents.save(folder, "documents")
        save_array(folder / "weights.npy", self.weights)

    @classmethod
    def load(cls, folder: Path, tokenize: Tokenize = tokens, ask: Tokenize | None = None) -> "LexicalIndex":
        """Map what `save` wrote; the tokenizer must be the one it was built with.

        Raises:
            IndexCorruptError: a file is missing, is not an array, or the arrays do not fit each other.
        """
        return cls(
            n_documents=int(load_array(folder / "size.npy", np.int64)[0]),
            fingerprint=load_array(folder / "fingerprint.npy", np.uint8).tobytes().hex(),
            terms=TermTable.load(folder),
            documents=RaggedArray.load(folder, np.int32, "documents"),
            weights=load_array(folder / "weights.npy", np.float64),
            tokenize=tokenize,
            ask=ask,
        )


def lexical_fingerprint(texts: Iterable[str], tokenize: Tokenize) -> str:
    """What a lexical index over these texts, cut in this way, has as its fingerprint."""
    return fingerprint((*texts, _cut(tokenize)))


def fingerprint(texts: Iterable[str]) -> str:
    """SHA-256 of texts in their order."""
    digest = sha256()
    for text in texts:
        _digest(digest, text)
    return digest.hexdigest()


def _cut(tokenize: Tokenize) -> str:
    """How a tokenizer cuts: its words and settings, and an example, which tells apart functions that are not ours."""
    example = tokenize("The charging clerics' 7th-level armour class is -2 of 2d6, not 1/4")
    return " ".join((cut_identity(tokenize), *example))


def _digest(digest: "Hash", text: str) -> None:
    content = text.encode("utf-8", "surrogatepass")
    # The length before each text keeps ["ab", "c"] apart from ["a", "bc"].
    digest.update(len(content).to_bytes(8, "little"))
    digest.update(content)


def _idf(spread: npt.NDArray[np.int64], n_documents: int) -> npt.NDArray[np.float64]:
    if not len(spread):
        return np.zeros(0)
    idf = np.log(n_documents - spread + 0.5) - np.log(spread + 0.5)
    floor = EPSILON * math.fsum(idf) / len(idf)
    return np.where(idf < 0, floor, idf)


def _saturation(
    frequency: npt.NDArray[np.int64], length: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    mean = lengths.mean() if len(lengths) else 0.0
    saturated: npt.NDArray[np.float64] = frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / (mean or 1.0)))
    return saturated
