"""What a build leaves alone: only what is byte for byte as it was left, made of what is there now."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.runs import unchanged
from pipeline.runs.build import build
from pipeline.runs.in_process import dagster_instance
from pipeline.runs.unchanged import Unchanged, book_key
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id, snapshot_folder
from retrieval.index.snapshot.snapshot import is_as_built
from retrieval.ingest.library.library import list_books
from retrieval.settings import AnswerSettings, PassagesSettings, Settings, TablesSettings


def left_alone(home: Home) -> tuple[bool, bool]:
    """Whether the one book would be skipped, and whether the whole build would."""
    with dagster_instance(home) as instance:
        unchanged = Unchanged(home, instance, list_books(home.library))
        return "tiny" in unchanged.books(), unchanged.whole() is not None


def flip(path: Path) -> None:
    """Change one byte in the middle."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def own(home: Home) -> Path:
    return snapshot_folder(home.root, str(live_id(home.root)))


def vectors_of(home: Home) -> None:
    shutil.rmtree(home.embeddings)


def history_of(home: Home) -> None:
    shutil.rmtree(home.dagster)


BOOKS: dict[str, Callable[[Home], None]] = {
    "a changed document": lambda home: (home.library / "tiny" / "01.md").write_text("# Tiny\n\nA club.\n") and None,
    "a file that is ignored": lambda home: (home.library / "tiny" / "map.png").touch(),
    "a vocabulary": lambda home: (home.library / "vocabulary.toml").write_text('[aliases]\nblade = "sword"\n') and None,
    "damaged records": lambda home: flip(home.book("tiny") / "chunks.jsonl"),
    "records that went": lambda home: (home.book("tiny") / "tables.jsonl").unlink(),
    "a damaged memory of them": lambda home: (home.book("tiny") / "finished.json").write_text("{") and None,
    "no vectors": vectors_of,
    "damaged vectors": lambda home: next(home.embeddings.iterdir()).write_bytes(b"no database") and None,
    "a history that went": history_of,
}
WHOLE: dict[str, Callable[[Home], None]] = {
    "a damaged file of the snapshot": lambda home: flip(own(home) / "vectors.npy"),
    "nothing live": lambda home: (home.root / "live").unlink(),
    "a damaged pointer": lambda home: (home.root / "live").write_text("nothing") and None,
    "another candidate": lambda home: home.nominate("0" * 16),
    "a damaged lexical index": lambda home: flip(next(home.lexical.rglob("documents.npy"))),
    "no graph": lambda home: shutil.rmtree(home.graph),
}


@pytest.fixture(scope="module")
def copy(tiny_built: Home, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Home]:
    def copied() -> Home:
        folder = tmp_path_factory.mktemp("copy")
        shutil.copytree(tiny_built.root, folder / "home")
        shutil.copytree(tiny_built.library, folder / "library")
        return Home(folder / "home", replace(tiny_built.settings, library=folder / "library"))

    return copied


def test_what_is_as_it_was_is_left_alone_wherever_it_lies(copy: Callable[[], Home]) -> None:
    assert left_alone(copy()) == (True, True)


@pytest.mark.parametrize("what", BOOKS)
def test_a_book_that_is_not_as_it_was_is_read_again(copy: Callable[[], Home], what: str) -> None:
    home = copy()
    BOOKS[what](home)
    assert not left_alone(home)[0]


@pytest.mark.parametrize("what", WHOLE)
def test_an_index_that_is_not_as_it_was_is_made_again(copy: Callable[[], Home], what: str) -> None:
    home = copy()
    WHOLE[what](home)
    assert left_alone(home) == (True, False)


def test_other_questions_and_a_server_are_not_what_was_built(copy: Callable[[], Home], tmp_path: Path) -> None:
    home = copy()
    (tmp_path / "asked.jsonl").write_text("{}\n")
    query = replace(home.settings, questions=(tmp_path / "asked.jsonl",))
    assert left_alone(replace(home, settings=query)) == (True, False)
    served = replace(home.settings, chroma="http://127.0.0.1:9")
    assert left_alone(replace(home, settings=served)) == (True, False)


@pytest.mark.parametrize("named", ["program_version", "load_embedder"])
def test_another_program_or_embedder_keeps_nothing(copy, monkeypatch, named):
    home = copy()
    if named == "program_version":
        monkeypatch.setattr(unchanged, "program_version", lambda: "another")
        assert left_alone(home) == (False, False)
    else:
        other = replace(home.settings, embedder="wordllama")
        assert left_alone(replace(home, settings=other)) == (False, False)


def test_how_prose_is_cut_is_part_of_a_book_and_when_a_night_begins_is_not(copy: Callable[[], Home]) -> None:
    home = copy()
    cut = replace(home.settings, chunking=replace(home.settings.chunking, max_chunk_tokens=64))
    assert left_alone(replace(home, settings=cut)) == (False, False)
    for later in ({"nightly": "04:00"}, {"strategy": "hybrid"}, {"answer": AnswerSettings(min_relevance=0.9)}):
        assert left_alone(replace(home, settings=replace(home.settings, **later)))[0], later


def test_a_build_makes_again_what_was_damaged_though_nothing_changed(tiny: Home) -> None:
    before = live_id(tiny.root)
    for damage in (WHOLE["a damaged file of the snapshot"], BOOKS["damaged records"], BOOKS["no vectors"]):
        damage(tiny)
    done = build(tiny)
    assert (done.problems, done.skipped, done.is_unchanged, done.changed) == ([], (), False, ())
    assert live_id(tiny.root) == before
    assert is_as_built(tiny.root, str(before))
    assert left_alone(tiny) == (True, True)
    again = build(tiny)
    assert (again.skipped, again.is_unchanged) == (("tiny",), True)


@pytest.mark.parametrize(
    ("settings", "prompt"),
    [
        (Settings(tables=TablesSettings("model")), "prompt_version"),
        (Settings(tables=TablesSettings("names")), "names_prompt_version"),
        (Settings(passages=PassagesSettings("model")), "passages_prompt_version"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_book_is_of_another_kind_once_the_prompt_is_another_that_a_model_was_asked_by(
    tiny_built: Home, monkeypatch: pytest.MonkeyPatch, settings: Settings, prompt: str
) -> None:
    (folder,) = list_books(tiny_built.library)
    both = Settings(), settings
    by_rules, by_model = (book_key(folder, None, each) for each in both)
    assert by_rules != by_model
    monkeypatch.setattr(unchanged, prompt, lambda: "v2-00000000")
    assert book_key(folder, None, both[0]) == by_rules
    assert book_key(folder, None, both[1]) != by_model
