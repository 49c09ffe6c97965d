"""What was spent on chat models, kept so that a budget holds over killed runs too."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

from retrieval.errors import BudgetExceededError
from retrieval.models.chat import Answered, Asked, Usage
from retrieval.models.chat_prices import ChatPrice

SPENDING_FILE = "spent.jsonl"


class Ledger:
    """A file with a line for each sum that was set aside, and one for what became of it. One process writes it.

    A sum of a run that was killed before it was settled counts whole: nobody knows what the server charged.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / SPENDING_FILE
        self._sums: dict[str, float] = {}
        self._read()

    @property
    def usd(self) -> float:
        """Everything that was spent or is set aside."""
        return sum(self._sums.values())

    def write(self, entry: str, usd: float) -> None:
        """Say what an entry is now; written before anything is sent or believed."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # The line end comes first: what a kill cut short does not swallow the line behind it.
        line = b"\n" + json.dumps({"entry": entry, "usd": usd}).encode()
        to = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(to, line)
        finally:
            os.close(to)
        self._sums[entry] = usd

    def _read(self) -> None:
        if not self._path.is_file():
            return
        for line in self._path.read_bytes().splitlines():
            try:
                said = json.loads(line)
                self._sums[str(said["entry"])] = float(said["usd"])
            except (ValueError, KeyError, TypeError):
                continue  # a line that a kill cut short: what it would have set aside was not sent


@dataclass(slots=True)
class Spending:
    """Dollars and tokens of one run, within a budget for all that the ledger knows of.

    Args:
        price: of the model; None: nobody knows it.
        ledger: of this and all earlier runs.
        budget: dollars that the ledger may reach; None: no limit.
    """

    price: ChatPrice | None
    ledger: Ledger
    budget: float | None = None
    used: Usage = field(default_factory=Usage)
    """Of this run, as the server counted."""
    _own: dict[str, float] = field(default_factory=dict)

    @property
    def usd(self) -> float:
        """The same in dollars, with what attempts without an answer may have cost."""
        return sum(self._own.values())

    def reserve(self, asked: Asked) -> "Held":
        """Set aside what one attempt may cost at most.

        Raises:
            BudgetExceededError: that is more than is left.
        """
        most = self.most(asked)
        if self.budget is not None and self.ledger.usd + most > self.budget:
            raise BudgetExceededError(
                f"the next request may cost ${most:.4f}, and ${self.ledger.usd:.4f} of the budget of "
                f"${self.budget:g} are spent or set aside; allow more, or leave the rest to the rules"
            )
        held = Held(self, token_hex(8))
        self.becomes(held.entry, most)
        return held

    def becomes(self, entry: str, usd: float) -> None:
        """Say what an entry of this run is now."""
        self.ledger.write(entry, usd)
        self._own[entry] = usd

    def most(self, asked: Asked) -> float:
        """US dollars that one attempt can cost at most."""
        return self.price.of(Usage(asked.most_prompt_tokens, asked.max_tokens)) if self.price else 0.0


@dataclass(frozen=True, slots=True)
class Held:
    """A sum that is set aside for one attempt."""

    _spending: Spending
    entry: str

    def settle(self, answered: Answered) -> None:
        """It cost what the server says; where it says nothing, all of it."""
        spending = self._spending
        spending.used += answered.usage
        if answered.usage.total and spending.price:
            spending.becomes(self.entry, spending.price.of(answered.usage))

    def release(self) -> None:
        """It cost nothing."""
        self._spending.becomes(self.entry, 0.0)
