from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.spelling.written_words import WrittenWords
from retrieval.types import Chunk


def chunk(number: int, text: str, *, key: str | None = None, heading: str = "Arms") -> Chunk:
    return Chunk(
        id=f"id-{number}",
        book="book",
        document="one.md",
        kind="row" if key else "prose",
        text=text,
        search_text=f"{heading}\n{text}",
        source="",
        lines=(1, 1),
        heading_path=("Book", heading),
        columns=("Weapon", "Damage") if key else (),
        row_key=key,
        names=(key,) if key else (),
    )


CHUNKS = (chunk(1, "Longsword does damage", key="Longsword"), chunk(2, "A Longsword is sharp."), chunk(3, "Ärger"))


def test_words_are_in_lower_case_and_in_order_and_short_ones_are_left_out() -> None:
    assert WrittenWords.build(CHUNKS).words == [
        *("arms", "book", "damage", "does", "longsword", "sharp", "weapon", "ärger")
    ]


def test_a_heading_over_many_chunks_heads_once() -> None:
    words = WrittenWords.build(CHUNKS)
    named = dict(zip(words.words, words.named.tolist(), strict=True))
    held = dict(zip(words.words, words.chunks.tolist(), strict=True))
    assert (named["arms"], named["longsword"], named["weapon"], named["sharp"]) == (2, 1, 1, 0)
    assert (held["arms"], held["longsword"], held["weapon"], held["sharp"]) == (3, 2, 1, 1)


@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=5))
def test_the_order_of_words_is_that_of_their_bytes(texts: list[str]) -> None:
    words = WrittenWords.build([chunk(number, text) for number, text in enumerate(texts)]).words
    assert list(words) == sorted(set(words)) == sorted(set(words), key=str.encode)


def test_they_are_read_back_as_they_were(tmp_path: Path) -> None:
    made = WrittenWords.build(CHUNKS)
    made.save(tmp_path)
    read = WrittenWords.load(tmp_path)
    assert (read.words, read.named.tolist(), read.chunks.tolist()) == (
        made.words,
        made.named.tolist(),
        made.chunks.tolist(),
    )
