"""How often the gate is wrong: refusals of simulated changes, by the gate's rule and by one that judges book by book.

A harmless change moves a tenth of the questions, as far as they moved between seven versions of this program on three
rule books, up as often as down. A loss is such a change in which questions lose their gold besides. No index is built.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evals.non_inferiority import MARGIN, Judgement, Paired, judge
from evals.significance import paired_randomisation
from tools.corpora.indexes import Tell

MOVES = (0.01, 0.2, 0.5, 0.5, 0.75, 0.95)
"""How far a question moves where it does."""
GONE = 0.95
"""What a question loses that loses its gold."""
SIZES = tuple((books, questions) for books in (1, 3, 10) for questions in (20, 100))
"""Books, and questions about each."""


@dataclass(frozen=True, slots=True)
class Change:
    """A kind of change. Key: name."""

    name: str
    loss: float = 0.0
    """Of `mrr`, everywhere."""
    first: float = 0.0
    """Of `mrr`, in the first book besides."""
    moving: float = 0.1
    """Share of the questions that move for no reason."""

    def draw(self, books: int, questions: int, random: np.random.Generator) -> npt.NDArray[np.float64]:
        """What each question gains, (books, questions)."""
        shape = (books, questions)
        moved = random.choice(MOVES, shape) * random.choice((-1, 1), shape) * (random.random(shape) < self.moving)
        chances = np.full(books, self.loss)
        chances[0] += self.first
        return np.where(random.random(shape) < chances[:, None] / GONE, -GONE, moved)


CHANGES = (
    Change("harmless"),
    Change("harmless, three tenths move", moving=0.3),
    Change("0.05 lost", loss=0.05),
    Change("0.1 lost", loss=0.1),
    Change("0.3 lost in one book", first=0.3),
)


@dataclass(frozen=True, slots=True)
class Rates:
    """Share of the simulated changes of each kind that are refused. Key: (books, questions)."""

    books: int
    questions: int
    """About each book."""
    together: Mapping[str, float]
    """By kind, as the gate judges: all lists of questions share a level."""
    apart: Mapping[str, float]
    """By kind, if each list were judged by itself, by one whole question or chance."""


@dataclass(frozen=True, slots=True)
class GateReport:
    """One run; the same on every machine. Key: seed, simulations."""

    seed: int
    simulations: int
    """Of each kind and size."""
    rates: tuple[Rates, ...]

    def lines(self) -> Iterator[str]:
        """A markdown table; two lines for each size."""
        names = [change.name for change in CHANGES]
        yield f"| books | questions each | judged | {' | '.join(names)} |"
        yield "|---:|---:|---|" + "---:|" * len(names)
        for rate in self.rates:
            for how, result in (("together", rate.together), ("each by itself", rate.apart)):
                shares = " | ".join(f"{result[name]:.2f}" for name in names)
                yield f"| {rate.books} | {rate.questions} | {how} | {shares} |"
        yield ""
        yield f"{self.simulations:,} changes of each kind and size, seed {self.seed}."


def run_gate(
    simulations: int = 300, seed: int = 0, sizes: Sequence[tuple[int, int]] = SIZES, tell: Tell = lambda *_: None
) -> GateReport:
    """Simulate changes and count refusals.

    Args:
        simulations: changes of each kind and size.
        seed: of the changes; each kind and size draws its own.
        sizes: numbers of books and of questions about each.
        tell: called as the work goes on.
    """
    rates = []
    for position, (books, questions) in enumerate(sizes):
        tell(f"{books} x {questions} questions", position, len(sizes))
        counts = {change.name: _refusals(change, books, questions, simulations, seed) for change in CHANGES}
        shares = [{name: count[rule] / simulations for name, count in counts.items()} for rule in (0, 1)]
        rates.append(Rates(books, questions, *shares))
    return GateReport(seed, simulations, tuple(rates))


def _refusals(change: Change, books: int, questions: int, simulations: int, seed: int) -> tuple[int, int]:
    """How many are refused by the gate, and with each list judged by itself."""
    random = np.random.default_rng([seed, books, questions, CHANGES.index(change)])
    together = apart = 0
    for _ in range(simulations):
        gains = change.draw(books, questions, random)
        wholes = [_paired(gains.ravel())]
        parts = [_paired(row) for row in gains] if books > 1 else []
        result = judge(wholes, parts)
        together += any(judgement.verdict == "worse" for judgement in result)
        apart += any(_by_itself(one, judgement) for one, judgement in zip((*wholes, *parts), result, strict=True))
    return together, apart


def _paired(gains: npt.NDArray[np.float64]) -> Paired:
    return Paired((1.0 + gains).tolist(), [1.0] * len(gains))


def _by_itself(given: Paired, judgement: Judgement) -> bool:
    """The rule before all lists were judged together."""
    if judgement.low > -MARGIN or judgement.difference >= 0:
        return False
    more_than_one = round(judgement.difference, 9) < -max(MARGIN, round(1 / judgement.n, 9))
    return more_than_one or paired_randomisation(given.ours, given.theirs) < 0.05
