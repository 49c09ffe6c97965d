"""Whether a question asks for what a value is not."""

from collections.abc import Collection, Mapping, Sequence

from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.words import Word, stem
from retrieval.understand.reading.grammar import ADVERBS, AUXILIARIES, CARRIERS, NEGATIONS, PREPOSITIONS, RELATIVES
from retrieval.understand.reading.past import is_past
from retrieval.understand.reading.values.mention import Mention

ANYTHING = frozenset({"anything", "everything", "something", "nothing"})
_NOBODY = frozenset({"nobody", "none"})
"""Who does what is denied: `nobody has finished`."""
_NEGATION_REACH = 6
"""Words between a negation and what it negates."""
_TURNED: Mapping[str, Collection[str]] = {
    "than": ("other", "rather"),
    "out": ("leave", "leaving", "filter"),
    "from": ("apart", "aside"),
    "but": (*sorted(ANYTHING - {"nothing"}), "any", "all", "every"),
}
"""Words that negate behind certain others."""
_BETWEEN = (
    frozenset({"but"})
    | AUXILIARIES
    | ADVERBS
    | RELATIVES
    | frozenset(
        {
            "-",
            "i",
            "we",
            "you",
            "they",
            "a",
            "an",
            "the",
            "by",
            "in",
            "from",
            "with",
            "any",
            "to",
            "of",
            "for",
            "on",
            "at",
            "those",
            "these",
            "ones",
            "about",
            "concerning",
            "regarding",
        }
    )
)
"""What may stand between a negation and what it negates, beside words for documents and of the field's name."""


def is_negated(words: Sequence[Word], mention: Mention, catalog: Catalog) -> bool:
    """Whether the question asks for what is not so: `not`, `without`, `other than`, back to the last noun."""
    if mention.field.kind == "person" and _does_not(words, mention.stop):
        return True
    stems = {stem(word) for word in mention.field.words}
    at = mention.first - 1
    for _ in range(_NEGATION_REACH):
        if at < 0:
            return False
        key = words[at].key
        before = words[at - 1].key if at else ""
        if key == "nothing" and words[at + 1].key == "but":
            return False  # `nothing but globes` is globes
        nobody = key in _NOBODY and words[at + 1].key in AUXILIARIES
        does_not = key.endswith("ing") and _denies(before)
        any_but = key == "but" and any(word.key in ("any", "every", "all") for word in words[max(0, at - 3) : at])
        if nobody or does_not or any_but or _denies(key) or before in _TURNED.get(key, ()):
            return True
        longer = key == "longer" and before == "no"
        is_verb = longer or (words[at + 1].key in PREPOSITIONS and is_past(words[at])) or key in CARRIERS
        if not is_verb and key not in _BETWEEN and key not in catalog.nouns and stem(key) not in stems:
            return False
        at -= 1
    return False


def _does_not(words: Sequence[Word], at: int) -> bool:
    """What somebody did not do: `that Ann didn't write`, `Ann has never reviewed`."""
    at += at < len(words) and words[at].key in AUXILIARIES
    return at + 1 < len(words) and (words[at].key in ("not", "never") or words[at].key.endswith(("n't", "n’t")))


def _denies(key: str) -> bool:
    return key in NEGATIONS or key.endswith(("n't", "n’t"))
