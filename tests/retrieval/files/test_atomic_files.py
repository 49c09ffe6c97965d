import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from retrieval.files.atomic_files import replacing, write_atomically


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_text_and_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    write_atomically(tmp_path / "text", "é\r\n")
    write_atomically(tmp_path / "new" / "folder" / "bytes", b"\x00\xff")
    assert (tmp_path / "text").read_bytes() == "é\r\n".encode()
    assert (tmp_path / "new" / "folder" / "bytes").read_bytes() == b"\x00\xff"
    assert names(tmp_path) == ["new", "text"]


def test_readers_see_the_old_file_until_the_new_one_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "pointer"
    write_atomically(path, "old")
    with replacing(path) as partial:
        partial.write_text("ne")
        assert path.read_text() == "old"
        partial.write_text("new")
    assert path.read_text() == "new"
    assert names(tmp_path) == ["pointer"]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "pointer"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError), replacing(path) as partial, partial.open("w", encoding="utf-8") as file:
        file.writelines(["ne", "\ud800"])
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["pointer"]


def test_a_killed_write_leaves_the_old_file_and_the_next_one_does_not_meet_its_rest(tmp_path: Path) -> None:
    path = tmp_path / "pointer"
    write_atomically(path, "old")
    program = (
        "import os, signal, sys; from pathlib import Path; from retrieval.files.atomic_files import replacing\n"
        "with replacing(Path(sys.argv[1])) as partial:\n"
        "    partial.write_text('ha')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], env={**os.environ}, check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    (left,) = [each for each in tmp_path.iterdir() if each != path]
    with replacing(path) as partial:
        assert partial != left
        partial.write_text("new")
    assert path.read_text() == "new"


def test_two_writers_never_share_a_temporary_file(tmp_path: Path) -> None:
    path = tmp_path / "pointer"
    with replacing(path) as one, replacing(path) as other:
        assert one != other
        assert one.parent == other.parent == tmp_path
        one.write_text("one")
        other.write_text("other")
    assert path.read_text() == "one"


def test_no_other_module_replaces_files_of_its_own() -> None:
    root = Path(__file__).parents[3]
    sources = [path for package in ("retrieval", "evals", "pipeline") for path in (root / package).rglob("*.py")]
    own = [path.name for path in sources if '.partial"' in path.read_text("utf-8")]
    assert own == ["atomic_files.py"]
