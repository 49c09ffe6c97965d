"""The form that a model fills in about one table. Every field is required, because structured output wants it so."""

from pydantic import BaseModel, ConfigDict


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ModelColumn(_Form):
    """What the values of one column are called."""

    column: int
    path: list[str]


class ModelRange(_Form):
    """A number of the question must lie between these; null leaves a side open."""

    min: float | None
    max: float | None
    of: list[str]


class ModelPredicate(_Form):
    """A condition on the question; what is empty or null asks nothing."""

    contain_one_of: list[list[str]]
    contain_all_of: list[str]
    contain: str | None
    contain_range: ModelRange | None
    contain_across: list[list[str]]


class ModelRow(_Form):
    """One row."""

    row: int
    title: str
    description: str
    cells: list[str]
    names: list[str]
    query_must: ModelPredicate


class ModelTable(_Form):
    """One table."""

    columns: list[ModelColumn]
    rows: list[ModelRow]
