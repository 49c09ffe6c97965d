"""Deployments of three small books: one with nothing built, and a copy of one after a build."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import dagster as dg
import pytest
from dagster._core.definitions.reconstruct import ReconstructableJob
from dagster._core.remote_origin import InProcessCodeLocationOrigin
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import InProcessWorkspaceLoadTarget

from retrieval.home import Home
from retrieval.settings import Settings
from tests.pipeline.defs.deployment import Deployment

WEAPONS = """# {title}

## Weapons

| Weapon | Damage | Cost |
|---|---|---|
| {first} | 1d4 | 2 gp |
| Long {first} | 1d8 | 15 gp |
| Heavy {first} | 1d6 | 8 gp |
"""


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits thirty seconds for the next tick, and nothing is sent anywhere."""
    monkeypatch.setenv("DAGSTER_DISABLE_TELEMETRY", "1")
    for daemon in ("asset_daemon", "sensor"):
        monkeypatch.setattr(f"dagster._daemon.{daemon}.is_under_min_interval", lambda *_, **__: False)


@pytest.fixture
def deployment(quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployment]:
    """Three small books, a home in which nothing was built yet, and nothing switched on."""
    home = _home(tmp_path)
    monkeypatch.setenv("QUERYMUST_HOME", str(home.root))
    with _opened(home) as opened:
        yield opened


@pytest.fixture
def built_deployment(quick, made_once, tmp_path, monkeypatch):
    """The same after a build of its three books: a copy, with a copy of its history."""

    def make(folder: Path) -> None:
        home = _home(folder)
        with monkeypatch.context() as during, _opened(home) as opened:
            during.setenv("QUERYMUST_HOME", str(home.root))
            opened.add_books()
            assert opened.launch_build() == []
            shutil.copytree(opened.instance.root_directory, folder / "history")

    built = made_once("deployment", make)
    shutil.copytree(built / "library", tmp_path / "library")
    shutil.copytree(built / "home", tmp_path / "home")
    home = Home(tmp_path / "home", Settings(tmp_path / "library"))
    home.settings.write(home.root)
    monkeypatch.setenv("QUERYMUST_HOME", str(home.root))
    with _opened(home, built / "history") as opened:
        opened.new_runs()
        yield opened


def _home(folder: Path) -> Home:
    for slug, weapon in (("alpha", "dagger"), ("beta", "sword"), ("gamma", "mace")):
        (folder / "library" / slug).mkdir(parents=True)
        (folder / "library" / slug / "01.md").write_text(WEAPONS.format(title=slug.title(), first=weapon))
    home = Home(folder / "home", Settings(folder / "library"))
    home.settings.write(home.root)
    return home


@contextmanager
def _opened(home: Home, history: Path | None = None) -> Iterator[Deployment]:
    ReconstructableJob.get_definition.cache_clear()  # it knows the home of the deployment before
    ReconstructableJob.get_repository_definition.cache_clear()
    memory = Path("/dev/shm")  # Dagster's many small commits cost nothing there
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(dir=memory if memory.is_dir() else None))
        if history is not None:
            shutil.copytree(history, folder, dirs_exist_ok=True)
        instance = stack.enter_context(dg.instance_for_test(overrides=ONE_AT_A_TIME, temp_dir=folder))
        origin = InProcessCodeLocationOrigin(
            LoadableTargetOrigin(module_name="pipeline.definitions", attribute="defs"), location_name="querymust"
        )
        context = stack.enter_context(WorkspaceProcessContext(instance, InProcessWorkspaceLoadTarget(origin)))
        yield Deployment(home, instance, context)


ONE_AT_A_TIME = {
    "telemetry": {"enabled": False},
    "concurrency": {"runs": {"max_concurrent_runs": 1}},
    "run_launcher": {
        "module": "dagster._core.launcher.sync_in_memory_run_launcher",
        "class": "SyncInMemoryRunLauncher",
    },
}
"""As the home's dagster.yaml, but a run is over when it was launched."""
