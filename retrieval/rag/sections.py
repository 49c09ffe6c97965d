"""Which section of a chunk a question is about: a short document is one chunk, and has many."""

import re
from collections.abc import Iterator, Sequence

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.rag.question_words import subject_of
from retrieval.types import Chunk

_HEADING = re.compile(r"^(?:#{1,6}\s+(?P<hashed>.+?)\s*#*|\*\*(?P<bold>[^*\n]+)\*\*)$")


def section_of(snapshot: Snapshot, question: str, chunk: Chunk) -> str | None:
    """The heading over what the question matches best, the first of equals; None where there is no heading.

    A row is under the last heading of its table.
    """
    nearest = chunk.heading_path[-1] if chunk.heading_path else None
    if chunk.kind != "prose":
        return nearest or chunk.caption
    parts = list(_parts(chunk.text, nearest))
    if len(parts) < 2:
        return parts[0][0] if parts else nearest
    asked = set(snapshot.lexical.read(snapshot.spelling(subject_of(question))))
    shares = [_weight(snapshot, asked & set(snapshot.lexical.tokenize(f"{name} {text}"))) for name, text in parts]
    headed = [_weight(snapshot, asked & set(snapshot.lexical.tokenize(name or ""))) for name, _ in parts]
    best = max(range(len(parts)), key=lambda place: (shares[place] + headed[place], -place))
    return parts[best][0] if shares[best] > 0 else nearest


def _parts(text: str, above: str | None) -> Iterator[tuple[str | None, str]]:
    """Each heading with the text right below it; before the first heading that of `above`. A bare heading is none."""
    heading, lines = above, list[str]()
    for line in text.split("\n"):
        found = _HEADING.match(line.strip())
        if found is None:
            lines.append(line)
            continue
        if any(map(str.strip, lines)):
            yield heading, "\n".join(lines)
        heading, lines = found["hashed"] or found["bold"], []
    if any(map(str.strip, lines)):
        yield heading, "\n".join(lines)


def _weight(snapshot: Snapshot, words: set[str]) -> float:
    places: Sequence[int | None] = list(snapshot.lexical.terms.words(sorted(words)))
    return float(sum(snapshot.rarity[place] for place in places if place is not None))
