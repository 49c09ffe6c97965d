"""Losses from failed rules of reading: each costs only its own part of the book, and is recorded.

Reading proceeds from the document to the table, the row and the cell. Each step is a rule written for the tables that
its author knew, and an unusual table may break any of them. If a rule raises, its result is omitted, the next coarser
reading takes its place, and the loss is recorded.
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
"""Errors that no coarser reading can avoid: those raised on purpose, and a lack of the machine's resources."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Loss:
    """A part of a book that is missing from its index because the rule that reads it failed."""

    document: str
    """Path in the book; empty for a rule that concerns the whole book."""
    line: int
    """Line of the file, 1-based; 0 for a rule that concerns the whole document."""
    part: str
    """The missing part, as the subject of a sentence: `the caption of a table`."""
    error: str
    """Type and message of the error, and the line of our code that raised it."""

    def __str__(self) -> str:
        position = f"{self.document}:{self.line}" if self.line else self.document
        sentence = f"{self.part} is missing, because the rule that reads it failed ({self.error})"
        return f"{position}: {sentence}" if position else sentence


_recorded: ContextVar[dict[Loss, None] | None] = ContextVar("recorded_losses", default=None)


@contextmanager
def recorded_losses() -> Iterator[Collection[Loss]]:
    """Yield the losses of this context in their order, each once; the collection grows as they occur.

    At the end they are passed on to the enclosing context, if there is one.
    """
    losses: dict[Loss, None] = {}
    token = _recorded.set(losses)
    try:
        yield losses
    finally:
        _recorded.reset(token)
        record_losses(losses)


def record_losses(losses: Iterable[Loss]) -> None:
    """Record losses of an earlier reading, such as that of a book that is stored parsed."""
    recorded = _recorded.get()
    if recorded is not None:
        recorded |= dict.fromkeys(losses)


def attempt(
    rule: Callable[[], Result], otherwise: Callable[[], Result], part: str, document: str = "", line: int = 0
) -> Result:
    """Return the result of `rule`; if it raises, record the loss and return the result of `otherwise`.

    Args:
        rule: reads a part of a book. It must not return a generator, which would raise later.
        otherwise: the coarser reading.
        part: what is lost if the rule fails, as the subject of a sentence: `the caption of a table`.
        document: path of the document in its book; empty for a rule that concerns the whole book.
        line: of the file, 1-based; 0 for a rule that concerns the whole document.

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
    """Return a description like `IndexError: tuple index out of range, titles.py:42`."""
    message = " ".join(f"{type(error).__name__}: {error}".split())[:_MESSAGE_LENGTH]
    frames = traceback.extract_tb(error.__traceback__)
    return f"{message}, {PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else message
