"""Which of the names that a model gives rows are believed: those that can be no other row's."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from retrieval.ingest.tables.row_names import MAX_NAME_WORDS
from retrieval.ingest.tables.table import Table
from retrieval.query_must.canonical.canonical import canonical_term
from retrieval.query_must.rivals.speech import Speech
from retrieval.query_must.rivals.tables import words_of
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Row

MOST_NAMES = 8
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class BelievedNames:
    """Names by ordinal, and the rows of which some were dropped with the reasons."""

    kept: Mapping[int, tuple[str, ...]]
    dropped: tuple[tuple[int, str], ...]


def believed_names(
    table: Table, offline: Mapping[int, Row], given: Mapping[int, Sequence[str]], vocabulary: Vocabulary
) -> BelievedNames:
    """Look through the names of all rows of a table at once: what two rows are called names neither."""
    names = {ordinal: [" ".join(name.split()) for name in said][:MOST_NAMES] for ordinal, said in given.items()}
    runs = {ordinal: {name: canonical_term(name, vocabulary) for name in said} for ordinal, said in names.items()}
    claimed = Counter(run for said in runs.values() for run in set(said.values()))
    others = {
        ordinal: {canonical_term(text, vocabulary) for text in (*row.names, *row.cells, row.called, row.key) if text}
        for ordinal, row in offline.items()
    }
    speech = Speech.of(vocabulary)
    heads = words_of((*table.heading_path, table.caption or "", *table.header), vocabulary)
    kept: dict[int, tuple[str, ...]] = {}
    dropped: list[tuple[int, str]] = []
    for ordinal, said in runs.items():
        own = offline[ordinal]
        known = {number for text in (*own.names, *own.cells, own.called) for number in _DIGITS.findall(text)}
        theirs = {run for other, their in others.items() if other != ordinal for run in their}

        def wrong(name: str, run: str, known: set[str] = known, theirs: set[str] = theirs) -> Iterator[str]:
            if not run or len(name.split()) > MAX_NAME_WORDS or not speech.is_name(run.split()):
                yield "names nothing"
            if run in theirs or claimed[run] > 1:
                yield "is another row's too"
            if foreign := set(_DIGITS.findall(name)) - known:
                yield f"says {', '.join(sorted(foreign))}, which the row does not"
            if heads.issuperset(run.split()):
                yield "is said of the whole table"

        found = {name: next(wrong(name, run), "") for name, run in said.items() if run not in others[ordinal]}
        kept[ordinal] = tuple(name for name, why in found.items() if not why)
        if reasons := [f"{name!r:.60} {why}" for name, why in found.items() if why]:
            dropped.append((ordinal, "; ".join(reasons)))
    return BelievedNames(kept, tuple(dropped))
