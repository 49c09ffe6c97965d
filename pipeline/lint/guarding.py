"""Reasons why tables are not guarded, in words, and warnings grouped by cause."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.building.book_records import BookEntry
from pipeline.console.output import counted
from retrieval.ingest.document_names import MARKDOWN_ENDINGS
from retrieval.ingest.guard_report import GuardCounts, TableGuard, added_up

_OF_A_DOCUMENT = re.compile(
    rf"(?P<document>.+?(?:{'|'.join(map(re.escape, MARKDOWN_ENDINGS))})): (?P<said>.+)", re.DOTALL
)
_NUMBER = re.compile(r"(?<![\w-])\d+(?![\w-])")
"""A number that is a position, such as that of a byte; the numbers of `UTF-8` and of a date are parts of names."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One fault in one place or in many."""

    warning: str
    """The warning without its document; `…` replaces its numbers if they differ between places."""
    places: tuple[str, ...]
    """Books, or documents as `book/document`, in the order of the warnings; one with two warnings occurs twice."""


def by_cause(warnings: Iterable[tuple[str, str]]) -> tuple[Cause, ...]:
    """Group warnings, each with its book's slug, by cause, the most frequent first.

    Warnings that differ in numbers alone, such as the place of a byte, have one cause.
    """
    by_sentence: dict[str, tuple[list[str], set[str]]] = {}
    for slug, warning in warnings:
        match = _OF_A_DOCUMENT.fullmatch(warning)
        origin, sentence = (f"{slug}/{match['document']}", match["said"]) if match else (slug, warning)
        places, spellings = by_sentence.setdefault(_NUMBER.sub("…", sentence), ([], set()))
        places.append(origin)
        spellings.add(sentence)
    causes = (
        Cause(spellings.pop() if len(spellings) == 1 else sentence, tuple(places))
        for sentence, (places, spellings) in by_sentence.items()
    )
    return tuple(sorted(causes, key=lambda cause: (-len(cause.places), cause.warning)))


@dataclass(frozen=True, slots=True)
class Because:
    """A reason why a table is not guarded, in words for a person."""

    one: str
    """Wording after `1`, or after the name of a table."""
    many: str
    """Wording after a greater number."""
    advice: str
    """Explanation, and a remedy if there is one."""


BECAUSE: Mapping[str, Because] = {
    "nameless": Because(
        "has rows that no question can name",
        "have rows that no question can name",
        "No word or labelled number belongs to only one row (one-letter keys, dice and sentences are not names): "
        "give the rows names in tables.toml, or set the column that distinguishes them as key. More: "
        "docs/how-to/tables.md",
    ),
    "open": Because("is left open by tables.toml", "are left open by tables.toml", "This is their owner's choice."),
    "single": Because("has one row", "have one row", "Nothing to do: there is no other row to exclude."),
    "record": Because(
        "describes one thing",
        "describe one thing",
        "Nothing to do: a table of names and values, point by point, is found whole, and has no row to exclude. "
        "If it is not such a table, set its key column in tables.toml.",
    ),
}
"""By reason, the most useful first."""


def guards_in_words(counts: GuardCounts) -> str:
    """Return `3 tables, 1 guarded; not guarded: 1 has one row, 1 describes one thing`, and how many could be."""
    told = f"{counted(counts.n_tables, 'table')}, {counts.n_guarded:,} guarded"
    told += f" of {counts.n_guardable:,} that can be" if counts.n_guardable > counts.n_guarded else ""
    reasons = (f"{n:,} {BECAUSE[why].one if n == 1 else BECAUSE[why].many}" for why, n in counts.reasons.items())
    return f"{told}; not guarded: {', '.join(reasons)}" if counts.reasons else told


def guard_lines(entries: Iterable[BookEntry], shown: int | None, rest: str) -> Iterator[str]:
    """Yield a line on the tables of all books together and, for several books, a line for each.

    Args:
        shown: number of books that get a line, those with the most unguarded tables; None: all.
        rest: the command that shows all.
    """
    known = {entry.slug: entry.guards for entry in entries if entry.guards is not None}
    if not known:
        return
    yield guards_in_words(added_up(known.values()))
    if len(known) == 1:
        return
    order = sorted(known.items(), key=lambda book: (book[1].n_guarded - book[1].n_tables, book[0]))
    some = order if shown is None or len(order) <= shown + 1 else order[:shown]
    yield from (f"  {slug}: {guards_in_words(counts)}" for slug, counts in some)
    if len(order) > len(some):
        yield f"  and {counted(len(order) - len(some), 'more book')}; to list all: {rest}"


def unguarded_lines(guards: Sequence[TableGuard], shown: int | None) -> Iterator[str]:
    """Yield lines with the tables that are not guarded, under their reasons.

    Args:
        shown: number of tables listed for a reason; None: all.
    """
    for why, because in BECAUSE.items():
        unguarded = [guard for guard in guards if guard.reason == why]
        if not unguarded:
            continue
        reason = because.one if len(unguarded) == 1 else because.many
        yield f"{counted(len(unguarded), 'table')} {reason}. {because.advice}"
        some = unguarded if shown is None or len(unguarded) <= shown + 1 else unguarded[:shown]
        yield from (f"  {_location(guard)}" for guard in some)
        if len(unguarded) > len(some):
            yield f"  and {len(unguarded) - len(some):,} more; to list all: querymust lint --all"


def _location(guard: TableGuard) -> str:
    """Return the place of a table, such as `rules/03-combat.md:88  Attack Matrices > Fighters`."""
    title = " > ".join(dict.fromkeys(filter(None, (guard.heading, guard.caption))))
    return f"{guard.book}/{guard.document}:{guard.line}  {title}".rstrip()


def why_none_is_guarded(n_tables: int) -> str:
    """Explain why a library with this many tables has no guarded row, and what would make a table guarded."""
    if not n_tables:
        return "There are no tables, so no row is guarded and nothing is excluded from an answer."
    tables = "The one table is not" if n_tables == 1 else f"None of the {n_tables:,} tables is"
    return (
        f"{tables} guarded, so no row is excluded from an answer; ranking by names still works. A table is "
        "guarded if a question can name its rows: at least two of them have a cell that no other row has, or a "
        "number under a column name. More: docs/reference/query_must.md"
    )
