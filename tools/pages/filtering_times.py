"""What the filter costs on the published examples: measured by hand, kept in a file, shown from it.

Times differ from run to run, so the page never measures them: `python -m tools.pages.filtering_results --times`
does, and writes `docs/results/results_query_must.json`. Rounds are the same every time, and a test compares them.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter

from retrieval.search.retriever import Retriever
from retrieval.strategy import DEFAULT_K
from retrieval.types import Receipt

FILE = Path(__file__).resolve().parents[2] / "docs" / "results" / "results_query_must.json"
_BEST_OF = 7
_STRATEGIES = ("dense", "iterative", "prefilter", "default")
_FILTERED = ("iterative", "prefilter")


@dataclass(frozen=True, slots=True)
class QuestionTimes:
    """One question in milliseconds, the best of seven runs of each strategy. Key: query."""

    query: str
    dense: float
    """The filter off."""
    iterative: float
    rounds: tuple[float, ...]
    """Of that best run of `iterative`; one more than it counts where the last found nothing."""
    prefilter: float
    default: float


@dataclass(frozen=True, slots=True)
class FilterTimes:
    """The published examples one by one, and all sample questions."""

    examples: tuple[QuestionTimes, ...]
    questions: tuple[QuestionTimes, ...]

    def write(self, path: Path = FILE) -> None:
        """Keep them, rounded to microseconds, a question a line."""
        parts = {
            name: ",\n".join(json.dumps(_rounded(member), ensure_ascii=False) for member in members)
            for name, members in asdict(self).items()
        }
        text = ",\n".join(f'"{name}": [\n{lines}\n]' for name, lines in parts.items())
        path.write_text(f"{{\n{text}\n}}\n", "utf-8")

    @classmethod
    def read(cls, path: Path = FILE) -> "FilterTimes":
        """What `write` wrote.

        Raises:
            FileNotFoundError: there is none.
        """
        return TypeAdapter(cls).validate_json(path.read_bytes())


def measure(retriever: Retriever, examples: Sequence[str], questions: Sequence[str]) -> FilterTimes:
    """Ask every question with every strategy, pass after pass: what else the machine does then spoils no question."""
    best: dict[tuple[str, str], Receipt] = {}
    request = [(query, name) for query in dict.fromkeys((*examples, *questions)) for name in _STRATEGIES]
    # The first pass also loads what is loaded at first use.
    for _ in range(_BEST_OF):
        for query, name in request:
            receipt = retriever.retrieve(query, DEFAULT_K, name).receipt
            before = best.get((query, name), receipt)
            best[query, name] = min(before, receipt, key=lambda each: each.milliseconds)
    return FilterTimes(
        tuple(_times(query, best) for query in examples), tuple(_times(query, best) for query in questions)
    )


def time_lines(times: FilterTimes) -> Iterable[str]:
    """The table of the page: the examples, then the median of all questions by their rounds."""
    yield "| question | rounds | each | `iterative` | filter off | overhead | `prefilter` | overhead | `default` |"
    yield "|---|---:|---|---:|---:|---:|---:|---:|---:|"
    for example in times.examples:
        rounds = ", ".join(f"{milliseconds:.1f}" for milliseconds in example.rounds)
        yield f"| {example.query} | {len(example.rounds)} | {rounds} | {_cells([example])}"
    for count in sorted({len(question.rounds) for question in times.questions}):
        same = [question for question in times.questions if len(question.rounds) == count]
        spent = [milliseconds for each in same for milliseconds in each.rounds]
        yield f"| median of {len(same)} sample questions | {count} | {np.median(spent):.1f} | {_cells(same)}"


def _cells(members: Sequence[QuestionTimes]) -> str:
    iterative, off, prefilter, default = (
        float(np.median([getattr(member, name) for member in members]))
        for name in ("iterative", "dense", "prefilter", "default")
    )
    over = [float(np.median([getattr(member, name) - member.dense for member in members])) for name in _FILTERED]
    figures = (iterative, off, over[0], prefilter, over[1], default)
    return " | ".join(f"{figure:.1f}" for figure in figures) + " |"


def _times(query: str, best: Mapping[tuple[str, str], Receipt]) -> QuestionTimes:
    rounds = tuple(iteration.milliseconds for iteration in best[query, "iterative"].iterations)
    return QuestionTimes(query, rounds=rounds, **{name: best[query, name].milliseconds for name in _STRATEGIES})


def _rounded(value: object) -> object:
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return round(value, 3) if isinstance(value, float) else value
