"""The page on quantities says what the reader does."""

import re
from pathlib import Path

import pytest

from retrieval.language.numbers import quantities

PAGE = (Path(__file__).parents[4] / "docs" / "reference" / "quantities.md").read_text("utf-8")
ROWS = re.findall(r"^\| `(.+)` \| (\S+) \| (\S+) \| (\S*) ?\| (\w+) \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("text", "low", "high", "unit", "kind"), ROWS)
def test_every_row_of_the_page_is_read_so(text, low, high, unit, kind):
    (read,) = quantities(text)
    assert (read.low, read.high) == pytest.approx((float(low), float(high)))
    assert (read.unit or "", read.kind) == (unit, kind)


def test_the_page_has_rows():
    assert len(ROWS) == PAGE.count("\n| `") > 25


def test_the_example_of_the_page_runs(capsys):
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    exec(compile(block, "quantities.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == ["1100.0 2000.0 ton", "1800.0 ton 1,800 ton", "True"]


@pytest.mark.parametrize(
    "text",
    [
        "ROLL_90_YAW_270",
        "H264",
        "v2",
        "3D",
        "L54-30-S400",
        "AX-12A",
        "which one hits harder",
        "1.000,50",
        "18/50",
        "555-12-34",
    ],
)
def test_what_the_page_leaves_alone_is_not_read(text):
    assert f"`{text}`" in PAGE
    assert quantities(text) == ()


def test_a_list_of_two_is_no_decimal():
    assert [read.low for read in quantities("1,5")] == [1, 5]
