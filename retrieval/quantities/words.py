"""The words that the reader of quantities knows, from `words.toml`; a noun that it does not know is folded."""

import tomllib
from importlib.resources import files

_LISTS: dict[str, str] = tomllib.loads((files("retrieval.quantities") / "words.toml").read_text("utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_LISTS[name].split())


def _values(by_one: str, by_ten: str) -> dict[str, float]:
    ones = {word: float(value) for value, word in enumerate(_LISTS[by_one].split())}
    return ones | {word: 10.0 * value for value, word in enumerate(_LISTS[by_ten].split(), 2)}


CARDINALS = _values("cardinals", "tens")
ORDINALS = _values("ordinals", "tenth_ordinals")
SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
MULTIPLES = SCALES | {"hundred": 100.0, "dozen": 12.0}
PART = {"half": 2.0, "quarter": 4.0} | {word: value for word, value in ORDINALS.items() if value > 2}
"""`one third`: what the word divides by."""
PARTS = {f"{word}s": value for word, value in PART.items()} | {"halves": 2.0}
"""`two thirds`."""
NUMBER_WORDS = frozenset({*CARDINALS, *ORDINALS, *MULTIPLES, *PART, *PARTS})

UPWARDS, DOWNWARDS = _words("upwards"), _words("downwards")
BEFORE_PRONOUN, AFTER_PRONOUN = _words("before_pronoun"), _words("after_pronoun")
FUNCTION_WORDS = _words("function")
AFTER_LABEL = _words("after_label")
NUMBERING = _words("numbering")
MONTHS = _words("months")
ARTICLES = frozenset({"a", "an", "the"})


def singular(word: str) -> str:
    """Fold a lower-case noun and its plural to one form; it is a key for comparison more than a word."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "zes", "ches", "shes", "uses")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return {"dice": "die", "men": "man", "feet": "foot"}.get(word, word)
