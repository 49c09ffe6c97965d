"""The short run of what `python -m tools bench faults` does at length."""

import re
from dataclasses import asdict
from pathlib import Path

import pytest

from tools.faults.damage import Harm
from tools.faults.hardships import FULL, OLDER, READ_ONLY, Ordeal
from tools.faults.judge import Verdict
from tools.faults.kills import Trial
from tools.faults.readers import Readers
from tools.faults.reading import Reading
from tools.faults.run import Scope, _report, run_faults
from tools.faults.scenes import EDITIONS, alternating, edition

ROW = re.compile(r"^\| \d.*", re.MULTILINE)


@pytest.mark.slow
def test_kills_and_promotions_break_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[3])
    told: list[str] = []
    readers = Readers(promotions=3, threads=2, processes=1)
    ordeals = {(FULL, "ingest"), (READ_ONLY, "ingest"), (OLDER, "rollback-ingested")}
    scope = Scope(trials=3, files=1, healed=1, disks=1, readers=readers, ordeals=ordeals, libraries=False)
    report = run_faults(scope, 0, lambda doing, *_: told.append(doing))
    assert report.said == ()
    assert report.sound
    assert report.by_act == {"ingest": 1, "rollback-ingested": 1, "gc-ingested": 1}
    assert (report.trials, report.broken, report.half_documents, report.lost_books, report.stuck) == (3, 0, 0, 0, 0)
    assert report.killed > 0
    assert (report.damaged, report.unclear, report.unhealed) == (1, 0, 0)
    assert report.ordeals + len(report.untried) == len(ordeals)
    assert report.survived == report.ordeals
    assert (report.read_errors, report.mixed_answers) == (0, 0)
    assert report.snapshots_read > 1, "what went live last is another one than at the beginning"
    assert {"ingest", "readers under promotion"} <= set(told)


def test_a_trial_counts_once_for_each_kind_of_harm_and_every_sentence_is_said() -> None:
    harm = Verdict(broken=("one", "two"), stuck=("three",))
    tried = [Trial(0, "build", "at once", True, harm), Trial(1, "gc", "later", False, Verdict())]
    ordeals = [
        Ordeal(FULL, "gc", 9, did_well=False, untried="", faults=("six",)),
        Ordeal(READ_ONLY, "gc", 0, did_well=False, untried="not here", faults=()),
    ]
    reading = Reading(reads=9, errors=1, said=["four"])
    report = _report(7, tried, [Harm("gc", "live", ("five",), ())], ordeals, None, reading)
    assert not report.sound
    counts = {
        "trials": 2,
        "killed": 1,
        "broken": 1,
        "half_documents": 0,
        "lost_books": 0,
        "stuck": 1,
        "reads": 9,
        "unclear": 1,
        "ordeals": 1,
        "survived": 0,
    }
    assert asdict(report).items() >= counts.items()
    assert report.said == (
        *(f"trial 0, build at once: {word}" for word in ("one", "two", "three")),
        "five",
        "full disk of 9 bytes, gc: six",
        "four",
    )
    lines = list(report.lines())
    assert lines[0] == "2 trials, 1 killed before they were done (build 1, gc 1)"
    assert lines[-6:] == list(report.said)


def test_each_edition_shows_in_every_document_that_changed() -> None:
    editions = [{(each.book, each.name): each for each in edition(number, 3)} for number in range(EDITIONS)]
    assert editions == [{(each.book, each.name): each for each in edition(number, 3)} for number in range(EDITIONS)]
    before, after = editions[1:]
    assert {book for book, _ in before} - {book for book, _ in after} == {"book-2"}
    assert {book for book, _ in after} - {book for book, _ in before} == {"book-3"}
    changed = [key for key in before if key in after and before[key] != after[key]]
    assert changed == [("book-0", "00.md"), ("book-0", "01.md")]
    for key in changed:
        rows = [
            {line for line in one[key].text.splitlines() if line[:2] == "| " and line[2].isdigit()}
            for one in (before, after)
        ]
        assert rows[0]
        assert not rows[0] & rows[1]
        assert before[key].question == after[key].question
    assert {each.question for each in alternating(0, 3)} == {each.question for each in alternating(1, 3)}
