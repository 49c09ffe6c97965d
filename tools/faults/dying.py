"""Runs a program that kills itself before it changes a folder for the n-th time: `dying N FOLDER MODULE ARGUMENTS`.

A kill by the clock seldom falls between two renames; this one does. With N = 0 nothing is killed, and the last line
of standard error is how many changes there were. What a library writes without Python's knowledge (SQLite, Chroma) is
not counted.
"""

import os
import runpy
import signal
import sys
from pathlib import Path

_CHANGES = frozenset({"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "os.symlink"})
_BELOW = frozenset({"os.remove", "os.rmdir"})
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Countdown:
    """An audit hook that counts the changes of one folder."""

    def __init__(self, last: int, folder: str) -> None:
        self.count = 0
        self._last, self._folder = last, folder

    def __call__(self, event: str, given: tuple[object, ...]) -> None:
        """Count an event of the interpreter, if it changes the folder."""
        is_change = event in _CHANGES or (event == "open" and isinstance(given[2], int) and bool(given[2] & _WRITES))
        if not is_change or not self._is_inside(event, given):
            return
        self.count += 1
        if self.count == self._last:
            os.killpg(0, signal.SIGKILL)

    def _is_inside(self, event: str, given: tuple[object, ...]) -> bool:
        path = given[0]
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str | os.PathLike):
            return False
        if event in _BELOW and isinstance(given[-1], int) and given[-1] >= 0:
            # A removal of a whole tree names its files by the descriptor of their folder.
            path = Path(f"/proc/self/fd/{given[-1]}").resolve() / path
        return str(path).startswith(self._folder)


def main() -> None:
    """Run what the arguments say."""
    countdown = Countdown(int(sys.argv[1]), sys.argv[2])
    sys.argv = sys.argv[3:]
    sys.addaudithook(countdown)
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    finally:
        sys.stderr.write(f"{countdown.count}\n")


if __name__ == "__main__":
    main()
