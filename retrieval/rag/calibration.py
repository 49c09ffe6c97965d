"""Relevance: what was measured of a hit, as the share of questions that a library answers when it measures so."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from retrieval.atomic_files import write_atomically
from retrieval.errors import IndexCorruptError
from retrieval.rag.measures import NAMES, Measures, measures
from retrieval.search.fusion import Scores
from retrieval.search.retriever import Retriever

SHIPPED = Path(__file__).with_name("calibrations.json")
"""Those that ship; `querymust fit relevance` fits and writes them."""
RELEVANCE_FILE = "relevance.json"
"""In a snapshot's folder: the one that it was built with. In a home's: what the next one is built with."""
ANY = "any"
"""The calibration of every embedder that has none of its own; it does not look at cosines."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic function of some measures. It falls with what the library does not know, and rises with all else."""

    embedder: str
    """Name of the embedder whose cosines it reads, or `any`."""
    strategy: str
    """What ranked the hits that it was fitted on."""
    names: tuple[str, ...]
    """Of the measures, some of `NAMES`."""
    weights: tuple[float, ...]
    intercept: float

    def of(self, values: Measures) -> Scores:
        """Relevance of each hit of a ranking, (hits,), 0 to 1: no hit is more relevant than the one before it."""
        chosen = values[:, [NAMES.index(name) for name in self.names]]
        log_odds = chosen @ np.asarray(self.weights) + self.intercept
        falling: Scores = np.minimum.accumulate(1.0 / (1.0 + np.exp(-log_odds)))
        return falling

    def write(self, folder: Path) -> None:
        """Keep it in a folder; with a snapshot it is no part of what its id is the hash of."""
        write_atomically(folder / RELEVANCE_FILE, json.dumps(asdict(self), indent=1) + "\n")

    @classmethod
    def of_json(cls, found: Mapping[str, Any]) -> "Calibration":
        """What `asdict` gave. Raises KeyError, TypeError or ValueError for anything else."""
        names = tuple(found["names"])
        weights = tuple(float(weight) for weight in found["weights"])
        if len(names) != len(weights) or not set(names) <= set(NAMES):
            raise ValueError(f"{names} are not measures, or not as many as there are weights")
        return cls(str(found["embedder"]), str(found["strategy"]), names, weights, float(found["intercept"]))


def shipped(embedder: str) -> Calibration:
    """The calibration that ships for an embedder; where there is none, the one for all.

    Raises:
        IndexCorruptError: the file cannot be read.
    """
    try:
        every = [Calibration.of_json(each) for each in json.loads(SHIPPED.read_text(encoding="utf-8"))]
        return next(each for name in (embedder, ANY) for each in every if each.embedder == name)
    except (OSError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise IndexCorruptError(f"{SHIPPED} holds no calibrations ({error}); install the program again") from error


def keep_calibration(home: Path, snapshot: Path, embedder: str) -> None:
    """Keep with a snapshot's folder what relevance means in a home.

    Raises:
        IndexCorruptError: the home's file cannot be read.
    """
    calibration_of(home, embedder).write(snapshot)


def calibration_of(folder: Path, embedder: str) -> Calibration:
    """The calibration of a snapshot or a home: its own, if it is of this embedder; else the one that ships.

    Args:
        folder: of the snapshot or the home.
        embedder: its name.

    Raises:
        IndexCorruptError: its file cannot be read.
    """
    path = folder / RELEVANCE_FILE
    if not path.is_file():
        return shipped(embedder)
    try:
        own = Calibration.of_json(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError) as error:
        raise IndexCorruptError(f"{path} holds no calibration ({error}); delete it") from error
    return own if own.embedder in {embedder, ANY} else shipped(embedder)


def relevances(retriever: Retriever, question: str, chunk_ids: Sequence[str], calibration: Calibration) -> Scores:
    """Relevance of the chunks of a ranking, best first, (hits,); `measures` says what the arguments are."""
    return calibration.of(measures(retriever, question, chunk_ids))
