from pathlib import Path

import pytest

from retrieval.errors import UnknownNameError, UnreadableSettingsError
from retrieval.serve.keys import ApiKeys


def test_a_key_is_kept_as_a_hash_that_only_its_owner_reads(tmp_path: Path) -> None:
    keys = ApiKeys(tmp_path)
    secret = keys.add("bot", "read")
    assert secret not in keys.file.read_text()
    assert keys.file.stat().st_mode & 0o077 == 0
    found = ApiKeys(tmp_path).find(secret)
    assert found is not None
    assert found.name == "bot"
    assert found.allows("read")
    assert not found.allows("write")
    assert keys.find(secret + "x") is None


def test_names_are_not_given_twice_and_unknown_ones_are_told(tmp_path: Path) -> None:
    keys = ApiKeys(tmp_path)
    keys.add("bot", "write")
    with pytest.raises(UnreadableSettingsError, match="another key has it"):
        keys.add("bot", "read")
    with pytest.raises(UnreadableSettingsError):
        keys.add(" ", "read")
    with pytest.raises(UnknownNameError, match="bot"):
        keys.remove("boat")
    keys.remove("bot")
    assert keys.all == ()
