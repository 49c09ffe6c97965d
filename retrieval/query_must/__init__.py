"""Predicates about the question: canonical text, operators, the compiled index, and the lint.

::

    canonical(question)                   the text in a form that can be compared
    satisfies_query_must(question, must)  the plain meaning
    explain(question, must)               the reason in words
    in_words(must)                        the requirement itself in words
    refusal(text, question, must, chunk)  one sentence for a person: why a chunk is excluded
    CompiledPredicates                    the same for a whole index at once
    lint(rows)                            the faults of predicates
    parse_query_must(must, strict=True)   rejects values that no question could be checked against
    extract_query_must(content)           from a row's JSON to metadata
"""

from retrieval.language.canonical import Canonical, Span, canonical, canonical_term, literal
from retrieval.language.lexicon import Label
from retrieval.language.vocabulary import Vocabulary, load_vocabulary
from retrieval.query_must.compiled.naming import NamedRows
from retrieval.query_must.compiled.predicates import CompiledPredicates
from retrieval.query_must.lint import LintFinding, LintItem, lint, unusable
from retrieval.query_must.operators import OPERATORS, Operator, register_operator, unregister_operator
from retrieval.query_must.predicate import (
    Extraction,
    Predicate,
    QueryMust,
    explain,
    extract_query_must,
    parse_query_must,
    satisfies_query_must,
    validate_contain,
    validate_contain_all_of,
    validate_contain_one_of,
    validate_contain_range,
)
from retrieval.query_must.refusal import in_words, refusal

__all__ = [
    "OPERATORS",
    "Canonical",
    "CompiledPredicates",
    "Extraction",
    "Label",
    "LintFinding",
    "LintItem",
    "NamedRows",
    "Operator",
    "Predicate",
    "QueryMust",
    "Span",
    "Vocabulary",
    "canonical",
    "canonical_term",
    "explain",
    "extract_query_must",
    "in_words",
    "lint",
    "literal",
    "load_vocabulary",
    "parse_query_must",
    "refusal",
    "register_operator",
    "satisfies_query_must",
    "unregister_operator",
    "unusable",
    "validate_contain",
    "validate_contain_all_of",
    "validate_contain_one_of",
    "validate_contain_range",
]
