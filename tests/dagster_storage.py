"""Dagster's SQLite files at the price of one statement each, in the processes of the tests.

Dagster makes an engine for every connection, and an engine compiles every statement that it has not seen; and it reads
its sixty scripts of migrations again for every run's file. Both are most of the time of a run of a small book. One
engine a file, and one reading, change nothing of what is written: connections are opened and closed as before.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sqlalchemy
from alembic.script import ScriptDirectory
from sqlalchemy.pool import NullPool

if TYPE_CHECKING:
    from alembic.config import Config

FILES = 64
"""Files whose engines are kept."""

made, read = sqlalchemy.create_engine, ScriptDirectory.from_config


@lru_cache(FILES)
def engine_of(url: str, timeout: float | None) -> sqlalchemy.Engine:
    return made(url, poolclass=NullPool, connect_args={} if timeout is None else {"timeout": timeout})


def create_engine(url: str, **options: Any) -> sqlalchemy.Engine:
    """The engine of a file; a new one of what is no file, or is to be opened in another way."""
    arguments = options.get("connect_args", {})
    alone = options.get("poolclass") is NullPool and options.keys() <= {"poolclass", "connect_args"}
    if not str(url).startswith("sqlite:///") or not alone or arguments.keys() - {"timeout"}:
        return made(url, **options)
    return engine_of(str(url), arguments.get("timeout"))


@lru_cache(FILES)
def scripts_of(folder: str | None, config: str | None) -> list[ScriptDirectory]:
    """Where the scripts of a folder are kept once they are read."""
    return []


def from_config(config: Config) -> ScriptDirectory:
    kept = scripts_of(config.get_main_option("script_location"), config.config_file_name)
    if not kept:
        kept.append(read(config))
    return kept[0]


def share_engines() -> None:
    """Call it before Dagster is imported: its modules take these functions by name."""
    sqlalchemy.create_engine = create_engine  # type: ignore[assignment]
    ScriptDirectory.from_config = from_config  # type: ignore[method-assign,assignment]
