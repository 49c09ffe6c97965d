"""What each reader of text sees of each notation: `notations.tsv` has a line for each, read by hand."""

import csv
from pathlib import Path

import pytest

from retrieval.language.numbers import AS_TEXT, Quantity, quantities, whole_quantity
from retrieval.language.terms import tokens
from retrieval.query_must import canonical

with Path(__file__).with_name("notations.tsv").open(encoding="utf-8", newline="") as file:
    NOTATIONS = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def described(quantity: Quantity | None) -> str:
    if quantity is None:
        return ""
    ends = dict.fromkeys((f"{quantity.low:g}", f"{quantity.high:g}"))
    value = quantity.text if quantity.kind in AS_TEXT else "..".join(ends)
    unit, label = f" {quantity.unit}" if quantity.unit else "", f" of {quantity.label}" if quantity.label else ""
    return f"{quantity.kind} {value}{unit}{label}"


def test_there_are_enough_notations() -> None:
    assert len({notation["text"] for notation in NOTATIONS}) == len(NOTATIONS) >= 120


@pytest.mark.parametrize("notation", NOTATIONS, ids=[notation["text"] for notation in NOTATIONS])
def test_every_reader_sees_what_a_notation_says(notation: dict[str, str]) -> None:
    text = notation["text"]
    assert " ".join(tokens(text)) == notation["terms"], "the index"
    assert canonical(text).text.strip() == notation["canonical"], "predicates"
    assert "; ".join(map(described, quantities(text))) == notation["quantities"], "a question"
    assert described(whole_quantity(text)) == notation["cell"], "a cell"
