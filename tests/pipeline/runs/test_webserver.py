"""Dagster's UI over a home: the process that `querymust ui` becomes."""

import subprocess
import sys
from pathlib import Path

BACKGROUND = """
import signal, sys
from pathlib import Path
from pipeline.runs.webserver import Server
from retrieval.home import Home

class Shown(Server):
    def command(self):
        return [sys.executable, "-c", "import signal; print(signal.getsignal(signal.SIGINT).__name__)"]

signal.signal(signal.SIGINT, signal.SIG_IGN)
home = Home.at(Path(sys.argv[1]))
home.dagster.mkdir(parents=True)
Shown(home).become()
"""
"""A shell has what it starts in the background ignore INT; Dagster ends at TERM only if it does at INT."""


def test_the_ui_ends_at_term_in_the_background_too(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BACKGROUND, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "default_int_handler"
