"""All predicates of an index, compiled so that one pass over a question finds the chunks that it admits.

Distinct terms and ranges are atoms, distinct sets of atoms are groups, and a predicate is a set of groups. Each
predicate is indexed by its rarest group: the groups that hold lead to the few predicates that can hold, and only their
other groups are checked. No step loops over predicates in Python. The result always equals that of
`satisfies_query_must`.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.errors import IndexCorruptError, LibraryError
from retrieval.files.array_folder import load_arrays, save_arrays
from retrieval.files.arrays import Integers, RaggedArray, distinct
from retrieval.language.canonical import Canonical, canonical, canonical_term
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.compiled.atoms import AtomIndex, AtomNumbers
from retrieval.query_must.compiled.naming import NamedRows, NameIndex
from retrieval.query_must.operators import always_asks
from retrieval.query_must.predicate import read_query_must, satisfies_query_must

_VOCABULARY = "vocabulary.json"


@dataclass(frozen=True, slots=True)
class CompiledPredicates:
    """The predicates and names of n chunks. Positions are those in the sequences it was built from."""

    guarded: npt.NDArray[np.bool_]
    """Shape (n,): which chunks have a predicate with a requirement for every question; the others pass unless a rival
    is named."""
    _atoms: AtomIndex
    _groups_of_atom: RaggedArray[np.int64]
    _predicates_of_group: RaggedArray[np.int64]
    """Predicates indexed by the group."""
    _groups_of_predicate: RaggedArray[np.int64]
    _always: Integers
    """Guarded chunks whose predicate requires nothing."""
    _plain: dict[int, str]
    """Predicates with an operator that cannot be compiled or is not registered here; they are evaluated from their text
    each time."""
    _names: NameIndex
    vocabulary: Vocabulary = field(default_factory=Vocabulary.default)
    """It has a default so that `save_arrays` omits it: it has its own file."""

    @staticmethod
    def build(
        predicates: Sequence[str | None],
        names: Sequence[Sequence[str]] = (),
        vocabulary: Vocabulary | None = None,
    ) -> "CompiledPredicates":
        """Compile predicates (JSON or None) and names, both by position. Unreadable parts are ignored and logged."""
        vocabulary = vocabulary or Vocabulary.default()
        atoms = AtomNumbers()
        groups: dict[tuple[int, ...], int] = {}
        rows: list[list[int]] = []
        plain: dict[int, str] = {}
        for position, text in enumerate(predicates):
            row, compiles = _group_numbers(text, vocabulary, atoms, groups)
            rows.append(row)
            if text is not None and not compiles:
                plain[position] = text
        guarded = np.fromiter(map(always_asks, predicates), dtype=np.bool_, count=len(predicates))
        asks_nothing = (n for n, row in enumerate(rows) if guarded[n] and not row)
        name_index = NameIndex.build([[canonical_term(name, vocabulary) for name in row] for row in names], atoms)
        return CompiledPredicates(
            guarded,
            AtomIndex.build(atoms, vocabulary),
            RaggedArray.invert([list(group) for group in groups], len(atoms)),
            RaggedArray.invert(_rarest(rows), len(groups)),
            RaggedArray.build(rows, np.int64),
            np.fromiter(asks_nothing, dtype=np.int64),
            plain,
            name_index,
            vocabulary,
        )

    def __len__(self) -> int:
        return len(self.guarded)

    def admitted(self, question: str | Canonical) -> Integers:
        """Return the positions of guarded chunks whose predicate the question satisfies, ascending."""
        canonical_question = self._read(question)
        return self._admit(canonical_question, self._atoms.holding(canonical_question))

    def named(self, question: str | Canonical) -> NamedRows:
        """Return the rows that the question names."""
        return self._names.named(self._atoms.holding(self._read(question)))

    def _read(self, question: str | Canonical) -> Canonical:
        return canonical(question, self.vocabulary) if isinstance(question, str) else question

    def _admit(self, question: Canonical, atoms: Integers) -> Integers:
        groups = distinct(self._groups_of_atom.gather(atoms))
        candidates = self._predicates_of_group.gather(groups)
        if len(candidates):
            holds = np.zeros(len(self._predicates_of_group), np.bool_)
            holds[groups] = True
            sizes = self._groups_of_predicate.sizes(candidates)
            hold = holds[self._groups_of_predicate.gather(candidates)]
            candidates = candidates[np.logical_and.reduceat(hold, np.cumsum(sizes) - sizes)]
        admitted = np.sort(np.concatenate([candidates, self._always]))
        if not self._plain:
            return admitted
        keep = (
            position not in self._plain or satisfies_query_must(question, self._plain[position])
            for position in admitted.tolist()
        )
        return admitted[np.fromiter(keep, dtype=np.bool_, count=len(admitted))]

    def save(self, folder: Path) -> None:
        """Write JSON and .npy files into a folder, which is created if it is missing."""
        save_arrays(folder, self)
        words = json.dumps(self.vocabulary.to_json(), ensure_ascii=False)
        (folder / _VOCABULARY).write_text(words, encoding="utf-8")

    @staticmethod
    def load(folder: Path) -> "CompiledPredicates":
        """Read the files that `save` wrote; arrays are mapped, not copied. Raises IndexCorruptError."""
        try:
            words = json.loads((folder / _VOCABULARY).read_text(encoding="utf-8"))
            vocabulary = _known(Vocabulary.from_json(words))
        except (OSError, ValueError, TypeError, LibraryError) as error:
            message = f"the vocabulary in {folder} cannot be read: {error}; build the index again"
            raise IndexCorruptError(message) from error
        return replace(load_arrays(folder, CompiledPredicates), vocabulary=vocabulary)


def _group_numbers(
    text: str | None, vocabulary: Vocabulary, atoms: AtomNumbers, groups: dict[tuple[int, ...], int]
) -> tuple[list[int], bool]:
    """Number the groups of one predicate; also return whether they express all of it."""
    predicate = read_query_must(text)
    numbers: dict[int, None] = {}
    compiles = not any(part.unknown for part in predicate.ignored)
    for condition in predicate.conditions:
        compiled = condition.groups(vocabulary)
        compiles = compiles and compiled is not None
        for group in compiled or ():
            key = tuple(sorted({atoms.of(atom) for atom in group.atoms}))
            numbers[groups.setdefault(key, len(groups))] = None
    return list(numbers), compiles


def _rarest(rows: list[list[int]]) -> list[list[int]]:
    """Choose for each predicate the group that the fewest predicates have; ties go to the first made."""
    counts = Counter(group for row in rows for group in row)
    return [[min(row, key=lambda group: (counts[group], group))] if row else [] for row in rows]


def _known(vocabulary: Vocabulary) -> Vocabulary:
    """Return the default itself if the vocabulary is equal to it, so that its cached results can be used."""
    default = Vocabulary.default()
    return default if vocabulary.to_json() == default.to_json() else vocabulary
