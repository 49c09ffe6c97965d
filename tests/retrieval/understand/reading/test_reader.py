import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.reading.reader import ConditionReader
from tests.retrieval.understand.conftest import TODAY, Archive, show
from tests.retrieval.understand.reading.conditions import groups_of

CONDITIONS = [
    ("cancelled shows", "status=cancelled", ""),
    ("Ida Bauer's programmes", "director=Ida Bauer", ""),
    ("shows directed by Rey", "director=Tomas Rey", ""),
    ("Rey's shows", "director=Tomas Rey", ""),
    ("drama programmes about a ladder", "genre=drama", "ladder"),
    ("which shows are still running?", "status=running", ""),
    ("programmes in the musical genre", "genre=musical", ""),
    ("winter or summer shows", "season=winter|season=summer", ""),
    ("shows that are neither closed nor cancelled", "-status=closed|-status=cancelled", ""),
    ("shows not directed by Mira Okafor", "-director=Mira Okafor", ""),
    ("winter-season shows", "season=winter", ""),
    ("cancelled shows or ones in the musical genre", "status=cancelled genre=musical", ""),
    ("shows of drama genre or of spring season", "genre=drama|season=spring", ""),
    ("touring shows", "touring=True", ""),
    ("shows with more than 400 seats", "seats>400", ""),
    ("shows with at most 240 seats", "seats<=240", ""),
    ("shows with between 200 and 320 seats", "seats>=200 seats<=320", ""),
    ("shows with script version 1.10", "script_versions=1.10", ""),
    ("shows with script version 2.0 or later", "script_versions=2.0|script_versions=2.11|script_versions=3.1", ""),
]

TOPICS = [
    "closed doors on the second floor",
    "running gags in the third act",
    "how is spring water used on stage",
    "touring the building on foot",
    "drama of a marriage",
    "how does the trapdoor work",
    "the winter scene of the ladder",
]


@pytest.fixture(scope="module")
def reader(archive: Archive) -> ConditionReader:
    return ConditionReader.of(archive.catalog)


def written(reader: ConditionReader, question: str) -> tuple[str, str]:
    result = reader.read(question, TODAY)
    return " ".join("|".join(group) for group in groups_of(result)), result.topic


@pytest.mark.parametrize(("question", "conditions", "topic"), CONDITIONS)
def test_what_modifies_a_document_is_a_condition(reader, question, conditions, topic):
    assert written(reader, question) == (conditions, topic)


@pytest.mark.parametrize("question", TOPICS)
def test_a_value_within_the_topic_is_none(reader: ConditionReader, question: str) -> None:
    assert written(reader, question)[0] == ""


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("shows that opened in 2025", "2025-01-01", "2025-12-31"),
        ("shows before March 2024", None, "2024-02-29"),
        ("programmes since 2025", "2025-01-01", None),
        ("programmes from 2022 to 2023", "2022-01-01", "2023-12-31"),
        ("programmes from 2022 or 2023", "2022-01-01", "2023-12-31"),
        ("recent programmes", "2025-08-22", "2026-08-22"),
        ("shows older than two years", None, "2024-08-21"),
        ("shows from 2024 onwards", "2024-01-01", None),
    ],
)
def test_times_are_conditions_on_the_date(reader, question, start, end):
    (result,) = reader.read(question, TODAY).temporal_refs
    assert result.field == "premiere_date"
    assert (result.start and result.start.isoformat(), result.end and result.end.isoformat()) == (start, end)


@given(question=st.text(max_size=80))
def test_any_text_can_be_read(question: str) -> None:
    reader = ConditionReader.of(Catalog.of([show(0), show(1), show(2)]))
    result = reader.read(question, TODAY)
    assert all(question[slice(*ref.span)] == ref.text for ref in result.temporal_refs)


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
def test_a_value_that_no_document_has_is_unknown_and_stays_a_word(reader, question, text, field):
    result = reader.read(question, TODAY)
    assert [(each.text, each.field) for each in result.unknown] == [(text, field)]
    assert field not in {entity.field for entity in result.entities}
    assert text in result.topic


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
def test_values_that_are_there_times_and_other_words_are_not(reader: ConditionReader, question: str) -> None:
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
def test_recent_before_values_alone_is_a_time(reader: ConditionReader, question: str, conditions: int) -> None:
    result = reader.read(question, TODAY)
    assert len({entity.group for entity in result.entities}) + len(result.temporal_refs) == conditions
    assert [str(ref.start) for ref in result.temporal_refs] == ["2025-08-22"] * bool(conditions)
