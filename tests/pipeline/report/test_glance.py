"""The summary names a better strategy, and the words of the page say what the documentation says."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from evals.evaluation import SHIPPED
from pipeline.report.glance import STRATEGY_WORDS, glance
from retrieval.search.strategies import STRATEGIES

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "cli.md").read_text("utf-8")


def test_every_strategy_of_a_build_is_explained_as_in_the_documentation() -> None:
    (section,) = re.findall(r"^## Strategies\n(.*?)^## ", PAGE, re.MULTILINE | re.DOTALL)
    output = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", section, re.MULTILINE))
    links = {name: re.sub(r" \(\[\w+\]\([^)]*\)\)", "", text) for name, text in output.items()}
    plain = {name: re.sub(r"\[(\w+)\]\([^)]*\)", r"\1", text).replace("`", "") for name, text in links.items()}
    assert list(plain) == list(STRATEGIES)
    assert dict(STRATEGY_WORDS) == plain


@pytest.mark.parametrize(("used", "is_told"), [("bm25", True), (SHIPPED, False)])
def test_a_strategy_that_is_better_than_the_chosen_one_is_named_with_how_to_choose_it(used, is_told, sample_report):
    report = replace(sample_report, header=replace(sample_report.header, strategy=used))
    best = {answer.section: answer.says for answer in glance(report)}["leaderboard"]
    assert best.startswith(f"{SHIPPED}, by mrr: ")
    assert (f"write `strategy: {SHIPPED}` in the home's rag.yaml" in best) is is_told
