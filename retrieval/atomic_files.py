"""Files that are replaced at once: readers see the old one or the new one, never a half."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path beside `path` to write to, which takes its place at the end of the block; the folder is made.

    If the block fails, what it wrote is deleted and `path` stays as it was. A process that is killed leaves its
    temporary file behind, and no later writer meets it: the name has the process id and a random part, since processes
    of two containers can share a folder and an id.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}-{token_hex(4)}.partial")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a small file; text as UTF-8, its line ends as they are."""
    with replacing(path) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)
