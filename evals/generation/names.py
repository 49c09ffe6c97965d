"""Unique names for the tables and sections of a library."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from random import Random

from evals.generation.phrasing import JOINING, Phrasing, place_name, unbracketed, words_of
from evals.questions.gold import folded
from retrieval.types import Chunk

Place = tuple[str, ...]
"""Key of a table (its id) or of a section (book, document, heading path)."""

_LEAST_WORDS = 3
"""Fewest words of a name from which one may be omitted."""


@dataclass(frozen=True, slots=True)
class PlaceNames:
    """The unique names of every place that has one."""

    names: Mapping[Place, tuple[str, ...]]
    """The shortest unique name first, then other forms of it."""

    @classmethod
    def of(cls, places: Iterable[tuple[Place, Chunk]], *, shortened: bool = False) -> "PlaceNames":
        """Name the places of chunks; with `shortened`, names may also lack a word.

        The first name is the caption, the innermost heading, or either with the headings above it. Other forms only
        consist of words of a place's headings and caption, and no other place has all of them.
        """
        first: dict[Place, Chunk] = {}
        for place_key, chunk in places:
            first.setdefault(place_key, chunk)
        steps = {place_key: _steps(chunk) for place_key, chunk in first.items()}
        meant: dict[str, set[Place]] = defaultdict(set)
        holding: dict[str, set[Place]] = defaultdict(set)
        for place_key, names in steps.items():
            for name in _candidates(names):
                meant[folded(name)].add(place_key)
            for word in words_of(names):
                holding[word].add(place_key)
        unmistakable: dict[Place, tuple[str, ...]] = {}
        for place_key, names in steps.items():
            chosen = next((name for name in _candidates(names) if len(meant[folded(name)]) == 1), None)
            if chosen:
                ways = [
                    way
                    for way in _ways(chosen, names, shortened=shortened)
                    if _places_with(way, holding) == {place_key}
                ]
                unmistakable[place_key] = tuple(dict.fromkeys([chosen, *ways]))
        return cls(unmistakable)


def table_of(chunk: Chunk) -> Place:
    """Return the key of a row's table."""
    return (chunk.book, chunk.table_id or chunk.id)


def _steps(chunk: Chunk) -> Sequence[str]:
    """Return caption and headings, the innermost first."""
    path = [place_name(heading) for heading in reversed(chunk.heading_path)]
    titled = chunk.caption and not chunk.introduced and chunk.kind != "prose"
    caption = [place_name(chunk.caption or "")] if titled else []
    # a caption often repeats its heading
    return list({folded(step): step for step in reversed([*caption, *path])}.values())[::-1]


def _candidates(steps: Sequence[str]) -> Sequence[str]:
    if not steps or not any(letter.isalpha() for letter in steps[0]):
        return []
    both = [f"{steps[0]} ({', '.join(steps[1:3])})"] if len(steps) > 2 else []
    return [steps[0], *(f"{steps[0]} ({outer})" for outer in steps[1:3]), *both]


def _ways(name: str, steps: Sequence[str], *, shortened: bool) -> Iterable[str]:
    """Yield other forms of a name: words in another order, one omitted, identifiers as words."""
    inner = steps[0]
    outer = name.removeprefix(inner).strip(" ()")
    if outer and name != inner:
        yield from (f"{outer} {inner}", f"{inner} of {outer}", f"{inner}, {outer}", f"{outer}: {inner}")
    yield from filter(None, (unbracketed(inner), inner))
    words = unbracketed(inner).replace("_", " ").split()
    if words != inner.split():
        yield " ".join(words)
        yield " ".join(words).lower()
    if shortened and len(words) >= _LEAST_WORDS:
        joint = "_" if "_" in inner else " "
        for left in range(len(words)):
            kept = words[:left] + words[left + 1 :]
            if not JOINING & {kept[0].lower(), kept[-1].lower()}:
                yield joint.join(kept)


def _places_with(name: str, holding: Mapping[str, set[Place]]) -> set[Place]:
    """Return the places whose headings and caption contain every word of a name."""
    places: set[Place] | None = None
    for word in words_of([name]) - {"of"}:
        places = holding[word] if places is None else places & holding[word]
    return places or set()


_ENOUGH = 0.25
"""Probability to stop before omitting each further word."""


class WordPlaces:
    """The chunks of each word in headings, captions, columns and cells of rows, and the text of prose."""

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._having: dict[str, set[str]] = defaultdict(set)
        self._size = 0
        for chunk in chunks:
            self._size += 1
            text = [chunk.text] if chunk.kind == "prose" else [*chunk.columns, *chunk.cells]
            for word in words_of([*chunk.heading_path, chunk.caption or "", chunk.row_key or "", *text]):
                self._having[word].add(chunk.id)

    def share(self, word: str) -> float:
        """Return the share of the chunks that contain a word; 0 if none does."""
        return len(self._having.get(word.casefold(), ())) / max(1, self._size)

    def having(self, texts: Iterable[str]) -> Set[str]:
        """Return the ids of the chunks that contain every word of some texts; none without words."""
        id_sets = sorted((self._having.get(word, set()) for word in words_of(texts)), key=len)
        return set.intersection(*id_sets) if id_sets else set()

    def shortened(
        self, words: Sequence[str], beside: Sequence[str], meant: Set[str], random: Random, least: int = 0
    ) -> list[str] | None:
        """Return some of the words, in their order, after omitting a random number of them, the most common first.

        Only the `meant` chunks contain all words that are kept and all `beside` them.

        Returns:
            None if other chunks even contain all of the words.
        """
        if not self._only([*words, *beside], meant):
            return None
        kept = list(range(len(words)))
        for index in sorted(kept, key=lambda index: (-round(self.share(words[index]), 2), random.random())):
            if len(kept) <= least or random.random() < _ENOUGH:
                break
            fewer = [other for other in kept if other != index]
            if self._only([*(words[other] for other in fewer), *beside], meant):
                kept = fewer
        return [words[index] for index in kept]

    def _only(self, texts: Sequence[str], meant: Set[str]) -> bool:
        having = self.having(texts)
        return bool(having) and having <= meant


_SHORTENED = 0.6
"""Share of the questions with a shortened name of the table, because people rarely use all of it."""


@dataclass(frozen=True, slots=True)
class TableName:
    """The unique names of a table, and the means to shorten them."""

    ways: tuple[str, ...]
    """The names from `PlaceNames`; empty for a record, which has its own title."""
    places: WordPlaces
    rows: frozenset[str]
    """Ids of the table's rows."""

    def say(self, phrasing: Phrasing, beside: Sequence[str], row: str | None) -> str:
        """Return a name, part of one, or nothing if the rest of the question is sufficient.

        Args:
            phrasing: for random choices.
            beside: the other words of the question, as in the book.
            row: id of the row if its words are in `beside`; None if only a number within its range is, so that the
                name must distinguish the table from all others.
        """
        if phrasing.random.random() < _SHORTENED:
            words = self.ways[0].replace("_", " ").replace("(", " ").replace(")", " ").split()
            meant = self.rows if row is None else {row}
            kept = self.places.shortened(words, beside, meant, phrasing.random)
            if kept is not None:
                return " ".join(kept)
        return phrasing.random.choice(self.ways)
