"""The services of deploy/compose.yaml as processes of this machine: its commands and its variables as they are written.

What a container would bring is put in their place: a free port of loopback for each port, a folder for each volume, and
127.0.0.1 for the name of each service.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
SHARED, KEPT, SECRETS = "/srv/querymust", "/var/lib/chroma", "/run/secrets"
SECONDS = 600.0
"""Seconds that a busy machine may need to start all of it."""
_VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")


def composed(given: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The services as compose reads them with these variables."""
    text = (DEPLOY / "compose.yaml").read_text("utf-8")
    read = _VARIABLE.sub(lambda result: given.get(result[1]) or result[2], text)
    services: dict[str, dict[str, Any]] = yaml.safe_load(read)["services"]
    return services


@dataclass(frozen=True)
class Stack:
    """Services under way. Ports: those of compose.yaml to those that they have here."""

    folder: Path
    services: Mapping[str, Mapping[str, Any]]
    ports: Mapping[str, int]
    _processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def environment(self, service: str) -> dict[str, str]:
        """What its process sees: the image's variables, and the service's own."""
        image = re.findall(r"(\w+)=(\S+)", (DEPLOY / "Dockerfile").read_text("utf-8").split("\nENV ")[1])
        own = {**dict(image), **self.services[service].get("environment", {})}
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        inherited = {name: output for name, output in os.environ.items() if not name.startswith("QUERYMUST_")}
        named = {name: "127.0.0.1" if output in self.services else self.here(output) for name, output in own.items()}
        return inherited | named | {"PATH": path, "PYTHONPATH": str(ROOT)}

    def here(self, said: str) -> str:
        """Names, ports and folders of the containers as they are on this machine."""
        names = "|".join(map(re.escape, self.services))
        said = re.sub(rf"(?<=[/@])(?:{names})(?=:\d)", "127.0.0.1", said).replace("0.0.0.0", "127.0.0.1")
        said = re.sub(r"(?<![\w.])\d{4}(?!\w)", lambda result: str(self.ports.get(result[0], result[0])), said)
        for position, folder in (
            (SHARED, self.folder),
            (KEPT, self.folder / "kept"),
            (SECRETS, self.folder / "secrets"),
        ):
            said = said.replace(position, str(folder))
        return said

    def start(self, *services: str) -> None:
        """Start these, all at once."""
        for name in services:
            command = [self.here(word) for word in shlex.split(self.services[name]["command"])]
            with (self.folder / f"{name}.log").open("ab") as log:
                self._processes[name] = subprocess.Popen(
                    command, cwd=ROOT, env=self.environment(name), stdout=log, stderr=log, start_new_session=True
                )

    def run(self, service: str, *command: str) -> str:
        """What `docker compose exec SERVICE COMMAND` prints."""
        done = subprocess.run(
            list(command), cwd=ROOT, env=self.environment(service), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def check_health(self, service: str) -> None:
        """Run its health check as it is written, until it holds."""
        how, *command = self.services[service]["healthcheck"]["test"]
        assert how == "CMD"
        command, until = [self.here(word) for word in command], time.monotonic() + SECONDS
        environment = self.environment(service)
        while subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False).returncode != 0:
            assert self._processes[service].poll() is None, self.log(service)
            assert time.monotonic() < until, self.log(service)
            time.sleep(0.5)

    def wait_for(self, service: str, path: str, said: str = "") -> str:
        """What an address of a service answers, as soon as it does and has `said` in it."""
        (port,) = (self.ports[port] for port in re.findall(r"\d{4}", self.services[service]["command"]))
        until, answer = time.monotonic() + SECONDS, None
        while answer is None or said not in answer:
            assert self._processes[service].poll() is None, self.log(service)
            assert time.monotonic() < until, f"{answer} {self.log(service)}"
            time.sleep(0.2)
            answer = _answer(f"http://127.0.0.1:{port}{path}")
        return answer

    def is_alive(self) -> bool:
        """Whether none has ended."""
        return all(process.poll() is None for process in self._processes.values())

    def log(self, service: str) -> str:
        """What a service printed."""
        return (self.folder / f"{service}.log").read_text("utf-8")

    def stop(self) -> None:
        """End all of them, and what they started."""
        for sent in (signal.SIGTERM, signal.SIGKILL):
            for process in self._processes.values():
                try:
                    os.killpg(process.pid, sent)
                except ProcessLookupError:
                    continue
            for process in self._processes.values():
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    continue
        self._processes.clear()


def _answer(address: str) -> str | None:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return str(answer.read().decode())
    except (urllib.error.URLError, OSError):
        return None


@contextmanager
def stack_of(folder: Path, given: Mapping[str, str], ports: Mapping[str, int]) -> Iterator[Stack]:
    """Services that end with the test."""
    stack = Stack(folder, composed(given), ports)
    try:
        yield stack
    finally:
        stack.stop()
