from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import AmbiguousNameError, UnknownNameError
from retrieval.index.snapshot.chunk_file import LISTED, SHORTEST, ChunkFile
from retrieval.types import Chunk

CHUNK = Chunk("", "book", "one.md", "prose", "text", "text", "text", (1, 1), ("Heading",))
IDS = st.sets(st.text("ab", min_size=1, max_size=12), min_size=1, max_size=30)


def saved(folder: Path, ids: set[str]) -> ChunkFile:
    ChunkFile.save(folder, [replace(CHUNK, id=each) for each in sorted(ids)])
    return ChunkFile.load(folder)


@given(IDS)
def test_a_short_id_finds_its_chunk_and_no_shorter_one_would(ids: set[str]) -> None:
    with TemporaryDirectory() as folder:
        chunks = saved(Path(folder), ids)
        for each in ids:
            short = chunks.short_id(each)
            assert chunks.find(short) == each
            assert chunks.find(each) == each
            assert len(short) <= SHORTEST or any(other != each and other.startswith(short[:-1]) for other in ids)


@given(IDS, st.text("ab", max_size=5))
def test_a_beginning_is_found_ambiguous_or_unknown_as_a_plain_search_says(ids: set[str], beginning: str) -> None:
    with TemporaryDirectory() as folder:
        chunks = saved(Path(folder), ids)
        result = sorted(each for each in ids if each.startswith(beginning))
        if beginning in ids or len(result) == 1:
            assert chunks.find(beginning) == (beginning if beginning in ids else result[0])
        elif result:
            with pytest.raises(AmbiguousNameError) as ambiguous:
                chunks.find(beginning)
            assert len(ambiguous.value.available) == min(len(result), LISTED + 1)
        else:
            with pytest.raises(UnknownNameError):
                chunks.find(beginning)


def test_an_error_names_the_candidates_with_their_titles(tmp_path: Path) -> None:
    chunks = saved(tmp_path, {"abcdefgh-1", "abcdefgh-2", "zz"})
    with pytest.raises(AmbiguousNameError, match=r"abcdefgh-1 \(Heading\), abcdefgh-2 \(Heading\)"):
        chunks.find("abc")
    with pytest.raises(UnknownNameError, match=r"zz \(Heading\)"):
        chunks.find("zza")
