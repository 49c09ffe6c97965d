"""What became of a chunk that a search looked at."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Decision:
    """Why one chunk that was looked at was kept or excluded."""

    chunk_id: str
    title: str
    kept: bool
    reason: str
    """`no restrictions`, `satisfies query_must`, `filter is off`, or what failed, as `query_must.explain` says it."""
    in_words: str = field(default="", kw_only=True)
    """That as a sentence for a person, where it is excluded: what it is about, and what the question names instead."""
    round: int = 1
    """In which round of the `iterative` mode; 1 elsewhere."""
    collection: str | None = None
    """The foreign collection that it is from; None in our own index."""
