"""Plural folding: the S-stemmer (Harman, 1991), with the endings that it leaves apart brought together.

Harman drops `-s` but turns `torches` into `torche`. Here a singular and its plural always meet: after the `-s` is gone,
the `e` that only carried it goes too, on both sides (`boxes` -> `boxe` -> `box`, `cache` and `caches` -> `cach`). The
result is a key for comparison, not a word for display.
"""

from collections.abc import Mapping

_SILENT = ("che", "she", "sse", "xe", "oe", "use")
_SHORTEST = 4
"""Words of three letters or fewer have no plural ending here: `gas`, `wis`, `his`."""


def singular(word: str, irregular: Mapping[str, str]) -> str:
    """Fold a lower-case word of letters to the form it shares with its plural; `irregular` is asked first."""
    if word in irregular:
        return irregular[word]
    if len(word) >= _SHORTEST and word[-1] == "s" and word[-2:] not in ("ss", "us", "is"):
        word = word[:-1]
    if len(word) >= _SHORTEST and word.endswith("ie"):
        return word[:-2] + "y"
    if len(word) >= _SHORTEST and word.endswith(_SILENT):
        return word[:-1]
    return word
