"""Whether a question asks for prose or for a row of a table, by its own words: a logistic regression.

Someone who asks `may I wire my own house?` wants a rule; `what does a duplex cost?` asks for a row. The trees see how
the words of a question fit a chunk, and rows have more of these words, whatever is asked.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

from pydantic import ValidationError

from retrieval.errors import IndexCorruptError
from retrieval.files.records import parse_record
from retrieval.language.canonical import Canonical

WEIGHTS = Path(__file__).with_name("question_kind.json")
"""What `python -m tools fit kinds` fitted: the weight of each term."""
START, NUMBER = "^", "#"
"""The beginning of a question, and any token with a digit, in terms."""
LIMIT = 2.0
"""Most log odds: the words of a long question are not independent, and a row must be able to stay first."""


def question_terms(question: Canonical) -> frozenset[str]:
    """Return the words of a question and its pairs of adjacent words, and START alone: `^ may`, `may`, `may i`."""
    return frozenset(_terms([NUMBER if any(map(str.isdigit, token)) else token for token in question.tokens]))


def _terms(words: list[str]) -> Iterator[str]:
    yield START
    yield from words
    yield from (" ".join(pair) for pair in pairwise([START, *words]))


def prose_log_odds(question: Canonical) -> float:
    """Return the log odds that a question asks for prose, if as many questions ask for prose as for rows; at most LIMIT
    either way."""
    weights = _weights()
    odds = sum(weights.get(term, 0.0) for term in sorted(question_terms(question)))
    return min(max(odds, -LIMIT), LIMIT)


@cache
def _weights() -> Mapping[str, float]:
    try:
        return parse_record(WEIGHTS.read_bytes(), dict[str, float])
    except (OSError, ValidationError) as error:
        raise IndexCorruptError(f"{WEIGHTS.name} cannot be read ({error}); install querymust again") from error
