"""Names of rows: what a question may call them. They never exclude; they say which rows are meant."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.arrays import Integers, begins, load_array, save_array
from retrieval.query_must.compiled.atoms import AtomNumbers
from retrieval.query_must.conditions import Term
from retrieval.ragged import RaggedArray


@dataclass(frozen=True, slots=True)
class NamedRows:
    """The rows that one question names. The three arrays have one entry a row."""

    positions: Integers
    """Rising, each once."""
    counts: Integers
    """How many different names of the row the question says."""
    weights: npt.NDArray[np.float64]
    """Sum over those names of log(1 + rows / rows with that name): a name that many rows share says little."""
    _said: Integers
    _names: Sequence[str]

    def terms(self, place: int) -> tuple[str, ...]:
        """Return the names, in canonical form, by which the question calls the row at `positions[place]`."""
        start = int(self.counts[:place].sum())
        return tuple(self._names[name] for name in self._said[start : start + int(self.counts[place])].tolist())


@dataclass(frozen=True, slots=True)
class NameIndex:
    """Names as atoms, and the rows that bear each."""

    rows: int
    names: Sequence[str]
    """Canonical names, in the order of their atoms."""
    atoms: Integers
    """The atom of each name, rising."""
    rows_of_name: RaggedArray[np.int64]

    @staticmethod
    def build(rows: Sequence[Sequence[str]], numbers: AtomNumbers) -> "NameIndex":
        """Arrange each row's canonical names; an empty one is not a name."""
        atoms_of_row = [[numbers.of(Term(name)) for name in row if name] for row in rows]
        # `6` and `6.0` are one atom; the first spelling is kept.
        spelled: dict[int, str] = {}
        for atoms_, row in zip(atoms_of_row, rows, strict=True):
            for atom, name in zip(atoms_, filter(None, row), strict=True):
                spelled.setdefault(atom, name)
        atoms = sorted(spelled)
        place = {atom: at for at, atom in enumerate(atoms)}
        places = [list(dict.fromkeys(place[atom] for atom in row)) for row in atoms_of_row]
        names = tuple(spelled[atom] for atom in atoms)
        return NameIndex(len(rows), names, np.array(atoms, np.int64), RaggedArray.invert(places, len(names)))

    def named(self, holding: Integers) -> NamedRows:
        """Return the rows that bear a name whose atom holds; `holding` rises."""
        place = np.searchsorted(self.atoms, holding)
        inside = place < len(self.atoms)
        names = place[inside][self.atoms[place[inside]] == holding[inside]]
        bearers = self.rows_of_name.sizes(names)
        hits = self.rows_of_name.gather(names)
        order = np.argsort(hits, kind="stable")
        ordered = hits[order]
        said = np.repeat(names, bearers)[order]
        weights = np.repeat(np.log1p(self.rows / np.maximum(bearers, 1)), bearers)[order]
        starts = np.flatnonzero(begins(ordered))
        positions, counts = ordered[starts], np.diff(starts, append=len(ordered))
        summed = np.add.reduceat(weights, starts) if len(starts) else np.zeros(0)
        return NamedRows(positions, counts.astype(np.int64), summed, said.astype(np.int64), self.names)

    def save(self, folder: Path) -> None:
        """Write JSON and .npy files."""
        text = json.dumps({"rows": self.rows, "names": self.names}, ensure_ascii=False)
        (folder / "names.json").write_text(text, encoding="utf-8")
        self.rows_of_name.save(folder, "rows_of_name.items", "rows_of_name.offsets")
        save_array(folder / "names.npy", self.atoms)

    @staticmethod
    def load(folder: Path) -> "NameIndex":
        """Read what `save` wrote. Raises OSError, ValueError, KeyError or IndexCorruptError if it is something else."""
        data = json.loads((folder / "names.json").read_text(encoding="utf-8"))
        atoms = load_array(folder / "names.npy", np.int64)
        rows_of_name = RaggedArray.load(folder, np.int64, "rows_of_name.items", "rows_of_name.offsets")
        if not len(data["names"]) == len(atoms) == len(rows_of_name):
            raise ValueError(f"{len(data['names'])} names, {len(atoms)} atoms and {len(rows_of_name)} lists of rows")
        return NameIndex(int(data["rows"]), data["names"], atoms, rows_of_name)
