"""The verdict on each table of a book, and the counts of them."""

from retrieval.ingest.guard_report import GuardCounts, TableGuard, added_up, count_guards, table_guards
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.row_predicates import extract_predicates
from retrieval.ingest.tables.rows import transform_tables
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Document

TEXT = """# Rules

## Weapons

| Weapon | Damage |
|---|---|
| Dagger | 1d4 |
| Mace | 1d6 |

## Bless

| Level: | 1 |
|---|---|
| Range: | 60 feet |
| Duration: | 6 rounds |

## Lonely

| Name | Cost |
|---|---|
| Rope | 1 gp |

## Drives

**Drive Costs**

| Code | Tons |
|---|---|
| A | 10 |
| B | 15 |
"""


def verdicts(text: str) -> tuple[TableGuard, ...]:
    tables = parse_book(Book("b", "B", (Document("b", "d.md", text, first_line=4),))).tables
    vocabulary = Vocabulary.default()
    return table_guards(tables, extract_predicates(transform_tables(tables, vocabulary)), vocabulary)


def test_every_table_has_its_verdict_and_its_place() -> None:
    assert [(guard.line, guard.heading, guard.caption, guard.reason) for guard in verdicts(TEXT)] == [
        (8, "Weapons", "", None),
        (15, "Bless", "", "record"),
        (22, "Lonely", "", "single"),
        (30, "Drives", "Drive Costs", "nameless"),
    ]
    weapons, bless, *_ = verdicts(TEXT)
    assert (weapons.n_rows, weapons.n_guarded) == (2, 2)
    assert (bless.n_rows, bless.n_guarded) == (1, 0)


def test_the_most_frequent_reason_is_counted_first() -> None:
    counts = count_guards(verdicts(TEXT + TEXT.replace("Weapons", "More weapons").partition("## Bless")[0]))
    assert counts == GuardCounts(5, 2, 2, {"nameless": 1, "record": 1, "single": 1})
    more = added_up([counts, GuardCounts(3, 0, 0, {"single": 3})])
    assert more == GuardCounts(8, 2, 2, {"single": 4, "nameless": 1, "record": 1})
    assert list(more.reasons) == ["single", "nameless", "record"]


def test_a_book_without_tables_has_no_verdicts() -> None:
    assert count_guards(verdicts("# Nothing\n")) == GuardCounts(0, 0, 0, {})
