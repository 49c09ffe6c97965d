"""One writer at a time in a home: an ingestion waits for its turn, whoever has it."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from retrieval.errors import VectorDBWriteError
from retrieval.write_lock import HomeBusyError, HomeUnwritableError, write_lock_when_free

PATIENCE = 60.0
"""Seconds that an ingestion waits."""
_LOOK_AGAIN = 0.05


@contextmanager
def writers_turn(root: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the home at `root` for one writer; it is made where it is missing.

    Raises:
        VectorDBWriteError: another writer is at work for longer than that, or the home cannot be written.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(write_lock_when_free(root, patience=patience, pause=_LOOK_AGAIN))
        except HomeBusyError as error:
            raise VectorDBWriteError(
                f"another process has been writing in {root} for {patience:g} seconds; try again when it is done"
            ) from error
        except HomeUnwritableError as error:
            raise VectorDBWriteError(f"the home {root} cannot be written ({error.reason}); make it writable") from error
        yield
