"""Whether two ways of making rows let the same chunks pass: what a change of predicates or names does to questions."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evals.generation.generation import generate_questions
from retrieval.index.words.keyed_tables import keyed_tables
from retrieval.query_must.canonical.canonical import canonical
from retrieval.query_must.compiled.predicates import CompiledPredicates
from retrieval.query_must.compiled.rivals import RivalIndex
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Chunk


@dataclass(frozen=True, slots=True)
class Agreement:
    """Over generated questions about some tables."""

    n_questions: int
    n_agreed: int
    """Questions on which just the same chunks pass."""

    @property
    def share(self) -> float | None:
        """0 to 1; None where there is no question."""
        return self.n_agreed / self.n_questions if self.n_questions else None


def agreement(
    before: Sequence[Chunk], after: Sequence[Chunk], tables: Collection[str], vocabulary: Vocabulary
) -> Agreement:
    """Compare which chunks pass for questions that a program writes about some tables.

    Args:
        before: chunks of a book.
        after: the same chunks in the same order, of rows that were made otherwise.
        tables: ids of those that the questions are about.
        vocabulary: of the library.
    """
    about = [chunk for chunk in before if chunk.table_id in tables]
    questions = [each.query for found in generate_questions(about, vocabulary) for each in found.questions]
    one, other = _Passing(before, vocabulary), _Passing(after, vocabulary)
    same = sum(bool(np.array_equal(one.mask(query), other.mask(query))) for query in questions)
    return Agreement(len(questions), same)


class _Passing:
    """The predicates of some chunks, compiled."""

    def __init__(self, chunks: Sequence[Chunk], vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._predicates = CompiledPredicates.build([chunk.query_must for chunk in chunks], vocabulary=vocabulary)
        keyed = keyed_tables(chunks)
        self._rivals = RivalIndex.build(keyed.tables, keyed.positions, vocabulary)

    def mask(self, query: str) -> npt.NDArray[np.bool_]:
        """(n,): which chunks pass."""
        asked = canonical(query, self._vocabulary)
        mask = ~np.asarray(self._predicates.guarded)
        mask[self._predicates.admitted(asked)] = True
        mask[self._rivals.read(asked).positions] = False
        return mask
