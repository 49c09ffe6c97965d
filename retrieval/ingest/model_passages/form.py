"""The form that a model fills in about one passage. Every field is required, because structured output wants it so."""

from pydantic import BaseModel, ConfigDict


class ModelPassage(BaseModel):
    """What a passage is about."""

    model_config = ConfigDict(extra="forbid")
    content_kind: str
    is_rule_bearing: bool
    tags: list[str]
    traits: list[str]
    summary: str
