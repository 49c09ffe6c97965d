"""One request among many to a chat model, and what came of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from retrieval.models.chat import Answered, Asked

Reason = Literal["", "not reached", "no key", "budget"]
"""Why there is no answer of use that may be there at another time."""


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
    reason: Reason = ""
    """The same in short."""
    n_paid: int = 0
    """Answers of this run."""


Usable = Callable[[Inquiry, Answered], bool]
"""Says whether an answer is of use; one that is not is asked for again."""


def in_form(form: type[BaseModel]) -> Usable:
    """An answer is of use if it is whole and in the form."""
    return lambda _, answered: answered.in_form(form) is not None
