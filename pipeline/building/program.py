"""Which program makes what a build leaves: what another version of it made is not taken up."""

import platform
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import pipeline
from evals.code_version import code_version
from retrieval.versions import sources

_SUFFIXES = {".py", ".yaml"}


@cache
def program_version() -> str:
    """Hash of the source files of this program, of the versions of what it depends on, and of Python's.

    `evals.code_version` is the hash of `retrieval` and `evals` alone: it is part of this one. A parser of markdown that
    was updated reads a book otherwise though no file of ours changed.
    """
    digest = sha256(f"{code_version()} {platform.python_version()} {platform.machine()}\0".encode())
    for name in _dependencies():
        digest.update(f"{name}\0".encode())
    for root in map(Path, pipeline.__path__):
        for part in sources(root, _SUFFIXES):
            digest.update(part)
    return digest.hexdigest()


def _dependencies() -> list[str]:
    """The distributions that this one needs, with the versions that are installed."""
    try:
        wanted = requires("querymust") or []
    except PackageNotFoundError:
        return []  # run from a folder of its sources, as the tests are in an installation without it
    names = {_name(each) for each in wanted if "extra ==" not in each}
    return [f"{name} {_installed(name)}" for name in sorted(names)]


def _name(requirement: str) -> str:
    length = next((at for at, letter in enumerate(requirement) if not (letter.isalnum() or letter in "-_.")), None)
    return requirement[:length]


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
