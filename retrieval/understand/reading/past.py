"""Verbs of the past."""

from retrieval.understand.catalog.words import STEM, Word

_IRREGULAR = frozenset(
    """
    awoke became began begun bent bitten bled blew blown bore born bought bound bred broke broken brought
    built burnt came cast caught chose chosen clung crept cut dealt did done drank drawn drew driven drove
    drunk dug eaten fallen fed fell fled flew flown forbidden forgot forgotten fought found froze frozen gave
    given gone got gotten grew grown heard held hidden hit hung hurt kept knew known laid lay led left lent
    lost made met paid put ran ridden risen rode rose run sang sat saw seen seized sent set sewn shaken shone
    shot shown shrank shut slain slept slid sold sown spent spoke spoken spun stole stolen stood struck stuck
    sung sunk swam swept swore sworn taken taught threw thrown told took tore torn understood went woke won
    wove woven written wrote
    """.split()  # noqa: SIM905
)
"""Those that do not end with `ed`."""


def is_past(word: Word) -> bool:
    """Whether a word looks like a verb of the past."""
    said = word.text.lower()
    return said in _IRREGULAR or (said.endswith("ed") and len(said) >= STEM)
