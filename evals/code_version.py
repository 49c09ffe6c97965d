"""Which code made a number."""

from functools import cache
from hashlib import sha256
from pathlib import Path

import evals
import retrieval
from retrieval.files.versions import sources

_SUFFIXES = {".py", ".toml"}


@cache
def code_version() -> str:
    """Hash of the source files of `retrieval` and `evals` as they were at the first call.

    Kept rows carry it: after a change of the search, yesterday's numbers are not today's.
    """
    digest = sha256()
    for package in (retrieval, evals):
        for root in map(Path, package.__path__):
            for part in sources(root, _SUFFIXES, f"{package.__name__}/"):
                digest.update(part)
    return digest.hexdigest()[:16]
