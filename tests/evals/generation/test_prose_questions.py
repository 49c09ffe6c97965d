from random import Random

import pytest

from evals.generation.phrasing import Phrasing
from evals.generation.prose_questions import section_question
from evals.generation.word_places import WordPlaces
from retrieval.query_must.vocabulary.vocabulary import Vocabulary

PARTS = (
    "Fog obscures sight beyond five feet. Whoever stands inside gains concealment, and concealment helps thieves hide.",
    "Rain quenches torches quickly. Archers shoot badly; archers wait until rain stops.",
)


@pytest.fixture
def chunks(make_chunk):
    fillers = [make_chunk(f"f{number}", kind="prose", text=f"nothing number{number}") for number in range(60)]
    parts = [
        make_chunk(f"p{number}", kind="prose", text=text, source=text, heading_path=("Weather",))
        for number, text in enumerate(PARTS)
    ]
    return [*parts, *fillers]


def asked(chunks, part, section):
    places = WordPlaces(chunks)
    return {
        section_question(part, section, ("Weather",), places, Phrasing(Random(seed), Vocabulary.default(), frozenset()))
        for seed in range(80)
    }


def test_a_passage_is_asked_for_by_words_that_only_it_has_together(chunks):
    by_words = [query for query in asked(chunks, chunks[0], chunks[:2]) if query and "eather" not in query]
    assert by_words
    places = WordPlaces(chunks)
    for query in by_words:
        words = [
            word for word in query.strip("?").split() if word not in {"what", "about", "where", "is", "it", "said:"}
        ]
        assert len(words) >= 4
        assert places.having(words) == {"p0"}


def test_a_part_of_a_section_is_asked_for_by_its_own_words_and_the_sections_name(chunks):
    assert any(
        query and "eather" in query and "archers" in query.lower() for query in asked(chunks, chunks[1], chunks[:2])
    )


def test_a_whole_section_is_asked_for_by_its_name(chunks):
    assert "Explain Weather." in asked(chunks, chunks[0], chunks[:1])


def test_text_that_says_nothing_of_its_own_gets_no_question(chunks, make_chunk):
    twin = make_chunk("twin", kind="prose", text=PARTS[0], source=PARTS[0], heading_path=("Weather",))
    assert asked([*chunks, twin], chunks[0], [chunks[0], twin]) == {None}
