"""What to call a table or a section so that one place of the library is meant and no other."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evals.generation.spoken import JOINING, place_name, unbracketed, words_of
from evals.questions.chunk_places import folded
from retrieval.types import Chunk

Place = tuple[str, ...]
"""Key of a table (its id) or of a section (book, document, heading path)."""

_LEAST_WORDS = 3
"""A name this long may lose a word."""


@dataclass(frozen=True, slots=True)
class PlaceNames:
    """The unmistakable names of every place that has one."""

    names: Mapping[Place, tuple[str, ...]]
    """The shortest name that is written so first, then other ways of saying it."""

    @classmethod
    def of(cls, places: Iterable[tuple[Place, Chunk]], *, shortened: bool = False) -> "PlaceNames":
        """Name the places that chunks belong to; `shortened` names may also lack a word.

        The first name is the caption, the innermost heading, or either with the heading above it. Another way of
        saying it has only words of a place's headings and caption that no other place has all of.
        """
        first: dict[Place, Chunk] = {}
        for place, chunk in places:
            first.setdefault(place, chunk)
        steps = {place: _steps(chunk) for place, chunk in first.items()}
        meant: dict[str, set[Place]] = defaultdict(set)
        holding: dict[str, set[Place]] = defaultdict(set)
        for place, names in steps.items():
            for name in _candidates(names):
                meant[folded(name)].add(place)
            for word in words_of(names):
                holding[word].add(place)
        found: dict[Place, tuple[str, ...]] = {}
        for place, names in steps.items():
            chosen = next((name for name in _candidates(names) if len(meant[folded(name)]) == 1), None)
            if chosen:
                ways = [
                    way for way in _ways(chosen, names, shortened=shortened) if _places_with(way, holding) == {place}
                ]
                found[place] = tuple(dict.fromkeys([chosen, *ways]))
        return cls(found)


def table_of(chunk: Chunk) -> Place:
    """The table that a row is in."""
    return (chunk.book, chunk.table_id or chunk.id)


def _steps(chunk: Chunk) -> Sequence[str]:
    """Caption and headings, the innermost first."""
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
    """Other ways to say a name: words in another order, one left out, identifiers as words."""
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
    """The places whose headings and caption hold every word of a name."""
    found: set[Place] | None = None
    for word in words_of([name]) - {"of"}:
        found = holding[word] if found is None else found & holding[word]
    return found or set()
