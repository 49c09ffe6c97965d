"""What a person is told of a damaged home, and what of that is a complaint."""

from pathlib import Path

import pytest

from retrieval.home import Home
from retrieval.index.snapshot.live import live_id
from tools.faults import asking
from tools.faults.asking import DAMAGES, Answer, age, answers, complaints, heal

HARMS = {
    "live": "truncated",
    "candidate": "garbled",
    "snapshots/{live}/chunk_ids.npy": "garbled",
    "snapshots/{live}/manifest.json": "gone",
    "snapshots/{live}/rarity.npy": "truncated",
}


@pytest.mark.slow
def test_every_damage_is_told_in_one_clear_line(tiny: Home) -> None:
    live = live_id(tiny.root)
    expected = answers(tiny.root)["search"].out
    assert "Mace" in expected
    assert list(complaints(tiny.root, expected, None)) == []
    assert list(complaints(tiny.root, expected, "vectors.npy")) == ["verify finds nothing"]
    for name, damage in HARMS.items():
        path = tiny.root / name.format(live=live)
        content = path.read_bytes()
        DAMAGES[damage](path)
        assert list(complaints(tiny.root, expected, None if name == "candidate" else path.name)) == [], (name, damage)
        heal(path, content)
    age(tiny.root, live)
    assert list(complaints(tiny.root, expected, "manifest.json")) == []


def test_what_is_not_clear_is_a_complaint(tiny: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    output = {
        "search": Answer(0, "another answer", ""),
        "verify": Answer(1, "", "error: something is wrong"),
        "status": Answer(-1, "", "Traceback\nKeyError: 7"),
    }
    monkeypatch.setattr(asking, "answers", lambda _: output)
    assert list(complaints(tiny.root, "the answer", "vectors.npy")) == [
        "verify ended with status 1: 'error: something is wrong'",
        "status crashed: KeyError: 7",
        "search gives another answer",
    ]
    output["search"] = Answer(2, "", "error: vectors.npy is wrong")
    assert next(complaints(tiny.root, "", "vectors.npy")).startswith("search is unclear"), "it does not say what to do"
    assert next(complaints(tiny.root, "", None)).startswith("search fails for it"), "nothing may fail"


def test_a_reader_that_changes_a_file_is_a_complaint(tiny: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def change(home: Path) -> dict[str, Answer]:
        (home / "candidate").write_text("another")
        return dict.fromkeys(("search", "verify", "status"), Answer(0, "", ""))

    monkeypatch.setattr(asking, "answers", change)
    assert list(complaints(tiny.root, "", None)) == ["a command that only reads changed candidate"]


def test_each_damage_changes_the_file_and_leaves_whoever_mapped_it_alone(tmp_path: Path) -> None:
    for name, damage in DAMAGES.items():
        path = tmp_path / name
        path.write_bytes(bytes(range(90)))
        with path.open("rb") as mapped:
            damage(path)
            assert mapped.read() == bytes(range(90))
        assert not path.exists() or path.read_bytes() != bytes(range(90))
