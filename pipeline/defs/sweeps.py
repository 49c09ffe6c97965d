"""The job `sweeps`: one parameter at several values on the candidate, with the home's questions.

Each is a step of the job `sweeps` and reports an asset. The asset itself cannot be materialized, so that *Materialize
all* builds the library without minutes of sweeps.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import dagster as dg
from dagster._core.definitions.metadata import RawMetadataValue
from pydantic import Field

from evals.asset_options import AGAIN, as_table, reported, with_reason
from evals.evaluation import SHIPPED, Evaluation, evaluate, evaluation_of
from evals.noise import Relatives
from evals.showing import Curve
from evals.sweeps import COUNTS, SWEEPS, Point, Proposal, Shown, Sweep, Tried, enough, point, propose, shown_at
from pipeline.defs.index import book_slugs
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import EmbeddingStore, embed_chunks, vectors_of
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.parsed_book import read_parsed_book
from retrieval.ingest.sections import WORKING_TOKENS, Cuts
from retrieval.search.strategies import STRATEGIES
from retrieval.strategy import DEFAULT_K
from retrieval.types import Row


def scores_at(home: Home, slugs: Iterable[str], working_tokens: int, folder: Path) -> Evaluation:
    """How `default` scores where prose is cut to about `working_tokens`; rows are chunks of their own at every size.

    Args:
        home: whose records, vocabulary and questions are used; its index stays as it is.
        slugs: the books.
        working_tokens: how long prose may be.
        folder: an empty one, for the index and its vectors.
    """
    chunks = sorted(
        (
            chunk
            for slug in slugs
            for chunk in chunk_book(
                read_parsed_book(home.book(slug) / "book.jsonl"),
                read_jsonl(home.book(slug) / "predicates.jsonl", Row),
                Cuts(working_tokens),
            )
        ),
        key=lambda chunk: chunk.id,
    )
    embedder = load_embedder(home.settings.embedder)
    # Not the home's own store: what it holds is what its index is made of.
    store = EmbeddingStore(folder / "embeddings", embedder.identity)
    embed_chunks(store, embedder, chunks, folder / "embedded.txt")
    vectors = vectors_of(store, chunks)
    manifest = build_snapshot(folder, chunks, vectors, embedder.identity, home.vocabulary)
    with open_snapshot(folder, manifest.id) as snapshot:
        return evaluate(snapshot, embedder, home.settings.questions, (STRATEGIES[SHIPPED],))


SIZES = (64, 128, 256, 512, 1024)
UNSCORED = "No questions were given, so nothing was tried."


class Values(dg.Config):
    """Which values are tried; without any, those of the sweep. The one in use is always among them."""

    values: list[float] = Field(default_factory=list)


def _of_candidate(name: str, says: str) -> Callable[[Callable[..., Any]], dg.OpDefinition]:
    return dg.op(
        name=f"sweep_{name}", description=f"{says} It ships nothing.", out=dg.Out(dg.Nothing), retry_policy=AGAIN
    )


def _sweep_op(sweep: Sweep) -> dg.OpDefinition:
    @_of_candidate(sweep.name, sweep.says)
    @with_reason
    def swept(context: dg.OpExecutionContext, config: Values, home: dg.ResourceParam[Home]) -> None:
        with open_snapshot(home.root, home.candidate) as snapshot:
            embedder = load_embedder(snapshot.manifest.embedder.name)
            scores = evaluate(snapshot, embedder, home.settings.questions, sweep.variants(config.values))
        points = sweep.points(scores, config.values) if scores.sets else ()
        _report(context, home, sweep.name, points, propose(sweep.base, sweep.parameter, sweep.current, points))

    return swept


def _report(
    context: dg.OpExecutionContext, home: Home, name: str, points: Sequence[Point], proposal: Proposal | None
) -> None:
    path = home.root / "sweeps" / f"{name}.json"
    if proposal is not None:
        proposal.write(path, points)
    context.log.info(str(proposal or UNSCORED))
    current = next((at for at, point in enumerate(points) if proposal and point.tried.value == proposal.current), None)
    lines = {"mrr": [point.tried.mrr for point in points], "hit@1": [point.tried.hit_at_1 for point in points]}
    _materialize(
        context,
        {
            "proposal": dg.MetadataValue.md(str(proposal or UNSCORED)),
            "curve": dg.MetadataValue.md(Curve([f"{point.tried.value:g}" for point in points], lines, current).image()),
            "points": as_table([point.tried for point in points], Tried),
            "current": reported(proposal.current if proposal else None),
            "best": reported(proposal.best if proposal else None),
            "mrr_current": reported(proposal.mrr_current if proposal else None),
            "mrr_best": reported(proposal.mrr_best if proposal else None),
            "n_worth_it": int(proposal.worth_it) if proposal else 0,
            "dagster/row_count": len(points),
            "dagster/uri": path.as_uri(),
            "snapshot": home.candidate,
        },
    )


def _materialize(context: dg.OpExecutionContext, metadata: Mapping[str, RawMetadataValue]) -> None:
    context.log_event(dg.AssetMaterialization(context.op_def.name, metadata=metadata))


@_of_candidate("chunk_size", "About how many tokens prose is cut to; rows are chunks of their own at every size.")
@with_reason
def sweep_chunk_size(context: dg.OpExecutionContext, config: Values, home: dg.ResourceParam[Home]) -> None:
    """Each size is indexed beside the candidate and scored."""
    points: list[Point] = []
    for size in sorted({*(map(int, config.values) if config.values else SIZES), WORKING_TOKENS}):
        if home.settings.questions:
            with TemporaryDirectory(dir=home.root) as folder:
                points.append(point(size, scores_at(home, book_slugs(context.instance), size, Path(folder))))
            context.log.info(f"{size} tokens: mrr {points[-1].tried.mrr}")
    proposal = propose(SHIPPED, "chunk_size", WORKING_TOKENS, points)
    _report(context, home, "chunk_size", points, proposal)


@_of_candidate("k", "How many chunks are shown: the gold and the right row's siblings among the first k.")
@with_reason
def sweep_k(context: dg.OpExecutionContext, config: Values, home: dg.ResourceParam[Home]) -> None:
    """Of rankings that were asked for with 100. It changes none of them, so the gate has no say."""
    scores = evaluation_of(home, home.candidate, STRATEGIES[SHIPPED])
    counts = {*(map(int, config.values) if config.values else COUNTS), DEFAULT_K}
    with open_snapshot(home.root, home.candidate) as snapshot:
        points = shown_at(scores.rows(SHIPPED), Relatives.of(tuple(snapshot.chunks)), sorted(counts))
    output = UNSCORED
    if points:
        best, now = enough(points, DEFAULT_K), next(point for point in points if point.k == DEFAULT_K)
        then = next(point for point in points if point.k == best)
        output = f"keep k {DEFAULT_K}: a smaller one shows less of the gold."
        if best < DEFAULT_K:
            less = f"with {then.noise:.1f} siblings of the right row instead of {now.noise:.1f}"
            output = f"k {best} shows as much of the gold as {DEFAULT_K}, {less}."
    context.log.info(output)
    lines = {"recall": [point.recall for point in points], "noise / k": [point.noise / point.k for point in points]}
    current = next((at for at, point in enumerate(points) if point.k == DEFAULT_K), None)
    _materialize(
        context,
        {
            "proposal": dg.MetadataValue.md(output),
            "curve": dg.MetadataValue.md(Curve([str(point.k) for point in points], lines, current).image()),
            "points": as_table(points, Shown),
            "current": DEFAULT_K,
            "best": enough(points, DEFAULT_K) if points else DEFAULT_K,
            "dagster/row_count": len(points),
            "snapshot": scores.snapshot,
        },
    )


SWEEP_OPS = (*map(_sweep_op, SWEEPS.values()), sweep_chunk_size, sweep_k)

sweep_assets = [
    dg.AssetSpec(
        sweep.name,
        deps=["candidate_index"],
        description=f"{sweep.description} Launch the job sweeps, or this step of it.",
        group_name="sweeps",
        kinds={"python"},
        owners=["team:search"],
        tags={"domain": "sweeps"},
    )
    for sweep in SWEEP_OPS
]


@dg.job(description="Try each parameter at several values on the candidate; ships nothing.", tags={"domain": "sweeps"})
def sweeps() -> None:
    """Every sweep, each on its own."""
    for sweep in SWEEP_OPS:
        sweep()
