"""What a model did to a book, whatever it was asked about: as numbers, in words, and one in ten to be read."""

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from pipeline.building.materialization import Reported
from retrieval.files.atomic_files import write_atomically
from retrieval.files.records import write_jsonl
from retrieval.ingest.model_tables.transforming import Ended, reasons
from retrieval.models.spending import Bill

SAMPLED = 10
"""One in so many is shown."""


class ModelWork(Protocol):
    """Tables that were read, or passages that were described."""

    @property
    def bill(self) -> Bill:
        """What it came to."""

    @property
    def outcomes(self) -> Sequence[Ended]:
        """What became of each that was chosen."""

    @property
    def by_model(self) -> frozenset[str]:
        """Ids of those that have the model's words."""

    @property
    def n_waiting(self) -> int:
        """Those that a later run may send."""

    @property
    def dropped(self) -> Sequence[object]:
        """What was not believed of answers that were used."""


def work_numbers(done: ModelWork | None) -> dict[str, Reported]:
    """What an asset says of it; the same names where no model was asked for."""
    return {
        "n_by_model": len(done.by_model) if done else 0,
        "n_left_to_rules": sum(bool(outcome.reason) for outcome in done.outcomes) if done else 0,
        "n_waiting": done.n_waiting if done else 0,
        "n_not_believed": len(done.dropped) if done else 0,
        "n_model_tokens": done.bill.used.total if done else 0,
        "model_usd": done.bill.usd if done else 0.0,
    }


def who(done: ModelWork | None) -> str:
    """Who did the work: a model and the version of its prompt, or the rules."""
    return f"{done.bill.model}, prompt {done.bill.prompt}" if done else "rules"


def told_work(done: ModelWork | None, did: str, what: str) -> str:
    """The end of a sentence: what a model did to how many of what; nothing where none was asked for."""
    if done is None:
        return ""
    left = "".join(f", {count} left to the rules ({reason})" for reason, count in reasons(done.outcomes).items())
    usd = "" if done.bill.usd is None else f", ${done.bill.usd:.4f}"
    return f"; {done.bill.model} {did} {len(done.by_model)} {what}{left}; {done.bill.used.total:,} tokens{usd}"


def shown_of(by_model: Collection[str]) -> frozenset[str]:
    """One in ten of these ids; the same ones again."""
    by_hash = sorted(by_model, key=lambda each: sha256(each.encode()).hexdigest())
    return frozenset(by_hash[: -(-len(by_hash) // SAMPLED)])


def keep_work(folder: Path, outcomes: str, page: str, done: ModelWork | None, sample: str) -> None:
    """Leave in a book's folder what became of it, or nothing where no model was asked for.

    Args:
        folder: of the book.
        outcomes: the file of what became of each.
        page: the file of the sample.
        done: the work.
        sample: one in ten, to be read.
    """
    if done is None:
        for name in (outcomes, page):
            (folder / name).unlink(missing_ok=True)
        return
    write_jsonl(folder / outcomes, done.outcomes)
    write_atomically(folder / page, sample)


def record_of(done: ModelWork) -> Mapping[str, object]:
    """What a command's JSON says of it."""
    bill = done.bill
    used = {"prompt": bill.used.prompt, "completion": bill.used.completion}
    told = {"model": bill.model, "prompt": bill.prompt, "by_model": len(done.by_model), "used": used}
    return told | {"usd": bill.usd, "usd_in_all": bill.usd_in_all}
