"""Many requests to one chat model: each paid for once, none beyond the budget, all answers stored."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from retrieval.errors import BudgetExceededError, ModelError, ModelKeyError
from retrieval.models.access import KEY, Access, ChatSession
from retrieval.models.batching import AnswerCache, Batching, Inquiry, KeptAnswer, Reply, Usable
from retrieval.models.openai_client import OpenAiClient
from retrieval.models.spending import Bill, Ledger, ModelOptions, Spending

MOST_UNREACHED = 5
"""Consecutive failed requests after which the server counts as unavailable."""
_NOT_KEPT = Reply(None, "no answer came for it", "not reached")
_NO_KEY = Reply(None, f"there is no {KEY}", "no key")
_AT_WORK = Reply(None, "it is in a batch that is still running", "not reached")


class Inquiries:
    """Sends inquiries to one model, with one version of a prompt.

    Args:
        access: key and address.
        folder: of the answers that were paid for, and of the record of spending. Only one process may write there.
        prompt: version of the prompt.
        otherwise: advice for working without a key, as the end of a sentence.
    """

    def __init__(
        self, access: Access, folder: Path, options: ModelOptions, prompt: str, *, otherwise: str = "do without it"
    ) -> None:
        self.options, self._access, self._otherwise = options, access, otherwise
        self._cache, price, ledger = AnswerCache(folder, options.model, prompt), options.price, Ledger(folder)
        self._spending = Spending(price, ledger, options.budget_usd)
        self._in_batch = Spending(price.in_batch if price else None, ledger, options.budget_usd)
        self._unreached = 0
        self._refused: ModelKeyError | None = None
        self._failed: dict[str, Reply] = {}
        self._before: dict[str, int] = {}
        """Number of answers of earlier runs, by the keys of this run's inquiries."""

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.options.model

    @property
    def prompt(self) -> str:
        """Version of the prompt."""
        return self._cache.prompt

    @property
    def bill(self) -> Bill:
        """The cost of this run so far."""
        one, other, price = self._spending, self._in_batch, self.options.price
        usd = one.usd + other.usd if price else None
        return Bill(self.model, self.prompt, one.used + other.used, usd, one.ledger.usd)

    def unanswered(self, inquiries: Sequence[Inquiry], usable: Usable) -> list[Inquiry]:
        """Return the inquiries that `ask` would send, each once."""
        unasked = [
            inquiry
            for inquiry in {inquiry.key: inquiry for inquiry in inquiries}.values()
            if self._is_open(inquiry, usable)
        ]
        more = self.options.thinking
        return [
            replace(inquiry, request=replace(inquiry.request, max_tokens=inquiry.request.max_tokens + more))
            for inquiry in unasked
        ]

    def kept(self, inquiries: Sequence[Inquiry], usable: Usable) -> list[Reply]:
        """Return the stored answers, aligned with the inquiries; the others are reported as without a key."""
        self._failed |= {inquiry.key: _NO_KEY for inquiry in self.unanswered(inquiries, usable)}
        return [self._reply(inquiry) for inquiry in inquiries]

    def ask(self, inquiries: Sequence[Inquiry], usable: Usable) -> list[Reply]:
        """Return the answers, aligned with the inquiries; stored ones are not requested again, equal keys only once.

        Raises:
            ModelKeyError: a request is needed and there is no key, or the server refuses it. Earlier answers are
                stored.
        """
        waiting = self.unanswered(inquiries, usable)
        if waiting:
            self._access.require(self.model, self._otherwise)
            client = OpenAiClient(self._access, retries=self.options.retries, timeout=self.options.timeout)
            self._before |= {inquiry.key: self._times(inquiry) for inquiry in waiting}
            self._send(waiting, usable, client)
        return [self._reply(inquiry) for inquiry in inquiries]

    def _send(self, waiting: list[Inquiry], usable: Usable, client: OpenAiClient) -> None:
        batching = Batching(self._cache, client, self._in_batch, self.options.pause)
        at_work = batching.take_up(wait=self.options.batch)
        waiting = [inquiry for inquiry in waiting if self._is_open(inquiry, usable)]
        self._failed |= {inquiry.key: _AT_WORK for inquiry in waiting if inquiry.key in at_work}
        free = [inquiry for inquiry in waiting if inquiry.key not in at_work]
        if self.options.batch:
            self._failed |= batching.send(free)
        else:
            asyncio.run(self._all(free, usable, client))

    async def _all(self, waiting: list[Inquiry], usable: Usable, client: OpenAiClient) -> None:
        free = asyncio.Semaphore(self._access.limits.concurrency)  # waiting tasks check again if the server is up

        async def ask(inquiry: Inquiry) -> None:
            async with free:
                await self._until_usable(inquiry, usable, session)

        async with client.session(self._spending) as session:
            async with asyncio.TaskGroup() as group:
                for inquiry in waiting:
                    group.create_task(ask(inquiry))
            # Unused reservations of others are free by now: try the rest one by one, until the budget is too small.
            for inquiry in waiting:
                if self._is_without_money(inquiry):
                    await self._until_usable(inquiry, usable, session)
                    if self._is_without_money(inquiry):
                        break
        if self._refused is not None:
            raise self._refused

    async def _until_usable(self, inquiry: Inquiry, usable: Usable, session: ChatSession) -> None:
        self._failed.pop(inquiry.key, None)
        while self._refused is None and self._is_open(inquiry, usable):
            if self._unreached >= MOST_UNREACHED:
                told = f"not sent: {MOST_UNREACHED} requests in succession failed before it"
                self._failed[inquiry.key] = Reply(None, told, "not reached")
                return
            try:
                answered = await session.chat(inquiry.request)
            except ModelKeyError as error:
                # Other requests may still be answered, and would be paid for in vain if cancelled.
                self._refused = error
                return
            except ModelError as error:
                self._unreached += 1
                self._failed[inquiry.key] = Reply(None, str(error), "not reached")
                return
            except BudgetExceededError as error:
                self._failed[inquiry.key] = Reply(None, str(error), "budget")
                return
            self._unreached = 0
            self._cache.put(inquiry.key, KeptAnswer(answered, self._times(inquiry) + 1))

    def _is_without_money(self, inquiry: Inquiry) -> bool:
        return inquiry.key in self._failed and self._failed[inquiry.key].reason == "budget"

    def _is_open(self, inquiry: Inquiry, usable: Usable) -> bool:
        kept = self._cache.get(inquiry.key)
        return kept is None or (kept.times < self.options.tries and not usable(inquiry, kept.answered))

    def _times(self, inquiry: Inquiry) -> int:
        kept = self._cache.get(inquiry.key)
        return kept.times if kept else 0

    def _reply(self, inquiry: Inquiry) -> Reply:
        kept = self._cache.get(inquiry.key)
        if kept is None:
            return self._failed.get(inquiry.key, _NOT_KEPT)
        n_paid = kept.times - self._before.get(inquiry.key, kept.times)
        return replace(self._failed.get(inquiry.key, Reply(None)), answered=kept.answered, n_paid=n_paid)
