from pathlib import Path

import pytest

from evals.questions.questions import load_questions
from retrieval.index.embedding.embedders import load_embedder
from tools.benchmark.reading import Gold, read
from tools.benchmark.system import SYSTEMS, System, load_system, why_missing

pytestmark = pytest.mark.filterwarnings("ignore")  # what libraries say when they are imported is theirs


def loaded(name: str) -> System:
    try:
        system = load_system(name)
    except ImportError as error:
        pytest.skip(f"{error}; pip install -e '.[benchmark]'")
    if reason := why_missing(name, system.packages):
        pytest.skip(reason)
    return system


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_finds_a_row_of_a_small_book(name: str, books: Path, tmp_path: Path) -> None:
    system, folder = loaded(name), tmp_path / "index"
    assert system.name == name
    assert system.about.endswith(".")
    assert system.setup.endswith(".")
    folder.mkdir()
    system.index(books / "saltmere", folder, load_embedder())
    assert [path for path in folder.rglob("*") if path.is_file()]
    question = load_questions(books / "saltmere.open.jsonl")[0]

    hits = system.search(question.query, 50)
    assert 0 < len(hits) <= 50
    assert read(hits, Gold.of(question, books / "saltmere")).rank is not None
    assert len(system.search(question.query, 1)) == 1
