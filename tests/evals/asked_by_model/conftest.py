import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from retrieval.home import Home
from retrieval.index.snapshot.snapshot import Snapshot, open_snapshot


@pytest.fixture
def snapshot(tiny_built: Home) -> Iterator[Snapshot]:
    """The small book: a passage, and a table of a dagger, a long sword and a mace."""
    with open_snapshot(tiny_built.root) as opened:
        yield opened


def asks_for_each(body: Mapping[str, Any]) -> str:
    """A model that asks about the first passages by their own first words."""
    key = json.loads(body["messages"][1]["content"])
    questions = [
        {"passage": each["passage"], "question": f"tell me of {each['text'].split(';')[0].split(': ')[-1][:40]}"}
        for each in key["passages"][: key["wanted"]]
    ]
    return json.dumps({"questions": questions})
