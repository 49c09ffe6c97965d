from pathlib import Path

from pipeline.building.kept_work import KeptWork


def test_kept_work_knows_its_files_again_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    paths = [tmp_path / "one.bin", tmp_path / "deep" / "two.bin"]
    for path in paths:
        path.write_bytes(b"as it was")
    kept = KeptWork.of("key", tmp_path, paths, {"books": {"n_documents": 2, "title": "Tiny"}})
    kept.write(tmp_path / "kept.json")
    assert KeptWork.read(tmp_path / "kept.json") == kept
    assert kept.is_whole(tmp_path)
    (tmp_path / "three.bin").touch()
    assert kept.is_whole(tmp_path), "what came beside it is not its own"
    paths[1].write_bytes(b"as it wes")
    assert not kept.is_whole(tmp_path)
    (tmp_path / "kept.json").write_bytes(b'{"key": 1}')
    assert KeptWork.read(tmp_path / "kept.json") is None
    assert KeptWork.read(tmp_path / "nowhere.json") is None
