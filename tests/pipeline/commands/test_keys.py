"""`querymust keys`, as it is typed."""

from pathlib import Path


def test_keys_are_made_named_and_removed(run, tmp_path: Path) -> None:
    status, out, errors = run("keys", "add", "bot", "--scope", "write", "--home", tmp_path)
    assert status == 0
    assert out.startswith("qm_")
    assert "shown only once" in errors
    assert run("keys", "list", "--home", tmp_path)[1].split() == ["bot", "write"]
    status, _, errors = run("keys", "remove", "bot", "--home", tmp_path)
    assert status == 0
    assert "rejects every request" in errors
    status, _, errors = run("keys", "remove", "bot", "--home", tmp_path)
    assert status == 2
    assert "no key is called 'bot'" in errors
