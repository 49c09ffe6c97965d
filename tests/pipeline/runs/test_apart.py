"""A build as a process that somebody stops: what it says, what is left, and that the next one goes on."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from pipeline.defs.job_runs import UNFINISHED
from pipeline.runs.apart import build_apart
from pipeline.runs.build import build
from pipeline.runs.in_process import OF_A_BUILD, dagster_instance
from pipeline.runs.outcomes import Step
from retrieval.errors import UnknownNameError
from retrieval.files.locks import LOCK_FILE, holder
from retrieval.files.records import dump_record
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id
from retrieval.settings import Settings
from tests.pipeline.conftest import Ran

ROOT = Path(__file__).parents[3]
BOUND = 10.0
"""Seconds that a worker has to notice; a quiet machine needs half of one."""


@pytest.fixture
def edited(tiny: Home) -> Home:
    """The small home with another document in its library since it was built."""
    (tiny.library / "tiny" / "02.md").write_text("# Appendix\n\nA new word: zugzwang.\n")
    return tiny


@pytest.fixture
def changed(edited: Home, tmp_path: Path) -> Home:
    """The same with a question."""
    gold = {"snippet": "| Mace | 1d6 | 8 gp |"}
    query = tmp_path / "questions.jsonl"
    query.write_text(json.dumps({"id": "mace", "query": "What does a mace cost?", "book": "tiny", "gold": [gold]}))
    home = replace(edited, settings=replace(edited.settings, questions=(query,)))
    home.settings.write(home.root)
    return home


def start(home: Home) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pipeline.cli", "build", "--home", str(home.root)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return
    pytest.fail(f"the build ended before it said {words!r}")


def wait_until_free(home: Home) -> None:
    end = time.monotonic() + BOUND
    while holder(home.root) is not None:
        assert time.monotonic() < end, "the worker outlived whoever waited for it"
        time.sleep(0.05)


def unfinished(home: Home) -> int:
    with dagster_instance(home) as instance:
        return len(instance.get_runs(dg.RunsFilter(statuses=list(UNFINISHED))))


@pytest.mark.slow
def test_ctrl_c_ends_a_build_in_every_phase_and_the_next_one_goes_on(changed: Home) -> None:
    before = live_id(changed.root)
    for moment in ("book 1 of 1", "the index of the whole library", "scores 2 of 7"):
        process = start(changed)
        wait_for(process, moment)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (130, ""), moment
        assert err.splitlines()[-1] == (
            "Interrupted; the live index has not changed. Run the same command to continue."
        ), moment
        assert [line for line in err.splitlines()[:-1] if not line.startswith(("book", "the index", "scores"))] == [], (
            moment
        )
        assert live_id(changed.root) == before
        assert holder(changed.root) is None
        assert not (changed.root / LOCK_FILE).exists()
    process = start(changed)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert "0 embedded" in out, "what the interrupted builds had embedded was kept"
    assert live_id(changed.root) != before
    assert unfinished(changed) == 0


@pytest.mark.slow
def test_a_worker_ends_when_whoever_waits_for_it_is_killed(edited: Home) -> None:
    process = start(edited)
    wait_for(process, "book 1 of 1")
    process.kill()
    process.communicate()
    wait_until_free(edited)
    assert build_apart(edited, lambda _: None).problems == []
    assert unfinished(edited) == 0


def test_a_second_build_says_who_is_at_work_and_ctrl_c_ends_the_first(edited: Home, run: Callable[..., Ran]) -> None:
    before = live_id(edited.root)
    first = start(edited)
    wait_for(first, "book 1 of 1")
    os.kill(first.pid, signal.SIGSTOP)
    try:
        status, out, err = run("build", "--home", edited.root)
        assert (status, out) == (2, ""), err
        assert err.startswith(f"error: another build (process {first.pid}, since ")
        assert err.strip().endswith(f"is running in {edited.root}; wait for it, or stop it")
    finally:
        os.kill(first.pid, signal.SIGCONT)
        first.send_signal(signal.SIGINT)
        out, err = first.communicate(timeout=60)
    assert (first.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "Interrupted; the live index has not changed. Run the same command to continue."
    assert (live_id(edited.root), holder(edited.root), unfinished(edited)) == (before, None, 0)


def test_runs_that_a_killed_build_left_are_canceled_by_the_next(tiny: Home) -> None:
    with dagster_instance(tiny) as instance:
        for tags in (OF_A_BUILD, {}):
            instance.add_run(
                dg.DagsterRun(
                    job_name="index_book", run_id=str(uuid.uuid4()), tags=tags, status=dg.DagsterRunStatus.STARTED
                )
            )
    assert build(tiny).problems == []
    with dagster_instance(tiny) as instance:
        assert len(instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.CANCELED]))) == 1
    assert unfinished(tiny) == 1, "a run of the UI is none of the build's"


@pytest.mark.slow
def test_steps_and_outcome_reach_whoever_waits(edited: Home) -> None:
    steps: list[Step] = []
    done = build_apart(edited, steps.append)
    assert done.problems == []
    assert done.slugs == ("tiny",)
    assert done.total("n_reused") > 0
    assert done.library["live_index"]["snapshot"] == live_id(edited.root)
    assert steps[0] == Step("book 1 of 1: tiny", "", 0, 3)
    assert {"books", "chunks", "embeddings"} <= {step.part for step in steps if step.doing == steps[0].doing}
    assert [step.done for step in steps] == sorted(step.done for step in steps)


def test_what_a_build_cannot_use_is_one_sentence_here_too(tiny: Home) -> None:
    wrong = Home(tiny.root, Settings(tiny.library, embedder="wordlama"))
    with pytest.raises(UnknownNameError, match="wordlama") as caught:
        build(wrong)
    with pytest.raises(Exception, match="wordlama") as apart:
        build_apart(wrong, lambda _: None)
    assert str(apart.value) == str(caught.value)


@pytest.mark.parametrize("seconds", [0, 0.3])
def test_a_worker_that_dies_is_a_problem(tiny: Home, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    def told(home: object) -> bytes:
        time.sleep(seconds)  # long enough for the worker to be gone before it is told anything
        return dump_record(home)

    monkeypatch.setattr("pipeline.runs.apart.dump_record", told)
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    (problem,) = build_apart(tiny, lambda _: None).problems
    assert "status 1" in problem.sentence
