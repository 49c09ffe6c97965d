"""What to call a table or a section so that one place of the library is meant and no other."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evals.questions.chunk_places import folded
from retrieval.types import Chunk

Place = tuple[str, ...]
"""Key of a table (its id) or of a section (book, document, heading path)."""


@dataclass(frozen=True, slots=True)
class PlaceNames:
    """The shortest unmistakable name of every place that has one."""

    names: dict[Place, str]

    @classmethod
    def of(cls, places: Iterable[tuple[Place, Chunk]]) -> "PlaceNames":
        """Name the places that chunks belong to: caption, innermost heading, or either with the heading above it."""
        first: dict[Place, Chunk] = {}
        for place, chunk in places:
            first.setdefault(place, chunk)
        candidates = {place: _candidates(chunk) for place, chunk in first.items()}
        meant: dict[str, set[Place]] = defaultdict(set)
        for place, names in candidates.items():
            for name in names:
                meant[folded(name)].add(place)
        chosen = {
            place: next((name for name in names if len(meant[folded(name)]) == 1), None)
            for place, names in candidates.items()
        }
        return cls({place: name for place, name in chosen.items() if name})


def section_of(chunk: Chunk) -> Place:
    """The section that a prose chunk is in."""
    return (chunk.book, chunk.document, *chunk.heading_path)


def table_of(chunk: Chunk) -> Place:
    """The table that a row is in."""
    return (chunk.book, chunk.table_id or chunk.id)


def _candidates(chunk: Chunk) -> Sequence[str]:
    path = [" ".join(heading.split()).strip("*_ ") for heading in reversed(chunk.heading_path)]
    titled = chunk.caption and not chunk.introduced and chunk.kind != "prose"
    caption = [" ".join((chunk.caption or "").split())] if titled else []
    # a caption often repeats its heading
    steps = list({folded(step): step for step in reversed([*caption, *path])}.values())[::-1]
    if not steps or not any(letter.isalpha() for letter in steps[0]):
        return []
    return [steps[0], *(f"{steps[0]} ({outer})" for outer in steps[1:3]), f"{steps[0]} ({', '.join(steps[1:3])})"]
