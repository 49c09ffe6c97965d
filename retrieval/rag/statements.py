"""The statement that each passage offers, and the probability that it is the right answer."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.deadline import require_waiting_caller
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.rag.cells import MOST, CandidateRow, Cell, CellChoice, probabilities, row_of
from retrieval.rag.passages import Passage
from retrieval.rag.question_words import PassageWords, QuestionWords, contradicts_number
from retrieval.rag.relevance import NAMES as MEASURES
from retrieval.rag.row_reader import SHIPPED_READER, RowReader
from retrieval.rag.sentences import NAMES as SENTENCE_FEATURES
from retrieval.rag.sentences import SentenceChoice
from retrieval.types import Chunk

Floats = npt.NDArray[np.float64]

_BOLD = re.compile(
    r"(?P<marks>\*\*|__)_?(?P<label>[^*_\n]{1,40}?)(?P<inside>[.:]?)_?(?P=marks)(?P<outside>[.:]?)[ \t]+"
)
_OPENS_LINE = re.compile(r"[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?")
_VALUE = re.compile(r"[-−–+]?[\d$€£¥`]|[^\W\d_a-z]")
"""The beginning of a value without a colon before it: a digit, a sign or a capital. `**Traps** can be found` has no
value."""
_DEFINED = re.compile(r"^[-*] +(?P<label>[^:\n.]{1,40}): +(?P<value>[^\n]+)$", re.MULTILINE)
_LONGEST_VALUE = 160
"""Characters; a longer value is a paragraph with its own heading, which is split into sentences."""


def labelled_values(text: str) -> tuple[tuple[str, str], ...]:
    """Return the (label, value) pairs of markdown, in order: `**AC** 12`, `**Range:** 30 ft.`, `- Range: 30 ft.`.

    A value ends at the next label, or at the end of its line.
    """
    pairs = [(match.start(), match["label"], match["value"]) for match in _DEFINED.finditer(text)]
    for start, line in _lines(text):
        labels = [match for match in _BOLD.finditer(line) if _is_label(match, line)]
        ends = [match.start() for match in labels[1:]] + [len(line)] * bool(labels)
        pairs += [
            (start + match.start(), match["label"], line[match.end() : end].replace(match["marks"], ""))
            for match, end in zip(labels, ends, strict=True)
        ]
    stripped = [(start, label.strip(), value.strip(" \t_")) for start, label, value in sorted(pairs)]
    return tuple((label, value) for _, label, value in stripped if 0 < len(value) <= _LONGEST_VALUE)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line with its start position."""
    start = 0
    for line in text.split("\n"):
        yield start, line
        start += len(line) + 1


def _is_label(match: re.Match[str], line: str) -> bool:
    """Whether bold text is a label of the text after it: it has a colon or a full stop, or opens a line of values."""
    if match["inside"] or match["outside"]:
        return True
    opens = bool(_OPENS_LINE.fullmatch(line, 0, match.start())) or line[: match.start()].lstrip().startswith("**")
    return opens and bool(_VALUE.match(line, match.end()))


Choice = CellChoice | SentenceChoice


def choose(
    question: QuestionWords,
    chunk: Chunk,
    sentence_weights: Floats | None = None,
    row_reader: RowReader = SHIPPED_READER,
) -> Choice | None:
    """Weigh the cells of a row, or the labelled values that a question asks for, else the sentences of prose.

    None if a chunk has none of these. Without `sentence_weights`, the built-in weights are used.
    """
    require_waiting_caller()
    if chunk.cells:
        return CellChoice.of(question.indexed_text, row_of(chunk), question.tokenize, row_reader)
    pairs = labelled_values(chunk.text)
    if pairs:
        row = CandidateRow([label for label, _ in pairs], [value for _, value in pairs], None)
        choice = CellChoice.of(question.indexed_text, row, question.tokenize, row_reader)
        if choice.is_named.any():
            return choice
    return SentenceChoice.of(question, chunk.text, sentence_weights)


NAMES = (
    *("chance", "gap", "ahead", "cover", "rival_cover", "unnamed", "number_misses", "words", "unexplained", "nowhere"),
    *("choice", "empty", "label", "long", "beyond"),
    *("told", "sentence_cover", "sentence_meaning", "sentence_number", "links"),
)
"""Features of a statement, each 0 to 1 except `gap`:

- `chance`: softmax of its passage's score in the ranking, among the candidates; `gap`: its score minus that of the best
  other candidate, -1 to 1; `ahead`: as `relevance` measures it;
- `cover`: share of the question's words that the passage contains, weighted by rarity; `rival_cover`: how much higher
  the `cover` of another candidate is; `unnamed`: share of the question's names and codes that the passage lacks;
- `number_misses`: the question asks for a number, and the statement has none; `words`: number of words of the question,
  as a share of 12;
- `unexplained`, `nowhere`, `beyond`, `told`: as `relevance` measures them;
- `choice`: probability of the first cell among those of its row; `empty`: it has no letter or digit; `label`: it is a
  labelled value of prose; `long`: its length as a share of 200 characters;
- `sentence_cover`, `sentence_meaning`, `sentence_number`, `links`: features `cover`, `meaning`, `number` and `links` of
  the sentence.
"""
_OF_ROW = NAMES[:15]
_OF_PROSE = (*NAMES[:3], *NAMES[4:10], *NAMES[15:])
FEATURES = {"row": _OF_ROW, "prose": _OF_PROSE}
"""The features that the model of each kind of statement uses."""
FALLING = frozenset(
    {"rival_cover", "unnamed", "number_misses", "unexplained", "nowhere", "empty", "label", "beyond", "links"}
)
"""Features that never increase the probability; all others never decrease it."""
RIVAL = 0.8
"""A second row is stated beside the first if its probability is at least this share of the first's."""
_ALL_AHEAD = 8.0
"""Score difference at which `gap` is 1."""
_MANY_WORDS, _LONG = 12, 200


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A statement that one passage offers, before its probability is known. Key: number of the passage."""

    passage: Passage
    choice: Choice | None
    """None for a row that has not been read."""
    cells: tuple[Cell, ...]
    """At least one, likeliest first, or sentences in their order; empty for a row that has not been read."""
    cover: float
    """Share of the question's words that the passage contains."""
    named: float
    """Share of the question's names and codes that the passage contains."""
    missing: tuple[str, ...]
    """Words of the question that the passage lacks, rarest first."""
    contradicts: bool
    """Whether it is a row with another number than the question's; its probability is then 0."""

    @property
    def kind(self) -> str:
        """`row` for cells and labelled values, `prose` for sentences."""
        return "prose" if isinstance(self.choice, SentenceChoice) else "row"


def candidates(
    question: QuestionWords,
    passages: Sequence[Passage],
    snapshot: Snapshot,
    most: int = MOST,
    sentence_weights: Floats | None = None,
    row_reader: RowReader = SHIPPED_READER,
) -> tuple[Candidate, ...]:
    """Return a candidate of each passage that has a cell or a sentence, in the order of the passages.

    Args:
        question: the question as the index reads it.
        passages: the passages, with their measures.
        most: the maximum number of cells of one passage.
        sentence_weights: (sentences.NAMES,); None: the built-in weights.
        row_reader: the row reader to use instead of the built-in one.
    """
    rivals = (_unread_candidate(question, passage, snapshot) for passage in passages)
    read = (_read_passage(question, rival, most, sentence_weights, row_reader) for rival in rivals)
    return tuple(rival for rival in read if rival)


def _unread_candidate(question: QuestionWords, passage: Passage, snapshot: Snapshot) -> Candidate:
    chunk = passage.hit.chunk
    words = PassageWords.of(chunk, snapshot)
    return Candidate(
        passage,
        None,
        (),
        words.cover(question),
        words.named(question),
        words.missing(question),
        contradicts_number(question.text, chunk),
    )


def _read_passage(
    question: QuestionWords,
    candidate: Candidate,
    most: int,
    sentence_weights: Floats | None = None,
    row_reader: RowReader = SHIPPED_READER,
) -> Candidate | None:
    chunk = candidate.passage.hit.chunk
    choice = choose(question, chunk, sentence_weights, row_reader)
    cells = choice.cells(chunk.id, most) if choice else ()
    return replace(candidate, choice=choice, cells=cells) if cells else None


def statement_features(question: QuestionWords, rivals: Sequence[Candidate]) -> Floats:
    """Return the features of candidates, (candidates, NAMES); each is compared with the others.

    A row that has not been read has the features that would make it most probable.
    """
    rows = [_features(question, rivals, position) for position in range(len(rivals))]
    return np.asarray(rows, dtype=np.float64).reshape(len(rows), len(NAMES))


def _features(question: QuestionWords, rivals: Sequence[Candidate], position: int) -> list[float]:
    candidate = rivals[position]
    others = [rival for rival in rivals if rival is not candidate]
    score = candidate.passage.hit.score
    best = max((rival.passage.hit.score for rival in others), default=score - _ALL_AHEAD)
    measured = dict(zip(MEASURES, candidate.passage.measures, strict=True))
    shared = {
        "chance": float(probabilities(np.asarray([rival.passage.hit.score for rival in rivals]))[position]),
        "gap": float(np.clip((score - best) / _ALL_AHEAD, -1.0, 1.0)),
        "ahead": measured["ahead"],
        "cover": candidate.cover,
        "rival_cover": max([0.0, *(rival.cover - candidate.cover for rival in others)]),
        "unnamed": 1.0 - candidate.named,
        "words": min(len(question.words) / _MANY_WORDS, 1.0),
        **{name: measured[name] for name in ("unexplained", "nowhere", "beyond", "told")},
    }
    own = _features_of_cells(question, candidate)
    return [(shared | own).get(name, 0.0) for name in NAMES]


def _features_of_cells(question: QuestionWords, candidate: Candidate) -> dict[str, float]:
    choice = candidate.choice
    if choice is None:
        return {"choice": 1.0, "long": 1.0}
    if isinstance(choice, SentenceChoice):
        values = choice.features[int(choice.chances.argmax())]
        of_sentence = dict(zip(SENTENCE_FEATURES, values.tolist(), strict=True))
        return {
            "number_misses": _misses_number(question, " ".join(cell.text for cell in candidate.cells)),
            "sentence_cover": of_sentence["cover"],
            "sentence_meaning": of_sentence["meaning"],
            "sentence_number": of_sentence["number"],
            "links": of_sentence["links"],
        }
    text = max(candidate.cells, key=lambda cell: cell.probability).text
    return {
        "number_misses": _misses_number(question, text),
        "choice": float(choice.chances.max()),
        "empty": float(not any(map(str.isalnum, text))),
        "label": float(not candidate.passage.hit.chunk.cells),
        "long": min(len(text) / _LONG, 1.0),
    }


def _misses_number(question: QuestionWords, text: str) -> float:
    return float(question.wants_number and not any(map(str.isdigit, text)))


@dataclass(frozen=True, slots=True)
class StatementModel:
    """The probability that a statement is right: a logistic function of its features, monotone in each."""

    intercept: float
    weights: tuple[float, ...]
    """In the order of `NAMES`; 0 for features that its kind of statement does not use."""

    def of(self, values: Floats) -> Floats:
        """Return the probability of each statement, (statements,), 0 to 1."""
        probability: Floats = 1.0 / (1.0 + np.exp(-(values @ np.asarray(self.weights) + self.intercept)))
        return probability


MODELS = Path(__file__).with_name("statement_models.json")


@cache
def shipped_models() -> Mapping[str, StatementModel]:
    """Return the models that `python -m tools fit answers` found, by kind of statement."""
    stored: dict[str, dict[str, float]] = json.loads(MODELS.read_text("utf-8"))
    return {
        kind: StatementModel(values["intercept"], tuple(values.get(name, 0.0) for name in NAMES))
        for kind, values in stored.items()
    }


@dataclass(frozen=True, slots=True)
class Statement:
    """The statement of one passage. Key: number of the passage."""

    passage: Passage
    cells: tuple[Cell, ...]
    """Cells of one row, labelled values of prose, or at most two sentences; empty for a row that was not read because
    its probability would be less than `RIVAL` of the highest."""
    probability: float
    """0 to 1: the probability that it is the right answer to the passage's question; for a row that was not read, an
    upper bound."""
    missing: tuple[str, ...]
    """Words of the question that the passage lacks, rarest first."""


def statements(
    question: str, passages: Sequence[Passage], snapshot: Snapshot, most: int = MOST
) -> tuple[Statement, ...]:
    """Return the statement that each passage offers, in their order, with the probability that it is right.

    To read a row takes longer than everything else, so only rows are read that may be the answer, or an alternative to
    it: the models are monotone, and the best that its cells could be bounds the probability of a row.

    Args:
        question: the question that the passages were measured for.
        passages: candidates for one look-up.
        most: the maximum number of cells of one passage.
    """
    words = QuestionWords.of(question, snapshot)
    unread = (_unread_candidate(words, passage, snapshot) for passage in passages)
    rivals = [
        rival
        for candidate in unread
        if (rival := candidate if candidate.passage.hit.chunk.cells else _read_passage(words, candidate, most))
    ]
    if not rivals:
        return ()
    bounds = [_probability(words, rivals, position) for position in range(len(rivals))]
    highest = max((bound for rival, bound in zip(rivals, bounds, strict=True) if rival.choice), default=0.0)
    for position in np.argsort(-np.asarray(bounds), kind="stable").tolist():
        if rivals[position].choice is None and bounds[position] >= RIVAL * highest:
            rivals[position] = _read_passage(words, rivals[position], most) or rivals[position]
            bounds[position] = _probability(words, rivals, position)
            highest = max(highest, bounds[position])
    return tuple(
        Statement(rival.passage, rival.cells, round(probability, 4), rival.missing)
        for rival, probability in zip(rivals, bounds, strict=True)
    )


def _probability(question: QuestionWords, rivals: Sequence[Candidate], position: int) -> float:
    if rivals[position].contradicts:
        return 0.0
    model = shipped_models()[rivals[position].kind]
    return float(model.of(np.asarray([_features(question, rivals, position)]))[0])
