"""What a failed rule of reading costs: its own part of the book, and a record that says so.

Reading goes from the document to the table, the row and the cell. Each step is a rule written for tables that its
author knew. A stranger's table may break any of them. Where a rule raises, what it would have said is left out,
the next coarser reading takes its place, and the loss is recorded.
"""

import logging
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import PurePath
from typing import TypeVar

from retrieval.errors import RetrievalError

Result = TypeVar("Result")

_MESSAGE_LENGTH = 120
_STOPPING = (RetrievalError, OSError, MemoryError)
"""What no coarser reading helps against: what was raised on purpose, and what the machine lacks."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Loss:
    """A part of a book that is missing from its index because the rule that reads it failed."""

    document: str
    """Path in the book; empty for a rule about the whole book."""
    line: int
    """Of the file, 1-based; 0 for a rule about the whole document."""
    part: str
    """What is missing, as a subject: `the caption of a table`."""
    error: str
    """Type and message of what was raised, and the line of our code that raised it."""

    def __str__(self) -> str:
        position = f"{self.document}:{self.line}" if self.line else self.document
        sentence = f"{self.part} is missing, because the rule that reads it failed ({self.error})"
        return f"{position}: {sentence}" if position else sentence


_recorded: ContextVar[dict[Loss, None] | None] = ContextVar("recorded_losses", default=None)


@contextmanager
def recorded_losses() -> Iterator[Collection[Loss]]:
    """The losses of what is read in this context in their order, each once, filled as they occur.

    At the end a context around this one, if there is one, gets them too.
    """
    losses: dict[Loss, None] = {}
    token = _recorded.set(losses)
    try:
        yield losses
    finally:
        _recorded.reset(token)
        record_losses(losses)


def record_losses(losses: Iterable[Loss]) -> None:
    """Record losses of an earlier reading, such as that of a book which is kept parsed."""
    recorded = _recorded.get()
    if recorded is not None:
        recorded |= dict.fromkeys(losses)


def attempt(
    rule: Callable[[], Result], otherwise: Callable[[], Result], part: str, document: str = "", line: int = 0
) -> Result:
    """What `rule` returns; where it raises, what `otherwise` returns, and a record of the loss.

    Args:
        rule: reads a part of a book. It must be done when it returns: a generator would raise later.
        otherwise: the coarser reading.
        part: what is lost where the rule fails, as a subject: `the caption of a table`.
        document: path of the document in its book; empty for a rule about the whole book.
        line: of the file, 1-based; 0 for a rule about the whole document.

    Raises:
        RetrievalError: raised on purpose.
        OSError: the machine refuses something, such as room on its disk.
    """
    try:
        return rule()
    except _STOPPING:
        raise
    except Exception as error:
        loss = Loss(document, line, part, _description(error))
        if _recorded.get() is None:
            _log.warning("%s", loss)
        record_losses((loss,))
    return otherwise()


def _description(error: Exception) -> str:
    """`IndexError: tuple index out of range, titles.py:42`."""
    message = " ".join(f"{type(error).__name__}: {error}".split())[:_MESSAGE_LENGTH]
    frames = traceback.extract_tb(error.__traceback__)
    return f"{message}, {PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else message
