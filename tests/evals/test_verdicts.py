"""What the gate said last, from what its checks left in the home."""

from pathlib import Path

from evals.verdicts import FOLDER, CheckVerdict, accept, finding_id, gate_state, keep_verdict, kept_verdicts, unaccepted
from retrieval.index.snapshot.live import Promotion, remember

ONE, TWO = "0" * 16, "1" * 16


def say(home: Path, check: str, snapshot: str | None, *, passed: bool = True, blocks: bool = True) -> None:
    keep_verdict(home, CheckVerdict.now(check, "it is so", snapshot, passed=passed, blocks=blocks))


def test_the_last_word_of_a_check_counts(tmp_path: Path) -> None:
    say(tmp_path, "a", ONE, passed=False)
    assert gate_state(tmp_path, ONE).verdict == "refused"
    say(tmp_path, "a", ONE)
    (kept,) = kept_verdicts(tmp_path)
    assert (kept.check, kept.passed, kept.refuses) == ("a", True, False)


def test_a_candidate_is_held_to_what_was_said_of_it_and_of_the_books(tmp_path: Path) -> None:
    (tmp_path / "live").write_text(ONE)
    say(tmp_path, "snapshot", ONE)
    say(tmp_path, "warning", ONE, passed=False, blocks=False)
    state = gate_state(tmp_path, ONE)
    assert (state.verdict, state.reasons, state.warnings) == ("held", (), ("warning: it is so",))
    assert gate_state(tmp_path, TWO).verdict == "not judged"
    remember(tmp_path, Promotion.now(ONE, "build"), Promotion.now(TWO, "rollback"))
    (tmp_path / "live").write_text(TWO)
    assert gate_state(tmp_path, ONE).verdict == "held", "a rollback takes back no verdict"
    say(tmp_path, "books", None, passed=False)
    state = gate_state(tmp_path, TWO)
    assert (state.verdict, state.reasons) == ("refused", ("books: it is so",))
    assert state.at is not None


def test_a_verdict_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    say(tmp_path, "a", ONE, passed=False)
    (tmp_path / FOLDER / "b.json").write_text("{")
    assert [verdict.check for verdict in kept_verdicts(tmp_path)] == ["a"]
    assert gate_state(tmp_path / "none", None).verdict == "not judged"


FINDINGS = tuple(map(finding_id, ("a/01.md: byte 7 is not UTF-8", "b/02.md: byte 9 is not UTF-8")))


def test_what_was_accepted_of_a_check_stays_accepted_and_nothing_else_is(tmp_path: Path) -> None:
    assert unaccepted(tmp_path, "every_byte_is_text", FINDINGS) == FINDINGS
    accept(tmp_path, "every_byte_is_text", FINDINGS[:1], "an old file")
    assert unaccepted(tmp_path, "every_byte_is_text", FINDINGS) == FINDINGS[1:]
    assert unaccepted(tmp_path, "another_check", FINDINGS) == FINDINGS
    accept(tmp_path, "every_byte_is_text", FINDINGS[1:], "another old file")
    assert unaccepted(tmp_path, "every_byte_is_text", FINDINGS) == ()
