"""What a model answers about one place."""

from pydantic import BaseModel, ConfigDict


class ModelQuestion(BaseModel):
    """A question and the number of the passage that answers it."""

    model_config = ConfigDict(extra="forbid")
    passage: int
    question: str


class ModelQuestions(BaseModel):
    """All questions about a place."""

    model_config = ConfigDict(extra="forbid")
    questions: list[ModelQuestion]
