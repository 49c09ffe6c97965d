"""What a question asks about: its words without those that any question has."""

import re

_WORDS = """
a about am an and any anything are as at be been but by can could did do does during each for from get gets give given
had has have he her his how i if in into is it its list many may me might much must my need needs of on one or our
please say says shall she should show so some tell than that the their them then there these they this those to us use
was we were what when where which who whom whose why will with would you your
"""
_EVERYWHERE = frozenset(_WORDS.split())
"""In a large library the rarity of a word says that it says nothing. A small one may never say `what`."""

_EDGES = re.compile(r"\W+")


def is_everywhere(word: str) -> bool:
    """Whether any question has this word, which is in lower case."""
    return word in _EVERYWHERE


def subject_of(question: str) -> str:
    """The question without such words, the others as they are; a question of nothing else stays whole.

    >>> subject_of("What can I do during movement?")
    'movement?'
    """
    left = [word for word in question.split() if not is_everywhere(_EDGES.sub("", word).casefold())]
    return " ".join(left) or question
