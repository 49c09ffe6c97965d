"""What docs/how-to/feedback.md shows, as it is written there."""

from __future__ import annotations

import json
from pathlib import Path

from evals.questions.questions import load_questions
from retrieval.search.retriever import Retriever
from retrieval.serve.logs import FeedbackFile, QueryLog
from tests.test_docs import blocks, printed

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "how-to" / "feedback.md").read_text("utf-8")


def test_the_commands_of_the_page_run_one_after_the_other(tiny, tmp_path, monkeypatch, capsys):
    QueryLog(tiny.root, is_on=True).add("s", "What does a longsword cost?")
    row = next(chunk for chunk in Retriever.open(tiny.root).snapshot.chunks if chunk.row_key == "Mace")
    FeedbackFile(tiny.root).add("s", "What hits hard?", row.id, "relevant", "")
    monkeypatch.setenv("QUERYMUST_HOME", str(tiny.root))
    monkeypatch.chdir(tmp_path)
    output = [ran.out for ran in printed("".join(blocks("sh", PAGE)), monkeypatch, capsys)]
    assert "longsword = long sword" in output[0]
    assert [record["word"] for record in json.loads(output[2])] == ["longsword"]
    assert [question.query for question in load_questions(tmp_path / "from_people.jsonl")] == ["What hits hard?"]
