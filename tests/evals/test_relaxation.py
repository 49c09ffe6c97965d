import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from evals.evaluation import Evaluation, evaluate
from evals.relaxation import EXAMPLES, GivenUp, last_day, relaxation, relaxation_of
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES
from retrieval.understand.self_query.filters import Trigger
from retrieval.understand.self_query.retriever import SelfQueryRetriever
from tests.chunks import EMPTY

BOATS = (("tug", "Rotterdam", "2024-02-01"), ("ferry", "Dover", "2026-05-03"), ("ferry", "Oslo", "2025-01-09"))


@pytest.fixture(scope="module")
def boats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SelfQueryRetriever]:
    chunks = [
        replace(
            EMPTY,
            id=f"c{position}",
            document=f"boat-{position}.md",
            text="A boat.",
            search_text="A boat.",
            source="A boat.",
            metadata={"type": kind, "port": port, "arrived": day},
        )
        for position, (kind, port, day) in enumerate(BOATS)
    ]
    home, embedder = tmp_path_factory.mktemp("boats"), load_embedder()
    vectors = np.eye(len(chunks), embedder.identity.dimensions, dtype=np.float32)
    manifest = build_snapshot(home, chunks, vectors, embedder.identity, Vocabulary.default())
    with open_snapshot(home, manifest.id) as snapshot:
        yield SelfQueryRetriever(Retriever(snapshot, embedder), today=lambda: date(2026, 6, 1))


def test_the_rate_is_of_the_questions_that_state_conditions(boats: SelfQueryRetriever) -> None:
    relaxation = relaxation_of(boats, ["ferry documents", "tug documents, port: Dover", "how is a knot tied?"])
    assert (relaxation.n_questions, relaxation.n_stating, relaxation.n_relaxed) == (3, 2, 1)
    assert relaxation.rate == 0.5
    (pattern,) = relaxation.patterns
    assert pattern.why == Trigger.NO_RESULTS.value
    (example,) = pattern.examples
    assert example.query == "tug documents, port: Dover"
    assert example.left > 0
    assert relaxation_of(boats, ["how is a knot tied?"]).rate is None


def test_patterns_are_by_field_the_most_frequent_first_with_their_first_questions(boats: SelfQueryRetriever) -> None:
    often = [f"tug documents since 2026, please {number}" for number in range(EXAMPLES + 2)]
    nothing = "ferry documents, port: Rotterdam, since 2026-06-02"
    relaxation = relaxation_of(boats, [nothing, *often])
    assert [(pattern.field, pattern.count) for pattern in relaxation.patterns] == [
        ("type", 6),
        ("arrived", 1),
        ("port", 1),
    ]
    first = relaxation.patterns[0]
    assert [example.query for example in first.examples] == [nothing, *often[: EXAMPLES - 1]]
    assert first.examples[1] == GivenUp(often[0], ("tug",), 1)
    assert first.examples[0].left == len(BOATS), "nothing of it holds of any boat, so all conditions went"


def test_relative_times_go_back_from_the_last_day_of_the_documents(boats: SelfQueryRetriever) -> None:
    assert last_day(boats.catalog) == date(2026, 5, 3)


def test_the_questions_of_an_evaluation_are_read_once_whatever_was_scored(boats, tmp_path):
    request = ("ferry documents since last month", "tug documents since 2026", "tug documents")
    gold = [{"document": "boat-1.md", "snippet": "A boat."}]
    lines = [json.dumps({"id": f"q{position}", "query": query, "gold": gold}) for position, query in enumerate(request)]
    (tmp_path / "boats.jsonl").write_text("\n".join(lines))
    retriever = boats.vector_store
    evaluation = evaluate(
        retriever.snapshot, retriever.embedder, [tmp_path / "boats.jsonl"], [STRATEGIES["bm25"], STRATEGIES["dense"]]
    )
    result = relaxation(retriever, evaluation)
    assert (result.n_questions, result.n_stating, result.rate) == (3, 3, pytest.approx(1 / 3))
    assert [pattern.examples[0].query for pattern in result.patterns] == [request[1]]
    assert relaxation(retriever, Evaluation(retriever.snapshot.id)).rate is None
