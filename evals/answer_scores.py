"""Extracted answers compared with the answers that people wrote: grades of single answers, and their sums.

A value matches if the stated text contains every number of the gold answer and most of its content words that the
question does not have. Numbers are compared by value (`1,000` is `1000`, `8.0` is `8`, `two` is `2`), words by their
first six letters without case and markdown, units by their symbol (`minutes` is `min`), and a yes or no by its synonyms
(`Required` is a yes, `-` is a no). The key of a row is stated with its cells. The word after a number may be missing,
because tables often omit the unit. Text in brackets and the order of the words are ignored. If an answer labels the
value of each side (`axe: 5; bow: 9`), a cell must state each value.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any, Literal

from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Question
from evals.significance import wilson_interval
from retrieval.ingest.markdown.parser import plain_text
from retrieval.rag.cells import Cell
from retrieval.rag.extractive_reader import read
from retrieval.rag.passages import READABLE, Gatherer
from retrieval.settings import AnswerSettings
from retrieval.types import Chunk

Grade = Literal["right", "partly", "wrong"]

_BRACKETS = re.compile(r"\([^()]*\)|\[[^\]]*\]")
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+")
_PER = re.compile(r"(?<=\d)(\s*[^\W\d_]+)/[^\W\d_]+")
"""A unit after a number with what it is divided by: `kg/m²`."""
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_STEM = 6
"""Letters of a word that are compared."""
_NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMERALS = {name: str(value) for value, name in enumerate(_NUMBER_WORDS.split())}
_SAME_UNITS = """
second sec s
minute min
hour hr h
day d
foot feet ft
inch
metre meter m
kilogram kg
pound lb lbs
percent pct
byte
megabyte mb
gigabyte gb
kilobyte kb
volt v
pixel px
gold gp
"""
_UNITS = {symbol: names.split()[0] for names in _SAME_UNITS.split("\n") for symbol in names.split()}
_GLUE_WORDS = """
a an the of to and or vs versus with for in on at by is are be it its that this than per from as against other no yes
each both while only not any if
"""
_YES_WORDS = "yes true required mandatory y allowed supported enabled always ✓ ✔ ✅ must can"
_NO_WORDS = "no false optional none not never n disabled cannot unsupported ✗ ✘ ✕ ✖ ❌ - – —"
_GLUE = frozenset(word[:_STEM] for word in _GLUE_WORDS.split())
_YES, _NO = frozenset(_YES_WORDS.split()), frozenset(_NO_WORDS.split())
_POLAR = frozenset(word[:_STEM] for word in _YES | _NO)
_MARKS = "".join(sorted(word for word in _YES | _NO if not word.isalpha()))
_WORD_OR_MARK = re.compile(rf"n/a|[^\W\d_]+|[{re.escape(_MARKS)}]")
_SYMBOLS = frozenset(_UNITS.values())
_MOST, _MOST_BESIDE_NUMBERS = 0.7, 0.5
"""Share of an answer's content words that make it right; the second if it has numbers, all of which match."""
_SOME = 0.34
"""Share of its content words that make it partly right."""
_SENTENCE = 0.6
"""Share of the words of a sentence or the gold passage that both have if they are the same statement."""
_PARAGRAPH = 60
"""Words from which a gold passage has several statements, so that a sentence must contain some of the answer."""


def answer_tokens(text: str) -> list[str]:
    """Return the numbers and words of a text in the form in which they are compared.

    >>> answer_tokens("**1,000** requests in two minutes")
    ['1000', 'reques', 'in', '2', 'minute']
    >>> answer_tokens("`<note>` of [a page](page.md)")
    ['note', 'of', 'a', 'page']
    """
    plain = _THOUSANDS.sub("", plain_text(text)).casefold()
    return [_comparable(token) for token in _TOKEN.findall(plain)]


def _comparable(token: str) -> str:
    if token[0].isdecimal():
        return f"{float(token):.15g}" if len(token) < 15 else token
    token = _NUMERALS.get(token, token)
    singular = token[:-1] if len(token) > 3 and token.endswith("s") and not token.endswith("ss") else token
    return _UNITS.get(singular) or _UNITS.get(token) or singular[:_STEM]


def polarity(text: str) -> bool | None:
    """Return whether a text means yes (True) or no (False) by its first word or mark; None if neither, as `n/a`."""
    words = _WORD_OR_MARK.findall(text.casefold())
    first = words[0] if words else ""
    return True if first in _YES else False if first in _NO else None


@dataclass(frozen=True, slots=True)
class ValueMatch:
    """The extent to which texts state a gold answer."""

    has_numbers: bool
    """Whether the answer has a number."""
    numbers: bool
    """Whether the texts contain all of them."""
    has_words: bool
    """Whether the answer has a content word."""
    words: float
    """Share of its content words that they contain, 0 to 1; 1 if it only has a number."""

    @property
    def is_whole(self) -> bool:
        """Whether the texts state the answer."""
        return self.numbers and self.words >= (_MOST_BESIDE_NUMBERS if self.has_numbers else _MOST)

    @property
    def is_part(self) -> bool:
        """Whether the texts state some of the answer."""
        if not self.has_words:
            return self.has_numbers and self.numbers
        return (self.numbers and self.words > 0) or self.words >= _SOME


def match_value(texts: Sequence[str], answer: str, question: str = "") -> ValueMatch:
    """Return the match of texts with a gold answer, by its words that are neither in the question nor a unit."""
    outside = _PER.sub(r"\1", _BRACKETS.sub(" ", answer))
    tokens = answer_tokens(outside) or answer_tokens(answer)
    stated = set(answer_tokens(" ".join(texts)))
    numbers = {token for token in tokens if token[0].isdecimal()}
    units = {after for number, after in pairwise(tokens) if number in numbers} | (_SYMBOLS if numbers else frozenset())
    words = set(tokens) - numbers - units - _GLUE - set(answer_tokens(question))
    if not words and not numbers:
        words = set(tokens) - _GLUE
    share = len(words & stated) / len(words) if words else float(bool(numbers))
    return ValueMatch(bool(numbers), numbers <= stated, bool(words), share)


def matches_value(texts: Sequence[str], answer: str, question: str = "") -> bool:
    """Whether texts state a gold answer.

    >>> matches_value(["15 min"], "15 minutes")
    True
    >>> matches_value(["Required"], "yes")
    True
    """
    letters = _letters(answer)
    if match_value(texts, answer, question).is_whole or (letters and letters in map(_letters, texts)):
        return True
    wanted = polarity(answer)
    is_bare = wanted is not None and not set(answer_tokens(_BRACKETS.sub(" ", answer))) - _GLUE - _POLAR
    return is_bare and any(polarity(text) == wanted for text in texts)


def _letters(text: str) -> str:
    """Return a text as it is compared to the letter: words like `other` and signs like `~` can be the whole answer."""
    return plain_text(text).casefold().strip(" \"'\N{VARIATION SELECTOR-16}")


def values_of_sides(answer: str) -> tuple[str, ...]:
    """Return the values of an answer that labels the value of each side of a comparison; empty if it does not.

    >>> values_of_sides("axe: 5 gp; bow: no")
    ('5 gp', 'no')
    """
    sides = [side.partition(":") for side in answer.split(";")]
    is_labelled = len(sides) > 1 and all(label.strip() and value.strip() for label, _, value in sides)
    return tuple(value.strip() for _, _, value in sides) if is_labelled else ()


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """The right answer to a question."""

    question: str
    answer: str
    """The answer that a person wrote."""
    chunk_ids: tuple[str, ...]
    """Chunks that answer the question."""
    snippets: tuple[str, ...]
    """Literal texts of the gold passages."""


def grade_answer(cells: Sequence[Cell], chunks: Mapping[str, Chunk], gold: GoldAnswer) -> Grade:
    """Return the grade of the stated cells or sentences.

    Args:
        cells: as stated; for a comparison, of all sides.
        chunks: by id, at least those of the cells.

    Returns:
        `right` if cells of gold passages state the answer, or a sentence is from a gold passage; `partly` if they state
        some of it. A value from another passage counts if it is too long for a coincidence.
    """
    own = [cell for cell in cells if cell.chunk_id in gold.chunk_ids]
    texts = [text for cell in own for text in (cell.text, cell.column, chunks[cell.chunk_id].row_key or "")]
    if own and (matches_value(texts, gold.answer, gold.question) or _is_gold_sentence(own, gold)):
        return "right"
    sides = [any(matches_value([cell.text], value) for cell in own) for value in values_of_sides(gold.answer)]
    if sides and all(sides):
        return "right"
    elsewhere = [text for cell in cells for text in (cell.text, cell.column)]
    if _is_distinctive(gold.answer) and matches_value(elsewhere, gold.answer):
        return "right"
    if len(gold.chunk_ids) == 1 and own and _states_best_cell(own, chunks[own[0].chunk_id], gold.answer):
        return "right"
    is_part = any(sides) or (bool(own) and match_value(texts, gold.answer, gold.question).is_part)
    return "partly" if is_part else "wrong"


def _is_gold_sentence(cells: Sequence[Cell], gold: GoldAnswer) -> bool:
    """Whether a stated sentence is (part of) a gold passage, or contains it."""
    sentences = [cell.text for cell in cells if not cell.column]
    stated = set(answer_tokens(" ".join(sentences))) - _GLUE
    is_part = match_value(sentences, gold.answer, gold.question).is_part
    for snippet in gold.snippets:
        tokens = set(answer_tokens(snippet)) - _GLUE
        common = len(stated & tokens)
        is_same = common > 2 and common >= _SENTENCE * min(len(stated), len(tokens))
        if is_same and (is_part or len(tokens) < _PARAGRAPH):
            return True
    return False


def _is_distinctive(answer: str) -> bool:
    tokens = [token for token in answer_tokens(_BRACKETS.sub(" ", answer)) if token not in _GLUE]
    return len(tokens) > 2 or any(len(token) > 3 for token in tokens)


def _states_best_cell(cells: Sequence[Cell], chunk: Chunk, answer: str) -> bool:
    """Whether the cell of the gold row with most of the answer is among those stated."""
    shares = [_overlap(text, answer) for text in chunk.cells]
    best = max(shares, default=0.0)
    return best >= _SOME and any(_overlap(cell.text, answer) == best for cell in cells)


def _overlap(text: str, answer: str) -> float:
    wanted = set(answer_tokens(_BRACKETS.sub(" ", answer))) - _GLUE
    return len(wanted & set(answer_tokens(text))) / len(wanted) if wanted else 0.0


Outcome = Literal["right", "partly", "wrong", "perhaps", "refused"]
COMPARISON, NO_ANSWER = "comparison", "no-answer"
ALL = "all with an answer"


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """The answer to one question, and its outcome. Key: id."""

    id: str
    kind: str
    """Kind of the question; `no-answer` if the library has no answer."""
    query: str
    answer: str
    """The answer that a person wrote."""
    outcome: Outcome
    """Outcome of the first statement, or of all sides of a comparison. Statements for a question without an answer are
    wrong."""
    stated: str
    """The cells that were read, joined; empty if an answer was refused."""
    would_be: Literal["right", "partly", "wrong"] | None
    """The grade of the answer under `Perhaps:`; None for other outcomes."""


def answer_questions(
    questions: QuestionSet,
    gatherer: Gatherer,
    settings: AnswerSettings = AnswerSettings(),  # noqa: B008
) -> Iterator[AnsweredQuestion]:
    """Yield the answers to all questions with a gold answer, and to those that the library does not answer."""
    chunks = {chunk.id: chunk for chunk in gatherer.reader.retriever.snapshot.chunks}
    for question in questions.scored:
        if question.answer or not question.gold:
            yield _answered(questions, question, chunks, gatherer, settings)


def _answered(
    questions: QuestionSet,
    question: Question,
    chunks: Mapping[str, Chunk],
    gatherer: Gatherer,
    settings: AnswerSettings,
) -> AnsweredQuestion:
    reading = read(gatherer.gather(question.query, settings.max_chunks, READABLE), settings)
    cells = reading.cells if reading.is_comparison else reading.statements[0].cells if reading.statements else ()
    kind = (question.kind or "") if question.gold else NO_ANSWER
    grade = grade_answer(cells, chunks, gold_answer(questions, question)) if question.gold else "wrong"
    outcome: Outcome = grade
    if reading.verdict != "stated":
        outcome = "perhaps" if reading.verdict == "perhaps" else "refused"
    return AnsweredQuestion(
        question.id,
        kind,
        question.query,
        question.answer or "",
        outcome,
        "; ".join(cell.text for cell in cells),
        grade if outcome == "perhaps" else None,
    )


def gold_answer(questions: QuestionSet, question: Question) -> GoldAnswer:
    """Return the right answer from the gold of a question."""
    snippets = tuple(anchor.snippet for anchor in question.gold if anchor.snippet)
    return GoldAnswer(question.query, question.answer or "", questions.gold(question), snippets)


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """Outcomes of the questions of one kind. Key: kind."""

    kind: str
    n: int = 0
    right: int = 0
    partly: int = 0
    wrong: int = 0
    perhaps: int = 0
    right_perhaps: int = 0
    """Of `perhaps`, those whose answer is right."""
    refused: int = 0

    def __add__(self, other: "AnswerScore") -> "AnswerScore":
        counts = (field.name for field in fields(self) if field.name != "kind")
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in counts})

    @property
    def stated(self) -> int:
        """Number of answers that were stated, not under `Perhaps:`."""
        return self.right + self.partly + self.wrong

    def line(self) -> str:
        """Return a row of a markdown table: shares, and the 95 % interval of the right ones (Wilson)."""
        interval = wilson_interval(self.right, self.n)
        counts = (self.right, self.partly, self.wrong, self.perhaps, self.right_perhaps, self.refused)
        shares = " | ".join(f"{count / self.n:.3f}" if self.n else "-" for count in counts)
        return f"| {self.kind} | {self.n} | {shares} | {interval.low:.3f} to {interval.high:.3f} |"


HEADER = (
    "| questions | n | right | partly | wrong | perhaps | perhaps, right | refused | right, 95 % interval |",
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
)


def score_answers(answers: Iterable[AnsweredQuestion]) -> tuple[AnswerScore, ...]:
    """Return a score for each kind, in the order of first occurrence, then one for all kinds with an answer."""
    scores: dict[str, AnswerScore] = {}
    for answer in answers:
        one: dict[str, Any] = {answer.outcome: 1, "right_perhaps": int(answer.would_be == "right")}
        score = AnswerScore(answer.kind, 1, **one)
        scores[answer.kind] = scores[answer.kind] + score if answer.kind in scores else score
    return (*scores.values(), sum_scores(score for score in scores.values() if score.kind != NO_ANSWER))


def sum_scores(scores: Iterable[AnswerScore]) -> AnswerScore:
    """Return the sum of the scores of several kinds or books."""
    return sum(scores, start=AnswerScore(ALL))
