"""What the page's own script reads: questions, outcomes and rankings as JSON values, every chunk once."""

import shlex
from collections.abc import Sequence

from evals.evaluation import SHIPPED
from pipeline.console.chunk_view import brief
from pipeline.report.differences import question_key
from pipeline.report.questions import Outcome, Ranked, Ranking, noise_of
from pipeline.report.report import Report
from retrieval.search.receipt.arithmetic import DIGITS
from retrieval.types import Chunk

SNIPPET = 240
"""Characters of a chunk that are shown."""


class Embedded:
    """Numbers chunks, texts and questions as they are met; `values` is the document, its lists as `report.js` says."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._chunks: dict[str, list[object]] = {}
        self._places: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._questions: dict[str, list[object]] = {}
        self._numbers: dict[str, int] = {}
        self._answers = {
            (each.name, each.split, question.id): question.answer or ""
            for each in report.evaluation.sets
            for question in each.questions
        }
        self._strategies = list(dict.fromkeys(each.row.strategy for each in report.outcomes))

    def values(self) -> dict[str, object]:
        """The whole document."""
        outcomes = [self._outcome(each) for each in self._report.outcomes]
        return {
            "shipped": SHIPPED,
            "home": self._report.header.home_option,
            "strategies": self._strategies,
            "questions": list(self._questions.values()),
            "outcomes": outcomes,
            "chunks": list(self._chunks.values()),
            "texts": list(self._texts),
        }

    def _outcome(self, outcome: Outcome) -> list[object]:
        row = outcome.row
        return [
            self._question(outcome),
            self._strategies.index(row.strategy),
            outcome.rank,
            int(outcome.failed),
            int(bool(row.gold)),
            noise_of(row),
            len(row.excluded_gold),
            [self._text(each) for each in outcome.why],
            self._chunk(outcome.first) if outcome.first else None,
            self._chunk(outcome.gold) if outcome.gold else None,
            self._ranking(outcome.ranking) if outcome.ranking else None,
        ]

    def _question(self, outcome: Outcome) -> int:
        row = outcome.row
        key = question_key(row)
        if key not in self._questions:
            self._numbers[key] = len(self._questions)
            answer = self._answers.get((row.set, row.split, row.question_id), "")
            place = f"{row.set}, {row.split}"
            self._questions[key] = [
                *(row.question_id, place, row.query, row.book, row.kind, answer, shlex.quote(row.query)),
            ]
        return self._numbers[key]

    def _ranking(self, ranking: Ranking) -> list[object]:
        return [
            ranking.canonical,
            [self._hit(each) for each in ranking.hits],
            [[self._chunk(each.chunk), self._text(each.said)] for each in ranking.excluded],
            ranking.n_excluded,
            [[self._chunk(each.chunk), self._text(each.said)] for each in ranking.missing],
        ]

    def _hit(self, ranked: Ranked) -> list[object]:
        hit = ranked.hit
        parts = [
            [self._text(each.name), *map(_short, (each.value, each.weight, each.contribution))]
            for each in hit.addends
            if each.contribution
        ]
        return [self._chunk(hit.chunk), _short(hit.score), int(ranked.gold), self._text(ranked.reason), parts]

    def _chunk(self, chunk: Chunk) -> int:
        if chunk.id not in self._chunks:
            self._places[chunk.id] = len(self._chunks)
            place = f"{chunk.book}/{chunk.document}:{chunk.lines[0]}"
            self._chunks[chunk.id] = [
                *(self._report.short_id(chunk.id), chunk.title, place, snippet(chunk), int(bool(chunk.query_must))),
            ]
        return self._places[chunk.id]

    def _text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))


def snippet(chunk: Chunk) -> str:
    """The beginning of what a chunk says, on one line."""
    words = " ".join(line.plain for line in brief(chunk, None))
    return words if len(words) <= SNIPPET else words[: SNIPPET - 2].rstrip() + " …"


def kinds(outcomes: Sequence[Outcome]) -> list[str]:
    """The kinds of the questions, in order."""
    return sorted({each.row.kind for each in outcomes})


def books(outcomes: Sequence[Outcome]) -> list[str]:
    """The books that questions are about, in order."""
    return sorted({each.row.book for each in outcomes} - {""})


def _short(value: float) -> float:
    return round(float(value), DIGITS) + 0.0
