from dataclasses import replace

from retrieval.understand.catalog.words import keys
from retrieval.understand.decompose.names import Names
from tests.chunks import EMPTY


def test_rows_captions_headings_and_spoken_names_are_names_in_any_order():
    names = Names(
        [
            replace(EMPTY, row_key="Horse, war, heavy", caption="Mounts", heading_path=("Book", "Animals")),
            replace(EMPTY, row_key="7", called="Level 7", names=("seventh level",)),
        ]
    )
    for said in ("heavy war horse", "mount", "animals", "level 7", "seventh level"):
        assert keys(said) in names
    for said in ("horse", "book", "7", ""):
        assert keys(said) not in names


def test_a_sentence_is_no_name():
    long = "what every captain must know before the first voyage begins"
    assert keys(long) not in Names([replace(EMPTY, heading_path=(long,))])


def test_names_are_noted_while_somebody_else_reads_the_chunks():
    chunks, names = [replace(EMPTY, row_key="Oar"), replace(EMPTY, row_key="Sail")], Names()
    assert list(names.noting(chunks)) == chunks
    assert keys("oar") in names
    assert keys("mast") not in names
