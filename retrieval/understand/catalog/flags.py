"""Fields that say yes or no about a thing: petsAllowed, accident_free, and those whose values are `yes` and `no`."""

from dataclasses import dataclass

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.understand.catalog.fields import CatalogField

_SHORTEST = 3
"""Letters of a word of a field's name that tells something."""
ALLOWED = frozenset(
    """allowed allow ok okay welcome welcomed permitted accepted friendly possible included available suitable provided
    offered enabled supported fine""".split()  # noqa: SIM905
)
"""What stands behind the thing of a flag, or in the flag's name."""
EMPTY = frozenset({"is", "has", "can", "are", "ha", "be"})
"""Words of a flag's name that tell nothing."""
_OPPOSED = frozenset({"free", "less"})
"""What ends the name of a flag that is true where there is none of its thing: accident_free."""
_OPPOSING = frozenset({"no", "non", "not", "without"})
_YES, _NO = frozenset({"yes", "y", "true"}), frozenset({"no", "n", "false"})


@dataclass(frozen=True, slots=True)
class Flag:
    """A field that says yes or no about a thing."""

    field: CatalogField
    yes: Scalar
    things: tuple[str, ...]
    """What it is about: keys of the words of its name that say something."""
    opposed: bool
    """Whether it is true where there is none of its thing."""


def flag_of(field: CatalogField) -> Flag | None:
    """A field as a flag; None where it is none, or its name says nothing of a thing."""
    yes = _yes(field)
    if yes is None:
        return None
    words = [word for word in field.words if word not in EMPTY]
    opposed = len(words) > 1 and (words[-1] in _OPPOSED or words[0] in _OPPOSING)
    telling = [word for word in words if word not in ALLOWED and len(word) >= _SHORTEST]
    telling = [word for word in telling if not (opposed and word in _OPPOSED | _OPPOSING)]
    return Flag(field, yes, tuple(telling), opposed) if telling else None


def _yes(field: CatalogField) -> Scalar | None:
    if field.kind == "flag":
        return True
    if field.kind != "text" or not {str(value).casefold() for value in field.counts} <= _YES | _NO:
        return None
    return next((value for value in field.counts if str(value).casefold() in _YES), None)
