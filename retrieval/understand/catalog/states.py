"""What a state is also called: a refused bid is turned down, whatever the collection."""

from collections.abc import Collection
from functools import cache

_SENSES = (
    "done finished completed complete closed resolved fixed concluded ended settled fulfilled delivered",
    "open ongoing active current running underway unresolved unfinished in_progress under_way in_force",
    "stopped cancelled canceled terminated abandoned aborted withdrawn discontinued dropped scrapped called_off",
    "paused suspended deferred postponed delayed on_hold put_off put_on_hold shelved",
    "rejected refused dismissed denied declined turned_down thrown_out threw_out struck_out",
    "accepted approved granted allowed upheld adopted passed",
    "waiting pending awaiting queued outstanding undecided unanswered",
    "superseded replaced obsolete outdated",
    "expired lapsed out_of_date overdue",
    "lost missing gone",
    "broken damaged faulty defective",
    "retired decommissioned out_of_service",
    "stored in_storage in_store",
    "displayed exhibited on_display on_show on_view",
    "lent loaned on_loan borrowed",
    "remote from_home work_from_home working_from_home telework home_office",
    "urgent critical highest",
    "minor low trivial",
    "free vacant available unoccupied",
    "taken occupied let rented sold booked reserved",
    "public published open_access",
    "secret confidential restricted classified",
)
"""Words and phrases of one sense, each; several values of a field may be in one."""
LONGEST = 4
"""Words of the longest phrase."""


def same_state(said: str, values: Collection[str]) -> tuple[str, ...]:
    """The values that a phrase is another word for; none where it is a value itself.

    Args:
        said: words in small letters, with spaces between them.
        values: all values of a field.
    """
    senses = [sense for sense in _groups() if said in sense]
    written = {_plain(value): value for value in values}
    if not senses or said in written:
        return ()
    return tuple(value for plain, value in written.items() if any(plain in sense for sense in senses))


def is_state(said: str) -> bool:
    """Whether a phrase is a word for a state."""
    return any(said in sense for sense in _groups())


@cache
def _groups() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(word.replace("_", " ") for word in sense.split()) for sense in _SENSES)


def _plain(value: str) -> str:
    return value.casefold().replace("_", " ").replace("-", " ")
