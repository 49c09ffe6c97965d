"""The one check that a person and CI run: `python -m tools.check`. Stops at the first step that fails."""

import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import typer

from retrieval.clock import Clock

ROOT = Path(__file__).resolve().parent.parent
_PAUSE = 0.05
"""Seconds between two looks at what runs."""


@dataclass(frozen=True, slots=True)
class Step:
    """One tool and its arguments; the tool is the one beside this Python."""

    name: str
    tool: str
    arguments: tuple[str, ...] = ()
    beside: bool = False
    """It starts first and runs beside the others: one process for minutes, where they leave a core idle."""


STEPS = (
    Step("format", "ruff", ("format", "--check", ".")),
    Step("lint", "ruff", ("check", ".")),
    Step("types", "mypy", beside=True),
    Step("imports", "lint-imports"),
    Step("dg config", "dg", ("check", "toml")),
    Step("dg defs", "dg", ("check", "defs")),
    Step("docs", "mkdocs", ("build", "--strict", "--quiet")),
    Step("tests", "pytest", ("-n", "logical", "--dist", "worksteal")),
)


def environment(scratch: Path, inherited: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The inherited environment with a home of its own: dg reads a user's settings and writes to `~/.dagster`.

    The site of the documentation is built there too.
    """
    scripts = sysconfig.get_path("scripts")
    variables = dict(inherited) | {
        "HOME": str(scratch),
        "XDG_CONFIG_HOME": str(scratch / "config"),
        "DG_CLI_CONFIG": str(scratch / "dg.toml"),
        "DAGSTER_HOME": str(scratch / "dagster"),
        "DAGSTER_DISABLE_TELEMETRY": "1",
        "MKDOCS_SITE_DIR": str(scratch / "site"),
        "PATH": scripts + os.pathsep + inherited.get("PATH", ""),
        "VIRTUAL_ENV": sys.prefix,
    }
    # Many processes import the same; where none may write what it compiled to the tree, each would compile it all.
    if variables.pop("PYTHONDONTWRITEBYTECODE", ""):
        variables["PYTHONPYCACHEPREFIX"] = str(scratch / "bytecode")
    return variables


class Run:
    """A step under way."""

    def __init__(self, step: Step, root: Path, variables: Mapping[str, str]) -> None:
        self.step, self._clock = step, Clock()
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 -- closed by `end`
        tool = Path(sysconfig.get_path("scripts")) / step.tool
        self._process = subprocess.Popen(  # noqa: S603 -- a fixed list of our own tools
            [str(tool), *step.arguments], cwd=root, env=dict(variables), stdout=self._output, stderr=subprocess.STDOUT
        )

    @property
    def status(self) -> int | None:
        """Its exit status; None while it runs."""
        return self._process.poll()

    def report(self) -> int:
        """Wait for it, print how it ended, and what it wrote if it failed."""
        status = self._process.wait()
        typer.echo(f"{self.step.name:<10} {'ok' if status == 0 else 'FAILED'}  {self._clock.seconds:6.1f} s")
        if status != 0:
            self._output.seek(0)
            typer.echo(self._output.read().decode("utf-8", "replace"))
        return status

    def end(self) -> None:
        """Stop it if it still runs."""
        self._process.terminate()
        self._process.wait()
        self._output.close()


def run_steps(steps: Sequence[Step], root: Path) -> int:
    """Run the steps in `root` until one fails; returns its exit status, or 0."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as runs:
        variables = environment(Path(folder))
        Path(variables["DAGSTER_HOME"]).mkdir()
        (Path(folder) / "dagster" / "dagster.yaml").write_text((root / "dagster.yaml").read_text("utf-8"), "utf-8")

        def start(step: Step) -> Run:
            run = Run(step, root, variables)
            runs.callback(run.end)
            return run

        whole = Clock()
        beside = [start(step) for step in steps if step.beside]
        for step in (step for step in steps if not step.beside):
            run = start(step)
            while run.status is None:
                ended = [other for other in beside if other.status is not None]
                for other in ended:
                    beside.remove(other)
                    if status := other.report():
                        return status
                time.sleep(_PAUSE)
            if status := run.report():
                return status
        for run in beside:
            if status := run.report():
                return status
        typer.echo(f"{'all':<10} ok  {whole.seconds:6.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(run_steps(STEPS, ROOT))
