"""The operators of query_must, their registry, and conditions on the two sides of a comparison.

An operator is three functions: `validate` rejects a value that no question could be checked against, `match` is the
plain meaning, `compile` expresses it as groups of atoms for the compiled index. An operator without `compile` works
too; the predicates that use it are matched one by one.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from types import MappingProxyType
from typing import Any

from retrieval.errors import BadPredicateError
from retrieval.language.canonical import Canonical, canonical_term
from retrieval.language.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Term:
    """Holds if this canonical term is in the question."""

    text: str

    def holds(self, question: Canonical) -> bool:
        """Whether the question contains the term."""
        return question.has_canonical(self.text)


@dataclass(frozen=True, slots=True)
class Range:
    """Holds if a number of the question lies in [low, high], both ends included."""

    low: float = -inf
    high: float = inf
    labels: tuple[str, ...] | None = None
    """Canonical labels, to one of which the number must be bound; None accepts any free number."""

    def holds(self, question: Canonical) -> bool:
        """Whether the question has such a number, or an open interval that overlaps the range."""
        if self.labels is None:
            return any(self.low <= number <= self.high for number in question.free_numbers)
        bound = (number for label in self.labels for number in question.bound.get(label, ()))
        return any(self.low <= number <= self.high for number in bound) or any(
            span.label in self.labels and span.low <= self.high and self.low <= span.high for span in question.intervals
        )


Atom = Term | Range


@dataclass(frozen=True, slots=True)
class Group:
    """Atoms of which one must hold."""

    atoms: tuple[Atom, ...]
    written: Any
    """The JSON value of the group in the predicate."""

    @property
    def source(self) -> str:
        """The group as written in the predicate, for the receipt."""
        return json.dumps(self.written, ensure_ascii=False, default=str)

    def holds(self, question: Canonical) -> bool:
        """Whether one atom holds."""
        return any(atom.holds(question) for atom in self.atoms)


def canonical_label(name: str, vocabulary: Vocabulary) -> str:
    """Return the canonical name of a label, or the name itself if the vocabulary lacks it: no number binds to it."""
    label = vocabulary.label(name)
    return label.name if label else name


NO_RIVAL = "contain_no_rival"


@dataclass(frozen=True, slots=True)
class Membership:
    """A row's place among its rivals. Key: (table, row)."""

    table: str
    row: int


def membership(query_must: str | None) -> Membership | None:
    """Return the row that a predicate names; None if it has no valid `contain_no_rival`."""
    value = _decoded(query_must).get(NO_RIVAL)
    return member(value) if value is not None else None


def member(value: object) -> Membership | None:
    """Return the row that the operator's value names; None if it is not valid."""
    if not isinstance(value, dict) or set(value) != {"table", "row"}:
        return None
    table, row = value["table"], value["row"]
    valid = isinstance(table, str) and table and isinstance(row, int) and not isinstance(row, bool) and row >= 0
    return Membership(table, row) if valid else None


def only_conditional(query_must: str | None) -> bool:
    """Whether a predicate only requires that no rival is named: its row passes unless one is."""
    return set(_decoded(query_must)) == {NO_RIVAL}


def always_asks(query_must: str | None) -> bool:
    """Whether there is a predicate, with a requirement for every question."""
    return query_must is not None and not only_conditional(query_must)


def _decoded(query_must: str | None) -> dict[str, object]:
    if not query_must or NO_RIVAL not in query_must:
        return {}
    try:
        value = json.loads(query_must)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


LABELS = 2
"""Labels with a number that both sides must have: a side with fewer may be about those of the other side."""


@dataclass(frozen=True, slots=True)
class Sides:
    """Canonical text before and after the opposing word, framed by spaces."""

    left: str
    right: str

    @classmethod
    def of(cls, question: Canonical) -> "Sides | None":
        """Return the sides of a question; None if it does not oppose exactly two, with the same labels on both.

        `4th level fighter (AC 3) vs 7th level druid (AC 9)` has a level and an armor class on each side. `To hit AC 6
        against undead as a 7th level cleric` does not, so it is not clear whose the numbers are.
        """
        opposing = {canonical_term(word, question.vocabulary) for word in question.vocabulary.opposing_words}
        places = [position for position, token in enumerate(question.tokens) if token in opposing]
        if len(places) != 1:
            return None
        before, after = question.tokens[: places[0]], question.tokens[places[0] + 1 :]
        sides = cls(f" {' '.join(before)} ", f" {' '.join(after)} ")
        labels = {sides._labels(question, side) for side in (sides.left, sides.right)}
        return sides if len(labels) == 1 and len(labels.pop()) >= LABELS else None

    def parts(self, first: Sequence[str], second: Sequence[str]) -> bool:
        """Whether a term of one list is on one side, and a term of the other list on the other. Terms are canonical."""
        ways = ((self.left, self.right), (self.right, self.left))
        return any(_says(one, first) and _says(other, second) for one, other in ways)

    @staticmethod
    def _labels(question: Canonical, side: str) -> frozenset[str]:
        bound = question.bound.items()
        return frozenset(name for name, values in bound if any(f" {name} {value:g} " in side for value in values))


def _says(side: str, terms: Sequence[str]) -> bool:
    return any(f" {term} " in side for term in terms if term)


_RANGE_KEYS = {"min", "max", "of"}
_LONGEST_SHOWN = 200
_SIDES = 2


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of requirement for questions. Key: name."""

    name: str
    validate: Callable[[Any], None]
    """Raises BadPredicateError for a value that cannot be checked."""
    match: Callable[[Canonical, Any], bool]
    """Whether a question satisfies a valid value."""
    compile: Callable[[Any, Vocabulary], tuple[Group, ...]] | None = None
    """The requirement as groups that must all hold; None if atoms cannot express it."""
    reason: Callable[[Canonical, Any], str] | None = None
    """Why a valid value does not hold, in words; None if the group that failed explains it."""
    asks_more: bool = True
    """False if a question that only contains what the other operators require satisfies it."""


_REGISTRY: dict[str, Operator] = {}
_changes: list[str] = []
OPERATORS: Mapping[str, Operator] = MappingProxyType(_REGISTRY)
"""Every registered operator by its name, in the order in which a receipt checks them."""


def register_operator(operator: Operator) -> None:
    """Add an operator. Raises BadPredicateError if its name is taken."""
    if operator.name in _REGISTRY:
        raise BadPredicateError(f"an operator {operator.name!r} is already registered; choose another name")
    _REGISTRY[operator.name] = operator
    _changes.append(operator.name)


def unregister_operator(name: str) -> None:
    """Remove an operator; a name that is not registered is not an error."""
    if _REGISTRY.pop(name, None) is not None:
        _changes.append(name)


def registry_state() -> int:
    """Return a number that changes whenever an operator is registered or unregistered."""
    return len(_changes)


def _shown(value: object) -> str:
    """Return a value as shown in a message; a long one is cut."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # thousands of digits, or thousands of brackets
        return f"a value too long to be shown ({type(value).__name__})"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}... ({len(text)} characters)"


def _finite(value: object) -> bool:
    """Whether this is a number that a float can represent: others cannot be compared with those of a question."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:
        return False


def _check_term(name: str, value: object) -> None:
    if not isinstance(value, str) and not _finite(value):
        raise BadPredicateError(
            f"{name}: {_shown(value)} is not a term; write a string such as 'ac 6', or a number below 1e308"
        )


def _check_terms(name: str, value: object) -> None:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise BadPredicateError(
            f"{name}: {_shown(value)} is not a list of terms; write a list such as ['ac 6', 'armor class 6']"
        )
    for term in value:
        _check_term(name, term)


def _terms(values: Sequence[object], vocabulary: Vocabulary) -> tuple[Term, ...]:
    """Return the canonical terms; those without letters and digits are ignored."""
    spelled = (canonical_term(str(value), vocabulary) for value in values)
    return tuple(Term(text) for text in dict.fromkeys(spelled) if text)


def _validate_one_of(value: object) -> None:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise BadPredicateError(
            f"contain_one_of: {_shown(value)} is not a list of groups; write [['cleric'], ['ac 6']]"
        )
    for group in value:
        _check_terms("contain_one_of", group)


def _match_one_of(question: Canonical, value: Sequence[Sequence[object]]) -> bool:
    for group in value:
        terms = [term for term in group if canonical_term(str(term), question.vocabulary)]
        if terms and not any(question.has(str(term)) for term in terms):
            return False
    return True


def _compile_one_of(value: Sequence[Sequence[object]], vocabulary: Vocabulary) -> tuple[Group, ...]:
    groups = (Group(_terms(group, vocabulary), group) for group in value)
    return tuple(group for group in groups if group.atoms)


def _validate_all_of(value: object) -> None:
    _check_terms("contain_all_of", value)


def _match_all_of(question: Canonical, value: Sequence[object]) -> bool:
    return all(_match_contain(question, term) for term in value)


def _compile_all_of(value: Sequence[object], vocabulary: Vocabulary) -> tuple[Group, ...]:
    return tuple(group for term in value for group in _compile_contain(term, vocabulary))


def _validate_contain(value: object) -> None:
    _check_term("contain", value)


def _match_contain(question: Canonical, value: object) -> bool:
    return not canonical_term(str(value), question.vocabulary) or question.has(str(value))


def _compile_contain(value: object, vocabulary: Vocabulary) -> tuple[Group, ...]:
    terms = _terms([value], vocabulary)
    return (Group(terms, value),) if terms else ()


def _validate_range(value: object) -> None:
    if not isinstance(value, Mapping) or not set(value) <= _RANGE_KEYS or not {"min", "max"} & set(value):
        raise BadPredicateError(
            f"contain_range: {_shown(value)} is not a range; write an object with min, max or both, and optionally of: "
            "{'min': 10, 'max': 13, 'of': ['intelligence']}"
        )
    for key in ("min", "max"):
        if not _finite(value.get(key, 0)):
            raise BadPredicateError(f"contain_range: {key} is {_shown(value[key])}; write a number below 1e308")
    if value.get("min", -inf) > value.get("max", inf):
        raise BadPredicateError(f"contain_range: min {value['min']} is above max {value['max']}; swap them")
    if "of" in value:
        _check_labels(value["of"])


def _check_labels(labels: object) -> None:
    if isinstance(labels, str) or not isinstance(labels, Sequence) or not labels:
        raise BadPredicateError(f"contain_range: of is {_shown(labels)}; write a list of labels, or leave it out")
    for label in labels:
        if not isinstance(label, str) or not any(map(str.isalnum, label)):
            raise BadPredicateError(
                f"contain_range: of has {_shown(label)}; every label is a string with a letter or digit, such as 'ac'"
            )


def _range(value: Mapping[str, Any], vocabulary: Vocabulary) -> Range:
    labels = value.get("of")
    names = None if labels is None else tuple(dict.fromkeys(canonical_label(name, vocabulary) for name in labels))
    return Range(float(value.get("min", -inf)), float(value.get("max", inf)), names)


def _match_range(question: Canonical, value: Mapping[str, Any]) -> bool:
    return _range(value, question.vocabulary).holds(question)


def _compile_range(value: Mapping[str, Any], vocabulary: Vocabulary) -> tuple[Group, ...]:
    return (Group((_range(value, vocabulary),), value),)


def _validate_across(value: object) -> None:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != _SIDES:
        raise BadPredicateError(
            f"contain_across: {_shown(value)} is not two lists of terms; write [['fighter'], ['ac 9', 'armor class 9']]"
        )
    for side in value:
        _check_terms("contain_across", side)


def _match_across(question: Canonical, value: Sequence[Sequence[object]]) -> bool:
    sides = Sides.of(question)
    first, second = ([canonical_term(str(term), question.vocabulary) for term in side] for side in value)
    return sides is None or sides.parts(first, second)


def _why_not_across(question: Canonical, value: Sequence[Sequence[object]]) -> str:  # noqa: ARG001
    sides = Sides.of(question)
    return f"what it names is all on one side, {sides.left.strip()!r} or {sides.right.strip()!r}" if sides else ""


def _validate_no_rival(value: object) -> None:
    if member(value) is None:
        raise BadPredicateError(
            f"{NO_RIVAL}: {_shown(value)} is not a row of a table; write {{'table': 'weapons', 'row': 3}}"
        )


def _rival(question: Canonical, value: Mapping[str, Any]) -> str:
    return question.rivals.why(value["table"], value["row"]) if question.rivals else ""


def _match_no_rival(question: Canonical, value: Mapping[str, Any]) -> bool:
    return not _rival(question, value)


def _compile_no_rival(value: Mapping[str, Any], vocabulary: Vocabulary) -> tuple[Group, ...]:  # noqa: ARG001
    """Return no groups: atoms of one row cannot express it, so `SiblingIndex` compiles whole tables."""
    return ()


register_operator(Operator("contain_one_of", _validate_one_of, _match_one_of, _compile_one_of))
register_operator(Operator("contain_all_of", _validate_all_of, _match_all_of, _compile_all_of))
register_operator(Operator("contain", _validate_contain, _match_contain, _compile_contain))
register_operator(Operator("contain_range", _validate_range, _match_range, _compile_range))
register_operator(Operator("contain_across", _validate_across, _match_across, None, _why_not_across, asks_more=False))
register_operator(Operator(NO_RIVAL, _validate_no_rival, _match_no_rival, _compile_no_rival, _rival))
