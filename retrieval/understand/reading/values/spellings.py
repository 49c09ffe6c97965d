"""Values that a question writes otherwise: spelled out, shortened, bent, or with a word that two of them share."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.index.words.word_model import word_vector
from retrieval.quantities.reading import quantities
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.fields import CatalogField
from retrieval.understand.catalog.words import Word, keys, stem
from retrieval.understand.reading.grammar import CONJUNCTIONS, is_noun_like
from retrieval.understand.reading.values.mention import Mention

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
        said: list[str] = []
        for stop in range(first, min(len(words), first + 6)):
            key = words[stop].key
            if key == "-" and said:
                continue
            if not key[0].isalnum():
                return
            said.append(stem(key))
            for field, value in self._stems.get(tuple(said), ()):
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
        for found in quantities(text):
            for field, value in self._measures.get((found.low, found.unit), ()) if found.low == found.high else ():
                places = [at for at, word in enumerate(words) if word.start < found.end and word.end > found.start]
                yield Mention(field, (value,), places[0], places[-1] + 1, 1.0)

    @cached_property
    def _measures(self) -> Mapping[tuple[float, str | None], Sequence[Value]]:
        having: dict[tuple[float, str | None], list[Value]] = defaultdict(list)
        for field, value in self._texts:
            for found in quantities(str(value)):
                if found.low == found.high and found.unit and found.text == str(value):
                    having[found.low, found.unit].append((field, value))
        return having

    @cached_property
    def _texts(self) -> Sequence[Value]:
        return [(each, value) for each in self.catalog.dividing if each.kind == "text" for value in each.counts]

    @cached_property
    def _initials(self) -> Mapping[str, Sequence[Value]]:
        found: dict[str, list[Value]] = defaultdict(list)
        for field, value in self._texts:
            if _INITIALS.fullmatch(str(value)):
                found["".join(letter for letter in str(value).casefold() if letter.isalpha())].append((field, value))
        return found

    @cached_property
    def _stems(self) -> Mapping[tuple[str, ...], Sequence[Value]]:
        found: dict[tuple[str, ...], list[Value]] = defaultdict(list)
        for field, value in self._texts:
            said = keys(str(value).replace("_", " "))
            if len(said) > 1 and all(word.isalpha() for word in said):
                found[tuple(map(stem, said))].append((field, value))
        return found

    @cached_property
    def _short(self) -> Mapping[str, Value]:
        """Values and flags of one short word."""
        found: dict[str, Value] = {}
        for field, value in self._texts:
            said = keys(str(value))
            if len(said) == 1 and len(said[0]) == _SHORTENED and said[0].isalpha() and str(value).islower():
                found[said[0]] = (field, value)
        return found
