import subprocess
import sys
from pathlib import Path

import pytest

from tools.check import STEPS, Step, environment, run_steps

ROOT = Path(__file__).parents[2]
PASSING = Step("good", "python", ("-c", ""))
FAILING = Step("bad", "python", ("-c", "print('why'); raise SystemExit(3)"))


def test_it_stops_at_the_first_step_that_fails_and_shows_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_steps([PASSING, FAILING, Step("never", "python", ("-c", ""))], ROOT) == 3
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line] == ["good", "bad", "why"]


def test_a_step_beside_the_others_stops_them_when_it_fails(capsys: pytest.CaptureFixture[str]) -> None:
    beside = Step("types", "python", ("-c", "print('wrong'); raise SystemExit(4)"), beside=True)
    endless = Step("tests", "python", ("-c", "import time; time.sleep(600)"))
    assert run_steps([PASSING, beside, endless], ROOT) == 4
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines() if line][-2:] == ["types", "wrong"]


def test_a_step_beside_the_others_is_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    beside = Step("types", "python", ("-c", "import time; time.sleep(1); raise SystemExit(5)"), beside=True)
    assert run_steps([beside, PASSING], ROOT) == 5
    assert "all" not in capsys.readouterr().out


def test_it_says_how_long_everything_took(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_steps([PASSING], ROOT) == 0
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()] == [["good", "ok"], ["all", "ok"]]


def test_the_tests_come_last_and_every_tool_is_installed() -> None:
    assert STEPS[-1].tool == "pytest"
    assert all(Path(sys.executable).with_name(step.tool).exists() for step in STEPS)


def test_no_tool_reads_a_users_home_or_reports_what_is_done(tmp_path: Path) -> None:
    variables = environment(tmp_path, {"HOME": "/somewhere", "PATH": "/usr/bin", "DAGSTER_HOME": "/elsewhere"})
    assert variables["HOME"] == str(tmp_path)
    assert variables["DAGSTER_HOME"].startswith(str(tmp_path))
    assert variables["DAGSTER_DISABLE_TELEMETRY"] == "1"
    assert variables["PATH"].endswith("/usr/bin")
    assert Path(variables["MKDOCS_SITE_DIR"]).is_relative_to(tmp_path)


def test_where_no_bytecode_may_be_written_the_tools_share_theirs_outside_the_tree(tmp_path: Path) -> None:
    told = {"PATH": "", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": "/elsewhere"}
    variables = environment(tmp_path, told)
    program = "import sys; print(sys.dont_write_bytecode, sys.pycache_prefix)"
    done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", variables["PYTHONPYCACHEPREFIX"]]
    assert Path(variables["PYTHONPYCACHEPREFIX"]).is_relative_to(tmp_path)


def test_where_bytecode_may_be_written_it_stays_where_it_is(tmp_path: Path) -> None:
    assert (
        environment(tmp_path, {"PATH": "", "PYTHONPYCACHEPREFIX": "/elsewhere"})["PYTHONPYCACHEPREFIX"] == "/elsewhere"
    )
    assert "PYTHONPYCACHEPREFIX" not in environment(tmp_path, {"PATH": ""})
