"""Numbers and bounds as people say them, in the figures and words that the reader of quantities knows."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache

from retrieval.quantities.measures import measure
from retrieval.quantities.words import CARDINALS
from retrieval.understand.analysis import Span
from retrieval.understand.catalog.fields import plain
from retrieval.understand.reading.units import CURRENCIES, unit_of

_LESS = "cheap|short|light|small|young|low|few|narrow|cold|cool|slow|thin|weak|quick|shallow|near|clos|soon"
_BOUND = r"between|from|under|over|above|below|beyond|exceeding|up to|at least|at most|(?:no )?(?:more|less|\w+er) than"
_OTHERS = r"(?:other|rather|never|earlier|fewer|lower|under|smaller|shorter|younger|slower|lighter)\b"
"""Words that end so and do not say `more`, whatever they compare."""
_COUNTS = {"once": "1", "twice": "2", "thrice": "3"}
_SLANG = {"tenner": "10", "fiver": "5"}
_SIGNS = {"eur": "€", "usd": "$", "gbp": "£", "quid": "£", "buck": "$", "bucks": "$"}
_MULTIPLES = {"thousand": 1_000, "k": 1_000, "million": 1_000_000}
_FIGURE = r"\d+(?:\.\d+)?"
_SIZE = rf"(?P<size>{'|'.join(_MULTIPLES)})"
_SOME = frozenset({"few", "couple", "lot", "bit", "handful", "little"})
_PLACING = frozenset({"of", "about", "under", "over", "above", "below"})
_UNIT_BEHIND = r"(?: ?(?:[^\W\d_]+|[€$£¥%]))?"
_WORD = r"(?!(?:or|and|to|in|of|with|an?|per|each|every)\b)[^\W\d_]+"
_TWO_WORDS = f"{_WORD} {_WORD}"
"""What is counted may be two words: `free seats`."""
_ENDS = rf"(?! (?:{'|'.join(CARDINALS)}|[\d€$£]))"
_NUMBER = r"(?:[€$£¥] ?)?\d(?:[\d.,]*\d)?(?: (?:thousand|million|hundred|dozen))?k?"
_SAID = rf"(?:{_NUMBER}|{'|'.join(CARDINALS)})"

Match = re.Match[str]


def _one(match: Match) -> str:
    """`less than a kilo`, `an hour or less`; `boats under a bridge` measures nothing, and `than a few` is no number."""
    before, unit = match["before"].strip().lower(), match["unit"].lower()
    if not (before or match["bound"]) or unit in _SOME:
        return match[0]
    stands = before in _PLACING and measure(unit) is None and unit_of(unit)[0] not in CURRENCIES
    return f"{match['before']}1" if unit_of(unit)[0] and not stands else match[0]


def _part(match: Match) -> str:
    """`half an hour`, `a quarter of an hour`; `half a page` measures nothing."""
    size = 0.5 if match["half"] else 0.25 if match["quarter"] else 0.75
    return f"{size} " if measure(match["unit"]) else match[0]


def _multiplied(match: Match) -> str:
    """`between 15 and 25 thousand`: the first number is of thousands too, where it is the lower one anyway."""
    low, high = float(match["low"]), float(match["high"])
    size = _MULTIPLES[match["size"].lower()]
    return f"{plain(low * size)}{match['joint']}{plain(high * size)}" if low < high else match[0]


def _least(match: Match) -> str:
    return f"at least {match[1]}"


def _most(match: Match) -> str:
    return f"at most {match[1]}"


_PATTERNS: tuple[tuple[str, Callable[[Match], str]], ...] = (
    # 60 000 and 12.000 are written so where a comma is the point.
    (r"(?<![\d.,])\d{1,3}(?: \d{3})*? \d\d0(?![\w.,])", lambda found: found[0].replace(" ", "")),
    (r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})*?\.000(?![\d.])", lambda found: found[0].replace(".", "")),
    (r"(?<=\d) ?(?:sqm|qm|m2|sq\.? m(?:et(?:er|re)s?)?)\b", lambda _: " m²"),
    (r"\b(EUR|USD|GBP) ?(?=\d)", lambda found: _SIGNS[found[1].lower()]),
    (
        r"(?P<number>\d[\d.,]*k?) ?(?P<code>EUR|USD|GBP|quid|bucks?)\b",
        lambda found: f"{_SIGNS[found['code'].lower()]}{found['number']}",
    ),
    (rf"(?<![\d.,])(?P<low>{_FIGURE})(?P<joint> ?(?:and|to|or|-|–) ?)(?P<high>{_FIGURE}) ?{_SIZE}\b", _multiplied),
    (rf"\b({'|'.join(CARDINALS)}|a|\d+) grand\b", lambda found: f"{found[1]} thousand"),
    (
        r"\b(?:(?P<half>half)|(?:a )?(?P<quarter>quarter) of|three[- ]quarters of) (?:an?|one) (?=(?P<unit>[a-z]+))",
        _part,
    ),
    (r"\ba (?=thousand\b)", lambda _: "one "),
    (r"\ba (tenner|fiver)\b", lambda found: _SLANG[found[1].lower()]),
    (
        r"(?P<before>\b(?:than|least|most|exactly|only) )(?P<often>once|twice|thrice)\b",
        lambda found: f"{found['before']}{_COUNTS[found['often'].lower()]}",
    ),
    (r"\bor (?:better|greater|longer)\b", lambda _: "or more"),
    (
        r"\b(than|least|most|below|above|under|over|at|between|and|to|from) minus (?=\d)",
        lambda found: f"{found[1]} -",
    ),
    (rf"\b(?:{_LESS})e?r (?=than\b)", lambda _: "less "),
    (rf"\b(more|less) [^\W\d_]{{4,}} than (?={_NUMBER})", lambda found: f"{found[1]} than "),
    (rf"\b(?!{_OTHERS})[^\W\d_]{{3,}}er than (?={_NUMBER})", lambda _: "more than "),
    (rf"\b({_BOUND}|and|or|to) the (?=\d+(?:st|nd|rd|th)\b)", lambda found: f"{found[1]} "),
    (r"(?<=\d)[- ]plus\b", lambda _: "+"),
    (rf"\b(?:upwards|in excess|north) of (?={_NUMBER})", lambda _: "more than "),
    (rf"\b(?:south|short|shy) of (?={_NUMBER})", lambda _: "less than "),
    (r"\b(?:greater|more|higher) than or equal to\b", lambda _: "at least"),
    (r"\b(?:less|fewer|lower|smaller) than or equal to\b", lambda _: "at most"),
    (r"\bat the very (?=least\b|most\b)", lambda _: "at "),
    (rf"\bfrom ({_NUMBER}{_UNIT_BEHIND}) (?:up|on)wards?\b", _least),
    (rf"\b({_NUMBER}{_UNIT_BEHIND}(?: {_WORD})?) (?:plus|(?:or|and) (?:up|upwards?))(?=$|[,;.?)])", _least),
    (rf"\b({_SAID} {_TWO_WORDS}) or (?:more|greater|higher|over|above)\b{_ENDS}", _least),
    (rf"\b({_SAID} {_TWO_WORDS}) or (?:less|fewer|lower|under|below)\b{_ENDS}", _most),
    (rf"\b(?:within|inside)(?: of)? (?={_NUMBER})", lambda _: "at most "),
    (rf"\bmax(?:imum)?(?:\.|:| of)? (?={_NUMBER})", lambda _: "at most "),
    (rf"\bmin(?:imum)?(?:\.|:| of)? (?={_NUMBER})", lambda _: "at least "),
    (rf"\b({_NUMBER}{_UNIT_BEHIND}) (?:max(?:imum)?|at (?:the )?most|tops)\b", _most),
    (rf"\b({_NUMBER}{_UNIT_BEHIND}) (?:min(?:imum)?|at (?:the )?least)\b", _least),
    (
        r"(?<=\w )(?<!half )(?:an?|per|each|every) (?:hour|day|week|month|year) "
        r"(?P<bound>or (?:less|fewer|more|under|over))\b",
        lambda found: found["bound"],
    ),
    (
        r"(?P<before>\b(?:than|least|most|under|over|above|below|about|of|exceeding|only|exactly) |\b)"
        r"(?<!half )(?:an?|one)"
        r"(?= (?P<unit>[a-z]+)(?P<bound> (?:or|and) (?:less|more|longer|over|under)\b)?)",
        _one,
    ),
)
_REWRITES = tuple((re.compile(pattern, re.IGNORECASE), write) for pattern, write in _PATTERNS)
"""Applied one after the other."""


@cache
def _turned(counted: frozenset[str]) -> tuple[tuple[re.Pattern[str], Callable[[Match], str]], ...]:
    """A bound before what is numbered goes behind it: `between level 6 and 8`, `from level 4 up`."""
    if not counted:
        return ()
    names = "|".join(sorted(counted))
    number = rf"(?={_NUMBER}|(?:{'|'.join(CARDINALS)})\b)"
    pattern = rf"\b(?P<bound>{_BOUND}) (?:an? |the )?(?P<name>(?:{names})s?)(?: of)? {number}"
    return ((re.compile(pattern, re.IGNORECASE), lambda found: f"{found['name']} {found['bound']} "),)


@dataclass(frozen=True, slots=True)
class Figures:
    """A question with its numbers in figures, and where each character of it is from."""

    text: str
    starts: Sequence[int]
    """(n_characters,): place in the question where what the character is from begins; `ends` has where it ends."""
    ends: Sequence[int]

    @classmethod
    def of(cls, question: str, counted: Collection[str] = ()) -> "Figures":
        """A question, rewritten; `counted` has the words that number things: `under level 2` is a level under 2."""
        found = cls(question, range(len(question)), range(1, len(question) + 1))
        for pattern, write in (*_REWRITES, *_turned(frozenset(counted))):
            found = found._with(pattern, write)
        return found

    def span(self, start: int, end: int) -> Span:
        """Where what stands at a place of the rewritten text is in the question."""
        return self.starts[start], self.ends[end - 1]

    def _with(self, pattern: re.Pattern[str], write: Callable[[Match], str]) -> "Figures":
        matches = [match for match in pattern.finditer(self.text) if match[0]]
        if not matches:
            return self
        texts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        at = 0
        for match in matches:
            new = write(match)
            if new == match[0]:
                continue
            first, last = self.starts[match.start()], self.ends[match.end() - 1]
            texts += [self.text[at : match.start()], new]
            starts += [*self.starts[at : match.start()], *[first] * len(new)]
            ends += [*self.ends[at : match.start()], *[last] * len(new)]
            at = match.end()
        return Figures("".join([*texts, self.text[at:]]), [*starts, *self.starts[at:]], [*ends, *self.ends[at:]])
