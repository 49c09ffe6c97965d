"""Which words a short form stands for: `RoF` for `rate of fire`, `Wgt` for `weight`."""

from collections.abc import Sequence

SMALL = frozenset({"of", "or", "and", "the", "to", "in", "for", "a", "an", "per", "vs", "by", "on", "with", "over"})
"""Words that a short form may leave out."""


def ending(short: str, long: str, *, is_whole: bool) -> str | None:
    """The last of the words that the short form stands for; of a list's entry, all of them."""
    words = long.split()
    if is_whole and stands_for(short, words):
        return long
    tails = (words[-count:] for count in range(1, len(words) + 1))
    return next((" ".join(tail) for tail in tails if stands_for(short, tail)), None)


def beginning(short: str, long: str) -> str | None:
    """The first of the words that the short form stands for, as many as there are."""
    words = long.split()
    heads = (words[:count] for count in range(len(words), 0, -1))
    whole = next((head for head in heads if head[-1].casefold() not in SMALL and stands_for(short, head)), None)
    return " ".join(whole).rstrip(".,/-") if whole else None


def stands_for(short: str, words: Sequence[str]) -> bool:
    """Whether it is the initials of the words, or some letters of theirs, each word's initial among them."""
    letters, said = short.casefold(), [word.casefold() for word in words]
    large = [word for word in said if word not in SMALL and word[0].isalnum()]
    if not large or large[0] != said[0] or letters == " ".join(said):
        return False
    if len(letters) == 1:
        return said[0][0] == letters and len(said[0]) > 1
    initials = "".join(word[0] for word in large)
    if letters in (initials, "".join(word[0] for word in said)):
        return len(large) > 1
    return len(large) < len(letters) and initials[0] == letters[0] and _is_cut_from(letters, large)


def _is_cut_from(letters: str, words: Sequence[str]) -> bool:
    """Whether the letters can be read off the words in order, the first of each word among them."""
    if not words:
        return not letters
    first, rest = words[0], words[1:]
    if not letters or letters[0] != first[0]:
        return False
    at, place = 0, 0
    while True:
        if _is_cut_from(letters[at + 1 :], rest):
            return True
        at += 1
        place = first.find(letters[at], place + 1) if at < len(letters) else -1
        if place < 0:
            return False
