import pytest

from retrieval.ingest.markdown.blocks import parse_blocks
from retrieval.ingest.markdown.page_title import with_title

STATS = "## Stats\n\nAs below.\n\n## Gear\n\nA sword."


def paths(text, path="04-fighter.md", stated=""):
    return list(dict.fromkeys(block.heading_path for block in with_title(parse_blocks(text), path, stated)))


def test_a_page_of_parts_is_under_what_it_is_called():
    assert paths(STATS) == [("Fighter", "Stats"), ("Fighter", "Gear")]
    assert paths(STATS, "classes/2_high-elf.md") == [("High elf", "Stats"), ("High elf", "Gear")]
    assert paths(STATS, "a.md", "Fighters of the North")[0] == ("Fighters of the North", "Stats")
    assert paths("A sword.", stated="Fighters") == [("Fighters",)]


def test_a_page_with_a_title_keeps_it():
    assert paths(f"# Warriors\n\n{STATS}", stated="Fighters")[1:] == [("Warriors", "Stats"), ("Warriors", "Gear")]
    assert paths("## Warriors\n\nThey fight.\n\n### Stats\n\nNone.") == [("Warriors",), ("Warriors", "Stats")]
    assert paths("## Warriors\n\nThey fight.", stated="Warriors") == [("Warriors",)]
    assert paths("A sword.") == [()]
    assert paths("") == []


@pytest.mark.parametrize(
    "path", ["index.md", "03.md", "chapter-3.md", "appendix_B.md", "part iv.md", "Tables.md", "x.md"]
)
def test_a_file_whose_name_says_nothing_gives_no_title(path):
    assert paths(STATS, path) == [("Stats",), ("Gear",)]


def test_a_document_of_another_kind_is_as_it_is():
    assert paths(STATS, "T-17", "Login fails") == [("Stats",), ("Gear",)]
