"""Splits comparisons into one question for each side."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from retrieval.language.english import word_set, word_sets
from retrieval.language.numbers.quantity import CARDINALS
from retrieval.types import Chunk
from retrieval.understand.catalog.words import Word, keys, words
from retrieval.understand.reading.grammar import AUXILIARIES

IsName = Callable[[Sequence[str]], bool]
"""Whether these keys are the name of something in the index."""

_VERSUS = (
    *(("versus",), ("vs", "."), ("vs",), ("v", "."), ("v",), ("against",), ("as", "against"), ("as", "opposed", "to")),
    *(("compared", "with"), ("compared", "to"), ("as", "compared", "with"), ("as", "compared", "to")),
    *(("in", "comparison", "with"), ("next", "to", "that", "of"), ("as", "well", "as"), ("rather", "than")),
)
_LISTING = frozenset({"or", "and", ",", "/"})
_WORDS = word_sets("comparisons")
_COMPARING, _LEADING = _WORDS["comparing"], _WORDS["leading"]
_BREAKS = AUXILIARIES | _WORDS["ending"]
_COUNTING = CARDINALS.keys() | {"a", "an", "few", "several", "couple"}
"""Words that count things."""
_LONGEST_SIDE = 7
"""The most words of a name."""
_MORE_OR_LESS = word_set("more") | word_set("less")
_REPEATING = frozenset({"and", "or", "than", "versus", "vs"})
"""Words after which a preposition may be repeated."""
_PREPOSITIONS = word_sets("questions")["prepositions"]
_QUESTION_WORDS, _REFERRING = word_set("question_words"), _WORDS["referring"]
_FEW = 3
"""The most words of a clause that may lack a verb: `how many large`."""
_INSIDE = frozenset({"-", "/", "_", "."})
"""Signs that may stand within a word."""
_SIGNS = frozenset({",", ":", ";", "?", "!", "(", ")", "-", "–", "—"})


def compared(question: str, is_name: IsName) -> tuple[str, ...]:
    """Return the questions that a comparison consists of, in order, each about one of the things.

    Args:
        question: the question as asked.
        is_name: whether keys are the name of something in the index.

    Returns:
        Two or more questions; empty if nothing is compared.
    """
    if fighters := duel_sides(question):
        return fighters
    terms = words(question)
    if clauses := _asked_twice(question, terms) or _with_one_preposition(question, terms, is_name):
        return clauses
    spans = _things(terms, is_name)
    if len(spans) < 2:
        return ()
    left_out = _connections(terms, spans)
    parts = []
    for kept in spans:
        gone = {at for other in spans if other is not kept for at in range(*other)} | (left_out - set(range(*kept)))
        parts.append(_text(question, terms, gone))
    return tuple(dict.fromkeys(parts)) if len(set(parts)) == len(spans) else ()


_VALUE = r"(?P<{side}_value>(?P<{side}_label>[A-Za-z][A-Za-z. ]*?)\s*[-−+]?\d+)"
_BRACKETED = r"(?P<{side}>[^():,;?]+?)\s*(?:\(|,?\s(?:with|at|in)\s(?:an?\s)?)" + _VALUE + r"\)?"
_DUEL = re.compile(
    _BRACKETED.format(side="left") + r"\s*,?\s(?:vs?\.?|versus|against|or|and)\s+" + _BRACKETED.format(side="right"),
    re.IGNORECASE,
)
_FIGHTS = re.compile(r"\b(?:wins?|winner|beats?|defeats?|prevails?|hits?|duels?|fights?|strikes?)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"^\s*(?:an?|the|between)\s+", re.IGNORECASE)


def duel_sides(question: str) -> tuple[str, ...]:
    """Return the questions that a duel consists of: each fighter against the other's value; empty if there is no
    fight.

    >>> duel_sides("Who wins: 4th level fighter (AC 3) vs 7th level druid (AC 9)?")
    ('4th level fighter against AC 9', '7th level druid against AC 3')
    """
    match = _DUEL.search(question) if _FIGHTS.search(question) else None
    if match is None or match["left_label"].casefold() != match["right_label"].casefold():
        return ()
    left, right = (_ARTICLE.sub("", match[side]).strip() for side in ("left", "right"))
    return f"{left} against {match['right_value']}", f"{right} against {match['left_value']}"


def _asked_twice(question: str, terms: Sequence[Word]) -> tuple[str, ...]:
    """Return the two questions of a sentence that repeats its question word after `and`; empty if it does not.

    What the second leaves out, it takes from the first: `which port is for mail and which for news?` asks `which port
    is for news?`. A first clause without a verb takes the rest of the second: `how cold and how hot can ovens get?`. A
    second clause with a pronoun needs the first: `what is it made of, and what does it weigh?`.
    """
    texts, end = [word.text.lower() for word in terms], len(terms) - bool(terms and terms[-1].key in _SIGNS)
    for first, asking in ((at, text) for at, text in enumerate(texts) if text in _QUESTION_WORDS):
        second = next((at for at in range(first + 3, end) if texts[at - 2 : at] == ["and", asking]), None)
        if second is None or not _REFERRING.isdisjoint(texts[second:end]):
            continue
        stop = second - 2 - (texts[second - 3] == ",")
        clause = question[: terms[stop - 1].end]
        verb = next((at for at in range(first + 1, stop) if texts[at] in AUXILIARIES), None)
        if verb is None and stop - first <= _FEW:
            same = min(second + stop - first - 1, end)
            clause += question[terms[same - 1].end : terms[end - 1].end]
        shared = next((at for at in range(first + 1, stop) if texts[at] == texts[second]), None)
        if shared is None:
            lacks_verb = AUXILIARIES.isdisjoint(texts[second:end])
            shared = first + 1 if verb is None or not lacks_verb else verb + 1
        opening = question[: terms[shared - 1].end]
        other = f"{opening} {question[terms[second].start : terms[end - 1].end]}"
        return (clause, other) if other.casefold() != clause.casefold() else ()
    return ()


_STATED = re.compile(r"\b(?:vs|versus|compared (?:with|to)|difference between)\b", re.IGNORECASE)


def states_comparison(question: str) -> bool:
    """Whether the form of a question alone shows that it compares things: a duel, `versus`, a repeated preposition."""
    repeats = _with_one_preposition(question, words(question), lambda _: False)
    return bool(duel_sides(question) or _STATED.search(question) or repeats)


def _with_one_preposition(question: str, terms: Sequence[Word], is_name: IsName) -> tuple[str, ...]:
    """Return the two questions of one that repeats a preposition: `pins for a motor and for a lamp`; empty if none is.

    With `or` it is one question, `does it start at 0 or at 1?`, unless a word like `more` compares the two.
    """
    texts = [word.text.lower() for word in terms]
    compares = not _MORE_OR_LESS.isdisjoint(texts)
    for joint in range(2, len(terms) - 2):
        if (
            texts[joint] not in _REPEATING
            or texts[joint + 1] not in _PREPOSITIONS
            or (texts[joint] == "or" and not compares)
        ):
            continue
        first = max((at for at in range(joint - 1) if texts[at] == texts[joint + 1]), default=joint)
        left, right = texts[first + 1 : joint], _right_of(terms, joint + 2, is_name)
        if right is None or not 0 < len(left) <= _LONGEST_SIDE or right[1] - right[0] > _LONGEST_SIDE:
            continue
        if (_BREAKS | _QUESTION_WORDS | _SIGNS).isdisjoint(left):
            return tuple(
                _text(question, terms, set(gone)) for gone in (range(joint, right[1]), range(first, joint + 1))
            )
    return ()


def _text(question: str, terms: Sequence[Word], gone: set[int]) -> str:
    """Return the question without some words; text between two kept words is kept."""
    pieces: list[str] = []
    for at, word in enumerate(terms):
        if at in gone:
            continue
        joined = "" if word.key in _SIGNS else " "
        between = question[terms[at - 1].end : word.start] if at and at - 1 not in gone else joined
        pieces += [between, word.text]
    return "".join(pieces).strip(" ,:;").removeprefix("- ").removesuffix(" -").strip(" ,:;")


def _things(terms: Sequence[Word], is_name: IsName) -> list[tuple[int, int]]:
    for first, stop in _joints(terms):
        right = _right_of(terms, stop, is_name)
        left = (_subject if terms[first].key == "than" else _left_of)(terms, first, is_name)
        if right is None or left is None:
            continue
        if terms[first].key != "than":
            left, right = _shared_head(terms, *_same_head(terms, left, right), is_name)
        left, right = _unbroken(terms, left), _unbroken(terms, right)
        things = [*_more_of_list(terms, left, is_name), left, right]
        if _compares(terms, things, (first, stop), is_name):
            return things
    return _listed(terms, is_name)


def _joints(terms: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Yield the positions of words that join two compared things, clearest first."""
    # `V` is volts, `v` is versus.
    texts = [word.text.lower() if _is_apart(terms, at) and word.text != "V" else "" for at, word in enumerate(terms)]
    for at in range(1, len(texts)):
        length = max((len(phrase) for phrase in _VERSUS if tuple(texts[at : at + len(phrase)]) == phrase), default=0)
        if length and not (texts[at] == "against" and any(word in texts for word in ("versus", "vs", "v"))):
            yield at, at + length
    for wanted in ("than", "or", "and", "from", "to"):
        yield from ((at, at + 1) for at in range(1, len(texts)) if texts[at] == wanted)


def _is_apart(terms: Sequence[Word], at: int) -> bool:
    """Whether a word is no part of a longer one, as `V` is of `V2` and `and` of `pick-and-place`."""
    return not (_is_joined(terms, at) or _is_joined(terms, at + 1))


def _is_joined(terms: Sequence[Word], at: int) -> bool:
    """Whether there is no blank between a word and the one before it; a sign must have a word behind it, too."""
    if not 0 < at < len(terms) or terms[at - 1].end != terms[at].start:
        return False
    behind = terms[at] if terms[at].key[0].isalnum() else next(iter(terms[at + 1 : at + 2]), None)
    if behind is None or not behind.key[0].isalnum() or behind.start > terms[at].end:
        return False
    return all(word.key[0].isalnum() or word.key in _INSIDE for word in terms[at - 1 : at + 1])


def _is_end(terms: Sequence[Word], at: int) -> bool:
    """Whether a sign ends a thing; a hyphen within a word or before a number, as in `AC -2`, does not."""
    return terms[at].key in _SIGNS and not (_is_joined(terms, at) or _is_joined(terms, at + 1))


def _unbroken(terms: Sequence[Word], span: tuple[int, int]) -> tuple[int, int]:
    """Extend a thing by the rest of words that are written without a blank: `STM32F042`, `roll-ups`."""
    first, stop = span
    while _is_joined(terms, first):
        first -= 1
    while _is_joined(terms, stop):
        stop += 1
    return first, stop


def _right_of(terms: Sequence[Word], at: int, is_name: IsName) -> tuple[int, int] | None:
    while at < len(terms) and terms[at].text.lower() in _LEADING:
        at += 1
    named = max(
        (stop for stop in range(at + 1, min(len(terms), at + 7) + 1) if _named(terms, at, stop, is_name)), default=0
    )
    stop = at
    while stop < len(terms) and (
        _is_joined(terms, stop)
        or (not _is_end(terms, stop) and (stop == at or terms[stop].text.lower() not in _BREAKS))
    ):
        stop += 1
    stop = named or stop
    stop += stop < len(terms) and terms[stop].text.lower() in ("one", "ones")
    return (at, stop) if stop > at else None


def _left_of(terms: Sequence[Word], stop: int, is_name: IsName) -> tuple[int, int] | None:
    while stop > 0 and terms[stop - 1].key in {",", "or", "and"}:
        stop -= 1
    named = min(
        (at for at in range(max(0, stop - _LONGEST_SIDE), stop) if _named(terms, at, stop, is_name)), default=stop
    )
    at = stop
    while at > 0 and not _is_end(terms, at - 1) and terms[at - 1].text.lower() not in _BREAKS:
        if terms[at - 1].key in {"a", "an", "the", "of"} | _LISTING:
            break
        at -= 1
    at = _with_number(terms, named) if named < stop else at
    return (at, stop) if stop > at else None


def _with_number(terms: Sequence[Word], at: int) -> int:
    """Return where a name with the number before it begins: at `5th` in `5th level fighter`."""
    for first in range(at - 1, max(-1, at - 4), -1):
        if terms[first].text[0].isdigit():
            return first
        if terms[first].key in _SIGNS | _LISTING or terms[first].text.lower() in _BREAKS | _LEADING:
            break
    return at


def _subject(terms: Sequence[Word], stop: int, is_name: IsName) -> tuple[int, int] | None:
    """Return the thing that is compared with `than`: the longest name before it, else the words after the first
    verb."""
    named = [
        (at, end)
        for at in range(stop)
        for end in range(at + 1, min(stop, at + 6) + 1)
        if _named(terms, at, end, is_name)
    ]
    if named:
        return max(named, key=lambda span: (span[1] - span[0], span[0]))
    verb = next((at for at in range(stop) if terms[at].text.lower() in AUXILIARIES), None)
    return _right_of(terms, verb + 1, is_name) if verb is not None and verb + 1 < stop else None


def _named(terms: Sequence[Word], at: int, stop: int, is_name: IsName) -> bool:
    """Whether these words are a name."""
    if not (terms[at].key[0].isalnum() and terms[stop - 1].key[0].isalnum()):
        return False
    return is_name([word.key for word in terms[at:stop] if word.key[0].isalnum()])


def _same_head(
    terms: Sequence[Word], left: tuple[int, int], right: tuple[int, int]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Extend both things by a word that both end with, `Angle mode and Horizon mode`: a name may lack it, or consist
    only of it."""
    if right[1] == len(terms) or terms[right[1]].key != terms[left[1] - 1].key:
        return left, right
    right = right[0], right[1] + 1
    first = left[0]
    while first > max(0, left[1] - (right[1] - right[0])) and terms[first - 1].text.lower() not in _BREAKS | _COMPARING:
        first -= 1
    return (first, left[1]), right


def _shared_head(
    terms: Sequence[Word], left: tuple[int, int], right: tuple[int, int], is_name: IsName
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Shorten the second thing if the words after it may belong to both: `longsword and greataxe critical
    multipliers`."""
    if _named(terms, *right, is_name):
        return left, right
    length = left[1] - left[0]
    if left[0] == 0 and right[1] - right[0] > length:
        return left, (right[0], right[0] + length)
    return left, right


def _listed(terms: Sequence[Word], is_name: IsName) -> list[tuple[int, int]]:
    """Return names that are joined only by commas: `club, mace, quarterstaff`."""
    commas = [at for at, word in enumerate(terms) if word.key == ","]
    things: list[tuple[int, int]] = []
    for comma in commas:
        left, right = _left_of(terms, comma, is_name), _right_of(terms, comma + 1, is_name)
        if left and right and _named(terms, *left, is_name) and _named(terms, *right, is_name):
            things += [side for side in (left, right) if side not in things]
    return things


def _more_of_list(terms: Sequence[Word], left: tuple[int, int], is_name: IsName) -> list[tuple[int, int]]:
    """Return the things before the first of two: `mansion, keep or tower`.

    What a question asks of them is none: `which is larger, a keep or a tower?`.
    """
    things: list[tuple[int, int]] = []
    at = left[0]
    while at > 1 and terms[at - 1].key == ",":
        before = _left_of(terms, at - 1, is_name)
        if before is None or before[1] - before[0] > 3:
            break
        if not _named(terms, *before, is_name) and (_named(terms, *left, is_name) or _is_asked(terms, before)):
            break
        things.insert(0, before)
        at = before[0]
    return things


def _is_asked(terms: Sequence[Word], span: tuple[int, int]) -> bool:
    """Whether words stand behind a verb that asks: `larger` in `which is larger`."""
    opening = {word.text.lower() for word in terms[: span[0]]}
    return not opening.isdisjoint(AUXILIARIES | _QUESTION_WORDS)


def _compares(
    terms: Sequence[Word], things: Sequence[tuple[int, int]], joint: tuple[int, int], is_name: IsName
) -> bool:
    """Whether joined things are compared, instead of being one thing with two names."""
    joined = terms[joint[0]].text.lower()
    named = all(_named(terms, *thing, is_name) for thing in things)
    if joined in ("and", "or"):
        texts = {word.text.lower() for word in terms}
        chooses = joined == "or" and (terms[0].text.lower() in AUXILIARIES or not texts.isdisjoint(_MORE_OR_LESS))
        return named or chooses or not texts.isdisjoint(_COMPARING)
    if joined in ("from", "to"):
        return named and terms[joint[0] - 1].key not in ("how", "much")
    if joined == "than":
        counted = all(word.text[0].isdigit() or word.key in _COUNTING for word in terms[slice(*things[-1])][:1])
        return named or not (counted or terms[joint[0] - 1].key in ("other", "rather"))
    return True


def _connections(terms: Sequence[Word], things: Sequence[tuple[int, int]]) -> set[int]:
    """Return the words between two things that only join them."""
    gone: set[int] = set()
    for one, other in pairwise(things):
        between = range(one[1], other[0])
        joint = next((at for at in between if terms[at].key == "than"), one[1])
        gone.update(between[max(0, joint - one[1]) :])
    return gone


_LONGEST_NAME = 6
"""The most words of a name; longer texts are sentences."""


class ComparedNames:
    """Names of rows, sections and tables.

    Args:
        chunks: the chunks of an index; empty if `noting` collects the names while other code reads the chunks.
    """

    def __init__(self, chunks: Iterable[Chunk] = ()) -> None:
        self._called: set[str] = set()
        for _ in self.noting(chunks):
            pass

    def noting(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Yield the same chunks and collect their names; all must be read before a name is looked up."""
        for chunk in chunks:
            called = (chunk.row_key, chunk.called, chunk.caption, *chunk.heading_path[-1:], *chunk.names)
            self._called.update(name for name in called if name)
            yield chunk

    @cached_property
    def _names(self) -> frozenset[tuple[str, ...]]:
        # All rows of a table share its caption and heading: every text is split into words once.
        return frozenset(
            tuple(sorted(terms))
            for terms in map(keys, self._called)
            if len(terms) <= _LONGEST_NAME and any(word.isalpha() for word in terms)
        )

    def __contains__(self, name_keys: Sequence[str]) -> bool:
        """Whether these keys, in any order, are a whole name: `Horse, war, heavy` is a heavy war horse."""
        return tuple(sorted(name_keys)) in self._names
