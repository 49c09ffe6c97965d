"""The plain meaning of `contain_no_rival`: a question that names one row excludes its sibling rows.

docs/reference/query_must.md describes it in words. The compiled index gives the same verdicts, and tests compare the
two.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise

from retrieval.language.canonical import Canonical, as_number, canonical_term, literal
from retrieval.language.identifiers import known_identifiers
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.sibling_mentions import (
    AmountInterval,
    QueryMentions,
    Speech,
    contracted,
    identifier_tokens,
    span_mask,
)

TWO = "it names more than one row"
OPEN = "it leaves a bound open"
ANOTHER_ROW = "another row of its table"


@dataclass(frozen=True, slots=True)
class TableVerdict:
    """The verdict on one table with a row that the question names. Masks are those of `QueryMentions`."""

    row: int
    """Number of the named row; -1 if it is more than one."""
    named: int
    """The words that name it."""
    measured: int
    """The words of `named` that are a value of a step: in another row, they may be the bound of its own step."""
    claimed: int
    """The words of `named`, titles and columns of the table that the question contains whole, and `vs` before a word of
    its heads."""
    heads: int
    """Words that occur in the table's heads."""
    words: int
    """Words that occur in the named row."""
    title: int
    """Words that identify the table."""
    why_not_applied: str
    """Why no row is excluded; empty if the other rows are."""

    def told(self, mentions: QueryMentions) -> int:
        """Return the words of the question that could distinguish rows: not claimed, idle, or words of the heads."""
        return mentions.informative & ~self.claimed & ~(self.heads & mentions.words)


def why_not_applied(
    mentions: QueryMentions, spans: Iterable[int] | None, claimed: int, heads: int, words: int, named: int
) -> str:
    """Return why a question that names a row of a table excludes none of its rows; empty if it does exclude rows.

    Args:
        spans: the places of each name of the one row in it, without its amounts; None if it names several rows.
        claimed: places of names, titles and columns.
        heads: places of words that occur in the heads.
        words: places of words that occur in the row.
        named: places of all its names.
    """
    if spans is None or mentions.open:
        return TWO if spans is None else OPEN
    if mentions.is_bare(named) and not heads & mentions.words & mentions.informative & ~named:
        return f"{mentions.text_at(named)!r} may be anything, since the question names nothing of the table"
    if holding := mentions.holding & ~claimed:
        return f"it may want another row: {mentions.text_at(holding)!r}"
    spans = list(spans)
    if any(map(mentions.is_joined, spans)):
        return f"it may want what is joined to {mentions.text_at(named)!r}, too"
    before = 0
    for span in spans:
        before |= 0 if mentions.is_code(span) else span >> 1
    if before := before & mentions.words & mentions.informative & ~claimed & ~(heads | words):
        return f"nothing in the row explains {mentions.text_at(before)!r} before {mentions.text_at(named)!r}"
    return ""


def named_reason(mentions: QueryMentions, verdict: TableVerdict) -> str:
    """Return why the siblings of a named row are excluded."""
    return f"the question names {mentions.text_at(verdict.named)!r}, {ANOTHER_ROW}"


def duplicate_table_reason(mentions: QueryMentions, verdict: TableVerdict) -> str:
    """Return why the rows of a table of the same kind are excluded."""
    return (
        f"the question names {mentions.text_at(verdict.named)!r} of another table: {mentions.text_at(verdict.title)!r}"
    )


Run = tuple[str, ...]
"""Consecutive tokens of canonical text."""

_NUMBERED = re.compile(r"\s*(?:table|tab\.)\s*[\w.-]*\d?[\w.-]*\s*[:.—–]\s+(?=\S)", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*\([^()]*\)")


@dataclass(frozen=True, slots=True)
class KeyedRow:
    """One row with the texts by which a question may refer to it."""

    names: tuple[str, ...]
    """Names of the row."""
    texts: tuple[str, ...]
    """Its cells, and the label that it is grouped under."""
    shared: tuple[str, ...] = ()
    """Cells that other rows have too, and a key that is a whole number or a letter: together they may name one row, as
    two keys do."""
    amounts: tuple[AmountInterval, ...] = ()
    """The quantities with a unit that its key represents."""


@dataclass(frozen=True, slots=True)
class KeyedTable:
    """A table whose rows have `contain_no_rival`. Key: id."""

    id: str
    kind: str
    """Tables of one kind have the same columns: twins."""
    titles: tuple[str, ...]
    """Names of the table itself: its caption, its nearest heading."""
    heads: tuple[str, ...]
    """All texts that apply to every row: headings, caption."""
    columns: tuple[str, ...]
    rows: Mapping[int, KeyedRow]
    """By the row's number in the table."""


@dataclass(frozen=True, slots=True)
class TableWords:
    """A table in canonical form."""

    heads: frozenset[str]
    """Words of its headings, its caption and its columns."""
    title: frozenset[str]
    """Words of its titles that are not idle."""
    runs: frozenset[Run]
    """Whole titles, whole columns of several words, and every label with a number in any of its heads."""
    rows: Mapping[int, "RowWords"]


@dataclass(frozen=True, slots=True)
class RowWords:
    """A row in canonical form."""

    names: frozenset[Run]
    """Without those of columns: in a matrix of `HP 150` and `HP 163` in both directions, neither alone is a row."""
    shared: frozenset[Run]
    words: frozenset[str]
    amounts: tuple[AmountInterval, ...]


def words_of_table(table: KeyedTable, vocabulary: Vocabulary) -> TableWords:
    """Return a table in canonical form."""
    speech = Speech.of(vocabulary)
    every = (*table.heads, *table.titles, *table.columns)
    columns = frozenset(run for column in table.columns for run in _runs(column, vocabulary))
    whole = {run for run in columns if len(run) > 1}
    for title in table.titles:
        plain = _NUMBERED.sub("", title, count=1)
        whole |= {*_runs(plain, vocabulary), *_runs(_BRACKETS.sub("", plain), vocabulary)}
    whole |= {pair for text in every for pair in _numbered(_run(text, vocabulary), vocabulary)}
    return TableWords(
        words_of(every, vocabulary),
        frozenset(chain.from_iterable(_run(title, vocabulary) for title in table.titles)) - speech.idle,
        frozenset(run for run in whole if not speech.idle.issuperset(run)),
        {
            number: RowWords(
                _names(row.names, speech, vocabulary) - columns,
                _names(row.shared, speech, vocabulary) | _bare(row.shared, speech, vocabulary),
                words_of(row.texts, vocabulary),
                row.amounts,
            )
            for number, row in table.rows.items()
        },
    )


def _names(names: Iterable[str], speech: Speech, vocabulary: Vocabulary) -> frozenset[Run]:
    return frozenset(run for name in names for run in _runs(name, vocabulary) if speech.is_name(run))


def _bare(cells: Iterable[str], speech: Speech, vocabulary: Vocabulary) -> frozenset[Run]:
    runs = (_run(cell, vocabulary) for cell in cells if len(cell) == 1 or cell.isdecimal())
    return frozenset(run for run in runs if speech.is_bare(run))


def words_of(texts: Iterable[str], vocabulary: Vocabulary) -> frozenset[str]:
    """Return every token of some texts, with numbers both bound to labels and literal."""
    return frozenset(token for text in texts for token in _words(text, vocabulary))


@lru_cache(maxsize=1 << 16)
def _words(text: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    # Cached, because near-twins repeat the same cells.
    return (
        *canonical_term(text, vocabulary).split(),
        *_literal(text, vocabulary),
        *identifier_tokens(text, vocabulary),
    )


def _literal(text: str, vocabulary: Vocabulary) -> list[str]:
    return literal(text, vocabulary).split()


def _run(text: str, vocabulary: Vocabulary) -> Run:
    return tuple(canonical_term(text, vocabulary).split())


def _runs(text: str, vocabulary: Vocabulary) -> Iterable[Run]:
    """Return the tokens of a text, and if it contains identifiers, again with each of them as one token."""
    run = _run(text, vocabulary)
    keys = identifier_tokens(text, vocabulary)
    whole = known_identifiers(run, keys, lambda joined: [key in keys for key in joined]) if keys else []
    return (run, contracted(run, whole)) if whole else (run,)


def _numbered(run: Run, vocabulary: Vocabulary) -> Iterable[Run]:
    """Return the labels with numbers in a run: `ac 6` of `Roll to hit Armor Class 6`."""
    labels = vocabulary.lexicon.labels
    return [pair for pair in pairwise(run) if pair[0] in labels and as_number(pair[1]) is not None]


Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Exclusions:
    """The rows of some tables that one question excludes."""

    reasons: Mapping[tuple[str, int], str]
    """Why it excludes rows, by table and row number."""
    verdicts: Mapping[str, TableVerdict]
    """Verdicts on the tables with a row that it names, by table."""

    def why(self, table: str, row: int) -> str:
        """Return why a row is excluded; empty if it is not."""
        return self.reasons.get((table, row), "")

    def why_not_applied(self, table: str, row: int) -> str:  # noqa: ARG002  (all rows of a table are held back together)
        """Return why no row of the table is excluded although the question names one; empty if it names none, or if
        rows are excluded."""
        verdict = self.verdicts.get(table)
        return verdict.why_not_applied if verdict else ""


class Siblings:
    """Keyed tables with rows that a question may name."""

    def __init__(self, tables: Iterable[KeyedTable], vocabulary: Vocabulary | None = None) -> None:
        self.vocabulary = vocabulary or Vocabulary.default()
        self.tables = {table.id: table for table in sorted(tables, key=lambda table: table.id)}

    @cached_property
    def _words(self) -> Mapping[str, TableWords]:
        return {name: words_of_table(table, self.vocabulary) for name, table in self.tables.items()}

    @cached_property
    def _names(self) -> frozenset[Run]:
        return frozenset(run for words in self._words.values() for row in words.rows.values() for run in row.names)

    @cached_property
    def _units(self) -> frozenset[str]:
        rows = (row for words in self._words.values() for row in words.rows.values())
        return frozenset(amount.unit for row in rows for amount in row.amounts)

    @cached_property
    def _shared(self) -> frozenset[Run]:
        return frozenset(run for words in self._words.values() for row in words.rows.values() for run in row.shared)

    def _known(self, keys: Sequence[str]) -> Sequence[bool]:
        return [(key,) in self._names or (key,) in self._shared for key in keys]

    def read(self, question: Canonical) -> Exclusions:
        """Decide every table."""
        mentions = QueryMentions.of(question, self._units, self._known)
        if mentions is None:
            return Exclusions({}, {})
        spans = self._mentions(mentions)
        shared = _spans(mentions, self._shared)
        verdicts = {name: decide for name in self.tables if (decide := self._decide(name, mentions, spans, shared))}
        reasons: dict[tuple[str, int], str] = {}
        for name, verdict in verdicts.items():
            if not verdict.why_not_applied:
                reasons |= {
                    (name, row): named_reason(mentions, verdict) for row in self._siblings(name, verdict, mentions)
                }
        for name, verdict in verdicts.items():
            if not verdict.why_not_applied:
                for twin in self._twins(name, verdict, mentions):
                    reasons.setdefault(twin, duplicate_table_reason(mentions, verdict))
        return Exclusions(reasons, verdicts)

    def _mentions(self, mentions: QueryMentions) -> Spans:
        """Return where any row of any table is named."""
        every = [amount for words in self._words.values() for row in words.rows.values() for amount in row.amounts]
        spans = [
            amount.span for amount in mentions.amounts if any(row_amount.holds(amount.amount) for row_amount in every)
        ]
        return [*_spans(mentions, self._names), *spans]

    def _decide(self, name: str, mentions: QueryMentions, spans: Spans, shared: Spans) -> TableVerdict | None:
        table = self._words[name]
        heads = mentions.mask(table.heads)
        runs = [span_mask(*span) for span in _spans(mentions, table.runs)]
        kept = [span for span in spans if not _is_part(span, spans, runs, heads, mentions)]
        beside = [span for span in shared if not _is_part(span, [*spans, *shared], runs, heads, mentions)]
        called = {number: _said(row.names, kept, mentions) for number, row in table.rows.items()}
        measured = {number: _measured(row, kept, mentions) for number, row in table.rows.items()}
        also = {number: _said(row.shared, beside, mentions) for number, row in table.rows.items()}
        covers = {number: cover for number in table.rows if (cover := _union(called[number]) | measured[number])}
        able = _widest(covers) if covers else [number for number in table.rows if also[number]]
        wider = {number: covers.get(number, 0) | _union(also[number]) for number in able}
        best = _widest(wider)
        one = best[0] if len(best) == 1 else -1
        if one < 0 and not covers:
            return None
        whole = _union(wider.values()) or _union(covers.values())
        words = mentions.mask(table.rows[one].words) if one >= 0 else 0
        claimed = _union(runs) | whole | mentions.settled(heads)
        # The 3 of `level 3` is not that of `Table 3`, and a number alone is not a title. "Canals and rivers" may be a
        # third table.
        title = mentions.mask(table.title) & mentions.informative & ~(whole & mentions.figures)
        title = title if title & mentions.words and not mentions.is_joined(title) else 0
        names = [*called[one], *also[one]] if one >= 0 else None
        steps = _held(table.rows[one], mentions, steps=True) & measured[one] if one >= 0 else 0
        amounts = steps & ~_union(names or ())
        reason = why_not_applied(mentions, names, claimed, heads, words, whole)
        return TableVerdict(one, whole, amounts, claimed, heads, words, title, reason)

    def _siblings(self, name: str, verdict: TableVerdict, mentions: QueryMentions) -> list[int]:
        """Return the rows that have no word of the question which the named row lacks."""
        told = verdict.told(mentions)
        siblings = []
        for number, row in self._words[name].rows.items():
            words = mentions.mask(row.words)
            if number == verdict.row or words & told & ~verdict.words:
                continue
            if verdict.named & ~(words & ~verdict.measured | _held(row, mentions)):
                siblings.append(number)
        return siblings

    def _twins(self, name: str, verdict: TableVerdict, mentions: QueryMentions) -> list[tuple[str, int]]:
        """Return the rows of tables of its kind that have no word of the question which the named row and its heads
        lack."""
        beyond = mentions.informative & ~(verdict.words | verdict.heads)
        twins: list[tuple[str, int]] = []
        for other, table in self._words.items():
            heads = mentions.mask(table.heads)
            if other == name or self.tables[other].kind != self.tables[name].kind or heads & beyond:
                continue
            for number, row in table.rows.items():
                words = mentions.mask(row.words)
                if not words & beyond and verdict.title & ~(words | heads):
                    twins.append((other, number))
        return twins


def _spans(mentions: QueryMentions, runs: frozenset[Run]) -> Spans:
    """Return where any of these runs of tokens occurs."""
    size = len(mentions.tokens)
    longest = min(max(map(len, runs), default=0), size)
    return [
        (start, stop)
        for start in range(size)
        for stop in range(start + 1, min(start + longest, size) + 1)
        if mentions.tokens[start:stop] in runs
    ]


def _is_part(span: tuple[int, int], spans: Spans, runs: Sequence[int], heads: int, mentions: QueryMentions) -> bool:
    """Whether a mention is only part of a longer one, or only repeats words of the table's heads."""
    own = span_mask(*span)
    if any(own & ~span_mask(*other) == 0 and other != span for other in spans):
        return True
    return any(own & ~run == 0 != run & ~own for run in runs) or not (own & ~heads or own & mentions.figures)


def _widest(covers: Mapping[int, int]) -> list[int]:
    """Return the rows that cover everything that any of them covers."""
    whole = _union(covers.values())
    return [number for number, cover in covers.items() if cover == whole]


def _said(runs: frozenset[Run], spans: Spans, mentions: QueryMentions) -> list[int]:
    """Return which of these places contain one of some runs, as masks."""
    return [span_mask(*span) for span in spans if mentions.tokens[slice(*span)] in runs]


def _measured(row: RowWords, spans: Spans, mentions: QueryMentions) -> int:
    """Return which of these mentions are amounts that a row represents, as one mask."""
    return _held(row, mentions) & _union(span_mask(*amount.span) for amount in mentions.amounts if amount.span in spans)


def _held(row: RowWords, mentions: QueryMentions, *, steps: bool = False) -> int:
    """Return the places of amounts in the question that a row represents; with `steps`, only values of its steps."""
    able = [row_amount for row_amount in row.amounts if row_amount.is_step or not steps]
    within = (amount for amount in mentions.amounts if any(row_amount.holds(amount.amount) for row_amount in able))
    return _union(span_mask(*amount.span) for amount in within)


def _union(masks: Iterable[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union
