from dataclasses import replace

import pytest

from evals.statistics.significance import Interval
from pipeline.bench.ablation.page import ablation_page, verdict
from pipeline.bench.ablation.run import Ablation, Number, Trial
from pipeline.bench.ablation.ways import ALIASED, UNALIASED


def number(value: float, low: float, high: float) -> Number:
    return Number(value, Interval(low, high))


NUMBERS = {"mrr": number(0.5, 0.4, 0.6), "hit@1": number(0.25, 0.1, 0.4), "hit@10": number(0.75, 0.7, 0.8)}
TRIAL = Trial("ttrpg", "hybrid_graph", 80, NUMBERS, "hybrid", number(0.0, -0.1, 0.1), 0.5)
BETTER = replace(TRIAL, set="wtq-rows", difference=number(0.05, 0.01, 0.09))
WORSE = replace(TRIAL, set="passages", difference=number(-0.05, -0.09, -0.01))


@pytest.mark.parametrize(
    ("trials", "said"),
    [
        ([TRIAL], "no: no set differs beyond its interval"),
        ([TRIAL, BETTER], "yes: better on wtq-rows, worse nowhere"),
        ([BETTER, WORSE], "no: worse on passages, better on wtq-rows"),
        ([TRIAL, WORSE], "no: worse on passages"),
    ],
)
def test_a_thing_is_kept_where_it_gains_beyond_chance_and_loses_nowhere(trials: list[Trial], said: str) -> None:
    assert verdict(trials) == said


def test_the_page_shows_every_number_with_its_interval() -> None:
    base = Trial("ttrpg", "hybrid", 80, NUMBERS, None, None, None)
    aliases = [replace(base, strategy=ALIASED), replace(TRIAL, strategy=UNALIASED, baseline=ALIASED)]
    page = ablation_page(Ablation("open", "toy 1", (TRIAL, base, *aliases)))
    assert (
        "| `hybrid_graph` | 0.250 (0.100 to 0.400) | 0.750 (0.700 to 0.800) | 0.500 (0.400 to 0.600) "
        "| `hybrid` | +0.000 (-0.100 to +0.100) | 0.500 |" in page
    )
    assert "| `hybrid` | 0.250 (0.100 to 0.400) | 0.750 (0.700 to 0.800) | 0.500 (0.400 to 0.600) | - | - | - |" in page
    assert "| `hybrid_graph` | graph boost over all six relations | `hybrid` | no: no set differs beyond " in page
    assert "## Tried and left out" in page
    assert "| `default+routing3` | three chapters, always | `default` | no: worse on wikisql-rows" in page
