"""The re-ranker's trees: training examples, LambdaMART (the only use of LightGBM), scores of books left out."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evals.metrics import SHOWN
from evals.non_inferiority import Paired, judge
from evals.questions.question_sets import QuestionSet
from retrieval.files.atomic_files import write_atomically
from retrieval.search.collapse import may_fall, outdone
from retrieval.search.first_stage import AllowedChunks
from retrieval.search.query import Query
from retrieval.search.ranking import Search, candidates
from retrieval.search.rerank.features import NAMES, matrix, measure
from retrieval.search.rerank.question_kind import prose_log_odds
from retrieval.search.rerank.rerank import trees_file_of, trees_of
from retrieval.search.rerank.trees import LEAF, Matrix, Node, Trees
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import MARGIN, strategy
from retrieval.types import Chunk, Embedder
from tools.corpora.books import Corpus, LibraryBook
from tools.corpora.indexes import Tell, by_group, drawn, learned_from, searched_sets
from tools.fit.logit import FittingError, fitting_library

DEFAULT = strategy("default")
MOST_CANDIDATES = 40
"""Candidates of a question that are learned on: its gold, the best at first sight, and some of the others."""
OTHERS = 12


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """One question and its candidates. Key: (group, question_id)."""

    question_id: str
    kind: str
    values: Matrix
    """(n, features), in the order of `names`."""
    gold: npt.NDArray[np.bool_]
    """(n,)."""
    first: npt.NDArray[np.float64]
    """(n,) `Candidates.first`."""
    table_of: npt.NDArray[np.int64]
    """(n,) numbers of their tables and passages, from 0 on."""
    may_fall: npt.NDArray[np.bool_]
    """(n,) which a better row of their table may outdo."""
    for_prose: npt.NDArray[np.float64]
    """(n,) what prose has because the question asks for it, added to the score of the trees."""

    def scores(self, trees: Trees) -> npt.NDArray[np.float64]:
        """(n,) the scores of the candidates in a search with these trees."""
        return trees.scores(self.values) + self.for_prose

    def rank(self, scores: npt.NDArray[np.float64]) -> int | None:
        """1-based rank of the best gold, by these scores of the candidates and then by position; None if none is."""
        order = np.lexsort((np.arange(len(scores)), -np.round(scores, 9)))
        result = np.flatnonzero(self.gold[order])
        return int(result[0]) + 1 if len(result) else None

    def thinned(self, seed: int) -> "Example":
        """Fewer candidates, gold always."""
        if len(self.gold) <= MOST_CANDIDATES:
            return self
        order = np.argsort(-self.first, kind="stable")
        others = np.random.default_rng(seed).permutation(order[MOST_CANDIDATES - OTHERS :])[:OTHERS]
        kept = np.unique(np.concatenate([order[: MOST_CANDIDATES - OTHERS], others, np.flatnonzero(self.gold)]))
        return replace(
            self,
            values=self.values[kept],
            gold=self.gold[kept],
            first=self.first[kept],
            table_of=self.table_of[kept],
            may_fall=self.may_fall[kept],
            for_prose=self.for_prose[kept],
        )

    def crowd(self, scores: npt.NDArray[np.float64], margin: float | None) -> "Crowd":
        """The first `SHOWN` by these scores, outdone rows behind all others where there is a margin."""
        fallen = outdone(scores, self.table_of, self.may_fall, np.inf if margin is None else margin)
        first = np.lexsort((np.arange(len(scores)), -np.round(scores, 9), fallen))[:SHOWN]
        beside = np.isin(self.table_of[first], self.table_of[self.gold]) & ~self.gold[first]
        return Crowd(float(np.count_nonzero(beside)), float(self.gold[first].sum() / max(self.gold.sum(), 1)))


def examples_of(retriever: Retriever, questions: QuestionSet, names: Sequence[str]) -> Iterator[Example]:
    """The questions of a set that have gold in the index.

    Candidates are those of a search: what the question's predicates exclude is none, nor is a chunk whose judgement
    nobody can read.

    Args:
        retriever: over the index.
        questions: the set.
        names: the features.
    """
    snapshot = retriever.snapshot
    for question in questions.scored:
        gold = snapshot.chunks.positions(list(questions.gold(question)))
        if not len(gold) or question.generated:
            continue
        query = Query.of(question.query, snapshot)
        readable = np.ones(len(snapshot), dtype=np.bool_)
        readable[snapshot.chunks.positions(sorted(questions.unexplained.get(question.id, ())))] = False
        passing, vector = AllowedChunks(retriever.admitted(query), readable), retriever.vector_of(query.text)
        pool = candidates(Search(snapshot, query, vector, DEFAULT, passing))
        values = matrix(measure(snapshot, query, pool), names)
        is_gold = np.isin(pool.positions, gold)
        for_prose = np.where(pool.is_row, 0.0, prose_log_odds(query.canonical))
        fall = may_fall(pool, query)
        yield Example(question.id, question.kind, values, is_gold, pool.first, pool.table_of, fall, for_prose)


@dataclass(frozen=True, slots=True)
class Settings:
    """How trees are grown. Few leaves and many examples a leaf: what is learned must hold in other books."""

    rounds: int = 250
    leaves: int = 12
    rate: float = 0.08
    least_examples: int = 60
    features_a_tree: float = 0.4
    seeds: tuple[int, ...] = (0, 1)
    """Trees are grown once with each, and what they say is the mean: one growing alone is the luck of its draws."""


SETTINGS = Settings()

_FALLING = ("behind_", "number_unexplained", "untold")


def direction(feature: str) -> int:
    """1 where more of a feature can only speak for a candidate, -1 where only against it, 0 where either may be."""
    if feature.startswith(_FALLING):
        return -1
    return 0 if feature == "is_row" else 1


def learn(groups: Mapping[str, Sequence[Example]], names: Sequence[str], settings: Settings = SETTINGS) -> Trees:
    """Trees that put gold before the other candidates; every group counts the same.

    LambdaRank (Burges 2010, "From RankNet to LambdaRank to LambdaMART: An Overview") with monotone constraints: a
    feature that speaks for a candidate in one book may not speak against it in another.

    Raises:
        FittingError: LightGBM cannot be loaded, or no example has gold among its candidates.
    """
    lightgbm = fitting_library("lightgbm", "LightGBM", ", and libgomp1 on Linux")
    result = [
        (example.thinned(position), weight)
        for group in sorted(groups)
        for position, (example, weight) in enumerate(_weighed(groups[group]))
    ]
    if not result:
        raise FittingError("no question has gold among its candidates; nothing can be learned from these sets")
    sizes = [len(example.gold) for example, _ in result]
    data = lightgbm.Dataset(
        np.concatenate([example.values for example, _ in result]),
        np.concatenate([example.gold for example, _ in result]).astype(np.int32),
        group=sizes,
        weight=np.repeat([weight for _, weight in result], sizes),
        params={"max_bin": 127, "verbosity": -1},
    )
    parameters = {
        "objective": "lambdarank",
        "lambdarank_truncation_level": 10,
        "learning_rate": settings.rate,
        "num_leaves": settings.leaves,
        "min_data_in_leaf": settings.least_examples,
        "lambda_l2": 5.0,
        "feature_fraction": settings.features_a_tree,
        "bagging_fraction": 0.7,
        "bagging_freq": 1,
        "monotone_constraints": [direction(name) for name in names],
        "max_bin": 127,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "verbosity": -1,
    }
    grown: list[Mapping[str, Any]] = []
    for seed in settings.seeds:
        booster = lightgbm.train({**parameters, "seed": seed}, data, settings.rounds)
        grown += booster.dump_model()["tree_info"]
    return _trees(grown, names, 1.0 / len(settings.seeds))


def _weighed(examples: Sequence[Example]) -> Sequence[tuple[Example, float]]:
    """Examples that have gold, with weights that sum up to 1,000."""
    told = [example for example in examples if example.gold.any()]
    return [(example, 1000.0 / len(told)) for example in told]


def _trees(dumped: Sequence[Mapping[str, Any]], names: Sequence[str], share: float) -> Trees:
    nodes: list[Node] = []

    def add(node: Mapping[str, Any]) -> tuple[int, float, int]:
        """(number, value, examples) of a node, after its children."""
        if "leaf_value" in node:
            value = share * float(node["leaf_value"])
            nodes.append(Node(LEAF, 0.0, 0, 0, value))
            return len(nodes) - 1, value, int(node.get("leaf_count", 1))
        left, left_value, left_count = add(node["left_child"])
        right, right_value, right_count = add(node["right_child"])
        count = left_count + right_count
        value = (left_value * left_count + right_value * right_count) / max(count, 1)
        nodes.append(Node(int(node["split_feature"]), float(node["threshold"]), left, right, value))
        return len(nodes) - 1, value, count

    roots = [add(tree["tree_structure"])[0] for tree in dumped]
    return Trees.of_nodes(names, roots, nodes)


@dataclass(frozen=True, slots=True)
class Score:
    """Means over questions."""

    n: int
    hit_1: float
    hit_5: float
    hit_10: float
    mrr: float

    @classmethod
    def of(cls, ranks: Sequence[int | None]) -> "Score":
        """From the rank of each question's best gold; None where it is no candidate. At least one."""
        result = np.asarray([np.inf if rank is None else rank for rank in ranks])
        hit_1, hit_5, hit_10 = (float((result <= k).mean()) for k in (1, 5, 10))
        return cls(len(ranks), hit_1, hit_5, hit_10, float((1 / result).mean()))


@dataclass(frozen=True, slots=True)
class Crowd:
    """The first `SHOWN` candidates of a question; means over questions."""

    siblings: float
    """How many are rows of a right table and do not answer."""
    recall: float
    """Share of the answers among them."""

    @classmethod
    def of(cls, crowds: Sequence["Crowd"]) -> "Crowd":
        """The mean; at least one."""
        siblings, recall = np.mean([(crowd.siblings, crowd.recall) for crowd in crowds], axis=0)
        return cls(float(siblings), float(recall))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One kind of question of one group. Key: (group, kind)."""

    group: str
    kind: str
    left_out: Score
    """By trees that were learned without its fold."""
    shipped: Score
    """By trees that were learned on all."""
    first_sight: Score
    """At first sight, without trees."""
    crowd: Crowd
    """By the left-out trees, every row in its place."""
    collapsed: Crowd
    """The same, outdone rows collapsed."""


MOST_GROUPS = 7
"""Books that are left out together: trees for each by itself would take hours, and would know its siblings."""


def folds_of(groups: Iterable[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Which groups are left out together: those of one set, of a large set `MOST_GROUPS` at a time.

    Args:
        groups: the set and the name of each.
    """
    by_set: dict[str, list[str]] = {}
    for name, group in groups:
        by_set.setdefault(name, []).append(group)
    return tuple(
        tuple(names[start : start + MOST_GROUPS])
        for names in map(sorted, by_set.values())
        for start in range(0, len(names), MOST_GROUPS)
    )


def leave_out(
    groups: Mapping[str, Sequence[Example]],
    folds: Sequence[Sequence[str]],
    names: Sequence[str],
    shipped: Trees,
    settings: Settings = SETTINGS,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[LeftOut, ...]:
    """Learn without each fold in turn and score its groups; of one fold, nothing.

    Args:
        groups: the questions by book or set.
        folds: names of groups that are left out together.
        names: the features.
        shipped: learned on all groups.
        settings: how trees are grown; here with the first of the seeds alone.
        tell: called with what is left out now.

    The questions of a group have no say in the trees that it is scored by.
    """
    left_outs: list[LeftOut] = []
    of_one_seed = replace(settings, seeds=settings.seeds[:1])
    folds = [known for fold in folds if (known := [group for group in fold if group in groups])]
    if len(folds) < 2:
        return ()
    for fold in folds:
        tell(", ".join(fold))
        others = learn({name: group for name, group in groups.items() if name not in fold}, names, of_one_seed)
        left_outs += [row for name in fold for row in _scored(name, groups[name], others, shipped)]
    return tuple(sorted(left_outs, key=lambda row: (row.group, row.kind)))


def _scored(group: str, examples: Sequence[Example], others: Trees, shipped: Trees) -> Iterator[LeftOut]:
    kinds: dict[str, list[Example]] = {}
    for example in examples:
        kinds.setdefault(example.kind, []).append(example)
    for kind, some in kinds.items():
        scored = [(example, example.scores(others)) for example in some]
        yield LeftOut(
            group,
            kind,
            Score.of([example.rank(scores) for example, scores in scored]),
            Score.of([example.rank(example.scores(shipped)) for example in some]),
            Score.of([example.rank(example.first) for example in some]),
            Crowd.of([example.crowd(scores, None) for example, scores in scored]),
            Crowd.of([example.crowd(scores, MARGIN) for example, scores in scored]),
        )


def pooled(scores: Sequence[LeftOut], kind: str) -> LeftOut | None:
    """The questions of one kind of all groups that were left out; None where there is none."""
    rows = [row for row in scores if row.kind == kind]
    if not rows:
        return None
    return LeftOut(
        "all",
        kind,
        _mean([row.left_out for row in rows]),
        _mean([row.shipped for row in rows]),
        _mean([row.first_sight for row in rows]),
        _mean_crowd(rows, "crowd"),
        _mean_crowd(rows, "collapsed"),
    )


def _mean_crowd(rows: Sequence[LeftOut], name: str) -> Crowd:
    """Over the questions of all rows."""
    return Crowd.of([getattr(row, name) for row in rows for _ in range(row.left_out.n)])


def _mean(scores: Sequence[Score]) -> Score:
    n = sum(score.n for score in scores)

    def mean(name: str) -> float:
        return float(sum(getattr(score, name) * score.n for score in scores)) / n

    return Score(n, mean("hit_1"), mean("hit_5"), mean("hit_10"), mean("mrr"))


MOST_QUESTIONS = 400
"""Of one set of tables: more of one kind teach little more, and take their time."""

_POOLED = ("matrix-lookup", "rule", "comparison")


@dataclass(frozen=True, slots=True)
class TreesReport:
    """Learned trees and what they are worth."""

    trees: Trees
    embedder: str
    """Name of the embedder of the indexes that they were learned on."""
    found: tuple[LeftOut, ...]
    refused: tuple[str, ...] = ()
    """What the gate has against them in place of those that ship, a sentence for each group; both saw all groups."""

    def write(self, docs: Path, file: Path | None = None) -> None:
        """Ship the trees, and write a page about them that is called as their file is."""
        file = file or trees_file_of(self.embedder)
        write_atomically(file, self.trees.written)
        write_atomically(docs / f"{file.stem}.md", self.page())

    def to_json(self) -> dict[str, Any]:
        """For `--json`: without the trees themselves."""
        return {"n_nodes": len(self.trees.feature), "found": [asdict(row) for row in self.found]}

    def page(self) -> str:
        """Markdown: every kind of question of every group, left out first."""
        all_books = [row for kind in _POOLED if (row := pooled(self.found, kind))]
        lines = [
            "# The LambdaMART model of `default`",
            "",
            "`python -m tools fit trees` writes this page.",
            "`default` re-ranks its candidates with this LambdaMART model.",
            "`retrieval/search/rerank/features.py` defines its features. It was trained on indexes with vectors of the",
            f"embedder `{self.embedder}`. The model of `wordllama` serves every embedder that has no model of its own.",
            "",
            "The cells show hit@1 / hit@5 / hit@10 / MRR. *Held out* is the score of a model that was trained without",
            "this book or set and without the other books of its set (up to seven at a time). Expect this score for a",
            "new book. *Shipped* is the score of the model that was trained on all sets, so it is too high. *First",
            "sight* is the sum of BM25 and cosine, of the chunk and of the text of its table.",
            "",
            "| book or set | kind | questions | held out | shipped | first sight |",
            "|---|---|---|---|---|---|",
            *map(_row, all_books),
            *map(_row, self.found),
            "",
            "## Collapse",
            "",
            f"Rows that are more than {MARGIN:g} behind the best row of their table rank behind everything else; the",
            "third and later rows need to be [less far behind](../explanation/ranking.md#collapse). No row moves if",
            "the question calls it by a name, or lists or compares things. *Siblings* counts the rows of a right table",
            f"among the first {SHOWN} that do not answer. *Recall* is the share of the answers among them.",
            "The model was trained without the book of the question.",
            "",
            "| kind | questions | siblings | with collapse | recall | with collapse |",
            "|---|---:|---:|---:|---:|---:|",
            *map(_crowd_row, all_books),
            "",
        ]
        return "\n".join(lines)


def _row(row: LeftOut) -> str:
    scores = " | ".join(map(_score, (row.left_out, row.shipped, row.first_sight)))
    return f"| {row.group} | {row.kind or 'search'} | {row.shipped.n} | {scores} |"


def _crowd_row(row: LeftOut) -> str:
    siblings = f"{row.crowd.siblings:.2f} | {row.collapsed.siblings:.2f}"
    return f"| {row.kind} | {row.left_out.n} | {siblings} | {row.crowd.recall:.4f} | {row.collapsed.recall:.4f} |"


def _score(score: Score) -> str:
    return f"{score.hit_1:.3f} / {score.hit_5:.3f} / {score.hit_10:.3f} / {score.mrr:.3f}"


def learn_trees(
    home: Path, data: Path, split: str, embedder: Embedder, seed: int = 0, tell: Tell = lambda *_: None
) -> TreesReport:
    """Learn on every set under `data` that has the split, on the shelf and on the sample book.

    Raises:
        BenchmarkDataError: there is no set under `data` with such a split.
        FittingError: LightGBM cannot be loaded.
    """
    corpora = learned_from(data, split)
    groups = by_group(home, corpora, embedder, tell, partial(_examples, seed))
    tell("learning", 0, 1)
    trees = learn(groups, NAMES)
    folds = folds_of((set_name, corpus.name) for set_name, corpus in corpora)
    result = leave_out(groups, folds, NAMES, trees, tell=lambda names: tell(f"learning without {names}", 0, 1))
    name = embedder.identity.name
    return TreesReport(trees, name, result, _refused(groups, trees, trees_file_of(name)))


def _refused(groups: Mapping[str, Sequence[Example]], trees: Trees, file: Path) -> tuple[str, ...]:
    """Trees that look at other features than those that ship cannot be compared with them on these examples."""
    if not file.is_file() or (shipping := trees_of(str(file))).names != trees.names:
        return ()
    return worse_groups(
        {
            name: (
                [example.rank(example.scores(trees)) for example in group],
                [example.rank(example.scores(shipping)) for example in group],
            )
            for name, group in groups.items()
        }
    )


def trees_without(
    names: Iterable[str],
    home: Path,
    data: Path,
    split: str,
    embedder: Embedder,
    seed: int = 0,
    tell: Tell = lambda *_: None,
) -> Mapping[str, Path]:
    """Files of trees by book or set: learned on what `learn_trees` learns on, but on nothing of that one.

    The files are named by what they hold, under `<home>/trees`.

    Raises:
        BenchmarkDataError: there is no set under `data` with such a split.
        FittingError: LightGBM cannot be loaded.
    """
    groups = by_group(home, learned_from(data, split), embedder, tell, partial(_examples, seed))
    files: dict[str, Path] = {}
    (folder := home / "trees").mkdir(parents=True, exist_ok=True)
    for held in sorted(names):
        tell(f"learning without {held}", 0, 1)
        written = learn({name: group for name, group in groups.items() if name != held}, NAMES).written
        files[held] = folder / f"{sha256(written.encode()).hexdigest()[:16]}.json"
        write_atomically(files[held], written)
    return files


def _examples(seed: int, name: str, corpus: Corpus, retriever: Retriever, chunks: Sequence[Chunk]) -> Iterator[Example]:
    for questions in searched_sets(name, corpus, retriever, chunks):
        yield from examples_of(
            retriever, questions if isinstance(corpus, LibraryBook) else _sampled(questions, seed), NAMES
        )


def _sampled(questions: QuestionSet, seed: int) -> QuestionSet:
    return replace(questions, questions=tuple(drawn(questions.scored, MOST_QUESTIONS, seed)))


Ranks = Sequence[int | None]
"""1-based rank of each question's best gold; None where it is no candidate."""


def worse_groups(ranks: Mapping[str, tuple[Ranks, Ranks]]) -> tuple[str, ...]:
    """A sentence for each group that the new numbers lose more in than the gate lets through; empty: they may ship.

    Args:
        ranks: by group, with the new numbers and with those that ship, over the same questions; at least one each.
    """
    groups = judge([Paired(_reciprocal(ours), _reciprocal(theirs)) for ours, theirs in ranks.values()])
    return tuple(
        f"{group}: mrr is below that of what ships, {judgement}"
        for group, judgement in zip(ranks, groups, strict=True)
        if judgement.verdict == "worse"
    )


def _reciprocal(ranks: Ranks) -> list[float]:
    return [1 / rank if rank else 0.0 for rank in ranks]
