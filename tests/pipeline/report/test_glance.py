"""The words of the page say what the documentation says."""

import re
from pathlib import Path

from pipeline.report.glance import STRATEGY_WORDS
from retrieval.search.strategies import STRATEGIES

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "cli.md").read_text("utf-8")


def test_every_strategy_of_a_build_is_explained_as_in_the_documentation() -> None:
    (section,) = re.findall(r"^## Strategies\n(.*?)^## ", PAGE, re.MULTILINE | re.DOTALL)
    output = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", section, re.MULTILINE))
    links = {name: re.sub(r" \(\[\w+\]\([^)]*\)\)", "", text) for name, text in output.items()}
    plain = {name: re.sub(r"\[(\w+)\]\([^)]*\)", r"\1", text).replace("`", "") for name, text in links.items()}
    assert list(plain) == list(STRATEGIES)
    assert dict(STRATEGY_WORDS) == plain
