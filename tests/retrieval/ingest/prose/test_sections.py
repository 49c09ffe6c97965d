import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.contract_settings import TOKEN_CAP
from retrieval.ingest.markdown.blocks import parse_blocks
from retrieval.ingest.prose.cuts import Cuts
from retrieval.ingest.prose.sections import cut_into_passages
from retrieval.ingest.tables.source.source_tables import place_tables
from retrieval.ingest.token_estimates import estimate_tokens
from retrieval.types import Document


def cut(text, limit=256):
    document = Document("b", "d.md", text)
    blocks = parse_blocks(text)
    return cut_into_passages(document, blocks, place_tables(document, blocks), Cuts(limit))


def sentence(words):
    return " ".join(["word"] * words) + "."


def test_a_document_that_fits_stays_whole():
    (passage,) = cut("# A\n\none\n\n## B\n\ntwo\n")

    assert passage.heading_path == ("A",)
    assert passage.text == "# A\n\none\n\n## B\n\ntwo"
    assert passage.lines == (3, 7)


def test_a_longer_one_is_cut_at_h2_and_what_is_still_too_long_at_h3():
    long = sentence(100)
    passages = cut(
        f"# A\n\n{long}\n\n## B\n\nshort\n\n### C\n\nshort\n\n## D\n\n### E\n\n{long}\n\n### F\n\n{long}\n", 200
    )

    assert [passage.heading_path[-1] for passage in passages] == ["A", "B", "E", "F"]
    assert "### C" in passages[1].text


def test_every_part_of_a_long_section_carries_its_heading():
    passages = cut("# A\n\n" + "\n\n".join(f"{number} {sentence(60)}" for number in range(6)), 256)

    assert len(passages) == 3
    assert all(passage.text.startswith("# A\n\n") for passage in passages)


def test_no_overlap_and_nothing_lost():
    paragraphs = [f"p{number} {sentence(50)}" for number in range(20)]
    passages = cut("# A\n\n" + "\n\n".join(paragraphs))

    assert "\n\n".join(passage.source for passage in passages).split("\n\n") == paragraphs


def test_a_table_becomes_one_line_and_a_section_of_tables_alone_no_passage():
    table = "| a | b |\n| - | - |\n| 1 | 2 |"
    (captioned,) = cut(f"# A\n\n**Caption**\n\n{table}\n\ntext\n")
    (bare,) = cut(f"# A\n\ntext\n\n{table}\n")

    assert captioned.text == "# A\n\n[Table: Caption]\n\ntext"
    assert bare.text == "# A\n\ntext\n\n[Table: a, b]"
    assert "1" not in captioned.source + bare.source
    assert cut(f"# A\n\n{table}\n") == ()


@pytest.mark.parametrize(
    "box",
    [
        "| NOTE: the referee decides | in | every | other | case |\n|---|---|---|---|---|",
        "<table><tr><td>NOTE: the referee decides</td></tr></table>",
    ],
)
def test_a_table_of_a_heading_alone_is_prose(box):
    (passage,) = cut(f"# A\n\ntext\n\n{box}\n")

    assert passage.source == f"text\n\n{box}"


def test_headings_alone_are_a_passage_of_their_own():
    (passage,) = cut("# A\n\n## B\n")

    assert (passage.text, passage.source, passage.heading_path) == ("# A\n\n## B", "# A\n\n## B", ("A",))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\n".join(f"line {i} of a very long list" for i in range(5000)), id="lines"),
        pytest.param(" ".join(sentence(20) for _ in range(2000)), id="sentences"),
        pytest.param("word " * 40_000, id="words"),
        pytest.param("x" * 200_000, id="one word"),
        pytest.param("語" * 60_000, id="no spaces, three bytes a letter"),
    ],
)
def test_nothing_passes_the_cap_and_nothing_is_lost(text):
    passages = cut("# A\n\n" + text, 10_000)

    assert len(passages) > 1
    assert all(estimate_tokens(passage.text) <= TOKEN_CAP for passage in passages)
    assert "".join("".join(passage.source.split()) for passage in passages) == "".join(text.split())


def test_sentences_stay_whole_where_they_fit():
    passages = cut(" ".join(sentence(20) for _ in range(2000)), 10_000)

    assert all(passage.source.endswith(".") for passage in passages)


def test_a_chapter_that_is_one_section_is_called_by_the_section():
    (passage,) = cut("# Monsters\n\n## Ghoul\n\n### Ghoul, lesser\n\nhp 22\n\n#### Actions\n\nbites\n")

    assert passage.heading_path == ("Monsters", "Ghoul", "Ghoul, lesser")


def test_a_bold_line_is_a_heading_below_all_headings_and_a_title_of_its_passage():
    long = sentence(100)
    first, second = cut(f"# Undead\n\n**Ghast**\n\n{long}\n\n**Ghoul**\n\n{long}\n", 200)

    assert (first.heading_path, first.titles) == (("Undead",), ("Ghast",))
    assert second.text.startswith("**Ghoul**\n\n")


def test_bold_sentences_that_end_a_long_section_are_prose_of_it():
    (*_, last) = cut(f"# A\n\n{sentence(100)}\n\n{sentence(100)}\n\n**The referee decides.**\n\n**No appeal.**\n", 256)
    (alone,) = cut("# A\n\n**Roll no dice here.**\n")
    (_, after_sibling) = cut(f"# A\n\n**B**\n\n{sentence(100)}\n\n**C**\n\n{sentence(100)}\n\n**End.**\n\n# D\n", 200)

    assert last.source.endswith("**The referee decides.**\n\n**No appeal.**")
    assert alone.text == "# A\n\n**Roll no dice here.**"
    assert after_sibling.text.endswith("**End.**\n\n# D")
    assert after_sibling.source.endswith("**End.**")


def test_a_title_and_its_subtitle_head_the_same_prose():
    (_, fighter) = cut(f"# A\n\n{sentence(100)}\n\n**Fighter**\n\n**Hit Die d10**\n\n{sentence(100)}\n", 200)

    assert fighter.text.startswith("**Fighter**\n\n**Hit Die d10**\n\n")
    assert fighter.titles == ("Fighter", "Hit Die d10")


def test_a_caption_under_a_title_stands_for_its_table_once():
    (passage,) = cut("**Rooms**\n\n**Table 2**\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\ntext\n")

    assert passage.text == "**Rooms**\n\n[Table: Table 2]\n\ntext"


def test_prose_below_a_table_is_not_called_by_its_caption_unless_the_table_describes_one_thing():
    long = sentence(100)
    grid = "| Color | Beast |\n| - | - |\n| gray | rat |\n| rust | owl |"
    record = "| Size: | Large |\n| - | - |\n| Speed: | 9 |"
    (*_, below_grid) = cut(f"# A\n\n{long}\n\n**Bag Colors**\n\n{grid}\n\n{long}\n", 200)
    (*_, below_record) = cut(f"# A\n\n{long}\n\n**Ghast**\n\n{record}\n\n{long}\n", 200)

    assert (below_grid.titles, below_grid.text) == (("A",), f"# A\n\n{long}")
    assert below_record.titles == ("Ghast",)


@given(st.lists(st.sampled_from(["# H{}", "## S{}", "**B{}**", "p{}", "p{} " + "word " * 80]), max_size=14))
def test_no_bold_line_and_no_paragraph_is_lost_unless_nothing_but_headings_is_left(parts):
    numbered = [part.format(number) for number, part in enumerate(parts)]
    text = "\n\n".join(passage.text for passage in cut("\n\n".join(numbered), 200)).split("\n\n")

    assert [part.strip() for part in numbered if part[0] != "#" and part.strip() not in text] == []


def test_a_section_of_a_table_alone_does_not_lead_the_prose_of_the_next():
    table = "| a | b |\n| - | - |\n| 1 | 2 |"
    (passage,) = cut(f"# A\n\n## B\n\n{table}\n\n## C\n\ntext\n\n## D\n\n{table}\n")
    (intro,) = cut(f"# A\n\n{table}\n\n## C\n\ntext\n")

    assert (passage.heading_path, passage.titles) == (("A", "C"), ("A", "C", "D"))
    assert passage.text == "# A\n\n## C\n\ntext\n\n## D\n\n[Table: a, b]"
    assert intro.text == "# A\n\n[Table: a, b]\n\n## C\n\ntext"


def test_a_heading_with_nothing_below_it_leads_the_prose_that_comes_next_in_a_long_section():
    long = sentence(100)
    before, after = cut(f"# A\n\n## B\n\n{long}\n\n## Energy Push\n\n## C\n\n{long}\n", 200)

    assert "Push" not in before.text
    assert after.text.startswith("## Energy Push\n\n## C\n\nword")
    assert (after.heading_path, after.titles) == (("A", "C"), ("Energy Push", "C"))


def test_a_heading_of_several_lines_is_said_whole():
    (passage,) = cut("One line\nand another\n---\n\ntext\n")

    assert passage.heading_path == ("One line and another",)
