"""A table whose rows a question can tell apart, and its words in canonical form."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

from retrieval.query_must.canonical.canonical import as_number, canonical_term, literal
from retrieval.query_must.rivals.amounts import Amount
from retrieval.query_must.rivals.speech import Speech
from retrieval.query_must.vocabulary.vocabulary import Vocabulary

Run = tuple[str, ...]
"""Tokens of canonical text that stand together."""

_NUMBERED = re.compile(r"\s*(?:table|tab\.)\s*[\w.-]*\d?[\w.-]*\s*[:.—–]\s+(?=\S)", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*\([^()]*\)")


@dataclass(frozen=True, slots=True)
class KeyedRow:
    """One row as a question may speak of it."""

    names: tuple[str, ...]
    """What it may be called."""
    texts: tuple[str, ...]
    """Its cells, and the label that it stands under."""
    shared: tuple[str, ...] = ()
    """Cells that other rows have too: together they may name one row, as two keys do."""
    amounts: tuple[Amount, ...] = ()
    """The quantities with a unit that its key stands for."""


@dataclass(frozen=True, slots=True)
class KeyedTable:
    """A table whose rows carry `contain_no_rival`. Key: id."""

    id: str
    kind: str
    """Tables of one kind have the same columns: twins."""
    titles: tuple[str, ...]
    """What the table itself is called: its caption, its nearest heading."""
    heads: tuple[str, ...]
    """All that is said of every row: headings, caption."""
    columns: tuple[str, ...]
    rows: Mapping[int, KeyedRow]
    """By the row's number in the table."""


@dataclass(frozen=True, slots=True)
class TableWords:
    """A table in canonical form."""

    heads: frozenset[str]
    """Words of its headings, its caption and its columns."""
    title: frozenset[str]
    """Words of its titles that say something."""
    runs: frozenset[Run]
    """Its titles and its columns of several words, whole, and every label with a number in any of its heads."""
    rows: Mapping[int, "RowWords"]


@dataclass(frozen=True, slots=True)
class RowWords:
    """A row in canonical form."""

    names: frozenset[Run]
    shared: frozenset[Run]
    words: frozenset[str]
    amounts: tuple[Amount, ...]


def words_of_table(table: KeyedTable, vocabulary: Vocabulary) -> TableWords:
    """Read a table."""
    speech = Speech.of(vocabulary)
    every = (*table.heads, *table.titles, *table.columns)
    runs = [_run(column, vocabulary) for column in table.columns]
    whole = {run for run in runs if len(run) > 1}
    for title in table.titles:
        plain = _NUMBERED.sub("", title, count=1)
        whole |= {_run(plain, vocabulary), _run(_BRACKETS.sub("", plain), vocabulary)}
    whole |= {pair for text in every for pair in _numbered(_run(text, vocabulary), vocabulary)}
    return TableWords(
        words_of(every, vocabulary),
        frozenset(chain.from_iterable(_run(title, vocabulary) for title in table.titles)) - speech.idle,
        frozenset(run for run in whole if not speech.idle.issuperset(run)),
        {
            number: RowWords(
                _names(row.names, speech, vocabulary),
                _names(row.shared, speech, vocabulary),
                words_of(row.texts, vocabulary),
                row.amounts,
            )
            for number, row in table.rows.items()
        },
    )


def _names(names: Iterable[str], speech: Speech, vocabulary: Vocabulary) -> frozenset[Run]:
    return frozenset(run for name in names if speech.is_name(run := _run(name, vocabulary)))


def words_of(texts: Iterable[str], vocabulary: Vocabulary) -> frozenset[str]:
    """Every token of some texts, with its numbers bound to labels and without."""
    return frozenset(token for text in texts for token in _words(text, vocabulary))


@lru_cache(maxsize=1 << 16)
def _words(text: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    # The cells of near-twins repeat each other.
    return (*canonical_term(text, vocabulary).split(), *_literal(text, vocabulary))


def _literal(text: str, vocabulary: Vocabulary) -> list[str]:
    return literal(text, vocabulary).split()


def _run(text: str, vocabulary: Vocabulary) -> Run:
    return tuple(canonical_term(text, vocabulary).split())


def _numbered(run: Run, vocabulary: Vocabulary) -> Iterable[Run]:
    """`ac 6` of `Roll to hit Armor Class 6`."""
    labels = vocabulary.lexicon.labels
    return [pair for pair in pairwise(run) if pair[0] in labels and as_number(pair[1]) is not None]
