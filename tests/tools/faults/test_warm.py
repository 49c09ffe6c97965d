"""Programs that start at once end as any program does: by themselves, by an error, by a kill."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.faults.warm import warm

PROGRAMS = {
    "greet": "import sys\nprint('hello', *sys.argv[1:])\n",
    "fail": "raise ValueError('no such thing')\n",
    "leave": "import sys\nsys.exit(3)\n",
    "sleep": "import time\ntime.sleep(60)\n",
    "crash": "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n",
    "write": "import sys\nfrom pathlib import Path\nfor each in 'abc':\n    (Path(sys.argv[1]) / each).touch()\n",
}


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Modules that can be run by their names."""
    for name, text in PROGRAMS.items():
        (tmp_path / f"{name}_program.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_programs_end_as_they_would_alone(programs: Path) -> None:
    with warm(programs, ["json"]) as running:
        assert running.run("greet_program", "Ann").said == "hello Ann\n"
        assert running.run("leave_program").status == 3
        failed = running.run("fail_program")
        assert (failed.status, failed.sentence) == (1, "ended with status 1: ValueError: no such thing")
        assert running.run("crash_program").status == -11
        assert running.run("sleep_program", kill_after=0.2).status == -9
        assert running.run("sleep_program", patience=0.2).sentence == "hung: it said nothing"
        assert running.run("greet_program", kill_after=60).status == 0, "what is done before is not killed"
        assert running.run("sleep_program", kill_after=0).said == "", "not what the one before said"


def test_a_program_dies_before_the_change_that_was_named(programs: Path) -> None:
    folder = programs / "changed"
    folder.mkdir()

    def dying(last: int) -> "subprocess.CompletedProcess[str]":
        argv = ["-m", "tools.faults.dying", str(last), str(folder), "write_program", str(folder)]
        return subprocess.run(
            [sys.executable, *argv],
            cwd=Path(__file__).parents[3],
            env={"PYTHONPATH": f"{programs}"},
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            check=False,
        )

    assert dying(0).stderr.split()[-1] == "3"
    for path in folder.iterdir():
        path.unlink()
    assert dying(3).returncode == -9
    assert sorted(path.name for path in folder.iterdir()) == ["a", "b"]
