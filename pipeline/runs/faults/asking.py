"""Asks a home by the command while a file of it is damaged, and complains of what is not one clear error.

A program of its own, `asking HOME EXPECTED FILE [DAMAGE]`, prints the complaints, one a line. `asking HOME` prints what
an undamaged home answers, which is EXPECTED.
"""

import io
import json
import runpy
import sys
import traceback
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from pipeline.runs.faults.damages import DAMAGES, heal
from retrieval.index.snapshot.live import live_id

QUESTION = "What is the price for armor class 3?"
_REPLACED = "relevance.json"
"""Where a snapshot has none, the one that ships counts; many have none."""
ADVICE = ("build", "delete", "make it", "name another", "put it back", "call the folder", "write")
"""An error says what to do in one of these words."""


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
        return one and any(word in line for word in ADVICE)


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
    place = ("--home", str(home))
    return {
        "search": ask("search", QUESTION, *place),
        "verify": ask("verify", *place),
        "status": ask("status", "--json", *place),
    }


def complaints(home: Path, expected: str, inside: str) -> Iterator[str]:
    """A sentence for each command that neither answers as it should nor says clearly why not.

    Args:
        home: a home with one damaged file.
        expected: what a search says of an undamaged one.
        inside: the path of the file in the home.
    """
    name = Path(inside).name
    found = answers(home)
    for command, answer in found.items():
        said = (answer.err.strip().splitlines() or [""])[-1]
        if answer.status not in {0, 1, 2}:
            yield f"{command} crashed: {said}"
        elif answer.status == 2 and not (answer.is_clear and name in answer.err):
            yield f"{command} is unclear: {answer.err.strip()!r}"
        elif answer.status == 1 and not (command == "verify" and name in answer.err):
            yield f"{command} ended with status 1: {answer.err.strip()!r}"
    if found["search"].status == 0 and found["search"].out != expected:
        yield "search gives another answer"
    if _is_elsewhere(home, inside):
        yield from (f"{command} fails for it: {each.err.strip()}" for command, each in found.items() if each.status)
    elif found["verify"].status == 0 and not (name == _REPLACED and not (home / inside).exists()):
        yield "verify finds nothing"


def _is_elsewhere(home: Path, inside: str) -> bool:
    """Whether what readers get does not depend on a file; Chroma makes a graph that it did not write out anew."""
    if "/chroma/" in inside and not (home / inside).name.endswith((".json", ".sqlite3")):
        return not (home / inside).with_name("index_metadata.pickle").exists()
    try:
        return inside != "live" and not inside.startswith(f"snapshots/{live_id(home)}/")
    except Exception:
        return False


def main() -> None:
    """Do what the arguments say."""
    home = Path(sys.argv[1])
    if len(sys.argv) == 2:
        sys.stdout.write(json.dumps(answers(home)["search"].out))
        return
    expected, inside = json.loads(Path(sys.argv[2]).read_text("utf-8")), sys.argv[3]
    path = home / inside
    content = path.read_bytes()
    for name, damage in DAMAGES.items():
        if not content and name != "gone":
            continue  # of an empty file nothing can be cut
        damage(path)
        for sentence in complaints(home, expected, inside):
            sys.stdout.write(f"{inside} {name}: {sentence}\n")
        heal(path, content)


if __name__ == "__main__":
    main()
