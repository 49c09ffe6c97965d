"""What can be asked about a piece of prose: by the name of its section, by words that only it has."""

import re
from collections import Counter
from collections.abc import Sequence

from evals.generation.phrasing import Phrasing
from evals.generation.templates import PASSAGES, SECTION_PARTS, SECTIONS
from evals.generation.word_places import WordPlaces
from retrieval.types import Chunk

_WORD = re.compile(r"\b[^\W\d_]{5,}\b(?!['’])")
_SAID = re.compile(r"[^\W\d_]{3,}(?:-[^\W\d_]+)*|\d+(?:\.\d+)?%?")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z*_])")
_COMMON = 0.05
"""A word that more of the chunks hold says nothing."""
_LEAST, _MOST = 4, 9
_BY_WORDS = 0.5
"""Share of the questions that are asked by words of the text, and not by the name of the section."""


def section_question(
    chunk: Chunk, section: Sequence[Chunk], names: Sequence[str], places: WordPlaces, phrasing: Phrasing
) -> str | None:
    """A question that this chunk of a section answers; None if nothing tells it from the others."""
    if phrasing.random.random() < _BY_WORDS and (words := _telling_words(chunk, places, phrasing)):
        return phrasing.template(PASSAGES, terms=" ".join(words))
    subject = phrasing.random.choice(names)
    if len(section) == 1:
        return phrasing.template(SECTIONS, subject=subject)
    terms = _own_terms(chunk, section, subject)
    return phrasing.template(SECTION_PARTS, subject=subject, terms=" and ".join(terms)) if terms else None


def _telling_words(chunk: Chunk, places: WordPlaces, phrasing: Phrasing) -> list[str] | None:
    """A few words of one of its sentences, in their order, that are together in no other chunk."""
    sentences = [" ".join(each.split()) for each in _SENTENCE_END.split(chunk.text)]
    phrasing.random.shuffle(sentences)
    for sentence in sentences:
        said = dict.fromkeys(word.lower() for word in _SAID.findall(sentence))
        words = [word for word in said if 0 < places.share(word) < _COMMON or word.isdigit()]
        if _LEAST <= len(words) <= _MOST + _LEAST:
            kept = places.shortened(words, (), {chunk.id}, phrasing.random, _LEAST)
            if kept and len(kept) <= _MOST:
                return kept
    return None


def _own_terms(chunk: Chunk, section: Sequence[Chunk], subject: str) -> list[str]:
    """Two words that this part of a section repeats and that neither its other parts nor the subject hold."""
    elsewhere = {word.lower() for other in section if other is not chunk for word in _WORD.findall(other.source)}
    named = {word.lower() for word in _WORD.findall(subject)}
    count = Counter(word.lower() for word in _WORD.findall(chunk.source))
    own = [word for word in count if count[word] > 1 and word not in elsewhere and word not in named]
    return sorted(own, key=lambda word: (-count[word], -len(word), word))[:2]
