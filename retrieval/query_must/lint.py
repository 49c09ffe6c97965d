"""Finds faults of predicates when rows are made, and makes witness questions.

Every rule is a proposition about one row (or about a row and its siblings). Findings change nothing: a row keeps its
predicate. Code that gets predicates from a model can leave out those that `unusable` returns.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Literal, get_args

from retrieval.language.canonical import canonical, canonical_term
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.compiled.predicates import CompiledPredicates
from retrieval.query_must.operators import Atom, Group, Range, Term, always_asks, membership
from retrieval.query_must.predicate import SATISFIED, QueryMust, explain, read_query_must
from retrieval.query_must.siblings import KeyedTable, Siblings

_APART = " ! "
"""Separates atoms: no label binds a number across it, and no list continues across it."""


def minimal_questions(predicate: QueryMust, vocabulary: Vocabulary) -> tuple[str, ...] | None:
    """Return questions that contain one atom of each group and nothing else, with the lower and the upper end of each
    range.

    Empty if no question can satisfy the predicate; None if an operator cannot be compiled, so that nothing is known.
    """
    lower: list[str] = []
    upper: list[str] = []
    for condition in predicate.conditions:
        if not condition.operator.asks_more:
            continue
        groups = condition.groups(vocabulary)
        if groups is None:
            return None
        for group in groups:
            texts = next(filter(None, (_say(atom, group, vocabulary) for atom in group.atoms)), None)
            if texts is None:
                return ()
            lower.append(texts[0])
            upper.append(texts[1])
    questions = dict.fromkeys((_APART.join(lower), _APART.join(upper)))
    return tuple(question for question in questions if predicate.holds(canonical(question, vocabulary)))


def _say(atom: Atom, group: Group, vocabulary: Vocabulary) -> tuple[str, str] | None:
    """Return two texts that express an atom, for a range its ends; None if none was found."""
    if isinstance(atom, Range):
        return next((ends for ends in _ends(atom) if atom.holds(canonical(ends[0], vocabulary))), None)
    written = list(_written(group))
    # The written form comes first: canonical text, read again, may mean something else (`b12 level`, `b 12 level`).
    same = [text for text in written if canonical_term(text, vocabulary) == atom.text]
    text = _least(atom, [*same, atom.text], vocabulary) or _least(atom, written, vocabulary)
    return (text, text) if text else None


def _least(atom: Term, texts: Sequence[str], vocabulary: Vocabulary) -> str:
    """Return the text that expresses an atom and little else: `AC-2` is two numbers in a question, `ac -2` is one."""
    sizes: dict[str, int] = {}
    for text in texts:
        question = canonical(text, vocabulary)
        if question.text == f" {atom.text} ":
            return text
        if atom.holds(question):
            sizes[text] = len(question.tokens)
    return min(sizes, key=lambda text: sizes[text], default="")


def _written(group: Group) -> Iterator[str]:
    values = group.written if isinstance(group.written, list | tuple) else [group.written]
    yield from (str(value) for value in values if isinstance(value, str | int | float))


def _ends(span: Range) -> Iterator[tuple[str, str]]:
    """Yield the lower and the upper end, with each label in turn."""
    ends = [end for end in (span.low, span.high) if isfinite(end)] or [0.0]
    # Not repr: canonical text has no exponents.
    low, high = (f"{Decimal(repr(end)):f}".removesuffix(".0") for end in (min(ends), max(ends)))
    for label in ("",) if span.labels is None else span.labels:
        yield f"{label} {low}".strip(), f"{label} {high}".strip()


Rule = Literal[
    "invalid",
    "unknown_operator",
    "unsatisfiable",
    "self_excluding",
    "names_sibling",
    "shadowed",
    "empty_term",
    "unlabelled_range",
    "not_strict",
]
RULES: tuple[Rule, ...] = get_args(Rule)
"""Every rule, in the order in which a row is checked."""

_ERRORS = frozenset({"invalid", "unknown_operator", "unsatisfiable", "self_excluding"})
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class LintItem:
    """A row with its predicate, with the values that the lint needs. Key: id."""

    id: str
    title: str
    """What a person calls the row; its own predicate must admit it."""
    table_id: str
    query_must: str | None
    strict: bool | None = None
    """Whether the rules allow predicates in this table; None if the rules were not applied."""
    numeric_columns: int = 0
    """Number of columns of the table that contain numbers."""
    alike: bool = False
    """Whether all rows of the table are supposed to have one predicate, so that none shadows another."""

    @property
    def always_asks(self) -> bool:
        """Whether the predicate has a requirement for every question; other rows pass unless a rival is named."""
        return always_asks(self.query_must)


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A fault of one row's predicate. Key: (id, rule, message)."""

    rule: Rule
    id: str
    table_id: str
    message: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.id}: {self.message}"

    @property
    def severity(self) -> Literal["error", "warning"]:
        """`error` if the predicate does not do what it states, else `warning`."""
        return "error" if self.rule in _ERRORS else "warning"


def lint(
    rows: Sequence[LintItem], vocabulary: Vocabulary | None = None, tables: Iterable[KeyedTable] = ()
) -> tuple[LintFinding, ...]:
    """Check every predicate, in the order of the rows; rows without one have no findings.

    Args:
        rows: the rows with the predicates.
        vocabulary: for the canonical form; the generic one if None.
        tables: tables whose rows have `contain_no_rival`; without them only the form of that operator is checked.
    """
    vocabulary = vocabulary or Vocabulary.default()
    shadows = _shadows(rows, vocabulary)
    alone = {table.id: Siblings([table], vocabulary) for table in tables}
    return tuple(finding for row in rows for finding in _check(row, vocabulary, shadows.get(row.id, ()), alone))


def unusable(findings: Sequence[LintFinding]) -> frozenset[str]:
    """Return the ids of rows that would be better without their predicate; without it such a row always passes."""
    harmful = {"invalid", "unsatisfiable", "self_excluding", "names_sibling"}
    return frozenset(finding.id for finding in findings if finding.rule in harmful)


def _check(
    row: LintItem, vocabulary: Vocabulary, shadows: Sequence[str], alone: Mapping[str, Siblings]
) -> Iterator[LintFinding]:
    if row.query_must is None:
        return
    predicate = read_query_must(row.query_must)
    for rule, message in (
        *_badly_written(predicate),
        *_unlucky(predicate, row, vocabulary),
        *_rivalled(predicate, row, vocabulary, alone),
        *(_careless(predicate, row, vocabulary) if row.always_asks else ()),
    ):
        yield LintFinding(rule, row.id, row.table_id, message)
    if shadows:
        others = ", ".join(shadows[:_MOST_NAMED]) + (" and others" if len(shadows) > _MOST_NAMED else "")
        yield LintFinding(
            "shadowed", row.id, row.table_id, f"the shortest question that it admits also admits {others}"
        )


def _badly_written(predicate: QueryMust) -> Iterator[tuple[Rule, str]]:
    for part in predicate.ignored:
        yield ("unknown_operator" if part.unknown else "invalid"), part.message


def _unlucky(predicate: QueryMust, row: LintItem, vocabulary: Vocabulary) -> Iterator[tuple[Rule, str]]:
    """Yield faults of predicates that no question satisfies, or that the row's own title does not satisfy."""
    questions = minimal_questions(predicate, vocabulary)
    if questions is not None and not questions:
        yield "unsatisfiable", "no question can satisfy it; check its labels and terms against the vocabulary"
    elif not predicate.holds(canonical(row.title, vocabulary)):
        yield "self_excluding", f"the row's own title {row.title!r} does not satisfy it"


def _rivalled(
    predicate: QueryMust, row: LintItem, vocabulary: Vocabulary, alone: Mapping[str, Siblings]
) -> Iterator[tuple[Rule, str]]:
    """Yield a fault if the row's own title names another row of the table: a question in these words excludes the
    row.

    The predicate does what it states, so this is not an error: `Edit a note - id` contains the name of the row
    `note_id`.
    """
    position = membership(row.query_must)
    if position is not None and position.table in alone and row.title:
        title = canonical(row.title, vocabulary)
        reason = explain(title, predicate, rivals=alone[position.table])
        if not reason.startswith(SATISFIED) and predicate.holds(title):
            yield (
                "names_sibling",
                f"a question in the words of the row's own title {row.title!r} excludes it: {reason}",
            )


def _careless(predicate: QueryMust, row: LintItem, vocabulary: Vocabulary) -> Iterator[tuple[Rule, str]]:
    """Yield faults that are allowed but probably not intended."""
    values = {condition.operator.name: condition.value for condition in predicate.conditions}
    groups = [*values.get("contain_one_of", ()), values.get("contain_all_of", ())]
    terms = [str(term) for group in groups for term in group] + [str(values[n]) for n in ("contain",) if n in values]
    for term in terms:
        if not canonical_term(term, vocabulary):
            yield "empty_term", f"the term {term!r} has neither letter nor digit and is ignored"
    if "of" not in values.get("contain_range", {"of": ()}) and row.numeric_columns > 1:
        yield (
            "unlabelled_range",
            f"a range without `of` takes any number, and the table has {row.numeric_columns} columns of numbers",
        )
    if row.strict is False:
        yield "not_strict", "its table's rows are distinguished by ranking; give it names and no query_must"


def _shadows(rows: Sequence[LintItem], vocabulary: Vocabulary) -> dict[str, tuple[str, ...]]:
    """Return, for each row, the siblings that the row's own shortest questions admit as well."""
    tables: dict[str, list[LintItem]] = {}
    for row in rows:
        if row.always_asks and not row.alike:
            tables.setdefault(row.table_id, []).append(row)
    shadows: dict[str, tuple[str, ...]] = {}
    for siblings in tables.values():
        compiled = CompiledPredicates.build([row.query_must for row in siblings], vocabulary=vocabulary)
        for at, row in enumerate(siblings):
            questions = minimal_questions(read_query_must(row.query_must), vocabulary) or ()
            admitted = {position for question in questions for position in compiled.admitted(question).tolist()} - {at}
            shadows[row.id] = tuple(siblings[position].id for position in sorted(admitted))
    return shadows
