"""Room that a snapshot takes on disk, and memory of a process that reads it."""

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from pipeline.bench.memory import folder_megabytes, mapped_megabytes, own_megabytes, resident_megabytes
from pipeline.bench.scale.library import AskedQuestion
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.search.retriever import Retriever
from retrieval.strategy import DEFAULT_K

ASKED_IN = ("prefilter", "dense", "bm25", "hybrid", "default")
"""The strategies in which a reader is asked every question before its memory is looked at."""


def megabytes(folder: Path, asked: Sequence[AskedQuestion]) -> dict[str, float]:
    """Room on disk, and memory of a fresh process before it opens the snapshot and after it was asked.

    Args:
        folder: of the snapshot.
        asked: every question, in each of `ASKED_IN`.
    """
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        process = pool.submit(_resident, folder.parent.parent, folder.name, asked).result()
    chroma = folder / "chroma"
    sizes = {"disk": folder_megabytes(folder), "disk_chroma": folder_megabytes(chroma) if chroma.is_dir() else 0.0}
    return {name: round(size, 1) for name, size in {**sizes, **process}.items()}


def _resident(home: Path, snapshot: str, asked: Sequence[AskedQuestion]) -> dict[str, float]:
    embedder = load_embedder()
    embedder.embed_query("loads the weights")
    before = resident_megabytes()
    with open_snapshot(home, snapshot) as opened:
        retriever = Retriever(opened, embedder)
        for strategy in ASKED_IN:
            for question in asked:
                retriever.retrieve(question.text, DEFAULT_K, strategy, where=question.where)
        return {
            "process": before,
            "process_searching": resident_megabytes(),
            "process_own": own_megabytes(),
            "process_mapped": mapped_megabytes(),
        }
