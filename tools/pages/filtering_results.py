"""What the filter does on the sample book, and what it costs, written into `docs/results/results_query_must.md`.

Run it with `python -m tools.pages.filtering_results`; with `--home DIR` it asks a home that
holds the sample book already, with `--times` it also measures anew what the filter costs.
The figures are those of `dense` (filter off) and `prefilter` (filter on): same vectors, same order, nothing else; and
of what ships, `default`, without query_must and with it. Times differ from run to run, so they are kept in
`docs/results/results_query_must.json`; rounds are the same every time, and a test compares them.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter

from evals.noise import Relatives, noise, refused_gold
from evals.questions.gold import resolve
from evals.questions.questions import Question, load_questions
from evals.sample import SAMPLE_LIBRARY, SAMPLE_QUESTIONS
from pipeline.console.output import err, out
from retrieval.home import Home
from retrieval.query_must import satisfies_query_must
from retrieval.query_must.operators import always_asks
from retrieval.search.retriever import Retriever
from retrieval.settings import Settings
from retrieval.strategy import DEFAULT_K
from retrieval.types import Receipt, Retrieval
from tools.pages.marked_blocks import with_blocks

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
            best[query, name] = min(before, receipt, key=lambda one: one.milliseconds)
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
        spent = [milliseconds for times in same for milliseconds in times.rounds]
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
        return {name: _rounded(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return round(value, 3) if isinstance(value, float) else value


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question with the filter off and on. Key: query."""

    query: str
    off: Retrieval
    on: Retrieval
    rounds: int
    """Of the published loop for the same question."""
    noise: tuple[int, int]
    gold: tuple[int, int, int]
    """Gold chunks: how many there are, how many of them are in the list with the filter off, and on."""
    ranks: tuple[int, ...]
    """Of the gold with the filter on."""
    stopped: str
    """Why the published loop ended."""
    refused: tuple[str, ...]
    """Gold that its own predicate refuses."""

    @property
    def guarded(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The guarded rows of both lists as `I.A. 6`, in the order of the book."""
        return _guarded(self.off), _guarded(self.on)


def ask_all(
    retriever: Retriever, questions: Sequence[Question], off: str = "dense", on: str = "prefilter"
) -> tuple[Outcome, ...]:
    """Ask every question with the filter off, on, and in rounds; `off` and `on` are strategies."""
    chunks = tuple(retriever.snapshot.chunks)
    relatives = Relatives.of(chunks)
    gold = resolve([question for question in questions if question.gold], chunks).gold
    return tuple(
        _ask(retriever, question.query, frozenset(gold.get(question.id, ())), relatives, (off, on))
        for question in questions
    )


def _ask(
    retriever: Retriever, query: str, gold: frozenset[str], relatives: Relatives, names: tuple[str, str]
) -> Outcome:
    off, on, rounds = (retriever.retrieve(query, DEFAULT_K, name) for name in (*names, "iterative"))
    return Outcome(
        query=query,
        off=off,
        on=on,
        rounds=rounds.receipt.rounds,
        noise=(noise(off.chunk_ids, gold, relatives), noise(on.chunk_ids, gold, relatives)),
        gold=(len(gold), len(gold.intersection(off.chunk_ids)), len(gold.intersection(on.chunk_ids))),
        ranks=tuple(hit.rank for hit in on.hits if hit.chunk.id in gold),
        stopped=str(rounds.receipt.stopped),
        refused=refused_gold(query, gold, relatives, satisfies_query_must),
    )


def _guarded(retrieval: Retrieval) -> tuple[str, ...]:
    guarded = [hit.chunk for hit in retrieval.hits if always_asks(hit.chunk.query_must)]
    guarded.sort(key=lambda chunk: (chunk.document, chunk.position))
    return tuple(f"{chunk.heading_path[-1].split(' ')[0]} {chunk.row_key}" for chunk in guarded)


PAGE = Path(__file__).resolve().parents[2] / "docs" / "results" / "results_query_must.md"
EDGE_CASES = (
    "How do I make an attack roll?",
    "What does armor class mean?",
    "How much does fifty feet of silk rope cost?",
    "a 4th level cleric against armor classes 2, 4, 5, 7 and 10",
    "7th level fighter against AC 2 to 4",
    "What does an 11th level fighter need against AC-2?",
    "7th level fighter against AC 5 or better",
    "What roll hits AC 6?",
    "What does a bard of 5th level need to hit AC 4?",
    "What does a 7th level cleric need to roll to hit AC 14?",
    "psionic blast attack",
    "psionic blast, int 8 wis 15",
    "psionic blast by a monk with AC 12",
    "psionic blast by somebody of 8th level, intelligence 12",
)


def blocks(retriever: Retriever, times: FilterTimes) -> Mapping[str, str]:
    """The generated parts of the page by their names; `times` are shown as they were measured."""
    questions = load_questions(SAMPLE_QUESTIONS)
    examples = [question for question in questions if "example" in question.tags]
    edges = ask_all(retriever, [Question(id=query, query=query) for query in EDGE_CASES])
    return {
        "examples": "\n".join(_example_lines(ask_all(retriever, examples))),
        "examples of default": "\n".join(_example_lines(ask_all(retriever, examples, "default-query_must", "default"))),
        "times": "\n".join(time_lines(times)),
        "edge cases": "\n".join(_edge_lines(edges)),
        "all questions": "\n".join(_pooled_lines(ask_all(retriever, questions))),
    }


def _example_lines(examples: Iterable[Outcome]) -> Iterable[str]:
    yield (
        "| question | noise@15 off | on | reduction | precision off | on | gold in the list, off | on | rank of "
        "gold, on "
        "| results | remaining guarded rows |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|"
    for example in examples:
        (before, after), (total, gold_off, gold_on) = example.noise, example.gold
        cut = f"{1 - after / before:.0%}" if before else "-"
        kept, ranks = ", ".join(example.guarded[1]), ", ".join(map(str, example.ranks))
        yield (
            f"| {example.query} | {before} | {after} | {cut} | {_precision(gold_off, before)} | "
            f"{_precision(gold_on, after)} | {gold_off} of {total} | {gold_on} of {total} | {ranks} | "
            f"{len(example.on.hits)} | {kept} |"
        )


def _precision(gold: int, noise: int) -> str:
    """Of the rows of a right table or its twins that came back, the share that answers."""
    return f"{gold / (gold + noise):.0%}" if gold + noise else "-"


def _edge_lines(edges: Iterable[Outcome]) -> Iterable[str]:
    yield "| question | canonical form | guarded rows off | guarded rows on |"
    yield "|---|---|---:|---|"
    for edge in edges:
        before, after = edge.guarded
        kept = f"{len(after)}: {', '.join(after)}" if after else "0"
        yield f"| {edge.query} | `{edge.on.receipt.canonical}` | {len(before)} | {kept} |"


def _pooled_lines(outcomes: Sequence[Outcome]) -> Iterable[str]:
    rounds = Counter(outcome.rounds for outcome in outcomes)
    ended = Counter(outcome.stopped for outcome in outcomes)
    touched = [outcome for outcome in outcomes if outcome.guarded[0]]
    figures = {
        "questions": len(outcomes),
        "noise@15, summed, filter off": sum(outcome.noise[0] for outcome in outcomes),
        "noise@15, summed, filter on": sum(outcome.noise[1] for outcome in outcomes),
        "noise reduction, pooled": _reduction(outcomes),
        "questions with a guarded row in the unfiltered list": len(touched),
        "noise reduction, pooled over those": _reduction(touched),
        "lists that the filter does not change": sum(
            outcome.off.chunk_ids == outcome.on.chunk_ids for outcome in outcomes
        ),
        f"lists with fewer than {DEFAULT_K} results": sum(len(outcome.on.hits) < DEFAULT_K for outcome in outcomes),
        "gold chunks": sum(outcome.gold[0] for outcome in outcomes),
        "gold chunks in the lists, filter off": sum(outcome.gold[1] for outcome in outcomes),
        "gold chunks in the lists, filter on": sum(outcome.gold[2] for outcome in outcomes),
        "gold chunks that their own predicate excludes": sum(len(outcome.refused) for outcome in outcomes),
        "questions with one, two, three rounds of `iterative`": f"{rounds[1]}, {rounds[2]}, {rounds[3]}",
        "stopping reasons": ", ".join(f"{count} {reason}" for reason, count in sorted(ended.items())),
    }
    yield "| all sample questions | |"
    yield "|---|---:|"
    yield from (f"| {name} | {figure} |" for name, figure in figures.items())


def _reduction(outcomes: Sequence[Outcome]) -> str:
    before, after = (sum(outcome.noise[side] for outcome in outcomes) for side in (0, 1))
    return f"{1 - after / before:.3f}" if before else "-"


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", maxsplit=1)[0])
    parser.add_argument("--home", type=Path, help="holds the sample book; a temporary one if left out")
    parser.add_argument("--times", action="store_true", help=f"measure what the filter costs, into {FILE.name}")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        retriever = Retriever.open(given.home or _built(Path(folder)))
        with retriever.snapshot:
            if given.times:
                questions = load_questions(SAMPLE_QUESTIONS)
                examples = [question.query for question in questions if "example" in question.tags]
                measure(retriever, examples, [question.query for question in questions]).write()
            PAGE.write_text(with_blocks(PAGE.read_text("utf-8"), blocks(retriever, FilterTimes.read())), "utf-8")
    out.print(f"{PAGE.name}: made again")


def _built(folder: Path) -> Path:
    from pipeline.runs.build import build

    err.print("building the sample book")
    done = build(Home(folder, Settings(SAMPLE_LIBRARY, (SAMPLE_QUESTIONS,))))
    if done.problems:
        raise SystemExit(f"the sample book was not built: {done.problems[0].sentence}")
    return folder


if __name__ == "__main__":
    main()
