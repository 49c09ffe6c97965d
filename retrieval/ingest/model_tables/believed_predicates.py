"""Which of a model's conditions are believed: those that can be met, and that their own row meets."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from retrieval.errors import BadPredicateError
from retrieval.ingest.model_tables.form import ModelPredicate
from retrieval.ingest.tables.table import Table
from retrieval.query_must.canonical.canonical import canonical
from retrieval.query_must.lint import Finding, LintItem, lint, unusable
from retrieval.query_must.predicate import parse_query_must, satisfies_query_must
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Row


@dataclass(frozen=True, slots=True)
class BelievedPredicates:
    """Conditions by ordinal, and those that were dropped with the reason."""

    kept: Mapping[int, str]
    dropped: tuple[tuple[int, str], ...]


def believed_predicates(
    table: Table,
    offline: Mapping[int, Row],
    titles: Mapping[int, str],
    given: Mapping[int, ModelPredicate],
    vocabulary: Vocabulary,
    *,
    by_key_alone: bool,
) -> BelievedPredicates:
    """Try every condition.

    It must be one that some question meets, that the model's title of the row meets, and the rules' title too: a
    condition with another row's key meets neither. Where the rules know no subject of the table, what the row is
    called must be enough.
    """
    written = {ordinal: text for ordinal, predicate in given.items() if (text := _written(predicate))}
    dropped: dict[int, str] = {}
    for ordinal, text in written.items():
        try:
            parse_query_must(text, strict=True)
        except BadPredicateError as error:
            dropped[ordinal] = f"invalid: {error}"
    sound = {ordinal: text for ordinal, text in written.items() if ordinal not in dropped}
    for said_by in (titles, {ordinal: _title(row) for ordinal, row in offline.items()}):
        items = [LintItem(str(ordinal), said_by[ordinal], table.id, text) for ordinal, text in sound.items()]
        findings = lint(items, vocabulary)
        harmful = unusable(findings)
        for ordinal in sound:
            if str(ordinal) in harmful:
                dropped.setdefault(ordinal, _reason(findings, str(ordinal)))
    for ordinal, text in sound.items():
        called = offline[ordinal].called or offline[ordinal].key
        if by_key_alone and not satisfies_query_must(canonical(called, vocabulary), text):
            dropped.setdefault(ordinal, f"it asks for more than the key: {called!r} does not satisfy {text}")
    kept = {ordinal: text for ordinal, text in written.items() if ordinal not in dropped}
    return BelievedPredicates(kept, tuple(sorted(dropped.items())))


def _written(predicate: ModelPredicate) -> str:
    """The condition as JSON without what asks nothing; empty if that is all."""
    said = predicate.model_dump(exclude_none=True)
    if span := said.get("contain_range"):
        said["contain_range"] = {name: value for name, value in span.items() if value != []}
    found = {name: value for name, value in said.items() if value not in ([], "", {})}
    if "contain_one_of" in found:
        found["contain_one_of"] = [group for group in found["contain_one_of"] if group]
    return json.dumps(found, ensure_ascii=False) if any(found.values()) else ""


def _title(row: Row) -> str:
    return str(json.loads(row.content)["title"])


def _reason(findings: tuple[Finding, ...], ordinal: str) -> str:
    return next(f"{each.rule}: {each.message}" for each in findings if each.id == ordinal and each.severity == "error")
