"""The sums of evidence, whose loops are written for speed, against plain ones."""

import math

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.value_index import NEAREST
from retrieval.search.evidence import gather
from retrieval.search.query import Query
from retrieval.types import Chunk

WORDS = [
    "cleric",
    "thieves",
    "AC 6",
    "armor class -2",
    "level",
    "dragon",
    "weapons",
    "hit",
    "dagger",
    "1d6",
    "the",
    "xyz",
]
QUESTION = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)


def said_by(chunk: Chunk, part: str) -> str:
    heads = [*chunk.heading_path[-NEAREST:], *([chunk.caption] if chunk.caption else [])]
    return {
        "text": chunk.search_text,
        "title": " ".join(heads) if chunk.table_id else "",
        "column": " ".join(chunk.columns) if chunk.table_id else "",
        "head": " ".join([*heads, *(chunk.names if chunk.kind == "prose" else ())]),
    }[part]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(QUESTION)
def test_a_share_is_the_rarity_of_the_words_that_stand_there_over_that_of_all(snapshot: Snapshot, text: str) -> None:
    cut, chunks = snapshot.lexical.tokenize, list(snapshot.chunks)
    bags: dict[int, set[str]] = {}
    for chunk, number in zip(chunks, snapshot.evidence.of.tolist(), strict=True):
        bags.setdefault(number, set()).update(cut(chunk.search_text))
    weights = {}
    for word in dict.fromkeys(cut(text)):
        n = sum(word in bag for bag in bags.values())
        weights[word] = math.log1p((len(bags) - n + 0.5) / (n + 0.5)) if n else 0.0
    whole = sum(weights.values()) or 1.0
    question = Query.ask(text, snapshot.vocabulary)
    result = gather(snapshot, question, np.zeros(len(chunks))).at(np.arange(len(chunks)))
    for part in ("text", "title", "column", "head"):
        for chunk, share in zip(chunks, result[part].tolist(), strict=True):
            words = set(cut(said_by(chunk, part)))
            expected = sum(weight for word, weight in weights.items() if word in words) / whole
            assert math.isclose(share, min(expected, 1.0), abs_tol=1e-12), (part, chunk.id)
