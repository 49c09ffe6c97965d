"""Damages the files of a home one at a time: what a reader is told of it, and whether the next build heals it."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import RetrievalError
from retrieval.index.snapshot.live import SNAPSHOTS, live_id
from tools.corpora.indexes import Tell
from tools.faults import asking
from tools.faults.asking import DAMAGES
from tools.faults.kills import judged
from tools.faults.scenes import Place, Scene
from tools.faults.warm import Warm


@dataclass(frozen=True, slots=True)
class Harm:
    """One file, damaged. Key: (scene, path)."""

    scene: str
    path: str
    unclear: tuple[str, ...]
    """What the commands said that is not one clear error, or not the answer of an undamaged home."""
    unhealed: tuple[str, ...]
    """What was wrong after the next build."""


def try_damage(
    scene: Scene, place: Place, warm: Warm, files: int | None, healed: int, seed: int, tell: Tell
) -> Iterator[Harm]:
    """Damage files of a scene's home one at a time, in every way; after some of the ways, the next build.

    Dagster's are left alone, and those of snapshots that are not live: no build heals them, and a rollback to a damaged
    one is refused.

    Args:
        scene: whose home.
        place: where.
        warm: runs what asks and what builds.
        files: how many; None: every one.
        healed: after how many of the ways the next build is tried, in turn.
        seed: which files.
        tell: called as the work goes on.

    Raises:
        RetrievalError: an undamaged home was not asked well.
    """
    place.restore(scene.kept)
    undamaged = warm.run(asking.__name__, place.home)
    if undamaged.status != 0:
        raise RetrievalError(f"asking {scene.name} {undamaged.sentence}")
    expected = place.work / f"{scene.name}-expected.json"
    expected.write_text(undamaged.said, "utf-8")
    drawn = _drawn(place.home, files, random.Random(f"{seed}/{scene.name}"))
    for number, path in enumerate(drawn):
        tell(f"damage, {scene.name}: {path.name}", number, len(drawn))
        inside = path.relative_to(place.home)
        done = warm.run(asking.__name__, place.home, expected, inside)
        unclear = list(done.said.splitlines()) if done.status == 0 else [f"{inside}: asking {done.sentence}"]
        unhealed: list[str] = []
        for damage in _in_turn(path, number, healed):
            unhealed += _unhealed(scene, place, warm, path, damage)
            place.restore(scene.kept)
        yield Harm(scene.name, str(inside), tuple(unclear), tuple(unhealed))


def _in_turn(path: Path, number: int, healed: int) -> Sequence[str]:
    """Ways to damage a file; an empty one can only be taken away."""
    if not path.stat().st_size:
        return ["gone"]
    return [list(DAMAGES)[(number + position) % len(DAMAGES)] for position in range(healed)]


def _drawn(home: Path, files: int | None, rng: random.Random) -> Sequence[Path]:
    live, snapshots = home / SNAPSHOTS / str(live_id(home)), home / SNAPSHOTS
    paths = sorted(path for path in home.rglob("*") if path.is_file() and home / "dagster" not in path.parents)
    ours = [path for path in paths if snapshots not in path.parents or live in path.parents]
    return ours if files is None else rng.sample(ours, min(files, len(ours)))


def _unhealed(scene: Scene, place: Place, warm: Warm, path: Path, damage: str) -> tuple[str, ...]:
    DAMAGES[damage](path)
    done = warm.run(*scene.next)
    if done.status != 0:
        return (f"{path.relative_to(place.home)} {damage}: the next one {done.sentence}",)
    verdict = judged(warm, place.home, (scene.final,))
    return tuple(
        f"{path.relative_to(place.home)} {damage}, after the next one: {sentence}" for sentence in verdict.sentences
    )
