"""Gold anchors resolved to chunk ids of an index; stale and ambiguous anchors are reported.

An anchor is resolved to a chunk as follows:

1. Candidates are the chunks whose source contains the literal snippet (white space aside); without a snippet those
   of the row key, of the line, of the innermost heading, or of the document.
2. An anchor with a row key needs a row's own chunk, or the record of a key/value block, never prose.
3. While there are several candidates, they are narrowed by document, heading path (suffix), caption and row key, and
   last by the line. Two rows from one source line are distinguished by the question's `keys`.
4. If several are left and meet everything in the anchor, they are equivalent: all are gold, and the anchor is listed
   as ambiguous. If none of them meets one of its parts, the anchor is stale, because guessing could make a wrong row
   gold.
5. A passage may contain a listing of settings whose rows are also chunks: the row with the snippet is then the same
   answer as the passage.

Anchors of one group (`any_of` in a file) are one answer: all their chunks are gold, and any of them is sufficient. The
group resolves if one of its anchors does.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate

from evals.errors import UnresolvedGoldError
from evals.questions.questions import Anchor, Question
from retrieval.errors import LibraryError
from retrieval.ingest.library.slugs import slugify
from retrieval.types import Chunk

Groups = tuple[tuple[str, ...], ...]
"""Tuples of chunk ids of which any is sufficient, one for each answer; no chunk is in two."""


def disjoint(groups: Iterable[Sequence[str]]) -> Groups:
    """Return the groups, joining those that share a chunk, which would otherwise raise ndcg above 1."""
    joined: list[tuple[str, ...]] = []
    for group in groups:
        shared = [other for other in joined if not set(other).isdisjoint(group)]
        joined = [other for other in joined if other not in shared]
        joined.append(tuple(dict.fromkeys(name for members in (*shared, group) for name in members)))
    return tuple(group for group in joined if len(group) > 1)


def answers_of(groups: Groups) -> Mapping[str, str]:
    """Return, for every chunk of a group, the first chunk of the group, which represents the answer."""
    return {name: group[0] for group in groups for name in group}


def whole_answers(lost: Iterable[str], groups: Groups, left: Iterable[str]) -> tuple[str, ...]:
    """Return the lost gold chunks that are lost answers, in id order.

    A group is lost if none of its chunks is `left`; it counts once, as its lost chunk with the smallest id.
    """
    gone, remaining = set(lost), set(left)
    for group in groups:
        members = gone.intersection(group)
        gone -= members
        if members and remaining.isdisjoint(group):
            gone.add(min(members))
    return tuple(sorted(gone))


_PIPE = re.compile(r"\s*\|\s*")
_MARKS = re.compile(r"[*_`#:]+")


def spaced(text: str) -> str:
    """Return the text with each run of white space as one space, and none around the bars of a table."""
    return _PIPE.sub("|", " ".join(text.split()))


def folded(text: str) -> str:
    """Return a heading, caption or key for comparison: without case, emphasis, colons and curly quotes."""
    plain = unicodedata.normalize("NFKC", text).translate({0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'})
    return " ".join(_MARKS.sub(" ", plain).casefold().split())


class ChunkPlaces:
    """Positions of chunks by their contents. Built once; look-ups do not iterate over the chunks.

    A whole line is found in a dictionary, a part of a line by one search through its book's joined sources.
    """

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = tuple(chunks)
        self.by_line: dict[str, list[int]] = defaultdict(list)
        """Chunks by each of their source lines, `spaced`."""
        self.by_key: dict[str, list[int]] = defaultdict(list)
        """Rows by their keys, and records by the names of their fields, `folded`."""
        self.by_heading: dict[str, list[int]] = defaultdict(list)
        """By the innermost heading, `folded`."""
        self.by_document: dict[str, list[int]] = defaultdict(list)
        """By the path in the book's folder, of all books."""
        self._of_book: dict[str, list[int]] = defaultdict(list)
        for position, chunk in enumerate(self.chunks):
            self._of_book[chunk.book].append(position)
            self.by_document[chunk.document].append(position)
            for line in {spaced(line) for line in chunk.source.split("\n")} - {""}:
                self.by_line[line].append(position)
            for key in row_keys(chunk):
                self.by_key[key].append(position)
            if chunk.heading_path:
                self.by_heading[folded(chunk.heading_path[-1])].append(position)
        self._joined = {book: _Joined(self.chunks, positions) for book, positions in self._of_book.items()}

    @property
    def books(self) -> tuple[str, ...]:
        """Slugs of the books that have chunks, sorted."""
        return tuple(sorted(self._of_book))

    def slug_of(self, book: str | None) -> str | None:
        """Return the slug of a book of these chunks that is named by its slug or its folder; other names unchanged."""
        if book is None or book in self._of_book:
            return book
        with suppress(LibraryError):
            if (slug := slugify(book)) in self._of_book:
                return slug
        return book

    def with_text(self, text: str, book: str | None) -> list[int]:
        """Return the chunks whose source contains `text`, except for white space; in one book or (None) in all."""
        books = self.books if book is None else (book,)
        wanted = spaced(text)
        return [position for name in books if name in self._joined for position in self._joined[name].find(wanted)]


class _Joined:
    """The sources of chunks as one text, with line ends only between chunks."""

    def __init__(self, chunks: Sequence[Chunk], positions: Sequence[int]) -> None:
        sources = [spaced(chunks[position].source) for position in positions]
        self._positions = positions
        self._text = "\n".join(sources)
        self._starts = [0, *accumulate(len(source) + 1 for source in sources)][:-1]

    def find(self, text: str) -> list[int]:
        positions: list[int] = []
        at = self._text.find(text) if text else -1
        while at >= 0:
            which = bisect_right(self._starts, at) - 1
            positions.append(self._positions[which])
            # continue after this chunk, since a second occurrence in it adds nothing
            at = self._text.find(text, self._starts[which + 1]) if which + 1 < len(self._starts) else -1
        return positions


def row_keys(chunk: Chunk) -> set[str]:
    """Return folded names that identify a chunk: key and first cell of a row, title and field names of a record."""
    if chunk.kind == "prose":
        return set()
    names = [chunk.row_key or "", *chunk.cells[:1]] if chunk.kind == "row" else [chunk.row_key or "", *chunk.columns]
    return {folded(name) for name in names} - {""}


@dataclass(frozen=True, slots=True)
class AnchorFinding:
    """One anchor that is stale or ambiguous, and the reason."""

    question_id: str
    anchor: Anchor
    reason: str

    def __str__(self) -> str:
        return f"{self.question_id}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Resolution:
    """The gold chunks of a set of questions in one index."""

    gold: Mapping[str, tuple[str, ...]]
    """Chunk ids by question id, for questions with gold whose answers all resolved; in the order of the anchors."""
    stale: tuple[AnchorFinding, ...]
    """Anchors without a chunk, even if other anchors of their group resolve."""
    ambiguous: tuple[AnchorFinding, ...]
    """Anchors with several equivalent chunks, all of which are gold."""
    questions_with_gold: int
    groups: Mapping[str, Groups] = field(default_factory=dict)
    """Gold chunks that are one answer together, by question id; questions without any are omitted."""

    @property
    def evaluability(self) -> float | None:
        """Share of the questions with gold whose answers all resolve, 0 to 1; None if no question has gold."""
        return len(self.gold) / self.questions_with_gold if self.questions_with_gold else None


def resolve(questions: Sequence[Question], chunks: Sequence[Chunk] | ChunkPlaces) -> Resolution:
    """Resolve the gold chunks of every question.

    A question with a stale anchor is omitted from `gold`, because partial gold would inflate every metric. This does
    not apply if another anchor of the same group resolves, because fewer places of an answer do not inflate metrics.

    Raises:
        UnresolvedGoldError: there is gold and none of it resolves; the questions belong to another library.
    """
    places = chunks if isinstance(chunks, ChunkPlaces) else ChunkPlaces(chunks)
    gold: dict[str, tuple[str, ...]] = {}
    groups: dict[str, Groups] = {}
    stale: list[AnchorFinding] = []
    ambiguous: list[AnchorFinding] = []
    with_gold = [question for question in questions if question.gold]
    for question in with_gold:
        gold_ids: dict[str, None] = {}
        grouped: dict[int, list[str]] = {anchor.group: [] for anchor in question.gold if anchor.group is not None}
        read_twice: list[list[str]] = []
        complete = True
        for anchor in question.gold:
            positions, reason = _find(anchor, question, places)
            rows = _rows_within(positions, anchor, places)
            names = [places.chunks[position].id for position in (*positions, *rows)]
            gold_ids.update(dict.fromkeys(names))
            read_twice += [names] if rows else []
            if anchor.group is not None:
                grouped[anchor.group] += names
            if not names:
                complete = complete and anchor.group is not None
                stale.append(AnchorFinding(question.id, anchor, reason))
            elif reason and anchor.group is None:
                ambiguous.append(AnchorFinding(question.id, anchor, reason))
        if complete and all(grouped.values()):
            gold[question.id] = tuple(gold_ids)
            if together := disjoint([*grouped.values(), *read_twice]):
                groups[question.id] = together
    if with_gold and not gold:
        raise UnresolvedGoldError(
            f"none of {len(with_gold)} questions with gold resolves in {len(places.chunks)} chunks "
            f"of {', '.join(places.books) or 'no book'}; ask questions about this library:",
            [str(finding) for finding in stale],
        )
    return Resolution(gold, tuple(stale), tuple(ambiguous), len(with_gold), groups)


def _find(anchor: Anchor, question: Question, places: ChunkPlaces) -> tuple[list[int], str]:
    """Return the positions of the gold chunks (empty if stale), and the reason if there is not exactly one."""
    book = places.slug_of(anchor.book or question.book)
    if book is not None and book not in places.books:
        return [], f"no chunk of book {book!r}; available: {', '.join(places.books)}"
    positions = [position for position in _candidates(anchor, book, places) if _of_book(places, position, book)]
    if not positions:
        return [], f"{_asked_for(anchor)} is found nowhere"
    kept = [position for position in positions if _right_kind(places.chunks[position], anchor)]
    if anchor.row_key is not None and not kept:
        return [], f"{_asked_for(anchor)} is in no row or record of its own"
    return _narrowed(kept or positions, anchor, question, places.chunks)


def _rows_within(positions: Sequence[int], anchor: Anchor, places: ChunkPlaces) -> list[int]:
    """Return the rows with the snippet that were made from lines of these passages."""
    passages = [chunk for chunk in map(places.chunks.__getitem__, positions) if chunk.kind == "prose"]
    if anchor.snippet is None or not passages:
        return []
    with_snippet = sorted(
        {row for book in {passage.book for passage in passages} for row in places.with_text(anchor.snippet, book)}
    )
    rows = [row for row in with_snippet if places.chunks[row].kind == "row"]
    return [row for row in rows if any(_is_within(places.chunks[row], passage) for passage in passages)]


def _is_within(row: Chunk, passage: Chunk) -> bool:
    return row.document == passage.document and passage.lines[0] <= row.lines[0] <= row.lines[1] <= passage.lines[1]


def _candidates(anchor: Anchor, book: str | None, places: ChunkPlaces) -> Sequence[int]:
    if anchor.snippet is not None:
        whole = places.by_line.get(spaced(anchor.snippet), []) if anchor.row_key is not None else []
        return whole or places.with_text(anchor.snippet, book)
    if anchor.row_key is not None:
        return places.by_key.get(folded(anchor.row_key), [])
    if anchor.document is not None:
        inside = places.by_document.get(anchor.document, [])
        if anchor.line:
            inside = [position for position in inside if _covers(places.chunks[position], anchor.line)]
            fewest = min((_n_lines(places.chunks[position]) for position in inside), default=0)
            inside = [position for position in inside if _n_lines(places.chunks[position]) == fewest]
        return inside
    return places.by_heading.get(folded(anchor.heading_path[-1]), []) if anchor.heading_path else []


def _narrowed(
    candidates: list[int], anchor: Anchor, question: Question, chunks: Sequence[Chunk]
) -> tuple[list[int], str]:
    unmet: list[str] = []
    if len(candidates) > 1:
        candidates = _piece_of_line(candidates, anchor, question, chunks)
    for criterion in _criteria(anchor):
        if len(candidates) == 1 and anchor.snippet is not None:
            break
        left = [candidate for candidate in candidates if criterion.exactly(chunks[candidate])]
        left = left or [candidate for candidate in candidates if criterion.roughly(chunks[candidate])]
        if not left:
            unmet.append(criterion.name)
        candidates = left or candidates
    if unmet and (len(candidates) > 1 or anchor.snippet is None):
        return [], f"{_asked_for(anchor)} is in {len(candidates)} chunks, none of them with {' and '.join(unmet)}"
    if len(candidates) > 1 and anchor.line is not None:
        candidates = [candidate for candidate in candidates if _covers(chunks[candidate], anchor.line)] or candidates
    several = len(candidates) > 1 and (anchor.snippet is not None or anchor.row_key is not None)
    return candidates, f"{_asked_for(anchor)} is in {len(candidates)} equal chunks" if several else ""


@dataclass(frozen=True, slots=True)
class _Criterion:
    """A part of an anchor as a condition; chunks that meet it only roughly count if none meets it exactly."""

    name: str
    exactly: Callable[[Chunk], bool]
    roughly: Callable[[Chunk], bool]


def _criteria(anchor: Anchor) -> list[_Criterion]:
    """Return the conditions that narrow the candidates, in order."""
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


_LEAST_NAMED = 3
"""Fewest characters of a value that is looked for within a row's key: `rope, silk` in `Rope, silk, 50 feet`."""


def _piece_of_line(candidates: list[int], anchor: Anchor, question: Question, chunks: Sequence[Chunk]) -> list[int]:
    """Return, of rows from one source line, the one that the question's keys or the anchor's row key identify."""
    if (
        len({(chunks[candidate].document, chunks[candidate].lines) for candidate in candidates}) > 1
        or anchor.row_key is None
    ):
        return candidates
    wanted = {folded(value) for value in question.keys.values()} - {""}
    named = [value for value in wanted if len(value) >= _LEAST_NAMED]
    key, answer = folded(anchor.row_key), folded(question.answer or "")
    row_key_of = {candidate: folded(chunks[candidate].row_key or "") for candidate in candidates}
    cells_of = {candidate: set(map(folded, chunks[candidate].cells)) for candidate in candidates}
    ways: tuple[Callable[[int], bool], ...] = (
        lambda candidate: row_key_of[candidate] in wanted,
        lambda candidate: any(value in row_key_of[candidate] for value in named),
        lambda candidate: row_key_of[candidate] == key,
        lambda candidate: key in cells_of[candidate],
        lambda candidate: bool(answer) and answer in cells_of[candidate],
    )
    return next((left for way in ways if (left := list(filter(way, candidates)))), candidates)


def _right_kind(chunk: Chunk, anchor: Anchor) -> bool:
    if anchor.line is not None and anchor.snippet is None and anchor.row_key is None:
        return True  # whatever stands on the line
    return chunk.kind != "prose" if anchor.row_key is not None or _is_row(anchor) else chunk.kind == "prose"


def _is_row(anchor: Anchor) -> bool:
    return anchor.snippet is not None and anchor.snippet.lstrip().startswith("|")


def _of_book(places: ChunkPlaces, position: int, book: str | None) -> bool:
    return book is None or places.chunks[position].book == book


def _under(chunk: Chunk, path: Sequence[str]) -> bool:
    """Whether one heading path is the end of the other, since an anchor or a parser may omit outer headings."""
    own = [folded(heading) for heading in chunk.heading_path]
    shorter = min(len(own), len(path))
    return shorter > 0 and own[-shorter:] == list(path)[-shorter:]


def _captions(chunk: Chunk) -> set[str]:
    """Return possible captions of a chunk, including the innermost heading, as which a caption may have been read."""
    return {folded(chunk.caption or ""), folded(chunk.heading_path[-1] if chunk.heading_path else "")} - {""}


def _holds_caption(chunk: Chunk, caption: str) -> bool:
    """Whether one caption contains the other, since only some parsers keep `Table 3:` before it."""
    return any(len(name) > 3 and (name in caption or caption in name) for name in _captions(chunk))


def _covers(chunk: Chunk, line: int | None) -> bool:
    return line is not None and chunk.lines[0] <= line <= chunk.lines[1]


def _n_lines(chunk: Chunk) -> int:
    return chunk.lines[1] - chunk.lines[0] + 1


def _asked_for(anchor: Anchor) -> str:
    for name, value in (("snippet", anchor.snippet), ("row key", anchor.row_key), ("document", anchor.document)):
        if value is not None:
            return f"{name} {value[:60]!r}" + (f" line {anchor.line}" if name == "document" and anchor.line else "")
    return f"heading {' > '.join(anchor.heading_path)!r}"
