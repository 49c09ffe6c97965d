"""What an answer is as a form, and why it is none."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from retrieval.models.chat import Answered, Asked, Usage
from retrieval.models.inquiry import Inquiry, in_form


class Said(BaseModel):
    model_config = ConfigDict(extra="forbid")
    said: str


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"refusal": "I cannot\nhelp with that"}, "refused: I cannot help with that"),
        ({"finish": "length"}, "the answer was cut because it is too long"),
        ({"content": '{"said": '}, "not in the asked form: Invalid JSON"),
        ({"content": '{"said": "a", "more": 1}'}, "not in the asked form: Extra inputs"),
        ({"content": "{}"}, "not in the asked form: Field required"),
    ],
)
def test_what_is_not_in_the_form_says_why_on_one_line(changed: dict[str, Any], why: str) -> None:
    whole = {"content": '{"said": "a"}', "refusal": None, "finish": "stop", "usage": Usage()}
    inquiry = Inquiry("key", Asked("m", (), 10))
    good, bad = Answered(**whole), Answered(**whole | changed)
    assert (good.read_as(Said), good.in_form(Said)) == (Said(said="a"), Said(said="a"))
    assert in_form(Said)(inquiry, good)
    told = bad.read_as(Said)
    assert isinstance(told, str)
    assert told.startswith(why)
    assert "\n" not in told
    assert (bad.in_form(Said), in_form(Said)(inquiry, bad)) == (None, False)
