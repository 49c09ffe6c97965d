"""Programs on a full disk and in a home that they may not write; what cannot be confined is not run."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.faults import confined
from tools.faults.confined import CANNOT

WRITER = """import sys
from pathlib import Path
try:
    (Path(sys.argv[1]) / "new").write_bytes(bytes(200_000))
except OSError as error:
    print(error.strerror)
else:
    print("written")
"""


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("full:100000", {"No space left on device"}),
        ("full:400000", {"written"}),
        ("limited:100000", {"File too large"}),
        ("read-only", {"Read-only file system"}),
        ("forbidden", {"Permission denied"}),
    ],
)
def test_a_program_is_refused_by_the_system(tmp_path: Path, how: str, said: set[str]) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "old").write_text("stays")
    (tmp_path / "writer.py").write_text(WRITER)
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-m", "tools.faults.confined", how, home, "writer", home],
        cwd=Path(__file__).parents[3],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == CANNOT:
        pytest.skip(done.stderr)
    assert {done.stdout.strip()} == said, done.stderr
    assert (home / "old").read_text() == "stays"
    if said == {"written"}:
        assert (home / "new").stat().st_size == 200_000, "what was written stays"
    (home / "another").touch()


def test_what_cannot_be_confined_is_not_run(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["confined", "sideways", str(tmp_path), "no_such_module"])
    with pytest.raises(SystemExit, match=str(CANNOT)):
        confined.main()
    assert "sideways" in capsys.readouterr().err
