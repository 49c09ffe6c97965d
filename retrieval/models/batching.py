"""Requests sent as one batch at half the price, with cached answers."""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import Literal

from pydantic import BaseModel, ValidationError

from retrieval.errors import BudgetExceededError, ModelError, ModelKeyError
from retrieval.files.atomic_files import write_atomically
from retrieval.files.records import dump_record, parse_record
from retrieval.models.chat import Answered, ChatRequest
from retrieval.models.openai_client import OpenAiClient
from retrieval.models.spending import Reservation, Spending

Reason = Literal["", "not reached", "no key", "budget"]
"""Why there is no usable answer, if a later run may get one."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One request. Key: key."""

    key: str
    """Hash of the content that is sent."""
    request: ChatRequest


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of one request."""

    answered: Answered | None
    """The last answer, whether or not it is usable."""
    why: str = ""
    """Why no answer could be obtained, as a clause."""
    reason: Reason = ""
    """The short form of `why`."""
    n_paid: int = 0
    """Number of answers in this run."""


Usable = Callable[[Inquiry, Answered], bool]
"""Returns whether an answer is usable; others are requested again."""


def in_form(form: type[BaseModel]) -> Usable:
    """Return a function by which an answer is usable if it is complete and in the form."""
    return lambda _, answered: answered.in_form(form) is not None


_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """The last answer to an inquiry."""

    answered: Answered
    times: int
    """How often it was answered; earlier answers were unusable."""


@dataclass(frozen=True, slots=True)
class AnswerCache:
    """A folder with a file for each answered inquiry, written atomically."""

    folder: Path
    model: str
    prompt: str
    """Version of the prompt."""

    def path(self, key: str) -> Path:
        """Return the path of the answer with this key."""
        return self.folder / _UNSAFE.sub("_", self.model) / self.prompt / f"{key}.json"

    def get(self, key: str) -> KeptAnswer | None:
        """Return the stored answer; None if there is no readable one."""
        try:
            return parse_record(self.path(key).read_bytes(), KeptAnswer)
        except (OSError, ValidationError):
            return None

    def put(self, key: str, kept: KeptAnswer) -> None:
        """Store an answer in place of the previous one."""
        write_atomically(self.path(key), dump_record(kept))


_FOLDER = "batches"


@dataclass(frozen=True, slots=True)
class PendingBatch:
    """A batch that was sent or was about to be sent. Key: token."""

    token: str
    """A token in the batch's metadata, by which a later run finds it if this run was killed before it knew the id."""
    model: str
    prompt: str
    charges: Mapping[str, str]
    """Ledger entries of the reserved sums, by the key of the request."""
    batch: str | None = None
    """The server's id of the batch."""


@dataclass(slots=True)
class Batching:
    """Sends and resumes the batches of one folder of answers. Only one process at a time may use it.

    Args:
        cache: stores the answers.
        client: of the server.
        spending: at batch prices.
        pause: seconds between two status requests.
    """

    cache: AnswerCache
    client: OpenAiClient
    spending: Spending
    pause: float
    _under_way: set[str] = field(default_factory=set)

    def take_up(self, *, wait: bool) -> frozenset[str]:
        """Store the answers of batches of earlier runs, and return the keys of those that are still being processed.

        Raises:
            ModelKeyError: the server refuses the key.
        """
        for path, pending in list(self._pending()):
            try:
                begun = pending.batch or self.client.find_batch(pending.token)
                if begun is None:
                    self._release(pending.charges)
                    path.unlink()
                else:
                    self._finish(path, replace(pending, batch=begun), begun, wait=wait)
            except ModelKeyError:
                raise
            except ModelError:
                self._under_way |= set(pending.charges)
        return frozenset(self._under_way)

    def send(self, inquiries: Sequence[Inquiry]) -> dict[str, Reply]:
        """Send as many inquiries as the budget allows in one batch, and wait until it is done; keys must be distinct.

        Returns:
            Why others were not sent or have no answer yet, by their keys.

        Raises:
            ModelKeyError: the server refuses the key; nothing was sent.
        """
        requests, charges, failed = self._set_aside(inquiries)
        if not requests:
            return failed
        pending = PendingBatch(token_hex(8), self.cache.model, self.cache.prompt, charges)
        path = self.cache.folder / _FOLDER / f"{pending.token}.json"
        write_atomically(path, dump_record(pending))
        try:
            begun = self.client.begin_batch(requests, pending.token)
        except ModelKeyError:
            self._release(charges)
            path.unlink()
            raise
        except ModelError as error:
            # The batch may have been created nevertheless: the next run searches for it.
            return failed | {key: Reply(None, str(error), "not reached") for key in requests}
        write_atomically(path, dump_record(replace(pending, batch=begun)))
        try:
            self._finish(path, pending, begun, wait=True)
        except ModelError as error:
            return failed | {
                key: Reply(None, f"its batch is still running: {error}", "not reached") for key in requests
            }
        return failed

    def _set_aside(
        self, inquiries: Sequence[Inquiry]
    ) -> tuple[dict[str, ChatRequest], dict[str, str], dict[str, Reply]]:
        """Return requests within the budget, their ledger entries, and why others are not sent; by their keys."""
        requests: dict[str, ChatRequest] = {}
        charges: dict[str, str] = {}
        failed: dict[str, Reply] = {}
        for inquiry in inquiries:
            try:
                charges[inquiry.key] = self.spending.reserve(inquiry.request).entry
            except BudgetExceededError as error:
                failed[inquiry.key] = Reply(None, str(error), "budget")
            else:
                requests[inquiry.key] = inquiry.request
        return requests, charges, failed

    def _finish(self, path: Path, pending: PendingBatch, begun: str, *, wait: bool) -> None:
        while (batch_results := self.client.batch_results(begun)) is None:
            if not wait:
                self._under_way |= set(pending.charges)
                return
            time.sleep(self.pause)
        for key, answered in batch_results.answers.items():
            if key in pending.charges:
                self._keep(key, answered, pending.charges[key])
        # Lost answers may have cost something, so their sums remain reserved.
        free = set(pending.charges) if batch_results.refused else batch_results.failed
        self._release({key: entry for key, entry in pending.charges.items() if key in free})
        path.unlink()

    def _keep(self, key: str, answered: Answered, entry: str) -> None:
        kept = self.cache.get(key)
        self.cache.put(key, KeptAnswer(answered, (kept.times if kept else 0) + 1))
        Reservation(self.spending, entry).settle(answered)

    def _release(self, charges: Mapping[str, str]) -> None:
        for entry in charges.values():
            Reservation(self.spending, entry).release()

    def _pending(self) -> Iterator[tuple[Path, PendingBatch]]:
        for path in sorted((self.cache.folder / _FOLDER).glob("*.json")):
            try:
                pending = parse_record(path.read_bytes(), PendingBatch)
            except ValidationError:
                continue  # of another version of this program; its sums remain reserved
            if (pending.model, pending.prompt) == (self.cache.model, self.cache.prompt):
                yield path, pending
