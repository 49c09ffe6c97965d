"""What could not be read of a book: kept beside its records by each asset that reads it."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from retrieval.ingest.losses import Loss, recorded_losses
from retrieval.records import read_jsonl, write_jsonl

_SUFFIX = ".losses.jsonl"


@contextmanager
def kept_losses(folder: Path, asset: str) -> Iterator[Collection[Loss]]:
    """The losses of what an asset reads of a book, filled as they occur and written to the book's folder at the end."""
    with recorded_losses() as losses:
        yield losses
    write_jsonl(folder / f"{asset}{_SUFFIX}", losses)


def losses_of(folder: Path) -> tuple[Loss, ...]:
    """All that is missing of the book whose records are in `folder`, each once, by document and line."""
    losses = {loss for path in folder.glob(f"*{_SUFFIX}") for loss in read_jsonl(path, Loss)}
    return tuple(sorted(losses, key=lambda loss: (loss.document, loss.line, loss.part, loss.error)))
