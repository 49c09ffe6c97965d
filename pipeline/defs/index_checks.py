"""What must hold of a snapshot before it may go live. Chroma can lose vectors without saying so."""

import dagster as dg

from pipeline.building.materialization import held
from pipeline.defs.index import candidate_index, library_chunks
from retrieval.home import Home
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.index.snapshot.verification import ann_recall, verify_snapshot


@dg.asset_check(asset=candidate_index, blocking=True)
def snapshot_holds_every_chunk(
    context: dg.AssetCheckExecutionContext, home: dg.ResourceParam[Home]
) -> dg.AssetCheckResult:
    """The candidate has the library's chunks, no more and no fewer."""
    wanted = {chunk.id for chunk in library_chunks(context.instance, home)}
    with open_snapshot(home.root, home.candidate) as snapshot:
        made = {chunk.id for chunk in snapshot.chunks}
    missing = [f"chunk {chunk_id} is missing" for chunk_id in sorted(wanted - made)]
    extra = [f"chunk {chunk_id} is no book's" for chunk_id in sorted(made - wanted)]
    return held(missing + extra, {"n_chunks": len(made), "snapshot": home.candidate})


@dg.asset_check(asset=candidate_index, blocking=True)
def snapshot_finds_its_own_chunks(home: dg.ResourceParam[Home]) -> dg.AssetCheckResult:
    """Counts agree, every vector can be read, probe chunks find themselves, and the search is near the exact scan."""
    with open_snapshot(home.root, home.candidate, hashes=False) as snapshot:
        findings = verify_snapshot(snapshot)
        recall = ann_recall(snapshot)
    return held(
        [f"{finding.check}: {finding.detail}" for finding in findings],
        {"ann_recall": recall, "snapshot": home.candidate},
    )
