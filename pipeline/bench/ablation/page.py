"""`docs/search.md`: what each part of the search adds, and whether `default` has it."""

from collections.abc import Sequence
from pathlib import Path

from pipeline.bench.ablation.run import Ablation, Number, Trial
from pipeline.bench.ablation.ways import ALIASED, APART, TRAVERSED, UNALIASED

NOTES = {
    "bm25": "words alone",
    "dense": "vectors alone",
    "hybrid": "two legs, no evidence from the places where words are, no filter",
    "hybrid_graph": "graph boost over all six relations",
    "default-query_must": "query_must is not asked",
    "default-names": "what the question calls a chunk does not count: words of places, and the two legs, alone",
    TRAVERSED: "the walk from named things alone ([graph](graph.md#traversal)); what names nothing finds nothing",
    APART: "a comparison is searched part by part ([decomposition](decomposition.md)); other questions as they are",
    UNALIASED: "labels and aliases are not folded (`armour class` is not `ac`)",
}
REMARKS = {
    APART: "what it gains, both answers among the first four, is not in MRR; `querymust ask` does so",
    UNALIASED: "they stay on: predicates and names need them",
    "bm25": "a leg of `default`",
    "dense": "a leg of `default`",
    "hybrid": "its legs are parts of `default`",
    "default-query_must": "where it is worse is what the filter adds",
    "default-names": "where it is worse is what the names add",
}
"""What a verdict means for `default`, where it is not plain."""
_LEFT_OUT = Path(__file__).parent / "left_out.md"
"""What was measured and left out, with the numbers of the time; nothing can measure it again."""
_INTRO = """# What each part of the search adds

Made by `querymust bench ablation` from the {split} questions with gold, embedder {embedder}; do not edit.
Each line differs from the one it is compared with in one thing. The difference is of MRR, paired by question, with its
95 % bootstrap interval; p is of a paired randomisation test. A thing is kept in `default` where some set gains beyond
its interval and none loses. The weights of `default` were fitted on these questions ([weights](weights.md)), so a
difference *from* `default` favours it; one from `hybrid` does not.

How each works: [fusion](../retrieval/search/fusion.py), [graph](../retrieval/index/graph/graph.py) and
[its boost](../retrieval/search/graph_boost.py).
"""


def ablation_page(ablation: Ablation) -> str:
    """The page as markdown."""
    parts = [_INTRO.format(split=ablation.split, embedder=ablation.embedder), "## Verdicts\n", _verdicts(ablation)]
    parts += ["", _LEFT_OUT.read_text("utf-8")]
    parts.append("\n## Every set\n")
    for name in dict.fromkeys(trial.set for trial in ablation.trials):
        parts += [f"### {name}\n", _set_table([trial for trial in ablation.trials if trial.set == name])]
    return "\n".join(parts).rstrip() + "\n"


def verdict(trials: Sequence[Trial]) -> str:
    """Whether a thing is kept and why, from its trials on all sets; sets are named where they differ beyond chance."""
    better = [trial.set for trial in trials if trial.difference and trial.difference.interval.low > 0]
    worse = [trial.set for trial in trials if trial.difference and trial.difference.interval.high < 0]
    if worse:
        return f"no: worse on {', '.join(worse)}" + (f", better on {', '.join(better)}" if better else "")
    return f"yes: better on {', '.join(better)}, worse nowhere" if better else "no: no set differs beyond its interval"


def _verdicts(ablation: Ablation) -> str:
    lines = ["| tried | what it is | against | verdict |", "|---|---|---|---|"]
    for name, about in NOTES.items():
        trials = [trial for trial in ablation.trials if trial.strategy == name]
        if trials:
            remark = f"; {REMARKS[name]}" if name in REMARKS else ""
            lines.append(f"| {_code(name)} | {about} | {_code(trials[0].baseline or '')} | {verdict(trials)}{remark} |")
    return "\n".join(lines) + "\n"


def _set_table(trials: Sequence[Trial]) -> str:
    lines = [
        f"{trials[0].n} questions.",
        "",
        "| strategy | hit@1 | hit@10 | MRR | against | difference | p |",
        "|---|---:|---:|---:|---|---:|---:|",
    ]
    for trial in trials:
        numbers = " | ".join(_number(trial.numbers[name]) for name in ("hit@1", "hit@10", "mrr"))
        compared = "| - | - | - |"
        if trial.difference is not None and trial.p is not None:
            compared = f"| {_code(trial.baseline or '')} | {_number(trial.difference, sign='+')} | {trial.p:.3f} |"
        lines.append(f"| {_code(trial.strategy)} | {numbers} {compared}")
    return "\n".join(lines) + "\n"


def _code(name: str) -> str:
    return name if name in {ALIASED, UNALIASED, APART} else f"`{name}`"


def _number(number: Number, sign: str = "") -> str:
    return f"{number.value:{sign}.3f} ({number.interval.low:{sign}.3f} to {number.interval.high:{sign}.3f})"
