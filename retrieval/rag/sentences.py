"""Splits a passage of prose into sentences, and chooses those that answer a question."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from retrieval.index.words.word_vectors import word_vector
from retrieval.ingest.markdown.boxes import box_of
from retrieval.language.english import word_set
from retrieval.language.numbers import quantities
from retrieval.rag.cells import Cell, probabilities
from retrieval.rag.question_words import QuestionWords
from retrieval.types import Vector

_BREAK = re.compile(
    r"(?<=[.!?])[*_)\"”’»]*\s+(?=[*_(\"“‘«\[`¿¡]*[A-Z0-9À-ÖØ-ÞΑ-ΩЀ-Я])|(?<=[。！？])[」』”]*(?=[^\s」』”])|<br ?/?>"
)
_HEADING = re.compile(r"^(?:#{1,6}\s+(?P<hashed>.+?)\s*#*|\*\*(?P<bold>[^*]+)\*\*:?|__(?P<underscored>[^_]+)__:?)$")
_ASKS = re.compile(r"[?？][*_)\"”’»]*$")
_ITEM = re.compile(r"^(?P<indent>\s*)(?:(?P<mark>[-*+:~]|(?P<number>\d{1,9})[.)])\s+|>\s*)")
_FENCE = re.compile(r"^\s*(?P<marks>```|~~~)")
_TABLE = re.compile(r"\[Table:[^\]]*\]")
_LINK = re.compile(r"\[[^\]]*\]\([^)]*\)|https?://\S+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LIMITS = word_set("limits")
_FEW, _LONG = 4, 60
"""A sentence with fewer words is short; the length of a sentence is measured as a share of the second number."""
MOST_SENTENCES = 2
"""The maximum number of sentences of one passage that are stated."""
_NEXT = 0.25
"""A second sentence is stated if its probability is at least this share of the first's: it is the right one of a tenth
of the passages."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of markdown. Its position is its index in the passage."""

    text: str
    """As written, without a list marker."""
    heading: str
    """Nearest heading above it in the passage; empty if there is none."""
    before: str
    """The sentence or question before it under the same heading; empty for the first."""
    introduced: str = ""
    """Markdown of the short list or the few lines of code below a sentence that ends with a colon, which says nothing
    without them."""
    procedure: int = 0
    """Which of the passage's numbered lists it is a step of, from 1; 0 if none."""

    @property
    def whole_text(self) -> str:
        """The sentence with what it introduces."""
        return f"{self.text} {self.introduced}".rstrip()


MOST_INTRODUCED = 200
"""Maximum number of characters of a list or of code that a sentence introduces."""
MOST_STEPS = 600
"""Maximum number of characters of a numbered list that is stated whole, since a step alone is no procedure."""
_MOST_LINES = 3
"""Maximum number of lines of code that a sentence introduces; more are an example."""


def split_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of markdown in order, without headings, code blocks, and markers of tables and lists.

    A question answers nothing, and neither does a sentence that repeats its heading: both are left out.
    """
    sentences: list[Sentence] = []
    heading, before = "", ""
    procedure, last_step = 0, 0
    blocks = tuple(_blocks(text))
    for number, block in enumerate(blocks):
        if block.is_code:
            continue
        title, box = _HEADING.match(block.text), box_of(block.text)
        if title:
            heading, before, last_step = (title["hashed"] or title["bold"] or title["underscored"]).strip(), "", 0
            continue
        if box:  # `!!! note` is a mark, and a title names what is below it
            heading, before, last_step = box.title or heading, "", 0
            continue
        if block.step:  # "1. 1. 1." is one list, since markdown counts by itself
            if not last_step or block.step < last_step:
                procedure += 1
            last_step = block.step
        for piece in _BREAK.split(block.text):
            plain = " ".join(piece.split())
            if len(plain) > 1 and any(map(str.isalnum, plain)):
                if not _ASKS.search(plain) and plain.casefold() != heading.casefold():
                    opens_next = _is_opening(plain) and block.text.endswith(piece)  # `a:<br>b` does not
                    introduced = _introduced(block, blocks[number + 1 :]) if opens_next else ""
                    sentences.append(Sentence(plain, heading, before, introduced, procedure if block.step else 0))
                before = plain
    return tuple(sentences)


def _is_opening(text: str) -> bool:
    return text.rstrip("*_ ").endswith(":")


class _Block(NamedTuple):
    text: str
    """A heading, paragraph or list item on one line, or the lines of a block of code."""
    indent: int
    """Of a list item, in characters; -1 for everything else."""
    is_code: bool = False
    step: int = 0
    """Number of an item of a numbered list; 0 for everything else."""


def _blocks(text: str) -> Iterator[_Block]:
    lines: list[str] = []
    indent, fence, step = -1, "", 0
    for line in (*_TABLE.sub("\n\n", text).split("\n"), ""):
        mark = _FENCE.match(line)
        if fence and not (mark and mark["marks"] == fence):
            lines.append(line)
            continue
        item = _ITEM.match(line)
        words = (line[item.end() :] if item else line).strip()
        title = _HEADING.match(line.strip()) or box_of(words)
        if lines and (fence or mark or item or title or not line.strip()):
            yield _Block("\n".join(lines), -1, is_code=True) if fence else _Block(" ".join(lines), indent, step=step)
            lines = []
        if mark:
            fence = "" if fence else mark["marks"]
        elif title:
            yield _Block(line.strip() if isinstance(title, re.Match) else words, -1)
        elif line.strip():
            if not lines:
                indent = len(item["indent"]) if item and item["mark"] else -1
                step = int(item["number"] or 0) if item else 0
            lines.append(words)


def _introduced(block: _Block, following: Sequence[_Block]) -> str:
    """Return the code, or the items of the list, below a block that ends with a colon; empty if they are long."""
    has_steps = bool(following) and following[0].step > 0
    if has_steps and block.step:
        return ""  # steps of a step belong to its procedure
    most = MOST_STEPS if has_steps else MOST_INTRODUCED
    if following and following[0].is_code:
        lines = [line.strip() for line in following[0].text.split("\n") if line.strip()]
        is_few = len(lines) <= _MOST_LINES and not any("`" in line for line in lines)
        introduced = " ".join(f"`{line}`" for line in lines) if is_few else ""
    else:
        introduced = "; ".join(item.text for item in takewhile(lambda other: other.indent > block.indent, following))
    return introduced if len(introduced) <= most else ""


NAMES = (
    *("cover", "cover_above", "cover_before", "whole", "meaning", "meaning_window"),
    *("number", "measure", "limit", "early", "short", "long", "links", "opens", "bold", "new"),
)
"""Features of a sentence, each 0 to 1:

- `cover`: share of the question's words that it contains, weighted by rarity; `cover_above`: share that only its
  heading adds; `cover_before`: share that only the sentence before adds; `whole`: whether no sentence of the passage
  has a larger `cover`;
- `meaning`: cosine of the sentence and the question; `meaning_window`: with its heading and the sentence before;
- `number`, `measure`: it has a number, or one of the unit, that the question asks for; `limit`: it has a modal word and
  the question is a yes-or-no question;
- `early`: 1 for the first of the passage, a half for the second, a third for the third; `short`: has fewer than four
  words; `long`: length as a share of sixty words; `links`: share of its characters in links;
- `opens`: ends with a colon; `bold`: has bold text or code; `new`: share of its words that the question lacks.
"""

Features = npt.NDArray[np.float64]


def sentence_features(question: QuestionWords, sentences: Sequence[Sentence]) -> Features:
    """Return the features of sentences, (sentences, NAMES)."""
    total, subject = question.weight(question.all_tokens) or 1.0, word_vector(question.text.casefold())
    rows = [_features(question, total, subject, sentence, position) for position, sentence in enumerate(sentences)]
    values = np.asarray(rows, dtype=np.float64).reshape(len(rows), len(NAMES))
    if len(values):
        cover = values[:, NAMES.index("cover")]
        values[:, NAMES.index("whole")] = (cover == cover.max()) & (cover > 0)
    return values


def _features(
    question: QuestionWords, total: float, subject: Vector, sentence: Sentence, position: int
) -> tuple[float, ...]:
    """Return one row of features; `total` is the weight of the question's words, `subject` its vector."""
    text = sentence.text
    tokens, above, before = (frozenset(question.tokenize(part)) for part in (text, sentence.heading, sentence.before))
    window = f"{sentence.heading} {sentence.before} {text}"
    words = _WORD.findall(text.casefold())
    numbers = quantities(text)
    linked = sum(len(match[0]) for match in _LINK.finditer(text)) / len(text)
    return (
        question.weight(question.all_tokens & tokens) / total,
        question.weight((question.all_tokens & above) - tokens) / total,
        question.weight((question.all_tokens & before) - tokens - above) / total,
        0.0,
        max(float(word_vector(text.casefold()) @ subject), 0.0),
        max(float(word_vector(window.casefold()) @ subject), 0.0),
        float(question.wants_number and bool(numbers)),
        float(any(question.kind.fits(number.unit) for number in numbers)),
        float(question.is_polar and not _LIMITS.isdisjoint(words)),
        1.0 / (1.0 + position),
        float(len(words) < _FEW),
        min(len(words) / _LONG, 1.0),
        min(linked, 1.0),
        float(_is_opening(text)),
        float("**" in text or "`" in text),
        1.0 - len(question.all_tokens & tokens) / (len(tokens) or 1),
    )


WEIGHTS = Path(__file__).with_name("sentence_weights.json")


@cache
def shipped_weights() -> Features:
    """Return the weights that `python -m tools fit answers` found, (NAMES,)."""
    stored: dict[str, float] = json.loads(WEIGHTS.read_text("utf-8"))
    return np.asarray([stored[name] for name in NAMES])


@dataclass(frozen=True, slots=True, eq=False)
class SentenceChoice:
    """For each sentence of a passage, the probability that it is the one that answers a question."""

    sentences: tuple[Sentence, ...]
    features: Features
    """(sentences, NAMES)."""
    chances: Features
    """(sentences,); they sum to 1."""

    @classmethod
    def of(cls, question: QuestionWords, text: str, weights: Features | None = None) -> "SentenceChoice | None":
        """Weigh the sentences of a passage with a conditional logit; None if the passage has no sentence.

        Args:
            question: the question as the index reads it.
            text: the markdown of the passage.
            weights: (NAMES,); None: the built-in weights.
        """
        sentences = split_sentences(text)
        if not sentences:
            return None
        features = sentence_features(question, sentences)
        return cls(sentences, features, probabilities(features @ (shipped_weights() if weights is None else weights)))

    def cells(self, chunk_id: str, most: int = MOST_SENTENCES) -> tuple[Cell, ...]:
        """Return the likeliest sentence in the order of the passage, with a second that is nearly as likely or has the
        number that is asked for; of a step, the whole procedure in one."""
        order = np.argsort(-self.chances, kind="stable").tolist()
        if steps := self._steps(order[0]):
            return (Cell(chunk_id, "", steps, order[0], round(float(self.chances[order[0]]), 4)),)
        likely = [position for position in order if self.chances[position] >= _NEXT * self.chances[order[0]]]
        has_number = self.features[:, NAMES.index("number")] > 0
        if has_number.any() and not has_number[likely[:MOST_SENTENCES]].any():
            likely[1:] = [next(position for position in order if has_number[position])]
        return tuple(
            Cell(chunk_id, "", self.sentences[position].whole_text, position, round(float(self.chances[position]), 4))
            for position in sorted(likely[: min(most, MOST_SENTENCES)])
        )

    def _steps(self, position: int) -> str:
        """Return the steps of the numbered list that a sentence belongs to; empty if there is none or it is long."""
        procedure = self.sentences[position].procedure
        own = [sentence.whole_text for sentence in self.sentences if procedure and sentence.procedure == procedure]
        steps = " ".join(own)
        return steps if len(own) > 1 and len(steps) <= MOST_STEPS else ""
