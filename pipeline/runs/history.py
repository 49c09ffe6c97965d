"""Dagster's databases of a home: one that is damaged is set aside, so that a build can go on without it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

from retrieval.home import Home

DATABASES = ("history/runs.db", "history/runs/index.db", "schedules/schedules.db")


def set_aside_damaged(home: Home) -> tuple[Path, ...]:
    """Move the folders of damaged databases out of Dagster's way, and say where they are now.

    An index does not depend on them: the build judges it again, and adds the books as partitions again. What is lost is
    the history of runs and whether sensors were switched on. The caller holds the home's lock.
    """
    damaged = {home.dagster / Path(name).parts[0] for name in DATABASES if _is_damaged(home.dagster / name)}
    moved = []
    for folder in sorted(damaged):
        place = next(_free(folder))
        moved.append(folder.replace(place))
    return tuple(moved)


def _free(folder: Path) -> Iterator[Path]:
    names = (folder.with_name(f"{folder.name}.damaged-{number}") for number in count(1))
    return (name for name in names if not name.exists())


def _is_damaged(database: Path) -> bool:
    if not database.is_file():
        return False
    try:
        with closing(sqlite3.connect(database)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",))
    except sqlite3.OperationalError:
        return False  # locked, or not ours to read: Dagster says so itself
    except sqlite3.DatabaseError:
        return True
