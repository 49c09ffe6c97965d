"""Files of a benchmark's folder: found or asked for in one sentence, read line by line, known by their bytes."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from evals.errors import EvaluationError
from retrieval.packed_text import unpacked

_ENDINGS = (".jsonl.gz", ".jsonl")

Record = TypeVar("Record")


class BenchmarkDataError(EvaluationError):
    """A benchmark's folder, split or file is not there or not in its format."""


def benchmark_folder(folder: Path) -> Path:
    """The folder, made absolute.

    Raises:
        BenchmarkDataError: there is none.
    """
    found = folder.expanduser().resolve()
    if not found.is_dir():
        raise BenchmarkDataError(
            f"{found} is not a folder; name the folder of the benchmark: --data, or `data` in the launchpad"
        )
    return found


def data_file(folder: Path, stem: str) -> Path:
    """The file `<stem>.jsonl.gz` or `<stem>.jsonl` of a folder.

    Raises:
        BenchmarkDataError: neither is there; says what is.
    """
    for ending in _ENDINGS:
        if (folder / f"{stem}{ending}").is_file():
            return folder / f"{stem}{ending}"
    there = sorted(path.name for path in folder.iterdir() if path.is_file())
    raise BenchmarkDataError(
        f"{folder} has no {stem}.jsonl or {stem}.jsonl.gz; it has: {', '.join(there) or 'no file'}"
    )


def stems(folder: Path, suffix: str) -> tuple[str, ...]:
    """What comes before `<suffix>.jsonl[.gz]` in the names of a folder's files, sorted."""
    ends = tuple(f"{suffix}{ending}" for ending in _ENDINGS)
    found = {path.name.removesuffix(end) for path in folder.iterdir() for end in ends if path.name.endswith(end)}
    return tuple(sorted(found))


def splits_of(folder: Path, name: str) -> tuple[str, ...]:
    """The splits of `<name>.<split>.jsonl[.gz]` among a folder's files, sorted; a split has no dot in its name."""
    questions = re.compile(re.escape(name) + r"\.([^.]+)\.jsonl(\.gz)?")
    found = {match[1] for path in folder.iterdir() if (match := questions.fullmatch(path.name))}
    return tuple(sorted(found))


def read_records(path: Path, parse: Callable[[Mapping[str, Any]], Record]) -> Iterator[Record]:
    """One record for each line of a JSON-lines file.

    Raises:
        BenchmarkDataError: the file cannot be read, or a line is not what `parse` reads; names the line.
    """
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            record = parse(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            place = f"{path}:{number}"
            raise BenchmarkDataError(f"{place}: not a line of this format ({type(error).__name__}: {error})") from error
        yield record


def digest_of(paths: Iterable[Path]) -> str:
    """SHA-256 over names and bytes of files."""
    digest = sha256()
    for path in sorted(paths):
        digest.update(path.name.encode() + b"\0" + sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _lines(path: Path) -> list[str]:
    try:
        return unpacked(path.read_bytes(), path).split("\n")
    except (OSError, ValueError) as error:
        raise BenchmarkDataError(f"{path} cannot be read as UTF-8 lines ({error}); fetch it again") from error
