"""The sample book and its questions belong together: every gold anchor is in the book as written."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from evals.sample import SAMPLE_LIBRARY, SAMPLE_QUESTIONS

LIBRARY = SAMPLE_LIBRARY
QUESTIONS: list[dict[str, Any]] = [
    json.loads(line) for line in SAMPLE_QUESTIONS.read_text(encoding="utf-8").splitlines()
]
GOLD = [(question["id"], anchor) for question in QUESTIONS for anchor in question["gold"]]
EXAMPLES = (
    "What does a 7th level cleric need to roll to hit AC 6?",
    "Who wins: 4th level fighter (AC 3) vs 7th level fighter (AC 9)?",
    "Who wins: 4th level fighter (AC 3) vs 7th level druid (AC 9)?",
)


def lines_under_headings(path: Path) -> list[tuple[list[str], str]]:
    """Pair each line of a markdown file with the headings above it, outermost first."""
    above: list[tuple[int, str]] = []
    pairs = []
    for line in path.read_text(encoding="utf-8").splitlines():
        heading = re.fullmatch(r"(#{1,6}) (.+)", line)
        if heading:
            above = [entry for entry in above if entry[0] < len(heading[1])] + [(len(heading[1]), heading[2])]
        pairs.append(([title for _, title in above], line))
    return pairs


def cells_of(line: str) -> list[str]:
    """Give the cells of a pipe row or of an HTML row on one line."""
    if line.startswith("<tr>"):
        return re.findall(r"<t[dh]>(.*?)</t[dh]>", line)
    return [cell.strip() for cell in line.strip("|").split("|")]


def is_header(line: str, below: str) -> bool:
    return below.startswith("| ---") or line.startswith("<tr><th>")


def anchors_of(query: str) -> list[tuple[str, str]]:
    gold = next(question["gold"] for question in QUESTIONS if question["query"] == query)
    return [(anchor["heading_path"][-1].split(" ")[0], anchor["row_key"]) for anchor in gold]


@pytest.mark.parametrize(("question_id", "anchor"), GOLD, ids=lambda value: value if isinstance(value, str) else "")
def test_gold_snippet_stands_once_under_its_headings(question_id: str, anchor: dict[str, Any]) -> None:
    pairs = lines_under_headings(LIBRARY / anchor["book"] / anchor["document"])
    lines = [line for path, line in pairs if path == anchor["heading_path"] and anchor["snippet"] in line]
    assert len(lines) == 1, f"{question_id}: {anchor['snippet']!r} is there {len(lines)} times"
    if anchor["row_key"] is None:
        assert lines[0].startswith(anchor["snippet"])
        assert len(anchor["snippet"]) <= 200
    else:
        assert lines[0] == anchor["snippet"]
        assert cells_of(lines[0])[0] == anchor["row_key"]


@pytest.mark.parametrize(("question_id", "anchor"), GOLD, ids=lambda value: value if isinstance(value, str) else "")
def test_gold_caption_is_the_bold_line_above(question_id: str, anchor: dict[str, Any]) -> None:
    pairs = lines_under_headings(LIBRARY / anchor["book"] / anchor["document"])
    position = pairs.index((anchor["heading_path"], anchor["snippet"])) if anchor["row_key"] is not None else None
    if position is None:
        assert anchor["caption"] is None
        return
    above = [line for _, line in pairs[:position] if line.strip() and not line.startswith(("|", "<"))]
    bold = re.fullmatch(r"\*\*([^*]+)\*\*", above[-1])
    assert anchor["caption"] == (bold[1] if bold else None), question_id


def test_only_no_answer_questions_lack_gold() -> None:
    for question in QUESTIONS:
        assert (question["kind"] == "no-answer") == (not question["gold"]), question["id"]
        if question["kind"] == "comparison":
            assert len(question["gold"]) >= 2, question["id"]


def test_published_examples_have_the_gold_of_the_meaning() -> None:
    cleric, fighters, druid = (sorted(anchors_of(query)) for query in EXAMPLES)
    assert cleric == [("I.A.", "6")]
    assert fighters == [("I.B.", "3"), ("I.B.", "9")]
    assert druid == [("I.A.", "3"), ("I.B.", "9")]
    assert all("example" in question["tags"] for question in QUESTIONS if question["query"] in EXAMPLES)


def test_numbers_of_a_look_up_answer_stand_in_its_row() -> None:
    for question in QUESTIONS:
        if question["kind"] == "matrix-lookup":
            (anchor,) = question["gold"]
            missing = set(re.findall(r"\d+", question["answer"])) - set(re.findall(r"\d+", anchor["snippet"]))
            assert not missing, f"{question['id']}: {missing} not in {anchor['snippet']!r}"


def test_look_up_answer_is_the_cell_under_its_column() -> None:
    for question in QUESTIONS:
        if "column" not in question["keys"]:
            continue
        (anchor,) = question["gold"]
        pairs = lines_under_headings(LIBRARY / anchor["book"] / anchor["document"])
        above = [line for _, line in pairs[: pairs.index((anchor["heading_path"], anchor["snippet"]))]]
        header = next(
            line for line, below in zip(above[::-1], ["", *above[::-1]], strict=False) if is_header(line, below)
        )
        columns = [position for position, cell in enumerate(cells_of(header)) if cell == question["keys"]["column"]]
        values = [cells_of(anchor["snippet"])[column] for column in columns]
        assert question["answer"] in values, question["id"]


def test_attack_questions_ask_for_the_column_of_their_level() -> None:
    for question in QUESTIONS:
        if "attack-matrix" in question["tags"] and question["kind"] == "matrix-lookup":
            first, _, last = question["keys"]["column"].removeprefix("Level ").rstrip("+").partition("-")
            assert int(first) <= int(question["keys"]["level"]) <= int(last or 99), question["id"]
            assert question["gold"][0]["row_key"] == question["keys"]["ac"], question["id"]
