"""The words that open an interval: `more than`, `at most`, `not exceeding`."""

from retrieval.quantities.words import DOWNWARDS, UPWARDS

UNKNOWN_WAY = frozenset({"better", "worse"})
"""Some columns get better upwards, some downwards: the bound stands for itself alone."""
OPENING = UPWARDS | DOWNWARDS | UNKNOWN_WAY
Bound = tuple[bool, bool]
PHRASES: dict[tuple[str, ...], Bound] = {
    # The words before a number: does it open upwards, and is the number itself left out.
    **{(word, "than"): (True, True) for word in UPWARDS},
    **{(word, "than"): (False, True) for word in DOWNWARDS},
    **{(word,): (True, True) for word in ("over", "above", "exceeding", "beyond", ">")},
    **{(word,): (False, True) for word in ("under", "below", "<")},
    **dict.fromkeys((("at", "least"), ("≥",), ("⩾",), ("minimum",), (">", "="), ("=", ">")), (True, False)),
    **dict.fromkeys((("up", "to"), ("at", "most"), ("≤",), ("⩽",), ("maximum",), ("<", "=")), (False, False)),
    **{(no, word, "than"): (False, False) for no in ("no", "not") for word in UPWARDS},
    **{(no, word, "than"): (True, False) for no in ("no", "not") for word in DOWNWARDS},
    **{("not", word): (False, False) for word in ("over", "above", "exceeding", "beyond")},
    **{("not", word): (True, False) for word in ("under", "below")},
    ("up", "to", "and", "including"): (False, False),
}
OPENERS = frozenset(words[0] for words in PHRASES)
LONGEST_BOUND = 4
