"""The one check that a person and CI run: `python -m tools.check`. Stops at the first step that fails."""

import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from retrieval.files.clock import Clock

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Step:
    """One tool and its arguments; the tool is the one beside this Python."""

    name: str
    tool: str
    arguments: tuple[str, ...] = ()


STEPS = (
    Step("format", "ruff", ("format", "--check", ".")),
    Step("lint", "ruff", ("check", ".")),
    Step("types", "mypy"),
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


def run_steps(steps: Sequence[Step], root: Path) -> int:
    """Run the steps in `root` until one fails; returns its exit status, or 0."""
    tools = Path(sysconfig.get_path("scripts"))
    with tempfile.TemporaryDirectory() as folder:
        variables = environment(Path(folder))
        Path(variables["DAGSTER_HOME"]).mkdir()
        (Path(folder) / "dagster" / "dagster.yaml").write_text((root / "dagster.yaml").read_text("utf-8"), "utf-8")
        whole = Clock()
        for step in steps:
            clock = Clock()
            done = subprocess.run(  # noqa: S603 -- a fixed list of our own tools
                [str(tools / step.tool), *step.arguments],
                cwd=root,
                env=variables,
                check=False,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            typer.echo(f"{step.name:<10} {'ok' if done.returncode == 0 else 'FAILED'}  {clock.seconds:6.1f} s")
            if done.returncode != 0:
                typer.echo(done.stdout)
                return done.returncode
        typer.echo(f"{'all':<10} ok  {whole.seconds:6.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(run_steps(STEPS, ROOT))
