"""Sentences of a passage of prose, and which of them answers a question."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.index.words.word_vectors import telling, word_vector
from retrieval.language.numbers import quantities
from retrieval.rag.cells import AnswerKind
from retrieval.rag.relevance import is_everywhere

_BREAK = re.compile(r"(?<=[.!?])[*_)\"”’]*\s+(?=[*_(\"“‘\[`]*[A-Z0-9])|<br ?/?>")
_HEADING = re.compile(r"^#{1,6}\s+(?P<hashed>.+?)\s*#*$|^\*\*(?P<bold>[^*]+)\*\*:?$")
_ITEM = re.compile(r"^\s*(?P<mark>[-*+]|\d+[.)])\s+|^\s*>\s*")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_TABLE = re.compile(r"\[Table:[^\]]*\]")
_LINK = re.compile(r"\[[^\]]*\]\([^)]*\)|https?://\S+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LIMITS = frozenset("must may can cannot not never only always should allowed required until unless maximum".split())
_DEFINES = re.compile(r"\b(?:is|are|means|refers|describes|defines|represents|called)\b")
_DEFINITION = re.compile(r"^\s*(?:what(?:['’]s| is| are| does)|define|explain)\b(?!.*\b(?:mean time|called)\b)")
_STEPS = re.compile(r"\bhow (?:do|can|to|would|should|are|is)\b")
_POLAR = re.compile(
    r"^\s*(?:is|are|am|was|were|do|does|did|can|could|may|must|should|shall|will|would|has|have|had)\b|[,;]\s*(?:ok|right|allowed|possible)\?"
)
_LONG = 60
"""Words of a sentence that is as long as can be."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of markdown. Its place is its number in the passage."""

    text: str
    """As written, without the mark of a list."""
    heading: str
    """Nearest heading above it in the passage; empty where there is none."""
    before: str
    """The sentence before it under the same heading; empty for the first."""
    mark: str
    """The mark of its item, as `-` or `2.`; empty for a paragraph."""


def split_sentences(text: str) -> tuple[Sentence, ...]:
    """Sentences of markdown in their order, without headings, code blocks and marks of tables."""
    sentences: list[Sentence] = []
    heading, before = "", ""
    for block, mark in _blocks(text):
        title = _HEADING.match(block)
        if title:
            heading, before = (title["hashed"] or title["bold"]).strip(), ""
            continue
        for piece in _BREAK.split(block):
            plain = " ".join(piece.split())
            if len(plain) < 2 or not any(map(str.isalnum, plain)):
                continue
            sentences.append(Sentence(plain, heading, before, mark))
            before = plain
    return tuple(sentences)


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Paragraphs, items and headings, each with the mark of its list."""
    lines: list[str] = []
    mark, is_code = "", False
    for line in (*_TABLE.sub("\n\n", text).split("\n"), ""):
        if _FENCE.match(line):
            is_code = not is_code
            line = ""
        item, title = _ITEM.match(line), _HEADING.match(line.strip())
        if is_code or item or title or not line.strip():
            if lines:
                yield " ".join(lines), mark
            lines, mark = [], ""
        if is_code or not line.strip():
            continue
        if title:
            yield line.strip(), ""
            continue
        if item:
            mark = item["mark"] or ""
            line = line[item.end() :]
        lines.append(line.strip())


NAMES = (
    *("cover", "cover_above", "cover_before", "whole", "meaning", "meaning_window"),
    *("number", "measure", "limit", "definition", "step", "item", "first", "early"),
    *("short", "long", "links", "asks", "opens", "bold", "new"),
)
"""Features of a sentence, each 0 to 1:

- `cover`: share of the question's words that it has, by rarity; `cover_above`: that only its heading adds;
  `cover_before`: that only the sentence before adds; `whole`: whether no sentence of the passage has more;
- `meaning`: cosine of the sentence and the question; `meaning_window`: with its heading and the sentence before;
- `number`, `measure`: it has a number, or one of the unit, where the question asks for one; `limit`: it has a modal
  word where the question wants yes or no; `definition`, `step`: the same for `what is` and `how do I`;
- `item`: of a list; `first`: of the passage; `early`: 1 for the first, a half for the second, a third for the third;
- `short`: has fewer than four words; `long`: length as a share of sixty words; `links`: share of its characters in
  links; `asks`: is a question; `opens`: ends with a colon; `bold`: has bold text or code; `new`: share of its words that
  the question does not have.
"""

Features = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SentenceQuestion:
    """A question as it is put to sentences."""

    text: str
    tokens: frozenset[str]
    """Its words without those that any question has, as the index cuts them."""
    kind: AnswerKind
    tokenize: Callable[[str], Sequence[str]]
    weigh: Callable[[str], float]
    """How rare a word is in the library."""


def sentence_features(question: SentenceQuestion, sentences: Sequence[Sentence]) -> Features:
    """(sentences, NAMES)."""
    rows = [_features(question, sentence, position) for position, sentence in enumerate(sentences)]
    values = np.asarray(rows, dtype=np.float64).reshape(len(rows), len(NAMES))
    if len(values):
        cover = values[:, NAMES.index("cover")]
        values[:, NAMES.index("whole")] = (cover == cover.max()) & (cover > 0)
    return values


def _features(question: SentenceQuestion, sentence: Sentence, position: int) -> tuple[float, ...]:
    text = sentence.text
    tokens = frozenset(question.tokenize(text))
    above = frozenset(question.tokenize(sentence.heading))
    before = frozenset(question.tokenize(sentence.before))
    total = _weight(question, question.tokens) or 1.0
    subject = word_vector(question.text.casefold())
    window = f"{sentence.heading} {sentence.before} {text}"
    words = _WORD.findall(text.casefold())
    numbers = quantities(text)
    lowered = question.text.casefold()
    wants_number = question.kind.number or bool(question.kind.measures) or "how many" in lowered
    linked = sum(len(match[0]) for match in _LINK.finditer(text)) / len(text)
    return (
        _weight(question, question.tokens & tokens) / total,
        _weight(question, (question.tokens & above) - tokens) / total,
        _weight(question, (question.tokens & before) - tokens - above) / total,
        0.0,
        max(float(word_vector(text.casefold()) @ subject), 0.0),
        max(float(word_vector(window.casefold()) @ subject), 0.0),
        float(wants_number and bool(numbers)),
        float(any(question.kind.fits(number.unit) for number in numbers)),
        float(bool(_POLAR.search(lowered)) and not _LIMITS.isdisjoint(words)),
        float(bool(_DEFINITION.search(lowered)) and bool(_DEFINES.search(text.casefold()))),
        float(bool(_STEPS.search(lowered)) and bool(sentence.mark[:1].isdigit())),
        float(bool(sentence.mark)),
        float(position == 0),
        1.0 / (1.0 + position),
        float(len(words) < 4),
        min(len(words) / _LONG, 1.0),
        min(linked, 1.0),
        float(text.rstrip("*_ ").endswith("?")),
        float(text.rstrip("*_ ").endswith(":")),
        float("**" in text or "`" in text),
        1.0 - len(question.tokens & tokens) / (len(tokens) or 1),
    )


def _weight(question: SentenceQuestion, tokens: frozenset[str]) -> float:
    return sum(question.weigh(token) for token in tokens)
