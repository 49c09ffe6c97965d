from __future__ import annotations

import pytest

from retrieval.errors import ModelKeyError, UnreadableSettingsError
from retrieval.models.access import Access, Limits


def test_a_key_is_never_shown() -> None:
    access = Access.of_environment({"OPENAI_API_KEY": " sk-a-secret\n", "OPENAI_BASE_URL": ""})
    assert access == Access("sk-a-secret")
    assert "sk-a-secret" not in f"{access!r} {access}"
    assert access.hidden("no key sk-a-secret here") == "no key *** here"
    assert Access().hidden("nothing to hide") == "nothing to hide"


def test_a_missing_or_a_broken_key_is_one_line() -> None:
    assert not Access.of_environment({})
    with pytest.raises(ModelKeyError, match=r"^the model needs OPENAI_API_KEY; set it, or do without$"):
        Access().require("the model", "do without")
    with pytest.raises(ModelKeyError, match="a character that no key has") as raised:
        Access("sk-ä-secret").require("the model", "do without")
    assert "secret" not in str(raised.value)
    Access("sk-fine").require("the model", "do without")


def test_limits_are_read_from_the_environment() -> None:
    environment = {"QUERYMUST_MODEL_CONCURRENCY": "2", "QUERYMUST_MODEL_TOKENS_PER_MINUTE": "30000"}
    assert Access.of_environment(environment).limits == Limits(2, 30_000)
    assert Access.of_environment({}).limits == Limits(8, None)
    with pytest.raises(UnreadableSettingsError, match="QUERYMUST_MODEL_CONCURRENCY is 'many'"):
        Access.of_environment({"QUERYMUST_MODEL_CONCURRENCY": "many"})
