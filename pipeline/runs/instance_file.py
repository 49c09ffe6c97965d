"""Dagster's instance file of a home, and its databases; damaged ones are set aside."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import dagster as dg
import yaml

import pipeline
from pipeline.defs.resources import default_home
from retrieval.errors import RetrievalError, UnreadableSettingsError
from retrieval.files.atomic_files import write_atomically
from retrieval.files.versions import install
from retrieval.home import Home
from retrieval.settings import Settings

HISTORY = "QUERYMUST_HISTORY"
"""Address of the PostgreSQL database that keeps runs, schedules and history; without it they are files of the home."""
_SCHEME = "postgresql+psycopg2://"
_HEAD = "# Written whenever something is run over this home; its source is pipeline/dagster.yaml. It holds no secret.\n"


class HistoryMissingError(RetrievalError):
    """The history is to be in PostgreSQL, but the package that Dagster needs for it is not installed."""


def write_instance_file(folder: Path, settings: Settings, environment: Mapping[str, str]) -> None:
    """Write `dagster.yaml` into DAGSTER_HOME.

    As many runs are allowed at once as there are lanes: runs of single books share the home, all others wait for it.

    Args:
        folder: DAGSTER_HOME.
        environment: may name a database; the file names the variable with its address, not the address itself.

    Raises:
        UnreadableSettingsError: the address is not PostgreSQL's. The message omits it, because it has a password.
        HistoryMissingError: dagster-postgres is not installed.
    """
    config: dict[str, Any] = yaml.safe_load(Path(pipeline.__file__).with_name("dagster.yaml").read_text("utf-8"))
    config["concurrency"]["runs"]["max_concurrent_runs"] = settings.lanes
    if address := environment.get(HISTORY):
        _require(address)
        config["storage"] = {"postgres": {"postgres_url": {"env": HISTORY}}}
    text = _HEAD + yaml.safe_dump(config, sort_keys=False)
    path = folder / "dagster.yaml"
    if not path.is_file() or path.read_text("utf-8") != text:
        write_atomically(path, text)


def _require(address: str) -> None:
    if not address.startswith(_SCHEME):
        # For the bare scheme SQLAlchemy takes another driver, which Dagster does not support.
        raise UnreadableSettingsError(
            f"{HISTORY} must begin with {_SCHEME}, as in {_SCHEME}USER:PASSWORD@HOST/DATABASE"
        )
    try:
        import dagster_postgres  # noqa: F401
    except ModuleNotFoundError as error:
        raise HistoryMissingError(
            f"{HISTORY} is set, but {error.name} is not installed; {install('postgres')}, or unset it"
        ) from error


def main() -> None:
    """Write the file for the home of the environment, before Dagster's own programs are started on it.

    The history is also opened once, by one process at a time: if several create the tables of a new database at once,
    one of them fails.
    """
    home = Home.at(default_home())
    home.dagster.mkdir(parents=True, exist_ok=True)
    with (home.dagster / "tables.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        write_instance_file(home.dagster, home.settings, os.environ)
        with dg.DagsterInstance.from_config(str(home.dagster)):
            pass


if __name__ == "__main__":
    main()


DATABASES = ("history/runs.db", "history/runs/index.db", "schedules/schedules.db")


def set_aside_damaged(home: Home) -> tuple[Path, ...]:
    """Move the folders of damaged databases out of Dagster's way, and return their new paths.

    An index does not depend on them: the build judges it again, and adds the books as partitions again. The history of
    runs is lost, and whether sensors were switched on. The caller holds the home's lock.
    """
    damaged = {home.dagster / Path(name).parts[0] for name in DATABASES if _is_damaged(home.dagster / name)}
    moved = []
    for folder in sorted(damaged):
        position = next(_free(folder))
        moved.append(folder.replace(position))
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
        return False  # locked or unreadable: Dagster reports that itself
    except sqlite3.DatabaseError:
        return True
