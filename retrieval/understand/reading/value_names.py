"""The names of a catalog's values: parts, initials, spellings, demonyms."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.index.words.word_vectors import word_vector
from retrieval.language.numbers.reading import quantities
from retrieval.understand.catalog.catalog import Catalog, CatalogField, is_person, spaced
from retrieval.understand.catalog.kin import Kin
from retrieval.understand.catalog.words import Word, keys, of_people, stem
from retrieval.understand.reading.grammar import CONJUNCTIONS, is_noun_like

_RANK = re.compile(r"([A-Za-z]{1,3})[- ]?(\d)")
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}


def numbered(field: CatalogField) -> list[tuple[tuple[str, ...], Scalar]]:
    """`phase 2` for II of the field phase, `priority 1` for P1 of the priority."""
    ranked = [(match[2], value) for value in field.counts if (match := _RANK.fullmatch(str(value)))]
    if field.words and len(ranked) == len(field.counts) and len({str(value)[:1] for value in field.counts}) == 1:
        return [((field.words[-1], number), value) for number, value in ranked]
    named = [(keys(str(value)), value) for value in field.counts]
    if not field.words or not all(key in _ROMAN for whole, _ in named for key in whole):
        return []
    return [((field.words[-1], *(str(_ROMAN[key]) for key in whole)), value) for whole, value in named]


_SHORTEST_NAME = 3
"""Letters of a first or last name that may stand for the whole."""
_FIRSTS = 4
"""Values at most that one part of a name may stand for."""
_PART = 4
"""Letters of a word that may stand for the value that it is in: `sculptures` for `Bronze Sculpture`."""
_SHORT = re.compile(r"[^\W\d_]{4,}o|[^\W\d_]{5,}")
"""What may be the beginning of a longer word: `photo`."""
_SPELLED, _NEARLY = 7, 0.88
"""Letters of a word that may be misspelled, and the share of them that must be right."""
_PARTICIPLE = re.compile(r"([^\W\d_]{3,})(ing|ed)")
TITLES = frozenset(
    {"mr", "mrs", "ms", "miss", "dr", "doctor", "prof", "professor", "sir", "dame", "lord", "lady", "judge", "justice"}
    | {"captain", "capt", "father", "sister", "chef", "madam"}
)
"""What may stand before a name and is no part of it."""
SMALL = frozenset({"of", "the", "a", "an", "for", "in", "at", "with", "from", "on", "and"})
"""Words within a name that may be there or not: `paintings in oil`."""

PLUS = "plus"
"""What the sign of A+ is read as."""
Name = tuple[str, ...]
"""Keys of its words."""


_WORD_OF_VALUE = 0.9
"""Certainty of one word for a value of several; Phrases asks more of it than of a whole value."""

Named = tuple[CatalogField, tuple[Scalar, ...], float]
"""Whose values a name is, which, and how certain that is."""


@dataclass(frozen=True, eq=False)
class ValueNames:
    """The names of values."""

    catalog: Catalog

    def called(self, name: Name, word: Word | None = None) -> Sequence[Named]:
        """Whose value a name is; of one word also as another participle, as initials, or as the beginning of a word."""
        if name in self._names or word is None:
            return self._names.get(name, ())
        other = self._participles.get(word.key) or self._initials.get(word.text) or self._shortened(word.key)
        return (other,) if other else self._misspelled(word)

    def _misspelled(self, word: Word) -> Sequence[Named]:
        """The one value that a word which nobody writes is nearly: `Portugese`."""
        if len(word.key) < _SPELLED or not word.key.isalpha() or self.catalog.says(word.text):
            return ()
        near = get_close_matches(word.key, self._single, n=2, cutoff=_NEARLY)
        return self._names[near[0],] if len(near) == 1 else ()

    @cached_property
    def _single(self) -> Sequence[str]:
        return [name[0] for name in self._names if len(name) == 1 and len(name[0]) >= _SPELLED and name[0].isalpha()]

    @cached_property
    def longest(self) -> int:
        """Words of the longest name."""
        return max(map(len, self._names), default=0)

    @cached_property
    def _names(self) -> Mapping[Name, Sequence[Named]]:
        names: dict[Name, list[Named]] = defaultdict(list)
        for field in self.catalog.fields.values():
            whole = _whole_names(field)
            for name, value in whole:
                names[name].append((field, (value,), 1.0))
            for part, values in _parts_of(field, {name for name, _ in whole}).items():
                names[part].append((field, tuple(sorted(values, key=str)), 0.9 if len(values) == 1 else 0.8))
        others: list[tuple[Name, Named]] = [(name, (field, (value,), 1.0)) for field, value, name in self._peoples()]
        others += [(name, (field, (value,), 1.0)) for name, (field, value) in self._ends().items()]
        others += [
            ((word,), (*matches, _WORD_OF_VALUE))
            for word, matches in self._words_of_values.items()
            if word not in self.catalog.nouns
        ]
        for name, named in others:
            if name not in names:
                names[name].append(named)
        return names

    def _ends(self) -> Mapping[Name, tuple[CatalogField, Scalar]]:
        """What one longer value alone ends with: `back pain` of chronic low back pain."""
        having: dict[Name, set[tuple[str, Scalar]]] = defaultdict(set)
        for field in self.catalog.fields.values():
            for value in field.counts if field.kind == "text" else ():
                whole = _name(str(value))
                for start in range(1, len(whole) - 1):
                    having[whole[start:]].add((field.name, value))
        return {
            name: (self.catalog.fields[field], value)
            for name, matches in having.items()
            if len(matches) == 1
            for field, value in matches
        }

    def _peoples(self) -> Iterator[tuple[CatalogField, Scalar, Name]]:
        """What comes from the countries that are values, and where what is from there comes from."""
        for field in self.catalog.fields.values():
            for value in field.counts if field.kind == "text" and "language" not in field.words else ():
                yield from ((field, value, _name(other)) for other in of_people(field.written(value)))

    @cached_property
    def _words_of_values(self) -> Mapping[str, tuple[CatalogField, tuple[Scalar, ...]]]:
        """Words that are in values of one field alone, and in few: `sculpture`, and `photo` of `photograph`."""
        having: dict[str, set[tuple[str, Scalar]]] = defaultdict(set)
        for field in self.catalog.fields.values():
            for value in field.counts if field.kind == "text" else ():
                whole = keys(str(value).replace("_", " "))
                for word in {*whole[:1], *whole[-1:]}:
                    having[word].add((field.name, value))
        words = {word for field in self.catalog.fields.values() for word in field.words}
        return {
            word: (self.catalog.fields[next(iter(matches))[0]], tuple(sorted((value for _, value in matches), key=str)))
            for word, matches in having.items()
            if word.isalpha()
            and len(word) >= _PART
            and word not in words
            and len(matches) <= _FIRSTS
            and len({name for name, _ in matches}) == 1
            and not (len(matches) == 1 and self._is_broad(word, *next(iter(matches))))
        }

    def _is_broad(self, word: str, name: str, value: Scalar) -> bool:
        field = self.catalog.fields[name]
        return (word,) != keys(str(value)) and Kin(self.catalog).is_broad(word, field, value)

    def _shortened(self, key: str) -> Named | None:
        """The one value of a word that begins so."""
        if not _SHORT.fullmatch(key) or key in self.catalog.nouns:
            return None
        longer = [word for word in self._words_of_values if word.startswith(key) and len(word) > len(key)]
        return (*self._words_of_values[longer[0]], _WORD_OF_VALUE) if len(longer) == 1 else None

    def owner(self, key: str) -> Named | None:
        """The one value of several words that ends so, each written as a name: `Demir's` for Yusuf Demir."""
        return self._owners.get(key)

    @cached_property
    def _owners(self) -> Mapping[str, Named]:
        having: dict[str, list[Named]] = defaultdict(list)
        for field in self.catalog.fields.values():
            for value in field.counts if field.kind == "text" else ():
                parts = str(value).split()
                if len(parts) > 1 and all(part[:1].isupper() for part in parts):
                    having[keys(parts[-1])[0] if keys(parts[-1]) else ""].append((field, (value,), 1.0))
        return {key: matches[0] for key, matches in having.items() if len(matches) == 1}

    @cached_property
    def _participles(self) -> Mapping[str, Named]:
        """`investigated` for `investigating`: the other participle of a value that is one."""
        participles: dict[str, Named] = {}
        for field in self.catalog.fields.values():
            for value in field.counts if field.kind == "text" else ():
                match = _PARTICIPLE.fullmatch(str(value).casefold())
                if match:
                    participles[match[1] + {"ed": "ing", "ing": "ed"}[match[2]]] = (field, (value,), 1.0)
                    participles.setdefault(match[1], (field, (value,), 1.0))
        return participles

    @cached_property
    def _initials(self) -> Mapping[str, Named]:
        """`UK` for `United Kingdom`: what the first letters of one value alone spell."""
        having: dict[str, list[Named]] = defaultdict(list)
        for field in self.catalog.fields.values():
            for value in field.counts if field.kind in ("text", "person") else ():
                capitals = [word[0] for word in str(value).split() if word[0].isupper()]
                if len(capitals) > 1:
                    having["".join(capitals)].append((field, (value,), 1.0))
        return {letters: matches[0] for letters, matches in having.items() if len(matches) == 1}


def _whole_names(field: CatalogField) -> list[tuple[Name, Scalar]]:
    if field.kind not in ("text", "person", "code"):
        return []
    named = [(_name(terms), value) for value in field.counts for terms in (str(value), field.written(value))]
    named += [(whole, value) for value in field.counts if len(whole := keys(str(value))) == 1]  # GeoJSON is one word
    named += numbered(field)
    free = [(("without", *name[:-1]), value) for name, value in named if len(name) > 1 and name[-1] == "free"]
    turned = [(name[::-1], value) for name, value in named if len(name) == 2 and field.kind == "text"]
    owned = [
        (_name(f"{owner} {thing}"), value)
        for value in field.counts
        for thing, of, owner in [str(value).partition(" of ")]
        if of
    ]
    return list(dict.fromkeys((name, value) for name, value in [*named, *free, *turned, *owned] if name))


def _name(value: str) -> Name:
    """The keys of a value, without the small words between them."""
    whole = keys(spaced(re.sub(r"(?<=\w)\+", f" {PLUS} ", value)))
    return whole[:1] + tuple(key for key in whole[1:] if key not in SMALL)


def _parts_of(field: CatalogField, known: Collection[Name]) -> Mapping[Name, set[Scalar]]:
    """What may stand for people's names that is no name itself, and for few of them."""
    parts: dict[Name, set[Scalar]] = defaultdict(set)
    for value in field.counts:
        if is_person(field, str(value)):
            for part in _parts(str(value)):
                parts[part].add(value)
    return {part: values for part, values in parts.items() if len(values) <= _FIRSTS and part not in known}


def _parts(name: str) -> set[Name]:
    """What may stand for a whole name: the first, the last, both without what is between."""
    whole = tuple(key for key in keys(name) if key not in TITLES)
    names: set[Name] = {(part,) for part in whole if len(part) >= _SHORTEST_NAME}
    if len(whole) > 2:
        names |= {(whole[0], whole[-1]), whole[1:]}
    if len(whole) < len(keys(name)):
        names.add(whole)
    if "," in name:
        names.add((*whole[1:], whole[0]))
    return names if len(keys(name)) > 1 else set()


@dataclass(frozen=True, slots=True, eq=False)
class Mention:
    """A run of words that is a value."""

    field: CatalogField
    values: tuple[Scalar, ...]
    """Several where one name is several people's, or `3` the beginning of several versions."""
    first: int
    """Of its words, and the one after its last."""
    stop: int
    certainty: float
    """1 where the whole value stands there."""
    likeness: float = 1.0
    """Less where other words stand there that mean the value."""
    denied: bool = False
    """Whether the words say that it is none of the values: `unresolved`."""
    granted: bool = False
    """Whether the words around it say that it is asked: `pets allowed`."""

    @property
    def is_exact(self) -> bool:
        """Whether the value itself stands there."""
        return self.certainty == 1.0 and self.likeness == 1.0


_INITIALS = re.compile(r"[A-Z]{3,5}|[a-z](?:[/&][a-z]){1,3}")
"""Values that are first letters: DCP, b/w; two capitals alone are the code of a country, or chance."""
_SHORTENED = 3
"""Letters of a value that may be the beginning of a word: `doc` of documentaries."""
_ALIKE = 0.35
"""Cosine of a word and what is short for it: `cargo` is no car."""
_LINKS = frozenset({"and", "of", "the", "for", "&", "-"})

Value = tuple[CatalogField, Scalar]


@dataclass(frozen=True, eq=False)
class Spellings:
    """Finds values that are written otherwise."""

    catalog: Catalog

    def within(self, words: Sequence[Word]) -> Iterator[Mention]:
        """Values that words spell out, shorten or bend."""
        for first in range(len(words)):
            yield from self._spelled_out(words, first)
            yield from self._bent(words, first)
            yield from self._shared(words, first)
            yield from self._lengthened(words, first)
        if self._measures:
            yield from self._measured(words)

    def _spelled_out(self, words: Sequence[Word], first: int) -> Iterator[Mention]:
        """`digital cinema package` for DCP, `black and white` for b/w."""
        letters, linked = "", False
        for stop in range(first, min(len(words), first + 7)):
            key = words[stop].key
            if key in _LINKS and letters:
                linked = True
                continue
            if not is_noun_like(key):
                return
            letters += key[0]
            for field, value in self._initials.get(letters, ()) if len(letters) > 1 else ():
                if str(value).isalpha() or linked:  # `bread work` is no b/w
                    yield Mention(field, (value,), first, stop + 1, 1.0)

    def _bent(self, words: Sequence[Word], first: int) -> Iterator[Mention]:
        """`double-blinded` for double-blind, `closing soon` for closes soon: several words by what they begin with."""
        terms: list[str] = []
        for stop in range(first, min(len(words), first + 6)):
            key = words[stop].key
            if key == "-" and terms:
                continue
            if not key[0].isalnum():
                return
            terms.append(stem(key))
            for field, value in self._stems.get(tuple(terms), ()):
                yield Mention(field, (value,), first, stop + 1, 1.0)

    def _shared(self, words: Sequence[Word], first: int) -> Iterator[Mention]:
        """`single- or double-blind`: the first lends its last word from the second."""
        joint = [word.key for word in words[first + 1 : first + 3]]
        if len(joint) < 2 or joint[0] != "-" or joint[1] not in CONJUNCTIONS:
            return
        for at in range(first + 4, min(len(words), first + 7)):
            for field, value in self._stems.get((stem(words[first].key), stem(words[at].key)), ()):
                yield Mention(field, (value,), first, first + 2, 1.0)
                return

    def _lengthened(self, words: Sequence[Word], first: int) -> Iterator[Mention]:
        """`documentaries` for doc, `subtitles` for the flag has_subs."""
        key = words[first].key
        if key in self.catalog.nouns or not key.isalpha() or self.catalog.says(words[first].text):
            return
        for short, (field, value) in self._short.items():
            longer = key.startswith(short) and len(key) > len(short) + 1
            if longer and float(word_vector(words[first].text) @ word_vector(str(value))) >= _ALIKE:
                yield Mention(field, (value,), first, first + 1, 1.0)

    def _measured(self, words: Sequence[Word]) -> Iterator[Mention]:
        """`either 35 or 16 millimetre` for 35mm and 16mm."""
        text = ""
        for word in words:
            text = text.ljust(word.start) + word.text
        for quantity in quantities(text):
            for field, value in (
                self._measures.get((quantity.low, quantity.unit), ()) if quantity.low == quantity.high else ()
            ):
                places = [
                    at for at, word in enumerate(words) if word.start < quantity.end and word.end > quantity.start
                ]
                yield Mention(field, (value,), places[0], places[-1] + 1, 1.0)

    @cached_property
    def _measures(self) -> Mapping[tuple[float, str | None], Sequence[Value]]:
        having: dict[tuple[float, str | None], list[Value]] = defaultdict(list)
        for field, value in self._texts:
            for quantity in quantities(str(value)):
                if quantity.low == quantity.high and quantity.unit and quantity.text == str(value):
                    having[quantity.low, quantity.unit].append((field, value))
        return having

    @cached_property
    def _texts(self) -> Sequence[Value]:
        return [(each, value) for each in self.catalog.dividing if each.kind == "text" for value in each.counts]

    @cached_property
    def _initials(self) -> Mapping[str, Sequence[Value]]:
        initials: dict[str, list[Value]] = defaultdict(list)
        for field, value in self._texts:
            if _INITIALS.fullmatch(str(value)):
                initials["".join(letter for letter in str(value).casefold() if letter.isalpha())].append((field, value))
        return initials

    @cached_property
    def _stems(self) -> Mapping[tuple[str, ...], Sequence[Value]]:
        stems: dict[tuple[str, ...], list[Value]] = defaultdict(list)
        for field, value in self._texts:
            terms = keys(str(value).replace("_", " "))
            if len(terms) > 1 and all(word.isalpha() for word in terms):
                stems[tuple(map(stem, terms))].append((field, value))
        return stems

    @cached_property
    def _short(self) -> Mapping[str, Value]:
        """Values and flags of one short word."""
        matches: dict[str, Value] = {}
        for field, value in self._texts:
            terms = keys(str(value))
            if len(terms) == 1 and len(terms[0]) == _SHORTENED and terms[0].isalpha() and str(value).islower():
                matches[terms[0]] = (field, value)
        return matches
