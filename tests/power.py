"""A disk whose power can be cut: an ext4 file system on a loop device."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIZE = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Disk:
    """A file system in a file. What the kernel has not written to that file yet is lost with the power."""

    image: Path
    folder: Path
    """Where it is mounted."""

    @contextmanager
    def after_power_loss(self) -> Iterator[Path]:
        """What is there when the machine starts again; the disk itself goes on."""
        copy = self.copy("after")
        with mounted(copy, self.image.with_name("again")) as folder:
            yield folder
        copy.unlink()

    def copy(self, name: str) -> Path:
        """The bytes that are on the disk now."""
        copy = self.image.with_name(name)
        subprocess.run(["cp", "--sparse=always", self.image, copy], check=True)
        return copy


@contextmanager
def mounted(image: Path, folder: Path) -> Iterator[Path]:
    """An image as a folder; its journal is replayed first."""
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", "-o", "loop", image, folder], check=True, capture_output=True, text=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def new_disk(folder: Path) -> Iterator[Disk]:
    """An empty disk, or a skipped test with the reason."""
    if os.geteuid() != 0 or shutil.which("mkfs.ext4") is None:
        pytest.skip("a file system on a loop device needs root and mkfs.ext4")
    image = folder / "disk"
    with image.open("wb") as file:
        file.truncate(_SIZE)
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    try:
        mount = mounted(image, folder / "mounted")
        top = mount.__enter__()
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no file system can be mounted here: {error.stderr.strip()}")
    try:
        yield Disk(image, top)
    finally:
        mount.__exit__(None, None, None)
