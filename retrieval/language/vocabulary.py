"""The vocabulary of a library: labels, aliases, counted nouns, units, number words.

It consists of a generic default in `vocabulary.toml`, and a file of the same form that a library may have. It is stored
with a snapshot, so it can be written to JSON and read back.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from math import inf, isnan, nan
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from retrieval.errors import LibraryError
from retrieval.language.lexicon import Label, Lexicon, Words
from retrieval.language.tokens import Token, plain, tokenize, worth

_Value = TypeVar("_Value", str, int)
_SWITCHES = ("negative", "counted", "implied", "fractions")
_LABEL_KEYS = {"forms", "better", "written", *_SWITCHES}
_WAYS = ("better", "worse", "higher", "lower")
_WORDS = (
    "counted_nouns",
    "units",
    "value_words",
    "bridges",
    "connectives",
    "range_words",
    "list_words",
    "minus_words",
    "opposing_words",
    "opponent_words",
    "holding_words",
    "idle_words",
)


@dataclass(frozen=True, eq=False)
class Vocabulary(Words):
    """The words of a library, read from its file. Compared by identity; compare `to_json` for equality."""

    @staticmethod
    def default() -> "Vocabulary":
        """Return the generic vocabulary of the package; always the same object."""
        return _default()

    def merge(self, other: "Vocabulary") -> "Vocabulary":
        """Return this vocabulary merged with `other`: forms and words are added, a label's switches are replaced."""
        mine = {label.name: label for label in self.labels}
        for label in other.labels:
            before = mine.get(label.name, label)
            forms = tuple(dict.fromkeys((*before.forms, *label.forms)))
            mine[label.name] = replace(label, forms=forms, written=label.written or before.written)
        merged: dict[str, Any] = {"labels": tuple(mine.values())}
        for name in (f.name for f in fields(self) if f.name != "labels"):
            left, right = getattr(self, name), getattr(other, name)
            merged[name] = {**left, **right} if isinstance(left, Mapping) else tuple(dict.fromkeys((*left, *right)))
        return Vocabulary(**merged)

    def label(self, name: str) -> Label | None:
        """Return the label with the name in any of its forms (`Armour Classes` -> ac), or None."""
        return self.lexicon.label(name)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values in the form of the TOML file; `from_json` reads them back."""
        labels = {
            label.name: {"forms": list(label.forms), "better": label.better, "written": label.written}
            | {name: getattr(label, name) for name in _SWITCHES}
            for label in self.labels
        }
        return {
            "labels": labels,
            "aliases": dict(self.aliases),
            "words": {name: list(getattr(self, name)) for name in _WORDS},
            "plurals": dict(self.plurals),
            "numbers": {"cardinals": dict(self.cardinals), "ordinals": dict(self.ordinals)},
            "bounds": {"before": dict(self.bounds_before), "after": dict(self.bounds_after)},
        }

    @staticmethod
    def from_json(table: Mapping[str, Any], source: str = "vocabulary") -> "Vocabulary":
        """Return the vocabulary of values in the form of the TOML file.

        Raises LibraryError for a key or value that it does not know, for a form, an alias or a plural with a digit or
        without a letter, for a phrase without tokens, and for a bound with an unknown direction.
        """
        _check_keys(table, {"labels", "aliases", "words", "plurals", "numbers", "bounds"}, source)
        words = _section(table, "words", source)
        _check_keys(words, set(_WORDS), f"{source}: words")
        numbers, bounds = _section(table, "numbers", source), _section(table, "bounds", source)
        return Vocabulary(
            labels=tuple(_label(name, values, source) for name, values in _section(table, "labels", source).items()),
            aliases=_spellings(table, "aliases", source),
            plurals=_spellings(table, "plurals", source),
            cardinals=_pairs(numbers, "cardinals", source, int),
            ordinals=_pairs(numbers, "ordinals", source, int),
            bounds_before=_bounds(bounds, "before", f"{source}: bounds"),
            bounds_after=_bounds(bounds, "after", f"{source}: bounds"),
            **{name: _words(values, f"{source}: words.{name}") for name, values in words.items()},
        )

    @cached_property
    def lexicon(self) -> Lexicon:
        """The look-up tables of these words; built once."""
        return Lexicon(self)


def load_vocabulary(path: Path) -> Vocabulary:
    """Read a library's TOML file and merge it over the default. Raises LibraryError."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        like = "retrieval/language/vocabulary.toml"
        message = f"{path.name} cannot be read as a vocabulary: {error}; write it like {like}"
        raise LibraryError(message) from error
    return Vocabulary.default().merge(Vocabulary.from_json(table, source=path.name))


@cache
def _default() -> Vocabulary:
    text = Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8")
    return Vocabulary.from_json(tomllib.loads(text), source="vocabulary.toml")


def _section(table: Mapping[str, Any], name: str, source: str) -> Mapping[str, Any]:
    section = table.get(name, {})
    if not isinstance(section, Mapping):
        raise LibraryError(f"{source}: {name} is {section!r}; write it as a table, [{name}]")
    return section


def _pairs(table: Mapping[str, Any], name: str, source: str, kind: type[_Value]) -> dict[str, _Value]:
    pairs = _section(table, name, source)
    for word, value in pairs.items():
        if not isinstance(value, kind):
            raise LibraryError(f"{source}: {name}.{word} is {value!r}; write a {kind.__name__}")
    return dict(pairs)


def _spellings(table: Mapping[str, Any], name: str, source: str) -> dict[str, str]:
    pairs = _pairs(table, name, source, str)
    for pair in pairs.items():
        for text in pair:
            _check_letters(text, f"{source}: {name}.{pair[0]}")
    return pairs


def _bounds(table: Mapping[str, Any], name: str, source: str) -> dict[str, str]:
    ways = _pairs(table, name, source, str)
    for phrase, way in ways.items():
        _check_said(phrase, f"{source}.{name}")
        if way not in _WAYS:
            raise LibraryError(
                f"{source}.{name}: {phrase!r} has the direction {way!r}; write one of {', '.join(_WAYS)}"
            )
    return ways


def _words(values: object, where: str) -> tuple[str, ...]:
    if not isinstance(values, Sequence) or isinstance(values, str) or not all(isinstance(v, str) for v in values):
        raise LibraryError(f"{where} is {values!r}; write it as a list of words")
    words = tuple(cast("Sequence[str]", values))
    for word in words:
        _check_said(word, where)
    return words


def _check_said(text: str, where: str) -> None:
    if not tokenize(text):
        raise LibraryError(f"{where} has {text!r}, which no text can contain; leave it out")


def _check_letters(text: str, where: str) -> None:
    # Numbers are read before phrases: `thac0` would become letters with the number 0.
    kinds = {token.kind for token in tokenize(text)}
    if not kinds <= {"word", "mark"}:
        raise LibraryError(f"{where}: {text!r} has a digit or a die; write it in letters, or leave it out")
    if "word" not in kinds:
        raise LibraryError(f"{where}: {text!r} has no letter; write it in letters, or leave it out")


def _label(name: str, values: object, source: str) -> Label:
    where = f"{source}: labels.{name}"
    if not isinstance(values, Mapping):
        raise LibraryError(f"{where} is {values!r}; write it as a table")
    _check_keys(values, _LABEL_KEYS, where)
    better = values.get("better", "")
    if better not in ("higher", "lower", ""):
        raise LibraryError(f"{where}: better is {better!r}; write 'higher' or 'lower', or leave it out")
    forms = _words(values.get("forms", ()), f"{where}: forms")
    written = values.get("written", "")
    if not isinstance(written, str):
        raise LibraryError(f"{where}: written is {written!r}; write the name in full, or leave it out")
    for form in (name, *forms, *([written] if written else ())):
        _check_letters(form, where)
    return Label(
        name=name,
        forms=forms,
        better=better,
        written=written,
        **{name: bool(values.get(name, False)) for name in _SWITCHES},
    )


def _check_keys(table: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(table) - known)
    if unknown:
        raise LibraryError(f"{where} has {', '.join(unknown)}; it may have {', '.join(sorted(known))}")


MOST_VALUES = 100
"""Most values of a range that is enumerated; a longer one is kept as its two ends and an interval."""


class Numeral(NamedTuple):
    """A number in canonical text."""

    text: str
    value: float
    plain: bool
    """Whether it is a cardinal number, rather than an ordinal or a fraction."""


def numerals(token: Token, label: Label, *, one_reading: bool) -> tuple[Numeral, ...]:
    """Return the numbers of a token beside a label; number words become digits, ordinals lose their ending.

    `7/8` is a fraction beside a label with fractions (`CR 1/4`); beside another label it is also a list.
    """
    if token.kind in ("spelled", "ordinal"):
        return (Numeral(f"{token.value:.0f}", token.value, not token.ordinal),)
    if token.glue not in ("fraction", "slashed") or label.fractions:
        return (Numeral(token.text, token.value, token.kind == "number"),)
    whole = Numeral(token.text, nan, plain=False)
    parts = token.text.split("/")
    if one_reading or not all(part.isdigit() for part in parts):
        return (whole,)
    return (*(Numeral(plain(part), worth(plain(part)), plain=True) for part in parts), whole)


def spell_out(first: Numeral, last: Numeral) -> tuple[tuple[Numeral, ...], tuple[tuple[float, float], ...]]:
    """Return the values after `first` up to `last`, and an interval if they are too many or not whole."""
    low, high = sorted((first.value, last.value))
    if isnan(low) or isnan(high):
        return (last,), ()
    if not (low.is_integer() and high.is_integer()) or high - low >= MOST_VALUES:
        return (last,), ((low, high),)
    step = 1 if last.value >= first.value else -1
    cardinal = first.plain and last.plain
    values = range(int(first.value) + step, int(last.value) + step, step) if low != high else ()
    return tuple(Numeral(str(value), float(value), cardinal) for value in values), ()


def bound(value: float, way: str) -> tuple[float, float]:
    """Return the interval that is open upwards or downwards from a value."""
    return (value, inf) if way == "higher" else (-inf, value)
