"""The row reader, with the adapter that is shipped."""

import numpy as np
import pytest

from retrieval.index.embedding.minilm_model import MiniLmEmbedder
from retrieval.rag.row_reader import LONGEST, SHIPPED_READER, RowTokens

TOKENIZER = MiniLmEmbedder(query_adapter=None).tokenizer
VESSEL = ("Vessel", "Berth charge", "Moorage deadline")


def shown(row: RowTokens) -> list[str]:
    return [TOKENIZER.decode(row.tokens[start:end]) for start, end in row.spans]


def test_each_cell_is_read_with_its_head_after_the_question() -> None:
    row = RowTokens.of("what does it cost", VESSEL, ("Albatross", "120", ""), TOKENIZER)

    assert shown(row) == ["vessel : albatross", "berth charge : 120", "moorage deadline : -"]
    assert TOKENIZER.decode(row.tokens, skip_special_tokens=False).startswith("[CLS] what does it cost [SEP] vessel")
    assert row.tokens[-1] == TOKENIZER.token_to_id("[SEP]")


def test_a_row_is_read_as_far_as_the_model_can_and_its_first_cell_always() -> None:
    long = RowTokens.of("what " * 99, ["head " * 99] * 40, ["cell " * 99] * 40, TOKENIZER)

    assert len(long.tokens) <= LONGEST
    assert 1 < len(long.spans) < 40


def test_the_best_cell_has_the_score_0_and_cells_beyond_the_last_that_is_read_have_the_lowest() -> None:
    scores = SHIPPED_READER.scores("which port is it?", ["head " * 9] * 40, ["cell " * 9] * 40)

    assert (scores.shape, scores.max()) == ((40,), 0.0)
    assert (scores[-1], scores[-2]) == (scores.min(), scores.min())


@pytest.mark.parametrize(("question", "best"), [("how expensive is a mace?", 1), ("how far can I hit with a mace?", 3)])
def test_a_cell_is_found_by_other_words_than_those_of_its_head(question: str, best: int) -> None:
    columns, cells = ("Weapon", "Cost", "Damage", "Reach"), ("Mace", "8 gp", "1d6", "5 ft")

    scores = SHIPPED_READER.scores(question, columns, cells)

    assert scores.argmax() == best
    assert np.array_equal(scores, SHIPPED_READER.scores(question, columns, cells))


def test_half_a_surrogate_pair_is_read_as_a_mark() -> None:
    assert np.isfinite(SHIPPED_READER.scores("what \udcff costs", VESSEL, ("A\udcff", "120", "48"))).all()
