"""What a home may have to live with: a full disk, no right to write, another model behind a name, an older program.

Readers go on, or are told in one sentence. What is begun then does well, or says in one sentence why not and leaves
alone what is live. The next one, without the hardship, leaves all as it should be.
"""

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from retrieval.index.snapshot.live import SNAPSHOTS, live_id
from retrieval.index.snapshot.manifest import MANIFEST_FILE
from retrieval.settings import SETTINGS_FILE as SETTINGS
from tools.corpora.indexes import Tell
from tools.faults import asking, confined, narrow
from tools.faults.asking import NAMING, age, has_advice
from tools.faults.confined import CANNOT
from tools.faults.kills import changes, hashes, judged, of_live, unsettled
from tools.faults.scenes import Place, Scene
from tools.faults.warm import Done, Warm

FULL, SHORT, READ_ONLY, FORBIDDEN = "full disk", "limit of a file", "read-only disk", "no right to write"
MODEL, DIMENSIONS, OLDER = "narrow model", "other dimensions in rag.yaml", "older schema"
HARDSHIPS: Mapping[str, str | None] = MappingProxyType(
    {
        FULL: None,
        SHORT: None,
        READ_ONLY: None,
        FORBIDDEN: None,
        MODEL: "wordllama",
        DIMENSIONS: None,
        OLDER: MANIFEST_FILE,
    }
)
"""Each, and the word that its errors to readers must name; None: readers must not fail."""
_OF_A_SIZE = {FULL, SHORT}
_MOST = 1.5
"""As much room as the live snapshot takes, so many times, is enough for the next one."""


@dataclass(frozen=True, slots=True)
class Ordeal:
    """One act under one hardship. Key: (hardship, scene, room)."""

    hardship: str
    scene: str
    room: int
    """Bytes; of a disk or a file, else 0."""
    did_well: bool
    """Whether what was begun was done in spite of it."""
    untried: str
    """Why this machine does not let it be tried; else empty."""
    faults: tuple[str, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was wrong, each with where."""
        room = f" of {self.room} bytes" if self.room else ""
        return tuple(f"{self.hardship}{room}, {self.scene}: {fault}" for fault in self.faults)


def try_hardships(
    scenes: Sequence[Scene],
    place: Place,
    warm: Warm,
    sizes: int,
    seed: int,
    tell: Tell,
    only: Collection[tuple[str, str]] | None = None,
) -> Iterator[Ordeal]:
    """Scenes under hardships, so many sizes of a disk and of a file. The same seed draws the same shares.

    Args:
        scenes: what is begun.
        place: where.
        warm: runs it.
        sizes: of a disk, and of a file.
        seed: of those.
        tell: called as the work goes on.
        only: pairs of a hardship and a scene's name; None: all that have to do with one another.
    """
    answers: dict[Path, str] = {}
    every = [(scene, hardship) for scene in scenes for hardship in HARDSHIPS if _meets(scene.name, hardship)]
    chosen = [(scene, hardship) for scene, hardship in every if only is None or (hardship, scene.name) in only]
    for number, (scene, hardship) in enumerate(chosen):
        tell(f"{hardship}: {scene.name}", number, len(chosen))
        rng = random.Random(f"{seed}/{scene.name}/{hardship}")
        for _ in range(sizes if hardship in _OF_A_SIZE else 1):
            tried = _Tried(scene, place, warm, hardship, _MOST * rng.random())
            if scene.kept not in answers:
                place.restore(scene.kept)
                answers[scene.kept] = warm.run(asking.__name__, place.home).said
            yield tried.ordeal(answers[scene.kept])


def _meets(scene: str, hardship: str) -> bool:
    """A model can be exchanged in this process only, and only what builds asks it; a person starts the command."""
    if hardship == MODEL:
        return scene in {"build", "ingest"}
    return scene != "build"


@dataclass(frozen=True, slots=True)
class _Tried:
    scene: Scene
    place: Place
    warm: Warm
    hardship: str
    share: float

    def ordeal(self, answer: str) -> Ordeal:
        """Try it; `answer` is what readers get where nothing is wrong."""
        home = self.place.home
        self.place.restore(self.scene.kept)
        expected = self.place.work / "expected.json"
        expected.write_text(answer, "utf-8")
        room, program = self._imposed(home / SNAPSHOTS / str(live_id(home)))
        word = HARDSHIPS[self.hardship]
        read = self.warm.run(*program, asking.__name__, home, expected, *((NAMING, word) if word else ()))
        if read.status == CANNOT:
            return Ordeal(self.hardship, self.scene.name, 0, did_well=False, untried=read.said.strip(), faults=())
        faults = [*read.said.splitlines(), *((f"asking {read.sentence}",) if read.status else ())]
        before, live = hashes(home), str(live_id(home))
        done = self.warm.run(*program, *self.scene.argv)
        if done.status != 0:
            faults += _unclear(done)
        if done.status != 0 or str(live_id(home)) == live:
            changed = changes(of_live(before, live), of_live(hashes(home), live))
            faults += [f"{path} of what is live was changed" for path in changed]
        else:
            faults += judged(self.warm, home, self.scene.forms).sentences
        if self.hardship == DIMENSIONS:
            (home / SETTINGS).unlink()
        faults += self._next()
        return Ordeal(self.hardship, self.scene.name, room, did_well=done.status == 0, untried="", faults=tuple(faults))

    def _imposed(self, live: Path) -> tuple[int, tuple[str | Path, ...]]:
        """The bytes that there are, and the program that another one is run by."""
        home, sizes = self.place.home, [path.stat().st_size for path in live.rglob("*") if path.is_file()]
        room = int(self.share * {FULL: sum(sizes), SHORT: max(sizes)}.get(self.hardship, 0))
        if self.hardship == OLDER:
            age(home, live.name)
        if self.hardship == DIMENSIONS:
            (home / SETTINGS).write_text("embedding: {dimensions: 128}\n", "utf-8")
        if self.hardship == MODEL:
            return room, (narrow.__name__,)
        how = {FULL: f"full:{room}", SHORT: f"limited:{room}", READ_ONLY: "read-only", FORBIDDEN: "forbidden"}
        return room, (confined.__name__, how[self.hardship], home) if self.hardship in how else ()

    def _next(self) -> Iterator[str]:
        done = self.warm.run(*self.scene.next)
        if done.status != 0:
            yield f"the next one {done.sentence}"
            return
        yield from unsettled(self.warm, self.place.home)
        yield from judged(self.warm, self.place.home, (self.scene.final,)).sentences


def _unclear(done: Done) -> Iterator[str]:
    """What a person was told who began something in vain, if that is not one clear error."""
    errors = [line for line in done.said.splitlines() if line.startswith("error: ")]
    is_one = done.status in {1, 2} and len(errors) == 1 and "Traceback" not in done.said
    if not (is_one and has_advice(errors[0])):
        yield f"what was begun ended with status {done.status} and said {' | '.join(errors) if is_one else done.said!r}"
