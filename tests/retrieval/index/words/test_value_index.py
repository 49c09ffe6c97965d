import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from retrieval.index.words.value_index import Quotes, ValueIndex
from retrieval.language.terms import tokens
from tests.chunks import EMPTY

ROW = replace(EMPTY, kind="row")


def row(**cells):
    columns = tuple(name.replace("_", " ") for name in cells)
    return replace(ROW, columns=columns, cells=tuple(cells.values()))


CHUNKS = [
    row(game="45", high_points="Leandro Barbosa (32)", score="3-0"),
    row(game="57", high_points="Leandro Barbosa (18)", score="3-0"),
    row(weapon="Crossbow, heavy", cost="45"),
    row(game="game", high_points="high points", score="score"),
]
NAMES = [(), (), ("Crossbow, heavy", "heavy crossbow"), ()]


@pytest.fixture
def index():
    return ValueIndex.build(CHUNKS, NAMES)


def quotes(index, question):
    words = tokens(question)
    quotes = index.quotes(words, dict.fromkeys(words, 1.0))
    everywhere = np.zeros((2, index.n_chunks))
    everywhere[:, quotes.positions] = quotes.name, quotes.cell
    return Quotes(np.arange(index.n_chunks), *everywhere)


def test_a_whole_cell_is_quoted_and_a_part_of_it_is_not(index):
    assert quotes(index, "when leandro barbosa 32 scored").cell.tolist() == [3, 0, 0, 0]
    assert quotes(index, "when leandro scored").cell.tolist() == [0, 0, 0, 0]


def test_a_figure_does_not_count(index):
    assert quotes(index, "the result of game 45").cell.tolist() == [0, 0, 0, 0]


def test_a_name_is_quoted_in_any_of_its_spellings_and_its_words_count_once(index):
    result = quotes(index, "range of a heavy crossbow")

    assert result.name.tolist() == [0, 0, 2, 0]
    assert result.cell.tolist() == [0, 0, 0, 0]


def test_a_cell_that_repeats_its_heading_is_no_quote(index):
    assert quotes(index, "what game has which score").cell.tolist() == [0, 0, 0, 0]


def test_words_after_the_63rd_quote_nothing(index):
    assert quotes(index, "x " * 60 + "leandro barbosa 32").cell.tolist() == [3, 0, 0, 0]
    assert quotes(index, "x " * 61 + "leandro barbosa 32").cell.tolist() == [0, 0, 0, 0]


def test_a_library_without_tables_quotes_nothing():
    assert quotes(ValueIndex.build([ROW], [()]), "anything at all").cell.tolist() == [0]


def test_the_sum_of_weights_is_the_same_in_every_process():
    code = """
from tests.retrieval.index.words.test_value_index import row
from retrieval.index.words.value_index import ValueIndex
words = "ant bee cat dog eel fox gnu hen ibex".split()
index = ValueIndex.build([row(name=" ".join(words))], [()])
print(index.quotes(words, {word: 0.1 * (place + 1) for place, word in enumerate(words)}).cell.tolist())
"""
    stdouts = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in "0123456"
    }
    assert len(stdouts) == 1
    assert "4.5" in stdouts.pop()
