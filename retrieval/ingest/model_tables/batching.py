"""Whole books as one batch at half the price; a batch that was begun is waited for by whichever run comes next."""

import time
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex

from pydantic import ValidationError

from retrieval.atomic_files import write_atomically
from retrieval.errors import BudgetExceededError, ModelError, ModelKeyError
from retrieval.ingest.model_tables.asked_table import AskedTable
from retrieval.models.answer_cache import AnswerCache, KeptAnswer
from retrieval.models.chat import Answered, Asked
from retrieval.models.openai_client import OpenAiClient
from retrieval.models.spending import Held, Spending
from retrieval.records import dump_record, parse_record

_FOLDER = "batches"


@dataclass(frozen=True, slots=True)
class PendingBatch:
    """A batch that was sent or was about to be. Key: token."""

    token: str
    """In the batch's metadata: a run that was killed before it knew the id finds it by this."""
    model: str
    prompt: str
    charges: Mapping[str, str]
    """What was set aside, by the key of the request: an entry of the ledger."""
    batch: str | None = None
    """The server's id of it."""


@dataclass(slots=True)
class Batching:
    """Sends and takes up the batches of one folder of answers. One process at a time.

    Args:
        cache: where answers go.
        client: of the server.
        spending: at the price of a batch.
        pause: seconds between two looks.
    """

    cache: AnswerCache
    client: OpenAiClient
    spending: Spending
    pause: float
    _under_way: set[str] = field(default_factory=set)

    def take_up(self, *, wait: bool) -> frozenset[str]:
        """Keep the answers of the batches that earlier runs began; the keys of those that are still at work.

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

    def send(self, tables: Sequence[AskedTable]) -> None:
        """Ask about tables in one batch, as many of them as the budget allows, and wait until it is done.

        Raises:
            ModelKeyError: the server refuses the key; nothing was sent.
        """
        asked, charges = self._set_aside(tables)
        if not asked:
            return
        pending = PendingBatch(token_hex(8), self.cache.model, self.cache.prompt, charges)
        path = self.cache.folder / _FOLDER / f"{pending.token}.json"
        write_atomically(path, dump_record(pending))
        try:
            begun = self.client.begin_batch(asked, pending.token)
        except ModelKeyError:
            self._release(charges)
            path.unlink()
            raise
        except ModelError as error:
            # It may have been begun all the same: the next run looks for it.
            _left(tables, asked, str(error))
            return
        write_atomically(path, dump_record(replace(pending, batch=begun)))
        try:
            self._finish(path, pending, begun, wait=True)
        except ModelError as error:
            _left(tables, asked, f"its batch is at work: {error}")

    def _set_aside(self, tables: Sequence[AskedTable]) -> tuple[dict[str, Asked], dict[str, str]]:
        """The requests that the budget allows, and what was set aside for them, by their keys."""
        asked: dict[str, Asked] = {}
        charges: dict[str, str] = {}
        for state in tables:
            if state.request is None or state.request.key in asked:
                continue
            request = state.request.asked(self.cache.model)
            try:
                charges[state.request.key] = self.spending.reserve(request).entry
            except BudgetExceededError as error:
                state.reason, state.said = "budget", str(error)
            else:
                asked[state.request.key] = request
        return asked, charges

    def _finish(self, path: Path, pending: PendingBatch, begun: str, *, wait: bool) -> None:
        while (found := self.client.batch_results(begun)) is None:
            if not wait:
                self._under_way |= set(pending.charges)
                return
            time.sleep(self.pause)
        for key, answered in found.answers.items():
            if key in pending.charges:
                self._keep(key, answered, pending.charges[key])
        # What was lost on the way may have cost something, and stays set aside.
        free = set(pending.charges) if found.refused else found.failed
        self._release({key: entry for key, entry in pending.charges.items() if key in free})
        path.unlink()

    def _keep(self, key: str, answered: Answered, entry: str) -> None:
        kept = self.cache.get(key)
        self.cache.put(key, KeptAnswer(answered, (kept.times if kept else 0) + 1))
        Held(self.spending, entry).settle(answered)

    def _release(self, charges: Mapping[str, str]) -> None:
        for entry in charges.values():
            Held(self.spending, entry).release()

    def _pending(self) -> Iterator[tuple[Path, PendingBatch]]:
        for path in sorted((self.cache.folder / _FOLDER).glob("*.json")):
            try:
                pending = parse_record(path.read_bytes(), PendingBatch)
            except ValidationError:
                continue  # of another version of this program; what was set aside for it stays so
            if (pending.model, pending.prompt) == (self.cache.model, self.cache.prompt):
                yield path, pending


def _left(tables: Sequence[AskedTable], keys: Container[str], why: str) -> None:
    for state in tables:
        if state.request and state.request.key in keys:
            state.reason, state.said = "not reached", why
