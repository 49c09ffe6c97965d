"""BM25 with precomputed scores, so that the cost of a query depends on its postings, not on the corpus."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from retrieval.files.array_folder import load_arrays
from retrieval.files.arrays import RaggedArray
from retrieval.files.cache import remember
from retrieval.index.term_table import TermTable
from retrieval.language.identifiers import MARK, identifier_keys, known_identifiers, words_of_question
from retrieval.language.terms import Tokenize, cut_identity, tokens

if TYPE_CHECKING:
    from hashlib import _Hash as Hash


Positions = npt.NDArray[np.int64]
Documents = npt.NDArray[np.signedinteger[Any]]
Words = RaggedArray[np.int32]
Met = tuple[Positions, Positions]

_LOOKED_UP = 64
"""Selected documents per document of a list above which the list is searched in them, not in a table of all."""


@dataclass(frozen=True, eq=False)
class Selection:
    """A subset of n documents, each with its place in the subset."""

    positions: Positions
    """(m,) ascending, each once."""
    n_documents: int
    _met: "dict[tuple[int, int], tuple[Words, Met]]" = field(default_factory=dict, repr=False)
    """Cached results of `meet_list`, each with its lists, which keeps them alive as long as their id is a key."""

    @classmethod
    def of(cls, lists: Sequence[Documents], n_documents: int) -> "Selection":
        """Select the documents that are in any of these lists."""
        marked = np.zeros(n_documents, dtype=np.bool_)
        for documents in lists:
            marked[documents] = True
        return cls(np.flatnonzero(marked), n_documents)

    def __len__(self) -> int:
        return len(self.positions)

    def meet_list(self, lists: Words, key: int) -> Met:
        """Return the `meet` of one list of an index, cached because a question needs it more than once."""
        if (id(lists), key) not in self._met:
            self._met[id(lists), key] = lists, self.meet(lists[key])
        return self._met[id(lists), key][1]

    def meet(self, documents: Documents) -> Met:
        """Return which of the documents are selected, as ascending indices, and their places in the selection."""
        if not len(self.positions) or not len(documents):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        if len(documents) * _LOOKED_UP < len(self.positions):
            key = np.minimum(np.searchsorted(self.positions, documents), len(self.positions) - 1)
            which = np.flatnonzero(self.positions[key] == documents)
            return which, key[which]
        places = self._places[documents]
        which = np.flatnonzero(places)
        return which, places[which].astype(np.int64) - 1

    @cached_property
    def _places(self) -> npt.NDArray[np.int32]:
        """(n_documents,): the place of each selected document, counted from 1; 0 for all others."""
        places = np.zeros(self.n_documents, dtype=np.int32)
        places[self.positions] = np.arange(1, len(self.positions) + 1, dtype=np.int32)
        return places


DocumentNumbers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class WordIndex:
    """Distinct words of n documents, memory-mapped when loaded."""

    n_documents: int
    terms: TermTable
    documents: RaggedArray[np.int32]
    """The documents that contain each term, ascending, each once."""

    @classmethod
    def build(cls, documents: Iterable[Sequence[str]]) -> "WordIndex":
        """Index the words of each document; document i is the i-th."""
        documents_by_word: dict[str, list[int]] = {}
        count = 0
        for number, words in enumerate(documents):
            for word in dict.fromkeys(words):
                documents_by_word.setdefault(word, []).append(number)
            count = number + 1
        ordered = sorted(
            (word.encode("utf-8", "surrogatepass"), postings) for word, postings in documents_by_word.items()
        )
        postings = RaggedArray.build([postings for _, postings in ordered], np.int32)
        return cls(count, TermTable.build([word for word, _ in ordered]), postings)

    def covered(self, weights: Iterable[tuple[str, float]], among: Selection | None = None) -> npt.NDArray[np.float64]:
        """Return the sum of the weights of each document's words, (n_documents,), or of each of those in `among`."""
        total = np.zeros(self.n_documents if among is None else len(among))
        weighed = dict(weights)
        for at, weight in zip(self.terms.words(list(weighed)), weighed.values(), strict=True):
            if at is not None:
                documents = self.documents[at] if among is None else among.meet_list(self.documents, at)[1]
                # `+=` with an array as index would make two copies; this makes none.
                np.add.at(total, documents, weight)
        return total

    def postings(self, words: Sequence[str]) -> list[DocumentNumbers]:
        """Return the documents that contain each of these words, ascending; empty if none does."""
        places = self.terms.words(words)
        nowhere = self.documents.items[:0]
        return [nowhere if at is None else self.documents[at] for at in places]


REMEMBERED = 1024
"""Questions whose words are cached, before the cache is cleared."""
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
    """SHA-256 of the texts in their order and of the tokenizer, vocabulary included, which identifies the index."""
    terms: TermTable
    documents: RaggedArray[np.int32]
    """The postings of each term: documents, ascending."""
    weights: npt.NDArray[np.float64]
    """Score of each posting."""
    tokenize: Tokenize = tokens
    """The tokenizer of texts and questions."""
    ask: Tokenize | None = None
    """Returns the words of a question that are scored; None: all that `tokenize` finds."""
    put: Callable[[str], str] | None = None
    """Rewrites a question with the index's words; None: it is not changed."""
    _cuts: dict[tuple[Tokenize, str], Sequence[str]] = field(default_factory=dict, init=False, repr=False)
    """Cached tokens of questions: a search needs the words of one several times."""

    @classmethod
    def build(cls, texts: Iterable[str], tokenize: Tokenize = tokens) -> "LexicalIndex":
        """Index the texts; document i is the i-th text."""
        numbers: dict[str, int] = {}
        flat: list[int] = []
        lengths: list[int] = []
        digest = sha256()
        for text in texts:
            _digest(digest, text)
            text_tokens = tokenize(text)
            lengths.append(len(text_tokens))
            flat.extend([numbers.setdefault(token, len(numbers)) for token in text_tokens])
        _digest(digest, _cut(tokenize))
        ordered = sorted((term.encode("utf-8", "surrogatepass"), number) for term, number in numbers.items())
        key = np.empty(len(ordered), dtype=np.int64)
        key[[number for _, number in ordered]] = np.arange(len(ordered))
        length = np.asarray(lengths, dtype=np.int64)
        pairs = key[np.asarray(flat, dtype=np.int64)] * max(len(length), 1) + np.repeat(np.arange(len(length)), length)
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

    def in_index_words(self, question: str) -> str:
        """Return a question in the words of the index: see `compounds`."""
        return self.put(question) if self.put else question

    def read(self, question: str) -> Sequence[str]:
        """Return all words of a question, including stop words."""
        return self._cut(self.tokenize, question)

    def looked_for(self, question: str) -> Sequence[str]:
        """Return the words of a question that are scored."""
        return self._cut(self.ask or self.tokenize, question)

    def _cut(self, tokenize: Tokenize, question: str) -> Sequence[str]:
        """Return the tokens of a question, and the index's identifiers whose parts are adjacent in it."""
        known = self._cuts.get((tokenize, question))
        if known is not None:
            return known
        written = self.in_index_words(question)
        plain = [token for token in tokenize(written) if not token.startswith(MARK)]
        identifiers = known_identifiers(
            words_of_question(written),
            identifier_keys(written),
            lambda keys: [term is not None for term in self.terms.words(keys)],
        )
        tokens = (*plain, *(key for _, _, key in identifiers))
        return remember(self._cuts, (tokenize, question), tokens, REMEMBERED)

    @property
    def n_terms(self) -> int:
        """The number of distinct terms."""
        return len(self.terms)

    @property
    def n_postings(self) -> int:
        """The number of distinct (term, document) pairs."""
        return len(self.documents.items)

    def scores(self, query: str, among: Selection | None = None) -> npt.NDArray[np.float64]:
        """Return every document's score, (n_documents,), or those of `among`; a repeated token counts each time."""
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
        """The same postings without scores."""
        return WordIndex(self.n_documents, self.terms, self.documents)

    @classmethod
    def load(cls, folder: Path, tokenize: Tokenize = tokens, ask: Tokenize | None = None) -> "LexicalIndex":
        """Map what `save_arrays` wrote; the tokenizer must be the one it was built with. Raises IndexCorruptError."""
        return replace(load_arrays(folder, cls), tokenize=tokenize, ask=ask)


def lexical_fingerprint(texts: Iterable[str], tokenize: Tokenize) -> str:
    """Return the fingerprint of a lexical index over these texts with this tokenizer."""
    return fingerprint((*texts, _cut(tokenize)))


def fingerprint(texts: Iterable[str]) -> str:
    """Return the SHA-256 of texts in their order."""
    digest = sha256()
    for text in texts:
        _digest(digest, text)
    return digest.hexdigest()


def _cut(tokenize: Tokenize) -> str:
    """Return the identity of a tokenizer, with an example that distinguishes functions other than ours."""
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
