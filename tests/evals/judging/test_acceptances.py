from pathlib import Path

from evals.judging.acceptances import accept, finding_id, unaccepted

FINDINGS = tuple(map(finding_id, ("a/01.md: byte 7 is not UTF-8", "b/02.md: byte 9 is not UTF-8")))


def test_what_was_accepted_of_a_check_stays_accepted_and_nothing_else_is(tmp_path: Path) -> None:
    assert unaccepted(tmp_path, "every_byte_is_text", FINDINGS) == FINDINGS
    accept(tmp_path, "every_byte_is_text", FINDINGS[:1], "an old file")
    assert unaccepted(tmp_path, "every_byte_is_text", FINDINGS) == FINDINGS[1:]
    assert unaccepted(tmp_path, "another_check", FINDINGS) == FINDINGS
    accept(tmp_path, "every_byte_is_text", FINDINGS[1:], "another old file")
    assert unaccepted(tmp_path, "every_byte_is_text", FINDINGS) == ()
