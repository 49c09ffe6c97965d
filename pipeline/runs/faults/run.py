"""Everything that could break an index, tried and counted: `querymust bench faults`."""

import os
import platform
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.bench.index import Tell
from pipeline.runs.faults.damage import Harm, try_damage
from pipeline.runs.faults.kills import Trial, try_kills
from pipeline.runs.faults.readers import read_under_promotion
from pipeline.runs.faults.reading import Reading
from pipeline.runs.faults.scenes import Place, Scene, contract_scenes, library_scenes
from pipeline.runs.faults.warm import Warm, warm

_INGESTING = ("chromadb", "wordllama", "pipeline.cli", "pipeline.runs.faults.judge", "retrieval.rag.pipeline")
_BUILDING = ("pipeline.runs.build", "pipeline.commands.status")
DAMAGED = ("rollback", "rollback-ingested")
"""Scenes whose homes are damaged: what is live there is what the next build makes."""
_MEMORY = Path("/dev/shm")  # noqa: S108 -- a folder of our own is made in it
_ROOM = 2**30


@dataclass(frozen=True, slots=True)
class Readers:
    """How many read while how many snapshots go live."""

    promotions: int = 20
    threads: int = 8
    processes: int = 2


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
        return not (self.broken or self.half_documents or self.lost_books or self.stuck or self.said)

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
        if self.promotions:
            yield (
                f"{self.reads} reads of {self.snapshots_read} snapshots under {self.promotions} promotions: "
                f"{self.read_errors} errors, {self.mixed_answers} mixed answers"
            )
        yield from self.said


def run_faults(
    trials: int, files: int, seed: int, tell: Tell, *, readers: Readers | None = Readers(), libraries: bool = True
) -> FaultsReport:
    """Try everything in a folder that goes afterwards; in memory where there is room, for a disk makes commits wait.

    Args:
        trials: how many kills.
        files: how many are damaged in a home of each kind.
        seed: of the documents and of the moments.
        tell: called as the work goes on.
        readers: who reads under promotion; None: nobody.
        libraries: also kill what builds a library, which loads Dagster; else only what ingests documents.

    Raises:
        RetrievalError: what nobody disturbed did not do well.
    """
    with tempfile.TemporaryDirectory(dir=_memory()) as folder:
        work = Path(folder)
        with warm(work, (*_INGESTING, *(_BUILDING if libraries else ()))) as programs:
            place = Place(work)
            scenes = _scenes(place, programs, seed, tell, libraries=libraries) if trials or files else ()
            tried = tuple(try_kills(scenes, place, programs, trials, seed, tell))
            harms = [
                harm
                for scene in scenes
                if scene.name in DAMAGED
                for harm in try_damage(scene, place, programs, files, seed, tell)
            ]
            reading = Reading()
            if readers is not None:
                counts = (readers.promotions, readers.threads, readers.processes)
                reading = read_under_promotion(work / "readers", programs, *counts, seed, tell)
    return _report(seed, tried, harms, readers, reading)


def _scenes(place: Place, programs: Warm, seed: int, tell: Tell, *, libraries: bool) -> Sequence[Scene]:
    built = library_scenes(place, programs, seed, tell) if libraries else ()
    return (*built, *contract_scenes(place, programs, seed, tell))


def _report(
    seed: int, tried: Sequence[Trial], harms: Sequence[Harm], readers: Readers | None, reading: Reading
) -> FaultsReport:
    verdicts = [trial.verdict for trial in tried]
    sentences = [
        f"trial {trial.number}, {trial.scene} {trial.moment}: {sentence}"
        for trial in tried
        for sentence in trial.verdict.sentences
    ]
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
        promotions=readers.promotions if readers else 0,
        reads=reading.reads,
        read_errors=reading.errors,
        mixed_answers=reading.mixed,
        snapshots_read=len(reading.snapshots),
        said=(*sentences, *(each for harm in harms for each in (*harm.unclear, *harm.unhealed)), *reading.said),
        python=platform.python_version(),
        load=round(os.getloadavg()[0], 1),
    )


def _memory() -> Path | None:
    if not _MEMORY.is_dir():
        return None
    free = os.statvfs(_MEMORY)
    return _MEMORY if free.f_bavail * free.f_frsize > _ROOM else None
