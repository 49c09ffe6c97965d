"""Kills what writes, at a moment that a seed draws, and looks at what is left."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from pipeline.bench.index import Tell
from pipeline.runs.faults import judge as judging
from pipeline.runs.faults.commanded import VICTIMS, killed_command, run_command
from pipeline.runs.faults.judge import Verdict
from pipeline.runs.faults.scenes import ACTS, CLI, Place, Scene
from pipeline.runs.faults.warm import Done, Warm
from retrieval.errors import RetrievalError
from retrieval.records import parse_record

KILLED = -9
DYING = "pipeline.runs.faults.dying"
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
    lap, place = divmod(number, len(turns))
    # By the lap too: by the place alone, a scene that has one place would meet one kind only.
    return turns[place], place + lap


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
        said = self.warm.run(CLI, "status", "--home", self.place.home)
        return verdict + Verdict(broken=(f"status {said.sentence}",) if said.status else ())

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
