"""Everything that could break an index, tried and counted: `python -m tools bench faults`."""

import os
import platform
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.corpora.indexes import Tell
from tools.faults.asking import DAMAGES
from tools.faults.damage import Harm, try_damage
from tools.faults.hardships import Ordeal, try_hardships
from tools.faults.kills import Trial, try_kills
from tools.faults.readers import Readers, read_under_promotion
from tools.faults.reading import Reading
from tools.faults.scenes import ACTS, Place, Scene, contract_scenes, library_scenes
from tools.faults.warm import Warm, warm

_INGESTING = ("chromadb", "wordllama", "pipeline.cli", "tools.faults.judge", "retrieval.rag.pipeline")
_BUILDING = ("pipeline.runs.build", "pipeline.commands.status")
DAMAGED = ("rollback", "rollback-ingested")
"""Scenes whose homes are damaged: what is live there is what the next build makes."""
_MEMORY = Path("/dev/shm")  # noqa: S108 -- a folder of our own is made in it
_ROOM = 2**30


@dataclass(frozen=True, slots=True)
class FaultsReport:
    """What was tried and what broke. Key: seed."""

    seed: int
    trials: int
    killed: int
    """Trials in which the kill came before the act was done."""
    broken: int
    """Trials after which live could not be opened, was damaged, or answered otherwise than it should."""
    half_documents: int
    """Trials after which a document was neither wholly as before nor wholly as after."""
    lost_books: int
    stuck: int
    """Trials after which the next build was refused, failed or hung, or a run or a lock stayed for ever."""
    by_act: dict[str, int]
    """Trials by what was interrupted."""
    damaged: int
    """Files of a home that were damaged one at a time, each in every way."""
    unclear: int
    """Files of which a command said something else than one clear error or the right answer."""
    unhealed: int
    """Files after whose damage the next build left something wrong."""
    ordeals: int
    """Acts under a hardship: a full disk, no right to write, another model, an older program."""
    survived: int
    """Ordeals after which nothing was wrong."""
    untried: tuple[str, ...]
    """Hardships that this machine does not let be tried, and why."""
    promotions: int
    reads: int
    read_errors: int
    mixed_answers: int
    """Answers that no single snapshot gives."""
    snapshots_read: int
    said: tuple[str, ...]
    """A sentence for everything that broke."""
    python: str
    load: float
    """Load average of the machine at the end."""

    @property
    def sound(self) -> bool:
        """Whether nothing broke."""
        return not self.said

    def lines(self) -> Iterator[str]:
        """The counts, then what broke."""
        acts = ", ".join(f"{name} {number}" for name, number in self.by_act.items())
        if self.trials:
            yield f"{self.trials} trials, {self.killed} killed before they were done ({acts})"
            yield (
                f"broken {self.broken}, half documents {self.half_documents}, lost books {self.lost_books}, "
                f"stuck {self.stuck}"
            )
        if self.damaged:
            yield f"{self.damaged} files damaged: {self.unclear} not told clearly, {self.unhealed} not healed"
        if self.ordeals:
            yield f"{self.ordeals} acts under hardships: {self.survived} survived"
        yield from (f"not tried: {harm}" for harm in self.untried)
        if self.promotions:
            yield (
                f"{self.reads} reads of {self.snapshots_read} snapshots under {self.promotions} promotions: "
                f"{self.read_errors} errors, {self.mixed_answers} mixed answers"
            )
        yield from self.said


@dataclass(frozen=True, slots=True)
class Scope:
    """How much is tried."""

    trials: int = 200
    """Kills."""
    files: int | None = None
    """That are damaged, in a home of each kind; None: every one."""
    healed: int = len(DAMAGES)
    """After how many of the ways to damage a file the next ingestion is tried; the next build, which takes longer, is
    tried after one."""
    disks: int = 3
    """Sizes of a full disk."""
    readers: Readers | None = None
    """Who reads under promotion; None: nobody."""
    ordeals: Collection[tuple[str, str]] | None = None
    """Pairs of a hardship and an act; None: all."""
    libraries: bool = True
    """Whether builds of a library are tried too, which load Dagster; else only what ingests documents."""

    def healed_in(self, scene: Scene) -> int:
        """After how many ways of damaging a file of a scene's home the next one is tried."""
        return self.healed if scene.next[:2] == (ACTS, "ingest") else min(1, self.healed)


def run_faults(scope: Scope, seed: int, tell: Tell) -> FaultsReport:
    """Try everything in a folder that goes afterwards; in memory where there is room, for a disk makes commits wait.

    Args:
        scope: how much is tried.
        seed: of the documents and of the moments.
        tell: called as the work goes on.

    Raises:
        RetrievalError: what nobody disturbed did not do well.
    """
    with tempfile.TemporaryDirectory(dir=_memory()) as folder:
        work = Path(folder)
        work.chmod(0o711)  # who may not write there still has to find the home
        with warm(work, (*_INGESTING, *(_BUILDING if scope.libraries else ()))) as programs:
            position = Place(work)
            scenes = _scenes(position, programs, seed, tell, scope)
            tried = tuple(try_kills(scenes, position, programs, scope.trials, seed, tell))
            harms = [
                harm
                for scene in scenes
                if scene.name in DAMAGED and scope.files != 0
                for harm in try_damage(scene, position, programs, scope.files, scope.healed_in(scene), seed, tell)
            ]
            ordeals = tuple(try_hardships(scenes, position, programs, scope.disks, seed, tell, only=scope.ordeals))
            reading = Reading()
            if scope.readers is not None:
                reading = read_under_promotion(work / "readers", programs, scope.readers, seed, tell)
    return _report(seed, tried, harms, ordeals, scope.readers, reading)


def _scenes(place: Place, programs: Warm, seed: int, tell: Tell, scope: Scope) -> Sequence[Scene]:
    if not scope.trials and scope.files == 0 and not (scope.ordeals is None or scope.ordeals):
        return ()
    built = library_scenes(place, programs, seed, tell) if scope.libraries else ()
    return (*built, *contract_scenes(place, programs, seed, tell))


def _report(
    seed: int,
    tried: Sequence[Trial],
    harms: Sequence[Harm],
    ordeals: Sequence[Ordeal],
    readers: Readers | None,
    reading: Reading,
) -> FaultsReport:
    verdicts = [trial.verdict for trial in tried]
    sentences = [
        f"trial {trial.number}, {trial.scene} {trial.moment}: {sentence}"
        for trial in tried
        for sentence in trial.verdict.sentences
    ]
    sentences += [sentence for harm in harms for sentence in (*harm.unclear, *harm.unhealed)]
    sentences += [sentence for ordeal in ordeals for sentence in ordeal.sentences]
    done = [ordeal for ordeal in ordeals if not ordeal.untried]
    return FaultsReport(
        seed=seed,
        trials=len(tried),
        killed=sum(trial.was_killed for trial in tried),
        broken=sum(bool(verdict.broken) for verdict in verdicts),
        half_documents=sum(bool(verdict.half_documents) for verdict in verdicts),
        lost_books=sum(bool(verdict.lost_books) for verdict in verdicts),
        stuck=sum(bool(verdict.stuck) for verdict in verdicts),
        by_act=dict(Counter(trial.scene for trial in tried)),
        damaged=len(harms),
        unclear=sum(bool(harm.unclear) for harm in harms),
        unhealed=sum(bool(harm.unhealed) for harm in harms),
        ordeals=len(done),
        survived=sum(not ordeal.faults for ordeal in done),
        untried=tuple(sorted({f"{ordeal.hardship}: {ordeal.untried}" for ordeal in ordeals if ordeal.untried})),
        promotions=readers.promotions if readers else 0,
        reads=reading.reads,
        read_errors=reading.errors,
        mixed_answers=reading.mixed,
        snapshots_read=len(reading.snapshots),
        said=(*sentences, *reading.said),
        python=platform.python_version(),
        load=round(os.getloadavg()[0], 1),
    )


def _memory() -> Path | None:
    if not _MEMORY.is_dir():
        return None
    free = os.statvfs(_MEMORY)
    return _MEMORY if free.f_bavail * free.f_frsize > _ROOM else None
