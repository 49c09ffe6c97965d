"""Ways to damage a file, each undone by writing it again, and a snapshot made by an older program."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from retrieval.index.snapshot.live import HISTORY_FILE, POINTER, SNAPSHOTS
from retrieval.index.snapshot.manifest import MANIFEST_FILE, SCHEMA_VERSION


def truncate(path: Path) -> None:
    """Cut the second half off."""
    _rewrite(path, path.read_bytes()[: path.stat().st_size // 2])


def garble(path: Path) -> None:
    """Write over the middle third."""
    content = path.read_bytes()
    third = len(content) // 3
    _rewrite(path, content[:third] + b"\xa5" * (len(content) - 2 * third) + content[len(content) - third :])


DAMAGES: Mapping[str, Callable[[Path], None]] = MappingProxyType(
    {"truncated": truncate, "garbled": garble, "gone": Path.unlink}
)


def heal(path: Path, content: bytes) -> None:
    """Put a file back."""
    _rewrite(path, content)


def age(home: Path, snapshot: str) -> None:
    """Make a snapshot one of the schema before this one. It had another id, for the schema is part of it."""
    older = snapshot[::-1] if snapshot != snapshot[::-1] else "0" * len(snapshot)
    folder = (home / SNAPSHOTS / snapshot).rename(home / SNAPSHOTS / older)
    output = json.loads((folder / MANIFEST_FILE).read_bytes()) | {"id": older, "schema_version": SCHEMA_VERSION - 1}
    _rewrite(folder / MANIFEST_FILE, json.dumps(output).encode())
    for name in (POINTER, HISTORY_FILE, "candidate"):
        _rewrite(home / name, (home / name).read_bytes().replace(snapshot.encode(), older.encode()))


def _rewrite(path: Path, content: bytes) -> None:
    # In a file of its own: another may still have the old one mapped, and cut short it would end its process.
    path.unlink(missing_ok=True)
    path.write_bytes(content)
