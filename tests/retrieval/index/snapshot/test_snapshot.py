import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import EmbedderMismatchError, IndexCorruptError, IndexMissingError, LibraryError, UnknownNameError
from retrieval.files.versions import Versions
from retrieval.index.snapshot import building
from retrieval.index.snapshot.live import live_id, promote
from retrieval.index.snapshot.manifest import Manifest
from retrieval.index.snapshot.snapshot import build_snapshot, is_as_built, open_snapshot
from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.language.terms import tokenizer
from retrieval.language.vocabulary import Vocabulary
from tests.retrieval.index.conftest import MODEL, MUST, build, chunk, only_id, vectors_of


def test_everything_comes_back_aligned(home: Path) -> None:
    matrix = vectors_of(60)
    with open_snapshot(home, only_id(home)) as snapshot:
        assert len(snapshot) == 60
        ids = [entry.id for entry in snapshot.chunks]
        assert ids == sorted(ids)
        for number in (0, 7, 59):
            position = int(snapshot.chunks.positions([chunk(number).id])[0])
            assert snapshot.chunks[position] == chunk(number)
            assert np.array_equal(snapshot.vectors[position], matrix[number])
            assert snapshot.lexical.scores(str(number)).argmax() == position
        guarded = [entry.query_must == MUST for entry in snapshot.chunks]
        assert np.asarray(snapshot.predicates.guarded).tolist() == guarded
        assert snapshot.vocabulary.to_json() == Vocabulary.default().to_json()


def test_every_table_and_passage_has_a_text_of_its_own(home: Path) -> None:
    with open_snapshot(home, only_id(home)) as snapshot:
        numbers = np.unique(snapshot.chunk_tables.of)
        passages = sum(entry.table_id is None for entry in snapshot.chunks)
        assert len(numbers) == snapshot.manifest.n_tables + passages
        assert snapshot.tables.lexical.n_documents == len(snapshot.tables.vectors) == len(numbers)
        question = "What armor class has the dragon?"
        assert snapshot.tables.lexical.looked_for(question) == snapshot.lexical.looked_for(question)


def test_the_same_library_in_any_order_is_the_same_snapshot_and_is_not_built_twice(home: Path) -> None:
    folder = home / "snapshots" / only_id(home)
    before = (folder / "manifest.json").stat().st_ino
    chunks = [chunk(number) for number in range(60)]
    manifest = build_snapshot(home, chunks[::-1], vectors_of(60)[::-1], MODEL, Vocabulary.default())
    assert manifest.id == only_id(home)
    assert (folder / "manifest.json").stat().st_ino == before


def test_last_bits_of_floats_make_no_other_snapshot_and_another_model_does(tmp_path: Path) -> None:
    chunks, default = [chunk(number) for number in range(20)], Vocabulary.default()
    vectors = vectors_of(20)
    here = build_snapshot(tmp_path, chunks, vectors, MODEL, default)
    bits = np.nextafter(vectors, np.float32(2))
    assert not np.array_equal(bits, vectors)
    there = build_snapshot(tmp_path / "other machine", chunks, bits, MODEL, default)
    assert there.id == here.id
    assert {file.path for file in set(there.files) ^ set(here.files)} == {"vectors.npy"}
    assert build_snapshot(tmp_path, chunks, bits, MODEL, default) == here, "what is there stays"
    assert build_snapshot(tmp_path, chunks, np.roll(vectors, 1, axis=1), MODEL, default).id != here.id


def test_what_was_made_otherwise_is_made_anew_under_its_id(tmp_path: Path) -> None:
    chunks, default = [chunk(number) for number in range(20)], Vocabulary.default()
    vectors = vectors_of(20)
    before = build_snapshot(tmp_path, chunks, vectors, MODEL, default)
    swapped = vectors[[1, 0, *range(2, 20)]]  # their mean says nothing of it
    after = build_snapshot(tmp_path, chunks, swapped, MODEL, default)
    assert after.id == before.id
    with open_snapshot(tmp_path, after.id) as snapshot:
        assert snapshot.manifest == after
        assert np.array_equal(snapshot.vectors[snapshot.chunks.positions([chunk(0).id])[0]], vectors[1])
        assert snapshot.faults() == ()


def test_the_manifest_counts_what_is_there_and_says_which_program_made_it(home: Path) -> None:
    manifest = open_snapshot(home, only_id(home)).manifest
    assert (manifest.n_chunks, manifest.n_guarded, manifest.n_open, manifest.n_tables) == (60, 7, 53, 7)
    assert manifest.embedder == MODEL
    assert Manifest.read(home / "snapshots" / manifest.id) == manifest
    versions = open_snapshot(home, only_id(home)).manifest.versions
    assert versions == Versions.now()
    assert len({versions.chunker, versions.predicates, versions.ranker}) == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: replace(entry, text="other"),
        lambda entry: replace(entry, query_must='{"contain": "ac 7"}'),
        lambda entry: replace(entry, names=("another",)),
    ],
)
def test_one_changed_chunk_is_another_snapshot_beside_the_old_one(home: Path, change) -> None:
    old = only_id(home)
    chunks = [change(chunk(0)), *(chunk(number) for number in range(1, 60))]
    manifest = build_snapshot(home, chunks, vectors_of(60), MODEL, Vocabulary.default())
    assert manifest.id != old
    assert is_as_built(home, old)


def test_progress_ends_at_the_total(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    chunks = [chunk(number) for number in range(30)]
    build_snapshot(
        tmp_path, chunks, vectors_of(30), MODEL, Vocabulary.default(), progress=lambda *state: told.append(state)
    )
    assert ("lexical", 0, 30) in told
    assert told[-1] == ("manifest", 0, 30)


@pytest.mark.parametrize("count", [1, 2])
def test_a_tiny_library_works(tmp_path: Path, count: int) -> None:
    manifest = build(tmp_path, count)
    with open_snapshot(tmp_path, manifest.id) as snapshot:
        assert snapshot.faults() == ()


def test_a_library_that_cannot_be_built_leaves_nothing_behind(tmp_path: Path) -> None:
    one = chunk(1)
    with pytest.raises(LibraryError, match="no chunks"):
        build_snapshot(tmp_path, [], vectors_of(0), MODEL, Vocabulary.default())
    with pytest.raises(LibraryError, match="distinct ids"):
        build_snapshot(tmp_path, [one, one], vectors_of(2), MODEL, Vocabulary.default())
    with pytest.raises(EmbedderMismatchError, match="embed again with toy"):
        build_snapshot(tmp_path, [one], vectors_of(2), MODEL, Vocabulary.default())
    with pytest.raises(EmbedderMismatchError, match="not finite"):
        build_snapshot(tmp_path, [one], np.full((1, 16), np.nan, dtype=np.float32), MODEL, Vocabulary.default())
    assert not list(tmp_path.rglob("manifest.json"))


def test_a_lexical_index_over_other_chunks_another_order_or_other_words_is_refused(tmp_path: Path) -> None:
    chunks = sorted((chunk(number) for number in range(20)), key=lambda entry: entry.id)
    texts = [entry.search_text for entry in chunks]
    default = Vocabulary.default()
    given = LexicalIndex.build(texts)
    manifest = build_snapshot(tmp_path, chunks, vectors_of(20), MODEL, default, lexical=given)
    assert build_snapshot(tmp_path, chunks, vectors_of(20), MODEL, default).id == manifest.id
    older = tokenizer(default.merge(Vocabulary(aliases={"scarab": "beetle"})))
    cuts = (LexicalIndex.build(texts, str.split), LexicalIndex.build(texts, older))
    for wrong in (LexicalIndex.build(texts[::-1]), LexicalIndex.build(texts[1:]), *cuts):
        with pytest.raises(LibraryError, match="built from other chunks, or with other words"):
            build_snapshot(tmp_path, chunks, vectors_of(20), MODEL, default, lexical=wrong)


def test_a_build_that_fails_half_way_is_no_snapshot(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(building, "build_graph", fail)
    before = only_id(home)
    with pytest.raises(OSError, match="no space"):
        build(home, 20)
    assert only_id(home) == before


def test_nothing_live_and_an_unknown_id_say_what_to_do(home: Path) -> None:
    with pytest.raises(IndexMissingError, match="querymust build --library"):
        open_snapshot(home)
    with pytest.raises(IndexMissingError, match="no snapshot '0123456789abcdef'; build it first"):
        open_snapshot(home, "0123456789abcdef")
    with pytest.raises(IndexMissingError, match="no complete snapshot"):
        promote(home, "0123456789abcdef")
    assert live_id(home) is None


def test_the_live_pointer_moves_at_once(home: Path) -> None:
    first = only_id(home)
    promote(home, first)
    second = build(home, 20).id
    assert open_snapshot(home).id == first
    promote(home, second)
    assert (live_id(home), open_snapshot(home).id) == (second, second)


@pytest.mark.parametrize(
    "content", [b"{", b'{"schema_version": 99}', b'{"schema_version": 1}'], ids=["no JSON", "newer", "older"]
)
def test_a_manifest_of_another_version_is_refused_with_what_to_do(home: Path, content: bytes) -> None:
    (home / "snapshots" / only_id(home) / "manifest.json").write_bytes(content)
    with pytest.raises(IndexCorruptError, match="build"):
        open_snapshot(home, only_id(home))


def test_one_flipped_bit_is_found_by_its_hash(home: Path) -> None:
    path = home / "snapshots" / only_id(home) / "vectors.npy"
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    with pytest.raises(IndexCorruptError, match="hash"):
        open_snapshot(home, only_id(home))
    assert not is_as_built(home, only_id(home))
    (fault,) = open_snapshot(home, only_id(home), hashes=False).faults()
    assert "vectors.npy" in fault


def test_an_unknown_chunk_is_named(home: Path) -> None:
    with open_snapshot(home, only_id(home)) as snapshot, pytest.raises(UnknownNameError, match="'nobody'"):
        snapshot.chunks.positions([chunk(1).id, "nobody"])


def test_a_live_snapshot_that_goes_while_it_is_opened_gives_way_to_the_next(twice_live, monkeypatch):
    home, first, second = twice_live
    promote(home.root, first, "rollback")
    read = Manifest.read

    def outrun(folder: Path) -> Manifest:
        result = read(folder)
        if folder.name == first and live_id(home.root) == first:
            promote(home.root, second)
            shutil.rmtree(folder)
        return result

    monkeypatch.setattr("retrieval.index.snapshot.snapshot.Manifest.read", outrun)
    with open_snapshot(home.root) as snapshot:
        assert snapshot.id == second
    with pytest.raises(IndexMissingError, match=first):
        open_snapshot(home.root, first)
