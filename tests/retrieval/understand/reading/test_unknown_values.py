import pytest

from retrieval.understand.reading.reader import Reader
from tests.retrieval.understand.conftest import TODAY, Archive


@pytest.fixture(scope="module")
def reader(archive: Archive) -> Reader:
    return Reader.of(archive.catalog)


@pytest.mark.parametrize(
    ("question", "text", "field"),
    [
        ("shows by Zorro", "Zorro", "director"),
        ("shows directed by Don Diego", "Don Diego", "director"),
        ("shows directed by Zorro about a ladder", "Zorro", "director"),
        ("status: frozen", "frozen", "status"),
        ("season = monsoon, directed by Ida Bauer", "monsoon", "season"),
    ],
)
def test_a_value_that_no_document_has_is_unknown_and_stays_a_word(
    reader: Reader, question: str, text: str, field: str
) -> None:
    found = reader.read(question, TODAY)
    assert [(each.text, each.field) for each in found.unknown] == [(text, field)]
    assert field not in {each.field for each in found.entities}
    assert text in found.topic


@pytest.mark.parametrize(
    "question",
    [
        "shows by Ida Bauer",
        "shows directed by Rey",
        "shows by March",
        "shows by Monday",
        "a scene lit by Moonlight",
        "the ladder by the window",
        "shows sorted by Title",
        "status: closed",
        "note: nobody may enter",
    ],
)
def test_values_that_are_there_times_and_other_words_are_not(reader: Reader, question: str) -> None:
    assert reader.read(question, TODAY).unknown == ()


@pytest.mark.parametrize(
    ("question", "conditions"),
    [
        ("recent cancelled", 2),
        ("recent winter season", 2),
        ("the latest cancelled or closed", 2),
        ("recent ladder scene", 0),
    ],
)
def test_recent_before_values_alone_is_a_time(reader: Reader, question: str, conditions: int) -> None:
    found = reader.read(question, TODAY)
    assert len({each.group for each in found.entities}) + len(found.temporal_refs) == conditions
    assert [str(each.start) for each in found.temporal_refs] == ["2025-08-22"] * bool(conditions)
