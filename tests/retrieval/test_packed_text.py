import gzip
from pathlib import Path

import pytest

from retrieval.packed_text import unpacked

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
