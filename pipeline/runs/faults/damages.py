"""Ways to damage a file, each undone by writing it again."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType


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


def _rewrite(path: Path, content: bytes) -> None:
    # In a file of its own: another may still have the old one mapped, and cut short it would end its process.
    path.unlink(missing_ok=True)
    path.write_bytes(content)
