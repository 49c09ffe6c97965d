from pathlib import Path

import pytest

from retrieval.files.records import dump_record, parse_record
from retrieval.index.embedding.embedders import load_embedder
from tests.conftest import ROPES, WEAPONS, write_lines
from tools.bench.hints import BOOSTS, HintCurve, HintPoint, K, read_shelf, run_hints
from tools.corpora.books import BenchmarkDataError


def write_prose(folder: Path, name: str, things: list[str]) -> None:
    (folder / name).mkdir(parents=True)
    for at, thing in enumerate(things):
        told = f"# {thing}\n\nA {thing} is sold on the market for {3 * at + 2} coins.\n"
        (folder / name / f"{thing}.md").write_text(told)
    questions = [
        {
            "id": f"{name}-{at}",
            "query": f"for how many coins is a {thing} sold on the market",
            "gold": [{"document": f"{thing}.md", "snippet": f"A {thing} is sold"}],
        }
        for at, thing in enumerate(things)
    ]
    write_lines(folder / f"{name}.open.jsonl", *questions)


@pytest.fixture(scope="module")
def curve(tmp_path_factory: pytest.TempPathFactory) -> HintCurve:
    """Two books that say the same of other things."""
    root = tmp_path_factory.mktemp("shelf")
    write_prose(root / "data" / "armoury", "arms", WEAPONS)
    write_prose(root / "data" / "outdoors", "camp", ROPES)
    return run_hints(root / "home", read_shelf(root / "data", "open"), load_embedder())


def test_a_right_category_keeps_others_out_and_a_wrong_one_never_hides_what_a_filter_hides(curve: HintCurve) -> None:
    plain, *hints, hard = curve.points
    assert (curve.questions, curve.categories) == (20, ("arms", "camp"))
    assert [hint.name for hint in hints] == [f"hint, boost {boost:g}" for boost in BOOSTS]
    assert plain.right_contamination == plain.wrong_contamination > 0
    assert hints[-1].right_contamination < plain.right_contamination < hints[-1].wrong_contamination
    assert (hard.right_contamination, hard.right_recall) == (0.0, 1.0)
    assert (hard.wrong_contamination, hard.wrong_recall) == (1.0, 0.0)
    assert min(hint.wrong_recall for hint in hints if (hint.boost or 0) <= 1.2) == 1.0


def test_a_run_reads_back_and_is_a_line_and_two_points_for_each_way(curve: HintCurve) -> None:
    assert parse_record(dump_record(curve), HintCurve) == curve
    lines = list(curve.lines())
    assert len({line.count("|") for line in lines[: len(curve.points) + 2]}) == 1
    assert lines[2].startswith("| no hint | ")
    assert lines[-1].startswith(f"20 questions with an answer, first {K} hits; categories: arms, camp;")
    picture = curve.svg()
    assert picture.count("<circle") == 2 * len(curve.points)
    moved = HintCurve(K, 1, (), "e", (HintPoint("filter", None, 0.0, 1.0, 1.0, 0.0),)).svg()
    assert 'cx="52.0" cy="14.0"' in moved
    assert 'cx="472.0" cy="274.0"' in moved


def test_one_book_is_no_choice(tmp_path: Path) -> None:
    write_prose(tmp_path / "armoury", "arms", WEAPONS)
    with pytest.raises(BenchmarkDataError, match="a hint needs two"):
        read_shelf(tmp_path, "open")
    write_prose(tmp_path / "other", "arms", WEAPONS)
    with pytest.raises(BenchmarkDataError, match="a book 'arms'"):
        read_shelf(tmp_path, "open")
