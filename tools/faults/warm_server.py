"""A process that has loaded the program, and forks a child for every `python -m MODULE` that it is asked for.

Its arguments are the modules to load. Each line of its standard input is an order, an `Order`; it answers with the
child's process id, and when the child is gone with its status. A child is a session of its own, so that it can be
killed with all that it started.
"""

import importlib
import os
import runpy
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path

from retrieval.files.records import parse_record


@dataclass(frozen=True, slots=True)
class Order:
    """One program to run."""

    argv: tuple[str, ...]
    """The module, then its arguments."""
    said: Path
    """File that standard output and standard error go to."""


def main() -> None:
    """Do what standard input orders, one after the other, until it is closed."""
    for name in sys.argv[1:]:
        importlib.import_module(name)
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    _no_input()
    answers.write(b"0\n")
    for line in orders:
        order = parse_record(line, Order)
        child = os.fork()
        if child == 0:
            os._exit(_run(order))
        answers.write(b"%d\n" % child)
        _, status = os.waitpid(child, 0)
        answers.write(b"%d\n" % os.waitstatus_to_exitcode(status))


def _no_input() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)


def _run(order: Order) -> int:
    """The exit status of one program, as `python -m` would have it."""
    os.setsid()
    output = os.open(order.said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = list(order.argv)
    status = 0
    try:
        runpy.run_module(order.argv[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status


if __name__ == "__main__":
    main()
