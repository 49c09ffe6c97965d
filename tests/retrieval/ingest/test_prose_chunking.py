"""Pieces of prose."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.sample import SAMPLE_LIBRARY
from retrieval.index.embedding.embedding_store import embedding_text
from retrieval.index.embedding.wordllama_model import WordllamaEmbedder
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.library import list_books
from retrieval.ingest.markdown.blocks import parse_blocks
from retrieval.ingest.prose_chunking import (
    Cuts,
    Passage,
    SectionPart,
    cut_into_passages,
    estimate_tokens,
    most_tokens,
    without_tables_of_links,
)
from retrieval.ingest.tables.source_tables import place_tables
from retrieval.language.vocabulary import Vocabulary
from retrieval.settings import TOKEN_CAP
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


def test_every_part_of_a_long_section_carries_its_heading_without_overlap_or_loss():
    passages = cut("# A\n\n" + "\n\n".join(f"{number} {sentence(60)}" for number in range(6)), 256)
    assert len(passages) == 3
    assert all(passage.text.startswith("# A\n\n") for passage in passages)
    paragraphs = [f"p{number} {sentence(50)}" for number in range(20)]
    passages = cut("# A\n\n" + "\n\n".join(paragraphs))
    assert "\n\n".join(passage.source for passage in passages).split("\n\n") == paragraphs


def test_a_paragraph_that_ends_with_a_colon_stays_with_the_list_that_it_introduces():
    text = f"# A\n\n{sentence(100)}\n\nReports are in these folders:\n\n- D:/Data\n- {sentence(60)}\n"
    assert ["Reports" in passage.text for passage in cut(text, 200)] == [False, True]
    assert ["Reports" in passage.text for passage in cut(text.replace("folders:", "folders."), 200)] == [True, False]


@pytest.mark.parametrize("signs", ["---", "****", "* * *"])
def test_signs_without_a_word_are_no_passage_and_stay_in_one_that_has_words(signs):
    assert [passage.text for passage in cut(f"# Rules\n\n{signs}\n")] == ["# Rules"]
    (passage,) = cut(f"# Rules\n\nA dagger is short.\n\n{signs}\n\nA sword is long.\n")
    assert "sword" in passage.text


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


def test_a_caption_under_a_title_stands_for_its_table_once_and_a_subtitle_heads_the_same_prose():
    (_, fighter) = cut(f"# A\n\n{sentence(100)}\n\n**Fighter**\n\n**Hit Die d10**\n\n{sentence(100)}\n", 200)
    assert fighter.text.startswith("**Fighter**\n\n**Hit Die d10**\n\n")
    assert fighter.titles == ("Fighter", "Hit Die d10")
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


def test_a_passage_is_called_by_its_headings_each_said_whole():
    (passage,) = cut("# A\n\n## B\n")
    assert (passage.text, passage.source, passage.heading_path) == ("# A\n\n## B", "# A\n\n## B", ("A",))
    (passage,) = cut("# Monsters\n\n## Ghoul\n\n### Ghoul, lesser\n\nhp 22\n\n#### Actions\n\nbites\n")
    assert passage.heading_path == ("Monsters", "Ghoul", "Ghoul, lesser")
    (passage,) = cut("One line\nand another\n---\n\ntext\n")
    assert passage.heading_path == ("One line and another",)


def words(text: str) -> int:
    return len(text.split())


def cuts_cut(text: str, **cuts: object) -> tuple[Passage, ...]:
    document, blocks = Document("b", "d.md", text), parse_blocks(text)
    return cut_into_passages(document, blocks, place_tables(document, blocks), Cuts(**cuts))  # type: ignore[arg-type]


def write_document(*paths: str) -> str:
    """A document with a section of ten words for each heading; its level is how many marks it begins with."""
    return "\n\n".join(f"{path}\n\n{' '.join(path.strip('# ') + str(n) for n in range(10))}." for path in paths)


BOOK = write_document("# A", "## B", "### C", "### D", "## E", "### F", "# G", "## H")


def names(**cuts: object) -> list[str]:
    return [passage.heading_path[-1] for passage in cuts_cut(BOOK, count=words, **cuts)]


def test_a_document_that_fits_stays_whole_unless_it_is_to_be_cut_in_any_case() -> None:
    assert len(cuts_cut(BOOK, count=words, working_tokens=200)) == 1
    assert names(working_tokens=200, split_only_when_needed=False) == ["A", "G"]
    assert names(working_tokens=200, split_only_when_needed=False, header_level=2, fallback_header_level=3) == [
        *("A", "B", "E", "G", "H")
    ]


def test_a_document_that_does_not_fit_is_cut_at_the_first_level_and_then_at_the_second() -> None:
    assert names(working_tokens=80) == ["A", "G"], "what is below the first level stays whole where it fits"
    assert names(working_tokens=80, header_level=2, fallback_header_level=3) == ["A", "B", "E", "G", "H"]
    assert names(working_tokens=30, header_level=2, fallback_header_level=3) == ["A", "B", "C", "D", "E", "G", "H"]
    assert names(working_tokens=80, header_level=3, fallback_header_level=3) == [
        *("A", "B", "C", "D", "E", "F", "G", "H")
    ]
    assert names(working_tokens=40, header_level=1, fallback_header_level=3) == [*("A", "B", "C", "D", "E", "F", "G")]


WORDS = st.sampled_from(["rolls", "a", "die", "barricade", "AC", "7th", "6", "unfathomable"])
SENTENCE = st.lists(WORDS, min_size=1, max_size=14).map(lambda each: " ".join(each) + ".")
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=40).map(" ".join)
HEADING = st.builds("{} {}".format, st.sampled_from(["#", "##", "###", "####"]), st.sampled_from("KLMNOP"))
PARTS = st.lists(st.one_of(PARAGRAPH, HEADING), min_size=1, max_size=12)
CAPS = st.sampled_from([128, 512, 8192])
MODEL = WordllamaEmbedder()


@settings(max_examples=60)
@given(PARTS, st.integers(16, 300), st.integers(1, 6), st.integers(0, 5), st.booleans(), CAPS)
def test_whatever_the_settings_nothing_is_lost_repeated_cut_in_a_sentence_or_over_the_cap(
    parts: list[str], working: int, level: int, deeper: int, only_when_needed: bool, cap: int
) -> None:
    passages = cuts_cut(
        "\n\n".join(parts),
        working_tokens=working,
        cap=cap,
        header_level=level,
        fallback_header_level=min(6, level + deeper),
        split_only_when_needed=only_when_needed,
        count=MODEL.count_tokens,
        glue=1 + MODEL.count_tokens("\n\n"),
    )
    prose = [part for part in parts if not part.startswith("#")]
    # A heading over nothing is prose: it stands before what comes next.
    sources = [" ".join(re.sub(r"#+ [K-P]", " ", passage.source).split()) for passage in passages]
    sources = [source for source in sources if source]
    if prose:
        assert " ".join(sources) == " ".join(prose), "nothing is lost, nothing is said twice, and the order is kept"
        assert all(source.endswith(".") for source in sources), "no sentence is cut"
        carried = [passage for passage in passages if passage.heading_path and "." in passage.source]
        assert all(f" {each.heading_path[-1]}\n" in f"{each.text}\n" for each in carried), "the heading is carried"
    for passage in passages:
        assert MODEL.count_tokens(passage.text) <= cap


PIECES_HEADING = SectionPart("# Bear", "# Bear", (1, 1), ("Bear",), 1)
TABLE = SectionPart("[Table: Part, Hits]", "", (4, 6), ("Bear",))
BELOW = SectionPart("## Parts", "## Parts", (8, 8), ("Bear", "Parts"), 2)


def prose(text: str, path: tuple[str, ...] = ("Bear",)) -> SectionPart:
    return SectionPart(text, text, (2, 2), path)


def test_links_alone_do_not_bring_the_tables_around_them() -> None:
    link = prose("[Sheet](https://a.b/c)")
    rule = prose("---", BELOW.path)
    assert without_tables_of_links([PIECES_HEADING, link, TABLE, BELOW, TABLE, rule]) == [PIECES_HEADING, link, rule]


def test_a_word_brings_them_and_links_keep_the_headings_over_them() -> None:
    whole = [PIECES_HEADING, prose("[Sheet](https://a.b/c)"), TABLE, prose("It climbs.")]
    assert without_tables_of_links(whole) == whole
    deep = [PIECES_HEADING, BELOW, prose("[Sheet](https://a.b/c)", BELOW.path), TABLE]
    assert without_tables_of_links(deep) == deep[:3]


@pytest.mark.parametrize("text", ["", "a", "語" * 10, "The quick brown fox.\n" * 40])
def test_the_estimate_is_three_bytes_a_token(text: str) -> None:
    assert estimate_tokens(text) == -(-len(text.encode()) // 3)


ENGLISH = [
    "During the Movement Phase the players move their crew in turn, one member at a time.",
    "A member in cover keeps one defence die as a success without rolling it; nobody sees through smoke.",
    "No member moves through another one. A move may end behind a barricade, but never on top of it.",
    "The referee knows the map, plays the monsters without malice and rules on what the book forgot.",
]


def test_a_model_never_counts_more_than_the_most_in_english() -> None:
    book = [path.read_text("utf-8") for path in sorted(SAMPLE_LIBRARY.glob("*/*.md"))]
    prose = [part for text in book for part in text.split("\n\n") if part and "|" not in part]
    assert len(prose) > 100
    for text in (*ENGLISH, *prose):
        assert MODEL.count_tokens(text) <= most_tokens(text), text


def test_rows_are_more_tokens_than_the_estimate_and_fewer_than_the_most() -> None:
    (book,) = list_books(SAMPLE_LIBRARY)
    chunks = chunks_of_book(read_book(book), Vocabulary.default())
    rows = [embedding_text(chunk) for chunk in chunks if chunk.kind == "row"]
    counted = sum(map(MODEL.count_tokens, rows))
    assert sum(map(estimate_tokens, rows)) * 1.05 < counted < sum(map(most_tokens, rows)) * 0.9
