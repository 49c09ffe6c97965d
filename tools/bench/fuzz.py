"""Random questions and predicates: does the compiled index admit what the plain meaning admits?

Run it with `python -m tools.bench.fuzz --cases 100000 --seed 0`. A case is one question and one
predicate. The predicates of a round are compiled into one index, so groups, terms and ranges are shared as they are in
a real one. A few random tables are asked the same questions: are the same rows kept out?
"""

import argparse
import json
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from pipeline.console.output import out
from retrieval.clock import Clock
from retrieval.language.canonical import canonical
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must import CompiledPredicates
from retrieval.query_must.compiled.sibling_index import SiblingIndex
from retrieval.query_must.operators import NO_RIVAL, Membership
from retrieval.query_must.predicate import satisfies_query_must
from retrieval.query_must.siblings import KeyedRow, KeyedTable, Siblings

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
    positions = {member: position for position, member in enumerate(members)}
    index, rivals = SiblingIndex.build(tables, positions, Vocabulary.default()), Siblings(tables)
    for question in questions:
        kept_out = set(index.read(canonical(question)).positions.tolist())
        for member, at in positions.items():
            query_must = json.dumps({NO_RIVAL: {"table": member.table, "row": member.row}})
            if satisfies_query_must(question, query_must, rivals=rivals) == (at in kept_out):
                yield question, query_must, at not in kept_out


PREDICATES = 25
QUESTIONS = 8
"""Of one round."""

LABELS = ("AC", "a.c.", "armour class", "level", "spell level", "int", "wisdom", "HD", "cr", "hp", "xp", "nonsense")
HUGE = 10**400
"""Beyond a float's reach: an operator has to refuse it."""
SUBJECTS = ("cleric", "Clerics", "magic-user", "psionic blast", "wolves", "torches", "日本", "ẞ", "é", "×", "")
NUMBERS = ("6", "-2", "−3", "007", "5,000", "2.65", "1/4", "½", "2d6", "d%", "+3", "7th", "3rd", "seven", "٣", "1e30")
FORMS = (
    *("{} {}", "{}: {}", "{} of {}", "{}{}", "{}-{}", "({} {})", "{1} {0}", "{1}th {0}", "{}s {} and 4", "{} 2-{}"),
    *("{} score of {}", "{} [{}]", "{}s are {}, & 4", "{} was equal to {}"),
)
GLUE = (
    " ",
    ", ",
    " and ",
    " or ",
    " vs ",
    " - ",
    "; ",
    " or higher ",
    " at least ",
    "+ ",
    " to ",
    " between ",
    "\n",
    "",
)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One case in which the index and the plain meaning differ."""

    question: str
    query_must: str
    admitted: bool
    """What the index says; the plain meaning says the opposite."""


@dataclass(frozen=True, slots=True)
class FuzzReport:
    """One run. Key: (cases, seed)."""

    cases: int
    seed: int
    admitted: int
    """Cases in which the question satisfies the predicate; near none or near all would test little."""
    seconds: float
    disagreements: tuple[Disagreement, ...]


def run_fuzz(cases: int, seed: int = 0) -> FuzzReport:
    """Compare the two on at least `cases` random cases.

    Args:
        cases: how many; rounded up to whole rounds of 200.
        seed: of the random numbers.
    """
    rng = Random(seed)
    clock = Clock()
    done = admitted = 0
    disagreements: list[Disagreement] = []
    while done < cases:
        phrases = [_phrase(rng) for _ in range(12)]
        predicates = [_predicate(rng, phrases) for _ in range(PREDICATES)]
        compiled = CompiledPredicates.build(predicates)
        questions = [_question(rng, phrases) for _ in range(QUESTIONS)]
        disagreements.extend(
            Disagreement(*difference) for difference in differences(random_tables(rng, phrases), questions)
        )
        for question in questions:
            query = canonical(question)
            by_index = set(compiled.admitted(question).tolist())
            plainly = {position for position, text in enumerate(predicates) if satisfies_query_must(query, text)}
            admitted += len(plainly)
            differing = sorted(by_index ^ plainly)
            disagreements.extend(
                Disagreement(question, predicates[position], position in by_index) for position in differing
            )
        done += PREDICATES * QUESTIONS
    return FuzzReport(done, seed, admitted, clock.seconds, tuple(disagreements))


def _phrase(rng: Random) -> str:
    """A subject, a number, a label with its number, or noise."""
    kind = rng.random()
    if kind < 0.25:
        return rng.choice(SUBJECTS)
    if kind < 0.4:
        return _number(rng)
    if kind < 0.92:
        return rng.choice(FORMS).format(rng.choice(LABELS), _number(rng))
    return "".join(
        chr(rng.choice((rng.randrange(32, 127), rng.randrange(160, 0x3000)))) for _ in range(rng.randrange(6))
    )


def _number(rng: Random) -> str:
    return rng.choice(NUMBERS) if rng.random() < 0.4 else str(rng.randrange(-3, 14))


def _question(rng: Random, phrases: Sequence[str]) -> str:
    chosen = rng.choices(phrases, k=rng.randrange(6)) + [_phrase(rng)] * rng.randrange(2)
    return "".join(phrase + rng.choice(GLUE) for phrase in chosen)


def _predicate(rng: Random, phrases: Sequence[str]) -> str:
    """JSON text of a predicate, now and then one that cannot be read."""
    if rng.random() < 0.03:
        return rng.choice(("no json", "3", "null", "{}", "[]", '["flat"]', '{"contain_range": {"min": 3, "max": 1}}'))
    terms = [*rng.choices(phrases, k=3), _phrase(rng)]
    made: dict[str, object] = {
        "contain_one_of": [rng.choices(terms, k=rng.randrange(4)) for _ in range(rng.randrange(4))],
        "contain_all_of": rng.choices(terms, k=rng.randrange(3)),
        "contain": rng.choice([*terms, rng.randrange(-3, 14), HUGE]),
        "contain_range": _range(rng),
        "contain_across": [rng.choices(terms, k=2), rng.choices(terms, k=2)],
        "contain_unheard_of": rng.choice(terms),
    }
    chances = (0.6, 0.2, 0.2, 0.4, 0.2, 0.05)
    used = {name: value for (name, value), chance in zip(made.items(), chances, strict=True) if rng.random() < chance}
    bare = list(used) == ["contain_one_of"] and rng.random() < 0.2
    return json.dumps(used["contain_one_of"] if bare else used, ensure_ascii=False)


def _range(rng: Random) -> dict[str, object]:
    low, high = sorted((rng.randrange(-3, 14), rng.choice((rng.randrange(-3, 14), 6.5, 1e30, HUGE, -HUGE))))
    ends = rng.choice(({"min": low, "max": high}, {"min": low}, {"max": high}))
    return {**ends, **({"of": rng.sample((*LABELS, "", "—"), k=rng.randrange(1, 4))} if rng.random() < 0.7 else {})}


@contextmanager
def _without_warnings() -> Iterator[None]:
    # Unreadable predicates are part of the game, and each would be warned about.
    log = logging.getLogger("retrieval")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


def main() -> None:
    """Read the command line; exit with status 1 if anything disagrees."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", maxsplit=1)[0])
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with _without_warnings():
        report = run_fuzz(arguments.cases, arguments.seed)
    for case in report.disagreements[:10]:
        verdict = "admits" if case.admitted else "does not admit"
        out.print(f"{case.question!r}: the index {verdict} {case.query_must}")
    out.print(
        f"{report.cases} cases, seed {report.seed}: {report.admitted} admitted, "
        f"{len(report.disagreements)} disagreements, {report.seconds:.1f} s"
    )
    sys.exit(1 if report.disagreements else 0)


if __name__ == "__main__":
    main()
