from dataclasses import replace

import numpy as np
import pytest

from retrieval.index import graph_building
from retrieval.index.graph_building import MENTIONED_BY, NEIGHBOURS, THRESHOLD, mentions, similar_pairs
from retrieval.types import Chunk
from tests.chunks import EMPTY


def prose(heading: str, source: str, **fields) -> Chunk:
    return replace(EMPTY, heading_path=("Rules", heading), source=source, **fields)


def row(heading: str, caption: str | None = None, **fields) -> Chunk:
    return replace(
        EMPTY, kind="row", heading_path=("Rules", heading), caption=caption, table_id=f"{heading}{caption}", **fields
    )


def find_mentions(*chunks: Chunk) -> list[tuple[int, str]]:
    return [(position, section[-1]) for position, section in mentions(chunks, lambda text: text.lower().split())]


def test_a_paragraph_beside_a_table_leads_to_the_table_that_it_names_by_heading_or_caption() -> None:
    assert find_mentions(prose("Attack", "add the bonus of strength to it"), row("Attack"), row("Strength")) == [
        (0, "Strength")
    ]
    library = prose("Attack", "see carried loads first"), row("Attack"), row("Strength", "Carried Loads")
    assert find_mentions(*library) == [(0, "Strength")]
    library = prose("Attack", "roll and add"), row("Attack"), row("Strength", "roll and add", introduced=True)
    assert find_mentions(*library) == []


def test_only_a_paragraph_that_introduces_a_table_is_read_also_one_in_the_section_above() -> None:
    assert find_mentions(prose("Tales", "the strength of ten"), row("Attack"), row("Strength")) == []
    above = replace(EMPTY, heading_path=("Rules",), source="mind your strength")
    assert find_mentions(above, row("Attack"), replace(row("Strength"), heading_path=("Abilities", "Strength"))) == [
        (0, "Strength")
    ]


def test_its_own_section_another_book_and_names_of_two_sections_are_not_mentioned() -> None:
    above = replace(EMPTY, heading_path=("Rules",), source="attack with strength")
    assert find_mentions(above, row("Attack"), prose("Attack", "an attack is a roll")) == []
    other = replace(row("Strength"), heading_path=("Monsters", "Strength"), table_id="other")
    assert find_mentions(prose("Attack", "add strength"), row("Attack"), row("Strength"), other) == []
    assert find_mentions(prose("Attack", "add strength"), row("Attack"), row("Strength", book="other")) == []


def test_a_longer_name_wins_over_one_inside_it() -> None:
    library = prose("Attack", "roll a saving throw now"), row("Attack"), row("Saving Throw"), row("Throw")
    assert find_mentions(*library) == [(0, "Saving Throw")]


@pytest.mark.parametrize(("paragraphs", "led"), [(MENTIONED_BY, MENTIONED_BY), (MENTIONED_BY + 1, 0)])
def test_a_name_that_many_paragraphs_say_is_a_word_of_the_book(paragraphs: int, led: int) -> None:
    library = [prose("Attack", "add strength")] * paragraphs
    assert len(find_mentions(*library, row("Attack"), row("Strength"))) == led


def unit(rows: int, seed: int = 0, spread: float = 0.2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(8, 16))
    matrix = (centres[rng.integers(0, 8, size=rows)] + spread * rng.normal(size=(rows, 16))).astype(np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def slow(vectors: np.ndarray, tables: np.ndarray) -> set[tuple[int, int]]:
    pairs = set()
    for one in range(len(vectors)):
        others = [
            (-float(vectors[one] @ vectors[other]), other)
            for other in range(len(vectors))
            if other != one and (tables[one] < 0 or tables[one] != tables[other])
        ]
        near = [other for score, other in sorted(others)[:NEIGHBOURS] if -score >= THRESHOLD]
        pairs |= {(min(one, other), max(one, other)) for other in near}
    return pairs


@pytest.mark.parametrize("rows", [1, 2, 5, 60])
def test_pairs_are_the_nearest_above_the_threshold(rows: int) -> None:
    vectors = unit(rows)
    tables = np.asarray([number // 7 if number % 3 else -1 for number in range(rows)], dtype=np.int32)
    assert set(map(tuple, similar_pairs(vectors, tables).tolist())) == slow(vectors, tables)


def test_of_many_chunks_most_near_pairs_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, tables = unit(600), np.full(600, -1, dtype=np.int32)
    exact = set(map(tuple, similar_pairs(vectors, tables).tolist()))
    monkeypatch.setattr(graph_building, "EXACT", 100)
    result = similar_pairs(vectors, tables)
    scores = np.einsum("ij,ij->i", vectors[result[:, 0]], vectors[result[:, 1]])
    assert (scores >= THRESHOLD).all()
    assert len(exact & set(map(tuple, result.tolist()))) / len(exact) > 0.6
    assert np.array_equal(result, similar_pairs(vectors, tables)), "the same pivots every time"
