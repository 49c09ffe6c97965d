"""Asks a home by the command while something is wrong with it, and complains of what is not one clear error.

A program of its own. `asking HOME` prints what an undamaged home answers, which is EXPECTED to the others. Those print
complaints, one a line: `asking HOME EXPECTED FILE` damages a file in each way, `asking HOME EXPECTED` changes nothing,
and everything must be answered, and `asking HOME EXPECTED --naming WORD` too, but an error that names the word will do.
"""

import io
import json
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from retrieval.index.snapshot.live import HISTORY_FILE, POINTER, SNAPSHOTS, live_id
from retrieval.index.snapshot.manifest import MANIFEST_FILE, SCHEMA_VERSION
from tools.faults.kills import changes, hashes, is_passing


def truncate(path: Path) -> None:
    """Cut the second half off."""
    _rewrite(path, path.read_bytes()[: path.stat().st_size // 2])


def garble(path: Path) -> None:
    """Write over the middle third."""
    content = path.read_bytes()
    third = len(content) // 3
    _rewrite(path, content[:third] + b"\xa5" * (len(content) - 2 * third) + content[len(content) - third :])


DAMAGES: Mapping[str, Callable[[Path], None]] = MappingProxyType(
    {"truncated": truncate, "garbled": garble, "gone": Path.unlink}
)


def heal(path: Path, content: bytes) -> None:
    """Put a file back."""
    _rewrite(path, content)


def age(home: Path, snapshot: str) -> None:
    """Make a snapshot one of the schema before this one. It had another id, for the schema is part of it."""
    older = snapshot[::-1] if snapshot != snapshot[::-1] else "0" * len(snapshot)
    folder = (home / SNAPSHOTS / snapshot).rename(home / SNAPSHOTS / older)
    output = json.loads((folder / MANIFEST_FILE).read_bytes()) | {"id": older, "schema_version": SCHEMA_VERSION - 1}
    _rewrite(folder / MANIFEST_FILE, json.dumps(output).encode())
    for name in (POINTER, HISTORY_FILE, "candidate"):
        _rewrite(home / name, (home / name).read_bytes().replace(snapshot.encode(), older.encode()))


def _rewrite(path: Path, content: bytes) -> None:
    # In a file of its own: another may still have the old one mapped, and cut short it would end its process.
    path.unlink(missing_ok=True)
    path.write_bytes(content)


QUESTION = "What is the price for armor class 3?"
NAMING = "--naming"
_REPLACED = "relevance.json"
"""Where a snapshot has none, the one that ships counts; many have none."""
ADVICE = (
    "build", "delete", "make it", "name another", "put it back", "rename the folder", "write", "make room",
    "free space", "install it again",
)  # fmt: skip
"""An error says what to do in one of these words."""
VERIFIED = "verify finds nothing"


@dataclass(frozen=True, slots=True)
class Answer:
    """How one command ended."""

    status: int
    out: str
    err: str

    @property
    def is_clear(self) -> bool:
        """Whether it is one line that says what to do; then the status is 2."""
        line = self.err.strip()
        one = self.status == 2 and not self.out and line.startswith("error: ") and "\n" not in line
        return one and has_advice(line)


def has_advice(line: str) -> bool:
    """Whether an error says what to do."""
    return any(word in line for word in ADVICE)


def ask(*argv: str) -> Answer:
    """Run the command in this process."""
    out, err, status = io.StringIO(), io.StringIO(), 0
    before, sys.argv = sys.argv, ["querymust", *argv]
    sys.modules.pop("pipeline.cli", None)  # it is run as a program, of which only one may be loaded
    try:
        with redirect_stdout(out), redirect_stderr(err):
            runpy.run_module("pipeline.cli", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        status = -1
        err.write(traceback.format_exc())
    finally:
        sys.argv = before
    return Answer(status, out.getvalue(), err.getvalue())


def answers(home: Path) -> dict[str, Answer]:
    """What the commands that only read say."""
    key = ("--home", str(home))
    return {
        "search": ask("search", QUESTION, *key),
        "verify": ask("verify", *key),
        "status": ask("status", "--json", *key),
    }


def complaints(home: Path, expected: str, naming: str | None) -> Iterator[str]:
    """A sentence for each command that neither answers as it should nor says clearly why not, or changes something.

    Args:
        home: a home with which something is wrong.
        expected: what a search says of one that is sound.
        naming: the word that every error names; None: nothing may fail.
    """
    before = hashes(home)
    result = answers(home)
    for command, answer in result.items():
        if unclear := _unclear(command, answer, naming):
            yield f"{command} {unclear}"
    if result["search"].status == 0 and result["search"].out != expected:
        yield "search gives another answer"
    yield from (f"a command that only reads changed {path}" for path in changes(before, hashes(home)))
    if naming is not None and result["verify"].status == 0:
        yield VERIFIED


def _unclear(command: str, answer: Answer, naming: str | None) -> str | None:
    output = answer.err.strip()
    if answer.status not in {0, 1, 2}:
        return f"crashed: {(output.splitlines() or [''])[-1]}"
    if answer.status and naming is None:
        return f"fails for it: {output}"
    if answer.status == 2 and not (answer.is_clear and str(naming) in output):
        return f"is unclear: {output!r}"
    if answer.status == 1 and not (command == "verify" and str(naming) in output):
        return f"ended with status 1: {output!r}"
    return None


def _is_elsewhere(home: Path, inside: str) -> bool:
    """Whether what readers get does not depend on a file, which is there."""
    is_read = inside == POINTER or inside.startswith(f"{SNAPSHOTS}/{live_id(home)}/")
    return not is_read or is_passing(home / inside)


def _damaged(home: Path, expected: str, inside: str) -> Iterator[str]:
    """Complaints about a home of which one file is damaged in each way."""
    path, naming = home / inside, None if _is_elsewhere(home, inside) else Path(inside).name
    content = path.read_bytes()
    for name, damage in DAMAGES.items():
        if not content and name != "gone":
            continue  # of an empty file nothing can be cut
        damage(path)
        may_be_missed = path.name == _REPLACED and name == "gone"
        for sentence in complaints(home, expected, naming):
            if not (may_be_missed and sentence == VERIFIED):
                yield f"{inside} {name}: {sentence}"
        heal(path, content)


def main() -> None:
    """Do what the arguments say."""
    home, *others = sys.argv[1:]
    if not others:
        sys.stdout.write(json.dumps(answers(Path(home))["search"].out))
        return
    expected, *others = others
    output = json.loads(Path(expected).read_text("utf-8"))
    if others and others[0] != NAMING:
        result = _damaged(Path(home), output, others[0])
    else:
        result = (
            complaint
            for complaint in complaints(Path(home), output, others[1] if others else None)
            if complaint != VERIFIED
        )
    for sentence in result:
        sys.stdout.write(sentence + "\n")


if __name__ == "__main__":
    main()
