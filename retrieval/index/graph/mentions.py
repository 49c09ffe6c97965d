"""Which tables a paragraph beside a table speaks of by name: "add the bonuses of strength" leads to that table."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from retrieval.index.graph.names import MAX_WORDS, longest_names, plain_heading
from retrieval.index.words.tokenizer import Tokenize
from retrieval.types import Chunk, Section

MENTIONED_BY = 16
"""A name that more paragraphs say is a word of the book ("armor class") and sends nobody to a table."""
LEVELS = 2
"""A paragraph that stands so many headings above a table still introduces it."""


def mentions(chunks: Sequence[Chunk], tokenize: Tokenize) -> Iterator[tuple[int, Section]]:
    """Pairs of a paragraph and a section that holds a table which it names, by paragraph, the first named first.

    Only paragraphs that introduce a table are read, and only tables of the same book are found, by their heading or
    caption, where one section alone has it.

    Args:
        chunks: whose positions are given.
        tokenize: cuts names and texts into words.
    """
    tabled = {chunk.section: chunk.heading_path for chunk in chunks if chunk.kind == "row"}
    names = _names(chunks, tokenize)
    introducing = {
        section[: len(section) - above]
        for section, headings in tabled.items()
        for above in range(min(LEVELS + 1, len(headings)))
    }
    found = [
        (position, section)
        for position, chunk in enumerate(chunks)
        if chunk.kind == "prose" and chunk.section in introducing
        for section in _named(tokenize(chunk.source), names.get(chunk.book, {}))
        if not _is_within(chunk.section, section) and not _is_within(section, chunk.section)
    ]
    said = Counter(section for _, section in found)
    yield from (pair for pair in found if said[pair[1]] <= MENTIONED_BY)


def _is_within(section: Section, other: Section) -> bool:
    return section[: len(other)] == other


def _names(chunks: Sequence[Chunk], tokenize: Tokenize) -> Mapping[str, Mapping[str, Section]]:
    """By book: what a section that holds a table is called, where it alone is."""
    bearers: dict[tuple[str, str], set[Section]] = defaultdict(set)
    for chunk in {chunk.table_id: chunk for chunk in chunks if chunk.kind == "row"}.values():
        heading = plain_heading(chunk)
        for written in (heading, None if chunk.introduced else chunk.caption):
            words = list(tokenize(written or ""))
            if 0 < len(words) <= MAX_WORDS and any(letter.isalpha() for word in words for letter in word):
                bearers[chunk.book, " ".join(words)].add(chunk.section)
    names: dict[str, dict[str, Section]] = defaultdict(dict)
    for (book, name), sections in bearers.items():
        if len(sections) == 1:
            names[book][name] = next(iter(sections))
    return names


def _named(words: Sequence[str], names: Mapping[str, Section]) -> list[Section]:
    """The sections that a text names, in its order; a name within a longer one that is named too counts for nothing."""
    return list(dict.fromkeys(names[name] for name in longest_names(words, names)))
