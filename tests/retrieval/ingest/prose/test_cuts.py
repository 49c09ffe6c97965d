import re

from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.index.embedding.wordllama_model import WordllamaEmbedder
from retrieval.ingest.markdown.blocks import parse_blocks
from retrieval.ingest.prose.cuts import Cuts
from retrieval.ingest.prose.sections import Passage, cut_into_passages
from retrieval.ingest.tables.source.source_tables import place_tables
from retrieval.types import Document


def words(text: str) -> int:
    return len(text.split())


def cut(text: str, **cuts: object) -> tuple[Passage, ...]:
    document, blocks = Document("b", "d.md", text), parse_blocks(text)
    return cut_into_passages(document, blocks, place_tables(document, blocks), Cuts(**cuts))  # type: ignore[arg-type]


def said(*paths: str) -> str:
    """A document with a section of ten words for each heading; its level is how many marks it begins with."""
    return "\n\n".join(f"{path}\n\n{' '.join(path.strip('# ') + str(n) for n in range(10))}." for path in paths)


BOOK = said("# A", "## B", "### C", "### D", "## E", "### F", "# G", "## H")


def names(**cuts: object) -> list[str]:
    return [passage.heading_path[-1] for passage in cut(BOOK, count=words, **cuts)]


def test_a_document_that_fits_stays_whole_unless_it_is_to_be_cut_in_any_case() -> None:
    assert len(cut(BOOK, count=words, working_tokens=200)) == 1
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
    passages = cut(
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
