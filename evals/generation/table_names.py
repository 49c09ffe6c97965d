"""What a question calls a table: one of its names, or only so much of one that row and column still say which it is."""

from collections.abc import Sequence
from dataclasses import dataclass

from evals.generation.phrasing import Phrasing
from evals.generation.word_places import WordPlaces

_SHORTENED = 0.6
"""Share of the questions that say no more of a table's name than they must; people seldom say all of it."""


@dataclass(frozen=True, slots=True)
class TableName:
    """The unmistakable names of a table, and how far each can be shortened."""

    ways: tuple[str, ...]
    """What `PlaceNames` found; empty for a record, which has a title of its own."""
    places: WordPlaces
    rows: frozenset[str]
    """Ids of the table's rows."""

    def say(self, phrasing: Phrasing, beside: Sequence[str], row: str | None) -> str:
        """A name, part of one, or nothing where the rest of the question says enough.

        Args:
            phrasing: chooses.
            beside: what the question says besides, as the book writes it.
            row: id of the row if its words are in `beside`; None if only a number inside its range is, so that the
                name must tell the table from all others.
        """
        if phrasing.random.random() < _SHORTENED:
            words = self.ways[0].replace("_", " ").replace("(", " ").replace(")", " ").split()
            meant = self.rows if row is None else {row}
            kept = self.places.shortened(words, beside, meant, phrasing.random)
            if kept is not None:
                return " ".join(kept)
        return phrasing.random.choice(self.ways)
