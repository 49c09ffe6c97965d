"""Text that a file holds as it is, or packed with gzip."""

import gzip
import zlib
from pathlib import Path


def unpacked(raw: bytes, path: Path) -> str:
    """The text of a file's bytes, without a byte order mark.

    Args:
        raw: what the file holds.
        path: of the file; what ends in `.gz` is packed.

    Raises:
        ValueError: it is not packed so, was cut off, or is not UTF-8; the message says which.
    """
    try:
        return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(str(error)) from error
