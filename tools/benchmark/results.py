"""The stored results: `docs/results/benchmark.json`, a record for each folder of books and embedder."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from evals.sample import SHELF
from retrieval.errors import RetrievalError
from retrieval.files.atomic_files import write_atomically
from tools.benchmark.run import LeftOut, Measured, SystemCard
from tools.benchmark.scores import OURS, Example, SystemScores, Win, examples, wins
from tools.benchmark.system import SYSTEMS, installed_version
from tools.corpora.books import BookSet, book_set

RESULTS = "benchmark.json"
TUNED, SEALED = "tuned", "sealed"


@dataclass(frozen=True, slots=True)
class Comparison:
    """All systems over one folder of books with one embedder. Key: (books, embedder)."""

    books: str
    """Name of the folder."""
    version: str
    kind: str
    """`tuned`: the ranking was tuned on these books; `sealed`: nobody had seen their questions; else `other`."""
    n_books: int
    n_questions: int
    embedder: str
    day: str
    """ISO date."""
    machine: str
    systems: tuple[SystemScores, ...]
    left_out: tuple[LeftOut, ...]
    wins: tuple[Win, ...]
    examples: tuple[Example, ...]

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> "Comparison":
        """What `asdict` made of one."""
        return cls(
            **{
                **values,
                "systems": tuple(map(SystemScores.read, values["systems"])),
                "left_out": tuple(LeftOut(**entry) for entry in values["left_out"]),
                "wins": tuple(Win(**entry) for entry in values["wins"]),
                "examples": tuple(
                    Example(**{**entry, "systems": tuple(entry["systems"])}) for entry in values["examples"]
                ),
            }
        )


@dataclass(frozen=True, slots=True)
class Results:
    """What the page is made of."""

    comparisons: tuple[Comparison, ...] = ()
    cards: tuple[SystemCard, ...] = ()
    packages: tuple[tuple[str, str], ...] = ()
    """Distribution and version, as they were measured."""

    @classmethod
    def read(cls, file: Path) -> "Results":
        """Those of a file; none if there is no file."""
        if not file.is_file():
            return cls()
        values = json.loads(file.read_text("utf-8"))
        return cls(
            tuple(map(Comparison.read, values["comparisons"])),
            tuple(SystemCard(**{**card, "packages": tuple(card["packages"])}) for card in values["cards"]),
            tuple((name, number) for name, number in values["packages"]),
        )

    def write(self, file: Path) -> None:
        """Write them; the same results give the same bytes."""
        write_atomically(file, json.dumps(asdict(self), ensure_ascii=False, indent=1) + "\n")

    def require_systems(self, books: Sequence[str], embedders: Sequence[str], systems: Sequence[str]) -> None:
        """Raise RetrievalError if a run of these systems would drop another from a section that it replaces."""
        for entry in self.comparisons:
            dropped = [scores.system for scores in entry.systems if scores.system not in systems]
            if entry.books in books and entry.embedder in embedders and dropped:
                raise RetrievalError(
                    f"the section of {entry.books} with {entry.embedder} would lose {', '.join(dropped)}; measure them "
                    "too (install what they need; --add instead of --system), or write elsewhere with --docs"
                )

    def updated(self, newer: "Results") -> "Results":
        """With the comparisons of a later run in the place of those of the same books and embedder."""
        known = {(entry.books, entry.embedder): entry for entry in (*self.comparisons, *newer.comparisons)}
        cards = {card.name: card for card in (*self.cards, *newer.cards)}
        order = {name: number for number, name in enumerate(SYSTEMS)}
        return replace(
            newer,
            comparisons=tuple(sorted(known.values(), key=lambda entry: (entry.kind != TUNED, entry.books))),
            cards=tuple(sorted(cards.values(), key=lambda card: order.get(card.name, len(order)))),
            packages=tuple(sorted({**dict(self.packages), **dict(newer.packages)}.items())),
        )


def compare(measured: Measured, folders: Sequence[Path], embedders: Sequence[str], day: str, machine: str) -> Results:
    """The numbers of a run.

    Args:
        measured: outcomes of all processes.
        folders: of the books, as they were measured.
        embedders: names.
        day: ISO date.
        machine: what it ran on, as a phrase.
    """
    comparisons = [
        _comparison(measured, book_set(folder), _kind(folder), embedder, day, machine)
        for folder in folders
        for embedder in embedders
    ]
    names = sorted({name for card in measured.cards for name in card.packages})
    versions = tuple((name, installed_version(name) or "?") for name in names)
    return Results(tuple(comparisons), measured.cards, versions)


def _kind(folder: Path) -> str:
    if folder.resolve() == SHELF:
        return TUNED
    return SEALED if all(book.split == SEALED for book in book_set(folder).books) else "other"


def _comparison(measured: Measured, books: BookSet, kind: str, embedder: str, day: str, machine: str) -> Comparison:
    outcomes = [entry for entry in measured.outcomes if (entry.books, entry.embedder) == (books.name, embedder)]
    ours = next((entry for entry in outcomes if entry.system == OURS), None)
    own = {name for name, module in SYSTEMS.items() if module.startswith("tools.benchmark.systems.querymust")}
    others = [entry for entry in outcomes if entry.system not in own]
    queries = {(book.name, question.id): question.query for book in books.books for question in book.questions}
    return Comparison(
        books.name,
        books.version,
        kind,
        len(books.books),
        len(books.questions),
        embedder,
        day,
        machine,
        tuple(map(SystemScores.of, outcomes)),
        tuple(entry for entry in measured.left_out if (entry.books, entry.embedder) == (books.name, embedder)),
        wins(ours, others) if ours else (),
        examples(ours, others, queries) if ours else (),
    )
