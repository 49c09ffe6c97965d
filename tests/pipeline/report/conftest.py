"""Reports to look at."""

import json
import shutil
from dataclasses import replace

import pytest

from pipeline.report.report import Report, report_of
from retrieval.home import Home

HOSTILE = "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"


@pytest.fixture(scope="session")
def sample_report(sample: Home) -> Report:
    """The report on the built sample."""
    return report_of(sample)


@pytest.fixture
def few_rankings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that show few rankings are made sooner."""
    monkeypatch.setattr("pipeline.report.questions.RANKINGS", 12)


@pytest.fixture(scope="session")
def hostile_report(sample: Home, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Three questions: one holds HTML, and asks for another armor class than that of the row which is its gold."""
    folder = tmp_path_factory.mktemp("hostile")
    shutil.copytree(sample.root, folder / "home", ignore=shutil.ignore_patterns("dagster"))
    home = Home.at(folder / "home")
    lines = [json.loads(line) for line in sample.settings.questions[0].read_text("utf-8").splitlines()[:2]]
    query = f"What does a 7th level cleric need to roll to hit AC 5? {HOSTILE} 'quoted'"
    lines.append(lines[0] | {"id": "hostile", "query": query, "kind": f"kind{HOSTILE}", "answer": HOSTILE})
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    home = replace(home, settings=replace(home.settings, questions=(folder / "questions.jsonl",)))
    return report_of(home)
