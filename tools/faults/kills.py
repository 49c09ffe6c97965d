"""Kills what writes, at a moment that a seed draws, and looks at what is left."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from retrieval.clock import Clock
from retrieval.errors import RetrievalError
from retrieval.files.records import parse_record
from retrieval.index.snapshot.live import POINTER, SNAPSHOTS
from tools.corpora.indexes import Tell
from tools.faults import judge as judging
from tools.faults.judge import Verdict
from tools.faults.scenes import ACTS, CLI, Place, Scene
from tools.faults.warm import PATIENCE, Done, Warm, environment

VICTIMS = ("command", "worker", "both")
"""What is killed: the process that waits, the one that builds, or all."""


def run_command(argv: Sequence[str]) -> Done:
    """Run `python -m` to its end, or to the end of our patience."""
    clock = Clock()
    try:
        done = subprocess.run(  # noqa: S603 -- this very program
            [sys.executable, "-m", *argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(),
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Done(None, "", clock.seconds)
    return Done(done.returncode, done.stdout.decode("utf-8", "replace"), clock.seconds)


def killed_command(argv: Sequence[str], victim: str, seconds: float) -> Done:
    """Start `python -m`, and kill one of `VICTIMS` after so many seconds, or none where it was done before."""
    clock = Clock()
    with subprocess.Popen(  # noqa: S603 -- this very program
        [sys.executable, "-m", *argv],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
        start_new_session=True,
    ) as command:
        with suppress(subprocess.TimeoutExpired):
            return Done(command.wait(seconds), "", clock.seconds)
        workers = _children(command.pid)
        for pid in (*(workers if victim != "command" else ()), *((command.pid,) if victim != "worker" else ())):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        status = command.wait()
    killed = victim != "worker" or bool(workers)
    return Done(-signal.SIGKILL if killed else status, "", clock.seconds)


def _children(pid: int) -> tuple[int, ...]:
    """Process ids of its workers; none where the system does not say."""
    try:
        return tuple(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()))
    except FileNotFoundError:
        return ()


KILLED = -9
DYING = "tools.faults.dying"
COMMAND = "command"
"""The scene in which a whole command is started and killed, with the seconds that this takes."""
SHARES = {COMMAND: 2, "build": 6, "ingest": 6}
"""How many trials of a scene there are for one of another."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How far an undisturbed act goes."""

    seconds: float
    changes: int
    """Of files and folders of the home, as far as Python makes them."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One kill, and what was left. Key: number."""

    number: int
    scene: str
    moment: str
    was_killed: bool
    """Whether it came before the act was done."""
    verdict: Verdict
    """Before and after the next build, taken together."""


def try_kills(scenes: Sequence[Scene], place: Place, warm: Warm, trials: int, seed: int, tell: Tell) -> Iterator[Trial]:
    """So many trials, in turn of each scene and of each kind of moment; the same seed draws the same moments.

    Raises:
        RetrievalError: an undisturbed act did not do well.
    """
    by_name = {scene.name: scene for scene in scenes}
    extents: dict[str, Extent] = {}
    for number in range(trials):
        name, kind = turn(tuple(by_name), number)
        scene = by_name[name]
        tell(scene.name, number, trials)
        if scene.name not in extents:
            extents[scene.name] = _extent(scene, place, warm)
        share = random.Random(f"{seed}/{number}").random()
        yield _Tried(scene, place, warm).trial(number, kind, share, extents[scene.name])


def turn(scenes: Sequence[str], number: int) -> tuple[str, int]:
    """Which scene a trial is of, and a number that says the kind of moment or victim: a scene meets each in turn."""
    turns = [name for time in range(max(SHARES.values())) for name in scenes if time < SHARES.get(name, 1)]
    lap, position = divmod(number, len(turns))
    # By the lap too: by the place alone, a scene that has one place would meet one kind only.
    return turns[position], position + lap


def _extent(scene: Scene, place: Place, warm: Warm) -> Extent:
    place.restore(scene.kept)
    if scene.name == COMMAND:
        done = run_command(scene.argv)
        return Extent(_well(done, scene).seconds, 0)
    done = _well(warm.run(DYING, "0", place.home, *scene.argv), scene)
    return Extent(done.seconds, int(done.said.split()[-1]))


def _well(done: Done, scene: Scene) -> Done:
    if done.status != 0:
        raise RetrievalError(f"{scene.name}, undisturbed, {done.sentence}")
    return done


@dataclass(frozen=True, slots=True)
class _Tried:
    scene: Scene
    place: Place
    warm: Warm

    def trial(self, number: int, kind: int, share: float, extent: Extent) -> Trial:
        self.place.restore(self.scene.kept)
        moment, done = self._interrupted(kind, share, extent)
        verdict = self._left() + self._next()
        return Trial(number, self.scene.name, moment, done.status == KILLED, verdict)

    def _interrupted(self, kind: int, share: float, extent: Extent) -> tuple[str, Done]:
        seconds, change = share * extent.seconds, 1 + int(share * extent.changes)
        if self.scene.name == COMMAND:
            victim = VICTIMS[kind % len(VICTIMS)]
            return f"{victim} after {seconds:.2f} s", killed_command(self.scene.argv, victim, seconds)
        if kind % 2:
            done = self.warm.run(DYING, str(change), self.place.home, *self.scene.argv)
            return f"before change {change} of {extent.changes}", done
        done = self.warm.run(*self.scene.argv, kill_after=seconds)
        return f"after {seconds:.3f} of {extent.seconds:.3f} s", done

    def _left(self) -> Verdict:
        verdict = judged(self.warm, self.place.home, self.scene.forms)
        output = self.warm.run(CLI, "status", "--home", self.place.home)
        return verdict + Verdict(broken=(f"status {output.sentence}",) if output.status else ())

    def _next(self) -> Verdict:
        done = self.warm.run(*self.scene.next) if self.scene.name != COMMAND else run_command(self.scene.argv)
        if done.status != 0:
            return Verdict(stuck=(f"the next one {done.sentence}",))
        stuck = unsettled(self.warm, self.place.home)
        return judged(self.warm, self.place.home, (self.scene.final,)) + Verdict(stuck=stuck)


def judged(warm: Warm, home: Path, forms: Sequence[Path]) -> Verdict:
    """The verdict on a home, found in a process of its own."""
    done = warm.run(judging.__name__, home, *forms)
    try:
        return parse_record(done.said.strip().splitlines()[-1], Verdict)
    except (IndexError, ValidationError):
        return Verdict(broken=(f"looking at it {done.sentence}",))


def unsettled(warm: Warm, home: Path) -> tuple[str, ...]:
    """Who seems to be at work in a home though all that was begun there has ended, a sentence each."""
    done = warm.run(ACTS, "settled", home)
    return tuple(done.said.strip().splitlines()) if done.status else ()


_HISTORY = "dagster"
"""Of runs; who opens it writes there."""


def hashes(home: Path) -> dict[str, str]:
    """Every file of a home by its path, but for run history and for graphs that Chroma makes again as it opens them."""
    return {
        path.relative_to(home).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.is_file() and home / _HISTORY not in path.parents and not is_passing(path)
    }


def is_passing(path: Path) -> bool:
    """Whether a file is of a graph that Chroma did not write out, and makes anew when the collection is opened."""
    is_of_a_graph = path.parent.parent.name == "chroma" and path.suffix in {".bin", ".pickle"}
    return is_of_a_graph and not path.with_name("index_metadata.pickle").exists()


def of_live(files: Mapping[str, str], live: str) -> dict[str, str]:
    """The pointer, and the files of the snapshot that it named."""
    inside = f"{SNAPSHOTS}/{live}/"
    return {path: digest for path, digest in files.items() if path == POINTER or path.startswith(inside)}


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Paths that are not as they were."""
    return (path for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path))
