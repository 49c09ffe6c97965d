import re
from pathlib import Path
from time import sleep

from retrieval.clock import Clock


def test_a_clock_runs_on_while_it_is_read() -> None:
    clock = Clock()
    first = clock.seconds
    sleep(0.01)
    assert 0 <= first < first + 0.01 <= clock.seconds
    assert clock.milliseconds >= 10


def test_no_other_module_reads_the_time_of_its_own() -> None:
    root = Path(__file__).parents[2]
    sources = [path for package in ("retrieval", "evals", "pipeline") for path in (root / package).rglob("*.py")]
    own = [path.name for path in sources if re.search(r"\bperf_counter\b", path.read_text("utf-8"))]
    assert own == ["clock.py"]
