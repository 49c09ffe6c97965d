import gzip
import resource
import signal
from pathlib import Path

import pytest

from retrieval.errors import IndexCorruptError
from retrieval.files.records import append_record, read_jsonl, read_kept, unpacked, write_jsonl
from retrieval.types import Chunk

CHUNK = Chunk(
    id="1", book="b", document="d.md", kind="row", text="{}", search_text="t", source="| é |", lines=(3, 3),
    heading_path=("A", "B"), cells=("1", "2"), metadata={"tags": ("x", "y"), "priority": 3, "rate": 0.5, "on": True},
)  # fmt: skip


def test_a_written_record_is_read_back_equal(tmp_path):
    path = tmp_path / "deep" / "chunks.jsonl"

    assert write_jsonl(path, [CHUNK, CHUNK]) == 2
    assert read_jsonl(path, Chunk) == (CHUNK, CHUNK)


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "chunks.jsonl"
    write_jsonl(path, [CHUNK])

    def broken():
        yield CHUNK
        raise RuntimeError("source went away")

    with pytest.raises(RuntimeError, match="source went away"):
        write_jsonl(path, broken())
    assert read_jsonl(path, Chunk) == (CHUNK,)


def test_a_damaged_line_is_named(tmp_path):
    path = tmp_path / "chunks.jsonl"
    write_jsonl(path, [CHUNK])
    path.write_bytes(path.read_bytes() + b'{"id": 1}\n')

    with pytest.raises(IndexCorruptError, match=r"chunks\.jsonl, line 2: not a Chunk"):
        read_jsonl(path, Chunk)


def test_lines_are_added_behind_those_that_are_there(tmp_path):
    path = tmp_path / "chunks.jsonl"

    assert read_kept(path, Chunk) == ()
    append_record(path, CHUNK)
    append_record(path, CHUNK)
    assert read_kept(path, Chunk) == (CHUNK, CHUNK)


def test_a_last_line_that_was_cut_off_is_left_out_and_the_next_one_takes_its_place(tmp_path):
    path = tmp_path / "chunks.jsonl"
    append_record(path, CHUNK)
    whole = path.read_bytes()

    for rest in (whole[:-1], whole[:9], b"x" * 200_000):
        path.write_bytes(whole + rest)
        assert read_kept(path, Chunk) == (CHUNK,)
    append_record(path, CHUNK)
    assert path.read_bytes() == whole * 2
    path.write_bytes(b"{")
    append_record(path, CHUNK)
    assert path.read_bytes() == whole
    path.write_bytes(b"{}\n" + whole)
    with pytest.raises(IndexCorruptError, match=r"line 1: not a Chunk .*; delete that line"):
        read_kept(path, Chunk)


def test_a_line_for_which_there_is_no_room_is_an_error_and_leaves_no_half(tmp_path):
    path = tmp_path / "chunks.jsonl"
    append_record(path, CHUNK)
    before = path.read_bytes()
    size, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    told = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 9, most))
    try:
        with pytest.raises(OSError, match="No space left"):
            append_record(path, CHUNK)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
        signal.signal(signal.SIGXFSZ, told)
    assert path.read_bytes() == before


TEXT = "Grüße\n"


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("a.jsonl", TEXT.encode()),
        ("a.jsonl", b"\xef\xbb\xbf" + TEXT.encode()),
        ("a.jsonl.gz", gzip.compress(TEXT.encode(), mtime=0)),
    ],
)
def test_a_text_is_the_same_packed_and_with_a_byte_order_mark(name: str, raw: bytes) -> None:
    assert unpacked(raw, Path(name)) == TEXT


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("a.jsonl", b"\xff\xfe"),
        ("a.jsonl.gz", b"plain"),
        ("a.jsonl.gz", gzip.compress(b"long " * 100, mtime=0)[:-12]),
        ("a.jsonl.gz", gzip.compress(b"long " * 100, mtime=0)[:10] + b"\xff" * 20),
    ],
)
def test_what_is_no_text_is_one_kind_of_error_that_says_why(name: str, raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        unpacked(raw, Path(name))
