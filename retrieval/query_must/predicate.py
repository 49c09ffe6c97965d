"""A query_must predicate: extraction, parsing, and whether a question satisfies it.

A predicate can be the JSON text in a chunk's metadata, the decoded object, a bare list of groups, or absent. When a row
is made it is read strictly; when an index is read, unknown or invalid parts are ignored with a logged warning, so that
an old index loses no chunks.
"""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from retrieval.errors import BadPredicateError
from retrieval.language.canonical import Canonical, canonical
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.operators import NO_RIVAL, OPERATORS, Group, Operator, registry_state
from retrieval.query_must.siblings import Siblings

_log = logging.getLogger(__name__)

Predicate = Mapping[str, Any] | Sequence[Any] | str | None
"""A query_must in any of its forms; a string is JSON text."""

SATISFIED = "satisfies query_must"
UNRESTRICTED = "no restrictions"


@dataclass(frozen=True, slots=True)
class Condition:
    """One operator with its valid value."""

    operator: Operator
    value: Any

    def holds(self, question: Canonical) -> bool:
        """Whether the question satisfies it."""
        return self.operator.match(question, self.value)

    def groups(self, vocabulary: Vocabulary) -> tuple[Group, ...] | None:
        """Return the condition as groups that must all hold, or None if its operator cannot be compiled."""
        return None if self.operator.compile is None else self.operator.compile(self.value, vocabulary)

    def failure(self, question: Canonical) -> str:
        """Return why it does not hold: the operator with its reason, or with the group that failed."""
        if self.operator.reason is not None:
            return f"{self.operator.name} failed: {self.reason(question)}"
        return f"{self.operator.name} failed group: {self.failed_group(question)}"

    def reason(self, question: Canonical) -> str:
        """Return why it does not hold, if its operator explains that in words; else an empty string."""
        return "" if self.operator.reason is None else self.operator.reason(question, self.value)

    def failed_group(self, question: Canonical) -> str:
        """Return the first group that does not hold, as written in the predicate; the whole value if there are no
        groups."""
        group = self.failed(question)
        return json.dumps(self.value, ensure_ascii=False, default=str) if group is None else group.source

    def failed(self, question: Canonical) -> Group | None:
        """Return the first group that does not hold; None if there are no groups."""
        return next((group for group in self.groups(question.vocabulary) or () if not group.holds(question)), None)


@dataclass(frozen=True, slots=True)
class Ignored:
    """A part of a predicate that was left out, and why."""

    message: str
    unknown: bool = False
    """Whether no operator of that name is registered here; it may be elsewhere."""


@dataclass(frozen=True, slots=True)
class QueryMust:
    """A parsed predicate. All conditions must hold; without conditions it always holds."""

    conditions: tuple[Condition, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    """Parts that could not be understood."""

    def holds(self, question: Canonical) -> bool:
        """Whether every condition holds."""
        return all(condition.holds(question) for condition in self.conditions)


def parse_query_must(query_must: Predicate, *, strict: bool) -> QueryMust:
    """Read a predicate in any of its forms.

    Raises BadPredicateError when strict, for text that is not JSON, an unknown operator or a value that cannot be
    checked. Otherwise such a part is left out, listed in `ignored`, and logged as a warning.
    """
    try:
        value = _decode(query_must)
    except BadPredicateError as error:
        return _leave_out(strict, error, QueryMust())
    predicate = QueryMust()
    for name, argument in value.items():
        try:
            condition = _condition(name, argument)
        except BadPredicateError as error:
            predicate = _leave_out(strict, error, predicate, unknown=name not in OPERATORS)
        else:
            predicate = QueryMust((*predicate.conditions, condition), predicate.ignored)
    return predicate


def read_query_must(query_must: Predicate | QueryMust) -> QueryMust:
    """Read a predicate as an index does: not strictly, and the same text only once."""
    if isinstance(query_must, QueryMust):
        return query_must
    if isinstance(query_must, str):
        return _read_text(query_must, registry_state())
    return parse_query_must(query_must, strict=False)


def satisfies_query_must(
    query: str | Canonical,
    query_must: Predicate | QueryMust,
    vocabulary: Vocabulary | bool | None = None,
    *,
    debug: bool = False,
    rivals: Siblings | None = None,
) -> bool:
    """Check if a question satisfies a chunk's requirements; no requirements always pass.

    Args:
        query: the question.
        query_must: the requirements in any of their forms.
        vocabulary: for the canonical form; the generic one when None. True or False here is `debug`, which came third
            in the first implementation of this idea.
        debug: log the reason too, at level INFO.
        rivals: the tables of the rows that `contain_no_rival` names; without them it requires nothing.

    >>> satisfies_query_must("7th level cleric, armour class 6", {"contain_one_of": [["cleric"], ["ac 6"]]})
    True
    >>> satisfies_query_must("7th level cleric, armour class 60", {"contain_one_of": [["cleric"], ["ac 6"]]})
    False
    """
    if isinstance(vocabulary, bool):
        vocabulary, debug = None, vocabulary or debug
    predicate = read_query_must(query_must)
    if debug:
        _log.info("%s", explain(query, predicate, vocabulary, rivals))
    return not predicate.conditions or predicate.holds(_question(query, vocabulary, rivals))


def validate_contain_one_of(query: str | Canonical, query_must: Predicate) -> bool:
    """Check that every group has a term in the question; true if the operator is not present."""
    return _check_operator(query, query_must, "contain_one_of")


def validate_contain_all_of(query: str | Canonical, query_must: Predicate) -> bool:
    """Check that every term is in the question; true if the operator is not present."""
    return _check_operator(query, query_must, "contain_all_of")


def validate_contain(query: str | Canonical, query_must: Predicate) -> bool:
    """Check that the term is in the question; true if the operator is not present."""
    return _check_operator(query, query_must, "contain")


def validate_contain_range(query: str | Canonical, query_must: Predicate) -> bool:
    """Check that a number of the question lies in the range; true if the operator is not present."""
    return _check_operator(query, query_must, "contain_range")


def explain(
    question: str | Canonical,
    query_must: Predicate | QueryMust,
    vocabulary: Vocabulary | None = None,
    rivals: Siblings | None = None,
) -> str:
    """Return the receipt's reason: `no restrictions`, `satisfies query_must`, or the operator and group that failed."""
    predicate = read_query_must(query_must)
    if not predicate.conditions:
        return UNRESTRICTED
    canonical_question = _question(question, vocabulary, rivals)
    for condition in predicate.conditions:
        if not condition.holds(canonical_question):
            return condition.failure(canonical_question)
    return _satisfied(predicate, canonical_question)


def _satisfied(predicate: QueryMust, question: Canonical) -> str:
    """Return that it is satisfied; if the question names the row, also why no other row is excluded."""
    key = next((condition.value for condition in predicate.conditions if condition.operator.name == NO_RIVAL), None)
    reason = question.rivals.why_not_applied(key["table"], key["row"]) if key and question.rivals else ""
    return f"{SATISFIED}: held back, {reason}" if reason else SATISFIED


def _check_operator(query: str | Canonical, query_must: Predicate, name: str) -> bool:
    conditions = [condition for condition in read_query_must(query_must).conditions if condition.operator.name == name]
    return not conditions or QueryMust(tuple(conditions)).holds(_question(query, None))


def _question(query: str | Canonical, vocabulary: Vocabulary | None, rivals: Siblings | None = None) -> Canonical:
    question = canonical(query, vocabulary) if isinstance(query, str) else query
    return question if rivals is None else replace(question, rivals=rivals.read(question))


@lru_cache(maxsize=1 << 14)
def _read_text(text: str, state: int) -> QueryMust:  # noqa: ARG001  (another registry is another reading)
    return parse_query_must(text, strict=False)


def _decode(query_must: Predicate) -> Mapping[str, Any]:
    value: Any = query_must
    if isinstance(query_must, str):
        try:
            value = json.loads(query_must)
        except (ValueError, RecursionError) as error:
            raise BadPredicateError(f"query_must {query_must[:200]!r} is not JSON: {error}; write an object") from error
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return value
    if isinstance(value, Sequence) and not isinstance(value, str):
        return {"contain_one_of": value}
    raise BadPredicateError(f"query_must is {value!r}; write an object of operators or a list of groups")


def _condition(name: str, value: Any) -> Condition:
    operator = OPERATORS.get(name)
    if operator is None:
        known = ", ".join(OPERATORS)
        raise BadPredicateError(f"query_must has an unknown operator {name!r}; the operators are {known}")
    operator.validate(value)
    return Condition(operator, value)


def _leave_out(strict: bool, error: BadPredicateError, predicate: QueryMust, *, unknown: bool = False) -> QueryMust:
    if strict:
        raise error
    _log.warning("left out of a query_must: %s", error)
    return QueryMust(predicate.conditions, (*predicate.ignored, Ignored(str(error), unknown)))


_DECODER = json.JSONDecoder()
_KEY = "query_must"


class Extraction(NamedTuple):
    """A predicate, and the content without it."""

    query_must: str | None
    """The predicate as JSON; None if there was none, or an empty one, which requires nothing."""
    content: str


def extract_query_must(content: str) -> Extraction:
    """Remove every `query_must` from every JSON object; the first counts. Invalid JSON and plain text are unchanged."""
    predicates: list[Any] = []
    cleaned: list[str] = []
    done = 0
    for start, stop, value in _objects(content):
        taken = list(_take(value))
        if taken:
            predicates += taken
            cleaned.append(content[done:start])
            cleaned.append(json.dumps(value, ensure_ascii=False, indent=_indent(content[start:stop])))
            done = stop
    predicate = json.dumps(predicates[0], ensure_ascii=False) if predicates and predicates[0] else None
    return Extraction(predicate, "".join(cleaned) + content[done:])


def predicates_in(content: str) -> tuple[int, ...]:
    """Return where the JSON objects with a `query_must` begin, once for each of them: several are of several rows.

    One chunk cannot have several: the first would apply to the rows of all others.
    """
    return tuple(start for start, _, value in _objects(content) for taken in _take(value) if taken)


def _objects(content: str) -> Iterator[tuple[int, int, Any]]:
    """Yield start, end and value of every outermost JSON object; nothing if the content has no `query_must`."""
    start = content.find("{") if f'"{_KEY}"' in content else -1
    while start >= 0:
        try:
            value, stop = _DECODER.raw_decode(content, start)
        except (ValueError, RecursionError):
            start = content.find("{", start + 1)
            continue
        yield start, stop, value
        start = content.find("{", stop)


def _take(value: Any) -> Iterator[Any]:
    """Remove every `query_must` from a decoded value; those of outer objects come before those of inner ones."""
    if isinstance(value, dict):
        if _KEY in value:
            yield value.pop(_KEY)
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            yield from _take(member)


def _indent(source: str) -> int | None:
    """Return the indentation of an object's first member, or None if it is on one line."""
    _, newline, rest = source.partition("\n")
    return len(rest) - len(rest.lstrip(" ")) if newline else None
