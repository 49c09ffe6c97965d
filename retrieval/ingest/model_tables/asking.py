"""Many tables asked about at once; what cannot be asked is left to the rules, and says why."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from retrieval.errors import BudgetExceededError, ModelError, ModelKeyError
from retrieval.ingest.model_tables.asked_table import AskedTable
from retrieval.ingest.model_tables.offline import OfflineTables
from retrieval.models.answer_cache import AnswerCache
from retrieval.models.openai_client import OpenAiClient
from retrieval.models.session import ChatSession
from retrieval.models.spending import Spending

MOST_UNREACHED = 5
"""Tables in succession that could not be asked about: then the server is taken to be gone."""


@dataclass(slots=True)
class Asking:
    """Asks about tables until each has an answer that can be used, or as often as `tries` says in all runs."""

    offline: OfflineTables
    cache: AnswerCache
    tries: int
    _unreached: int = 0
    _free: asyncio.Semaphore = field(default_factory=asyncio.Semaphore)
    """Tables that are under way; who waits looks once more whether the server is gone."""
    _locks: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    async def about(self, tables: Sequence[AskedTable], client: OpenAiClient, spending: Spending) -> None:
        """Ask about all of them.

        Raises:
            ModelKeyError: the server refuses the key; nothing more was sent.
        """
        self._free = asyncio.Semaphore(client.access.limits.concurrency)
        async with client.session(spending) as session:
            await self._together(tables, session)
            # What was set aside for others and not used is free by now: one after the other, until it is too little.
            for state in tables:
                if state.reason == "budget":
                    await self._about(state, session)
                    if state.reason == "budget":
                        break

    async def _together(self, tables: Sequence[AskedTable], session: ChatSession) -> None:
        refused: ModelKeyError | None = None
        try:
            async with asyncio.TaskGroup() as group:
                for state in tables:
                    group.create_task(self._about(state, session))
        except* ModelKeyError as errors:
            refused = next(error for error in errors.exceptions if isinstance(error, ModelKeyError))
        if refused is not None:
            raise refused

    async def _about(self, state: AskedTable, session: ChatSession) -> None:
        if state.request is None:
            return
        async with self._locks[state.request.key]:  # a table that the book has twice is asked about once
            state.recall(self.cache, self.offline)
            async with self._free:
                while state.is_open(self.tries) and await self._is_answered(state, session):
                    pass

    async def _is_answered(self, state: AskedTable, session: ChatSession) -> bool:
        if state.request is None or self._unreached >= MOST_UNREACHED:
            state.reason, state.said = "not reached", f"not asked: {MOST_UNREACHED} in succession failed before it"
            return False
        try:
            answered = await session.chat(state.request.asked(self.cache.model))
        except ModelKeyError:
            raise
        except ModelError as error:
            self._unreached += 1
            state.reason, state.said = "not reached", str(error)
            return False
        except BudgetExceededError as error:
            state.reason, state.said = "budget", str(error)
            return False
        self._unreached = 0
        state.answered(answered, self.cache, self.offline)
        return True
