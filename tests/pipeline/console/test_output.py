"""What a book says is printed and never obeyed."""

import json

import pytest
from rich.text import Text

from pipeline.console.output import err, first_of, out, print_error, print_json

HOSTILE = "a\x1b[2Jb\x1b]0;owned\x07c\x9b31md\x7f"


@pytest.mark.parametrize("value", [HOSTILE, Text(HOSTILE)], ids=["text", "styled"])
def test_escape_sequences_of_a_book_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str], value: str) -> None:
    out.print(value)
    err.print(value)
    print_error(HOSTILE)

    captured = capsys.readouterr()

    assert "a [2Jb ]0;ownedc 31md " in captured.out
    assert all(letter.isprintable() or letter == "\n" for letter in captured.out + captured.err)


def test_lines_and_tabs_stay(capsys: pytest.CaptureFixture[str]) -> None:
    out.print("a\tb\nc")

    assert capsys.readouterr().out.split("\n")[1:] == ["c", ""]


def test_json_keeps_them_as_data_and_writes_them_so_that_no_terminal_reads_them(capsys):
    print_json({"é": HOSTILE})

    printed = capsys.readouterr().out

    assert json.loads(printed) == {"é": HOSTILE}
    assert "é" in printed
    assert all(letter.isprintable() or letter == "\n" for letter in printed)


def test_of_many_lines_the_first_are_shown_and_the_others_counted() -> None:
    assert list(first_of(["a", "b"])) == ["a", "b"]
    assert list(first_of(["a", "b", "c"], 1)) == ["a", "and 2 more; --json lists all"]
