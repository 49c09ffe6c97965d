"""Gold anchors become chunk ids of the index at hand: gold survives re-chunking, and stale gold is named.

How an anchor finds its chunk:

1. Candidates are the chunks whose source contains the literal snippet (white space aside); without a snippet those
   of the row key, of the line, of the innermost heading, or of the document.
2. An anchor with a row key wants a row's own chunk, or the record of a key/value block; prose never answers it.
3. While several candidates are left, they are narrowed by document, heading path (suffix), caption and row key, and
   last by the line. Two rows that were made of one source line are told apart by the question's `keys`.
4. Still several, and everything the anchor says holds for each of them: they say the same, all are gold, and the
   anchor is listed as ambiguous. If something that the anchor says holds for none of them, the anchor is stale:
   guessing would make a wrong row gold.

Anchors of one group (`any_of` in a file) are one answer: all their chunks are gold, and any of them is enough. The
group resolves if one of its anchors does.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evals.errors import UnresolvedGoldError
from evals.questions.anchors import Anchor
from evals.questions.answers import Groups, disjoint
from evals.questions.chunk_places import ChunkPlaces, folded, row_keys
from evals.questions.questions import Question
from retrieval.types import Chunk


@dataclass(frozen=True, slots=True)
class AnchorFinding:
    """One anchor that needs a look, and the reason."""

    question_id: str
    anchor: Anchor
    reason: str

    def __str__(self) -> str:
        return f"{self.question_id}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Resolution:
    """The gold chunks of a set of questions in one index."""

    gold: Mapping[str, tuple[str, ...]]
    """Chunk ids by question id, for every question with gold whose every answer resolved; in the anchors' order."""
    stale: tuple[AnchorFinding, ...]
    """Anchors without a chunk; of a group whose other anchors resolve, too."""
    ambiguous: tuple[AnchorFinding, ...]
    """Anchors with several chunks that say the same; all of them are gold."""
    questions_with_gold: int
    groups: Mapping[str, Groups] = field(default_factory=dict)
    """Gold chunks that are one answer together, by question id; questions without such chunks are not there."""

    @property
    def evaluability(self) -> float | None:
        """Share of the questions with gold whose every answer resolves, 0 to 1; None if no question has gold."""
        return len(self.gold) / self.questions_with_gold if self.questions_with_gold else None


def resolve(questions: Sequence[Question], chunks: Sequence[Chunk] | ChunkPlaces) -> Resolution:
    """Find the gold chunks of every question.

    A question with a stale anchor is left out of `gold` altogether: half of its gold would flatter every metric. Not
    so if the anchor is one of a group and another one resolves: to know fewer places of an answer flatters nothing.

    Raises:
        UnresolvedGoldError: there is gold and none of it resolves; the questions belong to another library.
    """
    places = chunks if isinstance(chunks, ChunkPlaces) else ChunkPlaces(chunks)
    gold: dict[str, tuple[str, ...]] = {}
    groups: dict[str, Groups] = {}
    stale: list[AnchorFinding] = []
    ambiguous: list[AnchorFinding] = []
    asked = [question for question in questions if question.gold]
    for question in asked:
        found: dict[str, None] = {}
        grouped: dict[int, list[str]] = {anchor.group: [] for anchor in question.gold if anchor.group is not None}
        complete = True
        for anchor in question.gold:
            positions, reason = _find(anchor, question, places)
            names = [places.chunks[position].id for position in positions]
            found.update(dict.fromkeys(names))
            if anchor.group is not None:
                grouped[anchor.group] += names
            if not names:
                complete = complete and anchor.group is not None
                stale.append(AnchorFinding(question.id, anchor, reason))
            elif reason and anchor.group is None:
                ambiguous.append(AnchorFinding(question.id, anchor, reason))
        if complete and all(grouped.values()):
            gold[question.id] = tuple(found)
            if together := disjoint(grouped.values()):
                groups[question.id] = together
    if asked and not gold:
        raise UnresolvedGoldError(
            f"none of {len(asked)} questions with gold resolves in {len(places.chunks)} chunks "
            f"of {', '.join(places.books) or 'no book'}; ask questions about this library:",
            [str(finding) for finding in stale],
        )
    return Resolution(gold, tuple(stale), tuple(ambiguous), len(asked), groups)


def _find(anchor: Anchor, question: Question, places: ChunkPlaces) -> tuple[list[int], str]:
    """Positions of the gold chunks (empty: stale), and why if there is not exactly one."""
    book = anchor.book or question.book
    if book is not None and book not in places.books:
        return [], f"no chunk of book {book!r}; there are: {', '.join(places.books)}"
    found = [position for position in _candidates(anchor, book, places) if _of_book(places, position, book)]
    if not found:
        return [], f"{_asked_for(anchor)} is found nowhere"
    kept = [position for position in found if _right_kind(places.chunks[position], anchor)]
    if anchor.row_key is not None and not kept:
        return [], f"{_asked_for(anchor)} is in no row or record of its own"
    return _narrowed(kept or found, anchor, question, places.chunks)


def _candidates(anchor: Anchor, book: str | None, places: ChunkPlaces) -> Sequence[int]:
    if anchor.snippet is not None:
        whole = places.with_line(anchor.snippet) if anchor.row_key is not None else []
        return whole or places.with_text(anchor.snippet, book)
    if anchor.row_key is not None:
        return places.with_key(anchor.row_key)
    if anchor.document is not None:
        inside = places.in_document(anchor.document)
        return [each for each in inside if _covers(places.chunks[each], anchor.line)] if anchor.line else inside
    return places.under_heading(anchor.heading_path[-1]) if anchor.heading_path else []


def _narrowed(
    candidates: list[int], anchor: Anchor, question: Question, chunks: Sequence[Chunk]
) -> tuple[list[int], str]:
    unmet: list[str] = []
    if len(candidates) > 1:
        candidates = _piece_of_line(candidates, anchor, question, chunks)
    for criterion in _criteria(anchor):
        if len(candidates) == 1 and anchor.snippet is not None:
            break
        left = [each for each in candidates if criterion.exactly(chunks[each])]
        left = left or [each for each in candidates if criterion.roughly(chunks[each])]
        if not left:
            unmet.append(criterion.name)
        candidates = left or candidates
    if unmet and (len(candidates) > 1 or anchor.snippet is None):
        return [], f"{_asked_for(anchor)} is in {len(candidates)} chunks, none of them with {' and '.join(unmet)}"
    if len(candidates) > 1 and anchor.line is not None:
        candidates = [each for each in candidates if _covers(chunks[each], anchor.line)] or candidates
    several = len(candidates) > 1 and (anchor.snippet is not None or anchor.row_key is not None)
    return candidates, f"{_asked_for(anchor)} is in {len(candidates)} equal chunks" if several else ""


@dataclass(frozen=True, slots=True)
class _Criterion:
    """Something the anchor says; chunks of which it holds roughly count only if it holds exactly of none."""

    name: str
    exactly: Callable[[Chunk], bool]
    roughly: Callable[[Chunk], bool]


def _criteria(anchor: Anchor) -> list[_Criterion]:
    """What narrows the candidates, in order."""
    criteria: list[_Criterion] = []
    if anchor.document is not None:
        criteria.append(_criterion(f"document {anchor.document!r}", lambda chunk: chunk.document == anchor.document))
    if anchor.heading_path:
        path = [folded(heading) for heading in anchor.heading_path]
        criteria.append(_criterion(f"heading {' > '.join(anchor.heading_path)!r}", lambda chunk: _under(chunk, path)))
    if anchor.caption is not None:
        caption = folded(anchor.caption)
        same, alike = (lambda chunk: caption in _captions(chunk)), (lambda chunk: _holds_caption(chunk, caption))
        criteria.append(_Criterion(f"caption {anchor.caption!r}", same, alike))
    if anchor.row_key is not None:
        key = folded(anchor.row_key)
        criteria.append(_criterion(f"row key {anchor.row_key!r}", lambda chunk: key in row_keys(chunk)))
    return criteria


def _criterion(name: str, holds: Callable[[Chunk], bool]) -> _Criterion:
    return _Criterion(name, holds, holds)


def _piece_of_line(candidates: list[int], anchor: Anchor, question: Question, chunks: Sequence[Chunk]) -> list[int]:
    """Of rows made of one source line (pairs side by side) the one that the question's keys or the anchor pick."""
    if len({(chunks[each].document, chunks[each].lines) for each in candidates}) > 1 or anchor.row_key is None:
        return candidates
    asked = {folded(value) for value in question.keys.values()}
    by_keys = [each for each in candidates if folded(chunks[each].row_key or "") in asked]
    by_anchor = [each for each in candidates if folded(chunks[each].row_key or "") == folded(anchor.row_key)]
    return by_keys or by_anchor or candidates


def _right_kind(chunk: Chunk, anchor: Anchor) -> bool:
    return chunk.kind != "prose" if anchor.row_key is not None or _is_row(anchor) else chunk.kind == "prose"


def _is_row(anchor: Anchor) -> bool:
    return anchor.snippet is not None and anchor.snippet.lstrip().startswith("|")


def _of_book(places: ChunkPlaces, position: int, book: str | None) -> bool:
    return book is None or places.chunks[position].book == book


def _under(chunk: Chunk, path: Sequence[str]) -> bool:
    """Whether one heading path is the end of the other: an anchor may leave out outer headings, and so may a parser."""
    own = [folded(heading) for heading in chunk.heading_path]
    shorter = min(len(own), len(path))
    return shorter > 0 and own[-shorter:] == list(path)[-shorter:]


def _captions(chunk: Chunk) -> set[str]:
    """What may be this chunk's caption: a caption can have been read as the innermost heading."""
    return {folded(chunk.caption or ""), folded(chunk.heading_path[-1] if chunk.heading_path else "")} - {""}


def _holds_caption(chunk: Chunk, caption: str) -> bool:
    """Whether one caption contains the other: one reader keeps `Table 3:` before it, the next does not."""
    return any(len(name) > 3 and (name in caption or caption in name) for name in _captions(chunk))


def _covers(chunk: Chunk, line: int | None) -> bool:
    return line is not None and chunk.lines[0] <= line <= chunk.lines[1]


def _asked_for(anchor: Anchor) -> str:
    for name, value in (("snippet", anchor.snippet), ("row key", anchor.row_key), ("document", anchor.document)):
        if value is not None:
            return f"{name} {value[:60]!r}" + (f" line {anchor.line}" if name == "document" and anchor.line else "")
    return f"heading {' > '.join(anchor.heading_path)!r}"
