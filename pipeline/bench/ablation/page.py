"""`docs/results/search.md`: what each part of the search adds, and whether `default` has it."""

from collections.abc import Sequence

from pipeline.bench.ablation.run import Ablation, Number, RoutedTrial, Trial
from pipeline.bench.ablation.ways import ALIASED, APART, TRAVERSED, UNALIASED

NOTES = {
    "bm25": "BM25 alone",
    "dense": "vectors alone",
    "hybrid": "BM25 and vectors, no evidence from fields, no filter",
    "rrf": "reciprocal rank fusion, constant 60",
    "hybrid_tmm": "theoretical bounds instead of min-max, same weights",
    "hybrid_graph": "graph boost over all six relations",
    "seed": "graph boost over the four relations of the published plan",
    "default-query_must": "query_must is not applied",
    "default-names": "no evidence from names: fields, BM25 and vectors alone",
    "default+graph": "graph boost on the evidence, all six relations",
    "default+graph_first": "chunks that the graph connects with a named thing rank first",
    TRAVERSED: "the [graph walk](../explanation/graph.md#traversal) alone; a question without a name finds nothing",
    APART: "a comparison is [decomposed](../explanation/decomposition.md); other questions are not",
    "default+routing": "eight chapters; all chunks if the best chunk is in none of them",
    "default+routing3": "three chapters, always",
    "default+routing8": "eight chapters, always",
    "default+routing12": "twelve chapters, always",
    UNALIASED: "labels and aliases are not folded (`armour class` is not `ac`)",
}
REMARKS = {
    APART: "its gain, both answers among the first four, does not show in MRR; `querymust ask` uses it",
    "hybrid_tmm": "`default` has it: its evidence starts each part at the lower bound of its score",
    UNALIASED: "kept: predicates and names need them",
    "bm25": "a part of `default`",
    "dense": "a part of `default`",
    "hybrid": "both are parts of `default`",
    "default-query_must": "where it is worse, the filter gains",
    "default-names": "where it is worse, the names gain",
}
"""What a verdict means for `default`, if that is not obvious."""
_INTRO = """# What each part of the search adds

Made by `querymust bench ablation` from the {split} questions with gold, embedder {embedder}; do not edit.
Each strategy differs in one thing from the one it is compared with. The difference is of MRR, paired by question, with
its 95 % bootstrap interval; p is of a paired randomisation test. A part is kept in `default` if a set gains beyond its
interval and none loses. The weights of `default` were fitted on these questions ([weights](weights.md)), so differences
*from* `default` favour it; differences from `hybrid` do not. The boost of `default+graph` is 0.1, while the best scores
are about 8; 0.2 and 0.4, the proportion of the plan, were worse on the four smaller sets.

The code: `retrieval/search/fusion.py`, `retrieval/index/graph/graph.py`, `retrieval/search/graph_boost.py` and
`retrieval/search/routing.py`.
"""


def ablation_page(ablation: Ablation) -> str:
    """The page as markdown."""
    parts = [_INTRO.format(split=ablation.split, embedder=ablation.embedder), "## Verdicts\n", _verdicts(ablation)]
    for name, trials in ablation.routed.items():
        parts += [f"\n## Chapter routing on {name}\n", _tradeoff(trials)]
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
    lines = ["| strategy | what it is | compared with | verdict |", "|---|---|---|---|"]
    for name, about in NOTES.items():
        trials = [trial for trial in ablation.trials if trial.strategy == name]
        if trials:
            remark = f"; {REMARKS[name]}" if name in REMARKS else ""
            lines.append(f"| {_code(name)} | {about} | {_code(trials[0].baseline or '')} | {verdict(trials)}{remark} |")
    return "\n".join(lines) + "\n"


def _tradeoff(trials: Sequence[RoutedTrial]) -> str:
    lines = [
        "A chapter is the first two headings. Evaluability is the share of the questions whose gold is all in the kept",
        "chapters. MRR and hit@1 are given over those questions, as in the published table, and over all questions.",
        "Other sets have no chapters: each table or passage is a document, so routing excludes it.",
        "",
        "| searched by | chapters kept | evaluability | MRR | hit@1 | MRR over all | hit@1 over all |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for trial in trials:
        inside, everything = trial.among_evaluable, trial.among_all
        numbers = [trial.evaluability, inside["mrr"], inside["hit@1"], everything["mrr"], everything["hit@1"]]
        lines.append(f"| `{trial.base}` | {trial.chapters or 'all'} | " + " | ".join(map(_number, numbers)) + " |")
    return "\n".join(lines) + "\n"


def _set_table(trials: Sequence[Trial]) -> str:
    lines = [
        f"{trials[0].n} questions.",
        "",
        "| strategy | hit@1 | hit@10 | MRR | compared with | difference | p |",
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
