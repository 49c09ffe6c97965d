"""English words by their meaning in tables and questions, from the lists in `english.toml`.

Words that a library may replace are in its vocabulary.
"""

import tomllib
from collections.abc import Mapping
from importlib.resources import files

_LISTS: Mapping[str, str | Mapping[str, str]] = tomllib.loads(
    (files("retrieval.language") / "english.toml").read_text("utf-8")
)


def word_list(name: str) -> tuple[str, ...]:
    """Return the words of a list in their order. Raises KeyError: there is no such list."""
    words = _LISTS[name]
    if not isinstance(words, str):
        raise KeyError(name)
    return tuple(words.split())


def word_set(name: str) -> frozenset[str]:
    """Return the words of a list as a set. Raises KeyError: there is no such list."""
    return frozenset(word_list(name))


def word_sets(name: str) -> Mapping[str, frozenset[str]]:
    """Return the lists of a group, by their names. Raises KeyError: there is no such group."""
    group = _LISTS[name]
    if isinstance(group, str):
        raise KeyError(name)
    return {key: frozenset(words.split()) for key, words in group.items()}
