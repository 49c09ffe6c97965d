"""Debian's PostgreSQL and a Chroma server, real ones, on loopback."""

import os
import pwd
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.retrieval.conftest import chroma_server

__all__ = ["chroma_server"]

SECONDS = 60
PASSWORD = "s0secret"
USER = "postgres"
"""PostgreSQL does not run as root; Debian's package brings this user."""

_PAGE = (Path(__file__).parents[2] / "deploy" / "README.md").read_text("utf-8")


@dataclass
class Postgres:
    """A server of a database `querymust`, which can be stopped and started again."""

    programs: Path
    folder: Path
    port: int
    _process: "subprocess.Popen[bytes] | None" = None

    @property
    def address(self) -> str:
        """As QUERYMUST_HISTORY has it."""
        return f"postgresql+psycopg2://querymust:{PASSWORD}@127.0.0.1:{self.port}/querymust"

    def make(self) -> None:
        """A fresh cluster that asks for a password, with the database."""
        secret = self.folder / "password"
        secret.write_text(PASSWORD + "\n")
        self._own()
        options = ["-U", "querymust", "-A", "scram-sha-256", f"--pwfile={secret}", "--no-sync"]
        subprocess.run(
            [self.programs / "initdb", "-D", self.folder / "data", *options], check=True, capture_output=True, **_as()
        )
        # The page's line alone, and not those for loopback that initdb writes: it has to let the builder in.
        match = re.search(r'^echo "(.+)" >> /srv/postgres/pg_hba\.conf$', _PAGE, re.MULTILINE)
        assert match is not None
        (self.folder / "data" / "pg_hba.conf").write_text(match[1] + "\n")
        self.start()
        subprocess.run(
            [self.programs / "createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "querymust", "querymust"],
            check=True,
            env=os.environ | {"PGPASSWORD": PASSWORD},
        )

    def start(self) -> None:
        """Start it and wait until it listens."""
        places = ["-h", "127.0.0.1", "-p", str(self.port), "-k", str(self.folder), "-F"]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self.programs / "postgres", "-D", self.folder / "data", *places], stdout=log, stderr=log, **_as()
            )
        until = time.monotonic() + SECONDS
        ready = [self.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        while subprocess.run(ready, check=False).returncode != 0:
            assert self._process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < until, f"no answer in {SECONDS} s"
            time.sleep(0.05)

    def fetch_value(self, query: str) -> str:
        """What it answers to a query of one value."""
        options = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "querymust", "-At", "-c", query]
        known = os.environ | {"PGPASSWORD": PASSWORD}
        done = subprocess.run([self.programs / "psql", *options], check=True, capture_output=True, text=True, env=known)
        return done.stdout.strip()

    def stop(self) -> None:
        """Stop it, whoever is connected."""
        if self._process is not None:
            self._process.send_signal(2)
            self._process.wait(SECONDS)

    def _own(self) -> None:
        if os.geteuid() == 0:
            for path in (self.folder, *self.folder.rglob("*")):
                shutil.chown(path, USER)


def _as() -> dict[str, str]:
    return {"user": USER, "cwd": "/"} if os.geteuid() == 0 else {}


def _programs() -> Path:
    result = shutil.which("initdb") or next(map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))), None)
    if result is None:
        pytest.skip("PostgreSQL is not installed; on Debian the package postgresql brings it")
    if os.geteuid() == 0:
        try:
            pwd.getpwnam(USER)
        except KeyError:
            pytest.skip(f"PostgreSQL does not run as root, and there is no user {USER}")
    return Path(result).resolve().parent


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    if find_spec("dagster_postgres") is None:
        pytest.skip("dagster-postgres is not installed; pip install -e '.[postgres]' brings it")
    programs = _programs()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    # Its user must reach the folder, which that of the tests is closed to.
    with TemporaryDirectory(dir="/tmp", prefix="querymust-postgres-") as folder:
        server = Postgres(programs, Path(folder), port)
        try:
            server.make()
            yield server
        finally:
            server.stop()
