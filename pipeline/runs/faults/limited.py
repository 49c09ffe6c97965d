"""Runs a program that can write no file longer than so many bytes: `limited BYTES MODULE ARGUMENTS`.

As on a full disk, the kernel refuses, whoever writes: Python, SQLite or Chroma.
"""

import os
import resource
import runpy
import signal
import sys


def main() -> None:
    """Run what the arguments say; `pipeline.cli` starts processes of its own, which are limited too."""
    most = int(sys.argv[1])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    # Python would leave half of what it compiled beside the program, and read it again.
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.argv = sys.argv[2:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
