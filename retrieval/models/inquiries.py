"""Many requests to one chat model: each paid once, none past the budget, all of them kept."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from retrieval.errors import BudgetExceededError, ModelError, ModelKeyError
from retrieval.models.access import Access
from retrieval.models.answer_cache import AnswerCache, KeptAnswer
from retrieval.models.chat import Answered, Asked, Usage
from retrieval.models.chat_prices import ChatPrice
from retrieval.models.openai_client import OpenAiClient
from retrieval.models.session import ChatSession
from retrieval.models.spending import Ledger, Spending

MOST_UNREACHED = 5
"""Requests in succession that failed: then the server is taken to be gone."""

Usable = Callable[[Answered], bool]
"""Says whether an answer is of use; one that is not is asked for again."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One request. Key: key."""

    key: str
    """Hash of what is told."""
    asked: Asked


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one request."""

    answered: Answered | None
    """The last answer, of use or not."""
    why: str = ""
    """Why there is none of use, as a clause, where it was not to be had."""
    reason: Literal["", "not reached", "budget"] = ""
    """The same in short."""
    n_paid: int = 0
    """Answers of this run."""


class Inquiries:
    """Asks one model, in one version of a prompt.

    Args:
        access: key and address.
        folder: of the answers that were paid for, and of what was spent. One process writes there.
        model: its name.
        prompt: version of the prompt.
        price: of the model; None: nobody knows it.
        budget: dollars that all that was ever paid for in the folder may cost; None: no limit.
        tries: how often something is asked until its answer is of use, in all runs.
        retries: how often a request that failed for a passing reason is sent again.
        timeout: seconds for one answer.
        otherwise: what to do without a key, as the end of a sentence.
    """

    def __init__(
        self,
        access: Access,
        folder: Path,
        model: str,
        prompt: str,
        price: ChatPrice | None,
        budget: float | None = None,
        *,
        tries: int = 2,
        retries: int = 4,
        timeout: float = 120.0,
        otherwise: str = "do without it",
    ) -> None:
        self.model, self.price = model, price
        self._access, self._cache, self._otherwise = access, AnswerCache(folder, model, prompt), otherwise
        self._spending = Spending(price, Ledger(folder), budget)
        self._tries, self._retries, self._timeout = tries, retries, timeout
        self._unreached = 0
        self._failed: dict[str, Reply] = {}
        self._paid: dict[str, int] = {}

    @property
    def used(self) -> Usage:
        """Tokens of this run, as the server counted them."""
        return self._spending.used

    @property
    def usd(self) -> float | None:
        """Dollars of this run; None where nobody knows the price."""
        return self._spending.usd if self.price else None

    @property
    def usd_in_all(self) -> float:
        """What the folder's ledger knows of all runs."""
        return self._spending.ledger.usd

    def kept(self, inquiries: Sequence[Inquiry]) -> list[Reply]:
        """What is kept, aligned with the inquiries; nothing is asked."""
        return [self._reply(each) for each in inquiries]

    def unanswered(self, inquiries: Sequence[Inquiry], usable: Usable) -> list[Inquiry]:
        """Those that `ask` would send, each once."""
        return [each for each in {one.key: one for one in inquiries}.values() if self._is_open(each, usable)]

    def ask(self, inquiries: Sequence[Inquiry], usable: Usable) -> list[Reply]:
        """The answers, aligned with the inquiries; what is kept is not asked again.

        Raises:
            ModelKeyError: something has to be asked and there is no key, or the server refuses it. What was answered
                before that is kept.
        """
        waiting = self.unanswered(inquiries, usable)
        if waiting:
            self._access.require(self.model, self._otherwise)
            client = OpenAiClient(self._access, retries=self._retries, timeout=self._timeout)
            asyncio.run(self._all(waiting, usable, client))
        return [self._reply(each) for each in inquiries]

    async def _all(self, waiting: list[Inquiry], usable: Usable, client: OpenAiClient) -> None:
        refused: ModelKeyError | None = None
        free = asyncio.Semaphore(self._access.limits.concurrency)  # who waits looks once more whether anybody answers

        async def ask(each: Inquiry) -> None:
            async with free:
                await self._until_usable(each, usable, session)

        async with client.session(self._spending) as session:
            try:
                async with asyncio.TaskGroup() as group:
                    for each in waiting:
                        group.create_task(ask(each))
            except* ModelKeyError as errors:
                refused = next(error for error in errors.exceptions if isinstance(error, ModelKeyError))
        if refused is not None:
            raise refused

    async def _until_usable(self, each: Inquiry, usable: Usable, session: ChatSession) -> None:
        while self._is_open(each, usable):
            if self._unreached >= MOST_UNREACHED:
                told = f"not asked: {MOST_UNREACHED} in succession failed before it"
                self._failed[each.key] = Reply(None, told, "not reached")
                return
            try:
                answered = await session.chat(each.asked)
            except ModelKeyError:
                raise
            except ModelError as error:
                self._unreached += 1
                self._failed[each.key] = Reply(None, str(error), "not reached")
                return
            except BudgetExceededError as error:
                self._failed[each.key] = Reply(None, str(error), "budget")
                return
            self._unreached = 0
            self._paid[each.key] = self._paid.get(each.key, 0) + 1
            kept = self._cache.get(each.key)
            self._cache.put(each.key, KeptAnswer(answered, (kept.times if kept else 0) + 1))

    def _is_open(self, each: Inquiry, usable: Usable) -> bool:
        kept = self._cache.get(each.key)
        return kept is None or (kept.times < self._tries and not usable(kept.answered))

    def _reply(self, each: Inquiry) -> Reply:
        kept, failed = self._cache.get(each.key), self._failed.get(each.key, Reply(None))
        return replace(failed, answered=kept.answered if kept else None, n_paid=self._paid.get(each.key, 0))
