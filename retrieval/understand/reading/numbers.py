"""Numbers and versions as conditions: `numbered under 100`, `Python 3.13 and later`."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isinf
from operator import ge, gt, le, lt

from retrieval.language.numbers.quantity import CARDINALS, Quantity, measure
from retrieval.language.numbers.reading import quantities
from retrieval.understand.analysis import Entity, FilterOperator, Span
from retrieval.understand.catalog.catalog import Catalog, CatalogField, plain, version_key
from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.grammar import is_noun_like
from retrieval.understand.reading.number_fields import CURRENCIES, NumberFields, counted, in_unit_of, unit_of

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
    (r"(?<![\d.,])\d{1,3}(?: \d{3})*? \d\d0(?![\w.,])", lambda matches: matches[0].replace(" ", "")),
    (r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})*?\.000(?![\d.])", lambda matches: matches[0].replace(".", "")),
    (r"(?<=\d) ?(?:sqm|qm|m2|sq\.? m(?:et(?:er|re)s?)?)\b", lambda _: " m²"),
    (r"\b(EUR|USD|GBP) ?(?=\d)", lambda matches: _SIGNS[matches[1].lower()]),
    (
        r"(?P<number>\d[\d.,]*k?) ?(?P<code>EUR|USD|GBP|quid|bucks?)\b",
        lambda matches: f"{_SIGNS[matches['code'].lower()]}{matches['number']}",
    ),
    (rf"(?<![\d.,])(?P<low>{_FIGURE})(?P<joint> ?(?:and|to|or|-|–) ?)(?P<high>{_FIGURE}) ?{_SIZE}\b", _multiplied),
    (rf"\b({'|'.join(CARDINALS)}|a|\d+) grand\b", lambda matches: f"{matches[1]} thousand"),
    (
        r"\b(?:(?P<half>half)|(?:a )?(?P<quarter>quarter) of|three[- ]quarters of) (?:an?|one) (?=(?P<unit>[a-z]+))",
        _part,
    ),
    (r"\ba (?=thousand\b)", lambda _: "one "),
    (r"\ba (tenner|fiver)\b", lambda matches: _SLANG[matches[1].lower()]),
    (
        r"(?P<before>\b(?:than|least|most|exactly|only) )(?P<often>once|twice|thrice)\b",
        lambda matches: f"{matches['before']}{_COUNTS[matches['often'].lower()]}",
    ),
    (r"\bor (?:better|greater|longer)\b", lambda _: "or more"),
    (
        r"\b(than|least|most|below|above|under|over|at|between|and|to|from) minus (?=\d)",
        lambda matches: f"{matches[1]} -",
    ),
    (rf"\b(?:{_LESS})e?r (?=than\b)", lambda _: "less "),
    (rf"\b(more|less) [^\W\d_]{{4,}} than (?={_NUMBER})", lambda matches: f"{matches[1]} than "),
    (rf"\b(?!{_OTHERS})[^\W\d_]{{3,}}er than (?={_NUMBER})", lambda _: "more than "),
    (rf"\b({_BOUND}|and|or|to) the (?=\d+(?:st|nd|rd|th)\b)", lambda matches: f"{matches[1]} "),
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
        lambda matches: matches["bound"],
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
    return ((re.compile(pattern, re.IGNORECASE), lambda matches: f"{matches['name']} {matches['bound']} "),)


@dataclass(frozen=True, slots=True)
class QuestionInFigures:
    """A question with its numbers in figures, and where each character of it is from."""

    text: str
    starts: Sequence[int]
    """(n_characters,): place in the question where what the character is from begins; `ends` has where it ends."""
    ends: Sequence[int]

    @classmethod
    def of(cls, question: str, counted: Collection[str] = ()) -> "QuestionInFigures":
        """A question, rewritten; `counted` has the words that number things: `under level 2` is a level under 2."""
        matches = cls(question, range(len(question)), range(1, len(question) + 1))
        for pattern, write in (*_REWRITES, *_turned(frozenset(counted))):
            matches = matches._with(pattern, write)
        return matches

    def span(self, start: int, end: int) -> Span:
        """Where what stands at a place of the rewritten text is in the question."""
        return self.starts[start], self.ends[end - 1]

    def _with(self, pattern: re.Pattern[str], write: Callable[[Match], str]) -> "QuestionInFigures":
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
        return QuestionInFigures(
            "".join([*texts, self.text[at:]]), [*starts, *self.starts[at:]], [*ends, *self.ends[at:]]
        )


_DIMENSIONS = frozenset({"high", "long", "tall", "wide", "deep", "thick", "old", "heavy", "across", "each", "apiece"})
_LISTING = (",", "and", ", and", "&")
_UNIT = re.compile(r"\s*([^\W\d_]+)")
_ARTICLE = re.compile(r"an?\b(?! (?:dozen|hundred|thousand|million))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Compared:
    """A number in a question that is a condition."""

    entities: tuple[Entity, ...]
    span: Span


def numeric_conditions(
    text: str, words: Sequence[Word], catalog: Catalog, taken: Sequence[Span], valued: Collection[int] = ()
) -> Iterator[Compared]:
    """Quantities that a field of numbers is compared with, by its name or because documents are numbered by it.

    Args:
        text: the question.
        words: its words.
        catalog: with the fields.
        taken: spans of what is read already.
        valued: places of words that are values.
    """
    figures, fields = QuestionInFigures.of(text, _counted(catalog)), NumberFields(catalog)
    matches = [_without_noun(_with_unit(quantity, figures.text), fields) for quantity in quantities(figures.text)]
    spans = [figures.span(match.start, match.end) for match in matches]
    for position, (quantity, span) in enumerate(zip(matches, spans, strict=True)):
        others = [*taken, *spans[:position], *spans[position + 1 :]]
        compared = quantity.kind in ("number", "open", "range") or fields.ranked(quantity)
        compared = compared or (quantity.kind == "fraction" and fields.holds(quantity.low))  # `rating 1/4`
        if not compared or any(_meet(span, other) for other in taken):
            continue
        if _ARTICLE.match(quantity.text):
            continue
        query = fields.asked(words, span, quantity, others, valued)
        if query:
            whole = _with_dimension(words, span, quantity)
            yield Compared(tuple(_bounds(text[slice(*whole)], whole, *query, quantity, catalog)), whole)
    for field, number, terms in counted(words, catalog):
        span = (terms[0].start, terms[-1].end)
        if not any(_meet(span, other) for other in taken):
            exact = Entity(text[slice(*span)], field.name, number, FilterOperator.EQ, 0.8, span)
            yield Compared((exact,), span)


def _counted(catalog: Catalog) -> frozenset[str]:
    """The words of the names of fields of numbers."""
    return frozenset(word for field in catalog.fields.values() if field.kind == "number" for word in field.words)


def _with_dimension(words: Sequence[Word], span: Span, quantity: Quantity) -> Span:
    """The span with the word that says what is measured, which is no value then: `30 cm high`."""
    behind = next((word for word in words if word.start >= span[1]), None)
    measured = quantity.unit is not None and behind is not None and behind.text.lower() in _DIMENSIONS
    return (span[0], behind.end) if measured and behind else span


def alternatives(text: str, numbers: Sequence[Compared]) -> Iterator[tuple[Entity, ...]]:
    """The entities of all numbers, those together of which one is enough: `over 150 kg or under 1 kg`."""
    group: tuple[Entity, ...] = ()
    for number in numbers:
        if len(number.entities) > 1:  # a range: both bounds hold
            yield from ((*(group,) * bool(group), *((entity,) for entity in number.entities)))
            group = ()
            continue
        between = text[group[-1].span[1] : number.span[0]].strip(" ").lower() if group else ""
        listed = between in _LISTING and _one_field((*group, *number.entities))
        if between.strip(" ,") == "or" or listed:
            group += number.entities
            continue
        if group:
            yield group
        group = number.entities
    if group:
        yield group


def _one_field(entities: Sequence[Entity]) -> bool:
    """Whether all are numbers of one field: `proposals 20 and 257` are two proposals."""
    return {(entity.field, entity.operator) for entity in entities} == {(entities[0].field, FilterOperator.EQ)}


def _with_unit(found: Quantity, text: str) -> Quantity:
    """The quantity with the unit behind it, where a noun before it was taken for its label: `instruments of 1 kilo`."""
    following = _UNIT.match(text, found.end)
    if found.unit or not following or not unit_of(following[1])[0]:
        return found
    again = next(iter(quantities(text[found.start : following.end()])), found)
    return replace(again, start=found.start, end=following.end(), label=found.label)


def _without_noun(found: Quantity, fields: NumberFields) -> Quantity:
    """The quantity without a noun that it does not count: the level is 2 in `level 2 bard spells`."""
    written, _, noun = found.text.rpartition(" ")
    if not (found.label in fields.called and written and found.unit and noun.isalpha() and measure(found.unit) is None):
        return found
    return replace(found, unit=None, end=found.start + len(written), text=written)


def _bounds(
    said: str, span: Span, field: CatalogField, certainty: float, quantity: Quantity, catalog: Catalog
) -> Iterator[Entity]:
    low, high = in_unit_of(field, quantity, tuple(catalog.fields.values()))
    if low == high:
        yield Entity(said, field.name, plain(low), FilterOperator.EQ, certainty, span)
        return
    for bound, open_ended, strict, loose in (
        (low, isinf(low), FilterOperator.GT, FilterOperator.GTE),
        (high, isinf(high), FilterOperator.LT, FilterOperator.LTE),
    ):
        if not open_ended:
            whole = float(f"{bound:.8g}")
            yield Entity(said, field.name, plain(whole), loose if whole == bound else strict, certainty, span)


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


_REACH = 5
_VERSION = re.compile(r"[0-9]+(\.[0-9]+)*")
_CALLED = frozenset({"version", "v", "release"})
_BEFORE_VERSION = frozenset({"in", "into", "for", "since", "before", "after", "until", "from", "than"})
"""What stands before a version that is called nothing: `went into 2.9`."""
_BETWEEN_VERSIONS = frozenset({"or", "and", ",", "to", "-", "–", "/"})
_BEHIND = (
    (r"\s*(?:and|or)?\s*(?:later|newer|above|up|higher|upwards?|onwards?|greater)\b|\s*\+", FilterOperator.GTE),
    (r"\s*(?:and|or)?\s*(?:earlier|older|below|lower|down)\b", FilterOperator.LTE),
)
_BEFORE = (
    (r"(?:no|not) (?:later|newer|higher|greater) than|at most|up to|until|through|maximum", FilterOperator.LTE),
    (r"(?:no|not) (?:earlier|older|lower) than|at least|since|from|starting with|minimum", FilterOperator.GTE),
    (r"(?:newer|later|higher|greater|more recent) than|above|after|over|beyond|past", FilterOperator.GT),
    (r"(?:older|earlier|lower|less|smaller) than|below|before|under|prior to", FilterOperator.LT),
)
_COMPARING = frozenset(word for pattern, _ in _BEFORE for word in re.findall(r"[a-z]+", pattern)) | {"in", "into"}


def version_conditions(text: str, words: Sequence[Word], catalog: Catalog) -> Iterator[tuple[Entity, ...]]:
    """Conditions on versions, left to right; the entities of one tuple are alternatives.

    A number is a version where a word of the field's name, or `version`, stands shortly before it, or another version
    of the same list does.
    """
    for field in catalog.fields.values():
        if field.kind != "version":
            continue
        was = -_REACH
        for at, word in enumerate(words):
            if not _VERSION.fullmatch(word.text):
                continue
            near = [word.key for word in words[max(0, at - _REACH) : at]]
            called = [key for key in near if key in _CALLED or any(key.startswith(word) for word in field.words)]
            lists = at - was == 2 and words[at - 1].key in _BETWEEN_VERSIONS
            gap = near[::-1].index(called[-1]) if called else 0
            known = at > 0 and "." in word.text and word.text in field.counts
            ends = at + 1 == len(words) or not is_noun_like(words[at + 1].key)
            known = known and (words[at - 1].key in _BEFORE_VERSION or _follows(text, word) or ends)
            if known and not called:
                called, gap = [words[at - 1].key], 0
            if not (lists or (called and _COMPARING.issuperset(near[len(near) - gap :]))):
                continue
            was = at
            start = words[at - 1 - gap].start if called and not lists else word.start
            yield _condition(text, field, word, start)


def _follows(text: str, word: Word) -> bool:
    """Whether `or above` stands behind a version."""
    return any(re.compile(pattern, re.IGNORECASE).match(text, word.end) for pattern, _ in _BEHIND)


def _condition(text: str, field: CatalogField, word: Word, start: int) -> tuple[Entity, ...]:
    for pattern, operator in _BEHIND:
        if match := re.compile(pattern, re.IGNORECASE).match(text, word.end):
            return _in_order(text, field, word.text, operator, (start, match.end()))
    for pattern, operator in _BEFORE:
        called = "|".join(map(re.escape, sorted({*_CALLED, *field.words})))
        if match := re.search(rf"\b(?:{pattern})\s*(?:(?:{called})\s*)?$", text[: word.start], re.IGNORECASE):
            return _in_order(text, field, word.text, operator, (min(start, match.start()), word.end))
    span, key = (start, word.end), version_key(word.text)
    exact = [value for value in field.counts if version_key(str(value)) == key]
    if field.ordered_by and len(key) == 1:
        low = _in_order(text, field, word.text, FilterOperator.GTE, span)
        high = _in_order(text, field, str(key[0] + 1), FilterOperator.LT, span)
        return (*low, *high)
    under = [value for value in field.counts if version_key(str(value))[: len(key)] == key]
    operator = FilterOperator.CONTAINS if field.listed else FilterOperator.EQ
    values = sorted(exact or under, key=lambda value: version_key(str(value)))
    return tuple(Entity(text[slice(*span)], field.name, value, operator, 0.95, span) for value in values)


def _in_order(text: str, field: CatalogField, asked: str, operator: FilterOperator, span: Span) -> tuple[Entity, ...]:
    key, terms = version_key(asked), text[slice(*span)]
    compare: Callable[[tuple[int, ...], tuple[int, ...]], bool] = {
        FilterOperator.GT: gt,
        FilterOperator.GTE: ge,
        FilterOperator.LT: lt,
        FilterOperator.LTE: le,
    }[operator]

    def passes(other: str) -> bool:
        return compare(version_key(other)[: len(key)], key)

    if field.ordered_by:
        kept = [number for value, number in field.orders.items() if passes(value)]
        left = [number for value, number in field.orders.items() if not passes(value)]
        upwards = operator in (FilterOperator.GT, FilterOperator.GTE)
        if not kept:
            return (
                Entity(
                    terms,
                    field.ordered_by,
                    plain(max(left) if upwards else min(left)),
                    FilterOperator.GT if upwards else FilterOperator.LT,
                    0.9,
                    span,
                ),
            )
        bound = min(kept) if upwards else max(kept)
        return (
            Entity(
                terms, field.ordered_by, plain(bound), FilterOperator.GTE if upwards else FilterOperator.LTE, 0.9, span
            ),
        )
    contains = FilterOperator.CONTAINS if field.listed else FilterOperator.EQ
    known = sorted((str(value) for value in field.counts), key=version_key)
    return tuple(Entity(terms, field.name, value, contains, 0.9, span) for value in known if passes(value))
