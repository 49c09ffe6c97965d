"""Random keyed tables of the phrases that a round of the fuzz run asks with."""

import json
from collections.abc import Iterator, Sequence
from random import Random

from retrieval.query_must.canonical.canonical import canonical
from retrieval.query_must.compiled.rivals import RivalIndex
from retrieval.query_must.conditional import NAME, Membership
from retrieval.query_must.predicate import satisfies_query_must
from retrieval.query_must.rivals.rivals import Rivals
from retrieval.query_must.rivals.tables import KeyedRow, KeyedTable
from retrieval.query_must.vocabulary.vocabulary import Vocabulary

TABLES, ROWS = 4, 5
"""Of one round."""


def random_tables(rng: Random, phrases: Sequence[str]) -> tuple[KeyedTable, ...]:
    """Tables of two kinds whose rows are called by some of these phrases."""

    def some(most: int) -> tuple[str, ...]:
        return tuple(rng.choices(phrases, k=rng.randrange(most + 1)))

    return tuple(
        KeyedTable(
            str(number),
            rng.choice("xy"),
            some(2),
            some(1),
            some(2),
            {row: KeyedRow(names := some(2), (*names, *some(2))) for row in range(rng.randrange(2, ROWS + 1))},
        )
        for number in range(TABLES)
    )


def differences(tables: Sequence[KeyedTable], questions: Sequence[str]) -> Iterator[tuple[str, str, bool]]:
    """(question, predicate, whether the index lets its row through) wherever the plain meaning says otherwise."""
    members = [Membership(table.id, row) for table in tables for row in table.rows]
    positions = {member: place for place, member in enumerate(members)}
    index, rivals = RivalIndex.build(tables, positions, Vocabulary.default()), Rivals(tables)
    for question in questions:
        kept_out = set(index.read(canonical(question)).positions.tolist())
        for member, place in positions.items():
            query_must = json.dumps({NAME: {"table": member.table, "row": member.row}})
            if satisfies_query_must(question, query_must, rivals=rivals) == (place in kept_out):
                yield question, query_must, place not in kept_out
