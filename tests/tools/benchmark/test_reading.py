from pathlib import Path

import pytest

from evals.questions.questions import Anchor, Question, load_questions
from tools.benchmark.reading import Gold, Reading, ShownText, SourceLine, count_words, normalized, read, tokens
from tools.benchmark.system import Passage

ROW = SourceLine.of("| Crane | over 1,071 | 79.50 |  | **C**¹ |", "a.md", 7)
JSON = '{\n "title": "Women - Crane",\n "Short": "C",\n "Up to, kg": 79.5,\n "Class": "Crane",\n "Over": "over 1071"\n}'


@pytest.mark.parametrize(
    ("line", "result"),
    [
        ("|  a |b |", "|a|b|"),
        ("| **a** |  | `b` |", "|a||b|"),
        ("  <tr> <td>a</td><td></td> <td class='x'>b</td> </tr>", "|a||b|"),
        ("  <table>  ", ""),
        ("two   *words*", "two words"),
    ],
)
def test_rows_are_compared_without_blanks_emphasis_and_tags(line: str, result: str) -> None:
    assert normalized(line) == result


def test_numbers_are_compared_by_value() -> None:
    assert tokens("1,000 2.50 0x05 ½ Tonnes³") == ("1000", "2.5", "0", "x", "5", "½", "tonnes")


def test_words_are_what_a_reader_reads() -> None:
    assert count_words("| Crane | over 71 | – | |---| Don't stop.") == 5


@pytest.mark.parametrize(
    "text",
    [
        "| Crane | over 1,071 | 79.50 |  | **C**¹ |",
        "|Crane|over 1,071|79.50||C¹|",
        "Class: Crane, Over: over 1071, Up to, kg: 79.5, Short: C",
        "Crane\tover 1071\t79.5\tC",
    ],
)
def test_a_row_is_reached_where_its_cells_stand_on_one_line(text: str) -> None:
    before = "three words before"
    shown = ShownText(Passage(f"{before}\n{text}\nfour words after it"))
    assert ROW.words_read(shown) == 3 + count_words(normalized(text))


@pytest.mark.parametrize(
    "text",
    [
        "| Crane | over 1,071 | 79.50 |",  # a cell is missing
        "| C | 79.50 | over 1,071 | Crane |",  # another order on one line
        "Crane\nover 1071\n79.5\nC",  # no line has all
        f"Crane {'and more words ' * 20} over 1071 and 79.5 or C",  # a long paragraph, not a row
    ],
)
def test_a_row_is_not_reached_where_its_cells_stand_elsewhere(text: str) -> None:
    assert ROW.words_read(ShownText(Passage(text))) is None


def test_a_rewritten_row_is_reached_at_its_end_if_the_hit_names_its_line() -> None:
    assert ROW.words_read(ShownText(Passage(JSON, "a.md", (7, 7)))) == count_words(JSON)
    assert ROW.words_read(ShownText(Passage(JSON, "a.md", (8, 9)))) is None
    assert ROW.words_read(ShownText(Passage(JSON, "b.md", (7, 7)))) is None
    assert ROW.words_read(ShownText(Passage(JSON))) is None
    assert ROW.words_read(ShownText(Passage(JSON.replace("79.5", "80"), "a.md", (1, 9)))) is None


def test_a_ditto_mark_may_be_written_out() -> None:
    row = SourceLine.of("| do. | 22.00 | D and E |", None, None)
    assert row.words_read(ShownText(Passage("Clearance | 22 | D and E"))) == 5


def test_a_paragraph_is_reached_where_its_beginning_stands() -> None:
    paragraph = SourceLine.of("Three *wrong* keys lock the dev", None, None)
    assert paragraph.words_read(ShownText(Passage("## Keys\n\nThree wrong\nkeys lock the device."))) == 7
    assert paragraph.words_read(ShownText(Passage("Three wrong keys"))) is None


def test_a_line_of_a_listing_may_be_rewritten() -> None:
    line = SourceLine.of("  -v, --verbose  print more than 1,000 lin", "a.md", 4)
    assert line.words_read(ShownText(Passage("-q  print less\n-v, --verbose   print more than 1,000 lines"))) == 10
    shown = '{"Option": "-v, --verbose", "Meaning": "print more than 1000 lines"}'
    assert line.words_read(ShownText(Passage(shown, "a.md", (4, 5)))) == count_words(shown)
    assert line.words_read(ShownText(Passage(shown))) is None


@pytest.fixture
def gold(books: Path) -> dict[str, Gold]:
    questions = load_questions(books / "saltmere.open.jsonl")
    return {question.id: Gold.of(question, books / "saltmere") for question in questions if question.gold}


def test_the_siblings_are_the_other_rows_of_the_table(gold: dict[str, Gold]) -> None:
    assert [line.text for line in gold["row"].siblings] == ["|1|2 m|1,010|", "|3|6 m|1,030|"]
    assert gold["two"].siblings == gold["prose"].siblings == ()
    assert [gold[name].kind for name in ("row", "two", "prose")] == ["row", "several", "prose"]


@pytest.mark.parametrize("line", [None, 7])
def test_a_row_is_found_by_its_text_where_its_line_is_wrong(books: Path, line: int | None) -> None:
    anchor = Anchor(document="fees.md", line=line, snippet="| 2 | 4 m | 1,020 |")
    gold = Gold.of(Question("row", "?", gold=(anchor,)), books / "saltmere")
    assert [line.line for (line,) in gold.needed] == [8]
    assert [line.line for line in gold.siblings] == [7, 9]


def test_the_hits_are_read_in_their_order(gold: dict[str, Gold]) -> None:
    first = Passage("No words of the harbour")
    whole = Passage("| Berth | Draught | Fee |\n| 1 | 2 m | 1,010 |\n| 2 | 4 m | 1,020 |\n| 3 | 6 m | 1,030 |")
    row = Passage('{"Berth": 2, "Draught": "4 m", "Fee": 1020}', "fees.md", (8, 8))

    assert read([first, whole], gold["row"]) == Reading(rank=2, words=5 + 3 + 4 + 4, siblings=1)
    assert read([first, whole], gold["two"]) == Reading(rank=2, words=5 + 3 + 4 + 4 + 4)
    assert read([row, whole], gold["row"]) == Reading(rank=1, words=7)
    assert read([row, first, whole], gold["two"]) == Reading(rank=3, words=7 + 5 + 15)
    assert read([first], gold["row"]) == Reading(None, None)
    assert read([], gold["prose"]) == Reading(None, None)


def test_a_reader_gives_up_counting_siblings(gold: dict[str, Gold]) -> None:
    long, sibling = Passage("word " * 499), Passage("| 1 | 2 m | 1,010 |")
    assert read([sibling, long], gold["row"]).siblings == 1
    assert read([long, sibling], gold["row"]).siblings == 0  # its last word is the 503rd
