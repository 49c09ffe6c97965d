"""The form that a model fills in about the names of one table."""

from pydantic import BaseModel, ConfigDict


class NamedRow(BaseModel):
    """One row and what it is called."""

    model_config = ConfigDict(extra="forbid")
    row: int
    names: list[str]


class NamedRows(BaseModel):
    """The rows that have other names."""

    model_config = ConfigDict(extra="forbid")
    rows: list[NamedRow]
