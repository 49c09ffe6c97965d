"""The effect of another vocabulary or other predicates on questions and scores, tried on a copy."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from evals.evaluation import SHIPPED, Evaluation, evaluate
from evals.gate import decide
from evals.questions.questions import Anchor, Question
from retrieval.index.snapshot.snapshot import Snapshot, build_snapshot, open_snapshot
from retrieval.language.numbers.cells import is_numeric
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.operators import NO_RIVAL
from retrieval.query_must.predicate import satisfies_query_must
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES
from retrieval.serve.logs import Feedback, Verdict
from retrieval.types import Chunk


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a change. Questions are given by their texts."""

    admitted: tuple[str, ...]
    """Questions for which a chunk is admitted that was not before."""
    excluded: tuple[str, ...]
    """Questions for which a chunk is excluded that was admitted before."""
    moved: tuple[str, ...]
    """Questions whose first hit changes."""
    n_scored: int = 0
    """Number of questions with gold behind the scores."""
    mrr_before: float | None = None
    mrr_after: float | None = None
    reasons: tuple[str, ...] = ()
    """The gate's reasons against it."""
    passes: bool = True
    """Whether the gate would let an index with the change go live instead of one without; True if nothing is scored."""

    @property
    def is_none(self) -> bool:
        """Whether no question has another result and no score changes."""
        return not (self.admitted or self.excluded or self.moved) and self.mrr_before == self.mrr_after

    @property
    def scores(self) -> str:
        """The effect on the scores, in words."""
        if self.mrr_before is None or self.mrr_after is None:
            return "nothing was scored: there are no questions with gold"
        told = f"mrr {self.mrr_before:.4f} to {self.mrr_after:.4f} on {self.n_scored} questions"
        return (
            f"{told}; {'the gate lets it pass' if self.passes else 'the gate refuses it: ' + '; '.join(self.reasons)}"
        )


class VocabularyTrial:
    """Tries out changes against one live index.

    Args:
        queries: questions whose hits are compared.
        store: folder for the scores of the live index; None saves nothing.
    """

    def __init__(
        self, live: Retriever, queries: Sequence[str], files: Sequence[Path], store: Path | None = None
    ) -> None:
        self._live, self._queries, self._files = live, tuple(dict.fromkeys(queries)), tuple(files)
        self._before = [_seen(live, query) for query in self._queries]
        self._scores = _scored(live, files, store)

    def of(self, vocabulary: Vocabulary | None = None, chunks: Sequence[Chunk] | None = None) -> Effect:
        """Return the effect of another vocabulary, or of chunks with other predicates; the home does not change."""
        snapshot = self._live.snapshot
        with TemporaryDirectory() as folder:
            made = build_snapshot(
                Path(folder),
                tuple(chunks or snapshot.chunks),
                np.array(snapshot.vectors),
                snapshot.manifest.embedder,
                vocabulary or snapshot.vocabulary,
            )
            with open_snapshot(Path(folder), made.id) as changed:
                return self._compared(Retriever(changed, self._live.embedder))

    def _compared(self, changed: Retriever) -> Effect:
        admitted, excluded, moved = [], [], []
        for query, (before, first) in zip(self._queries, self._before, strict=True):
            after, now = _seen(changed, query)
            if (after & ~before).any():
                admitted.append(query)
            if (before & ~after).any():
                excluded.append(query)
            if now != first:
                moved.append(query)
        scores = _scored(changed, self._files, None)
        told = Effect(tuple(admitted), tuple(excluded), tuple(moved))
        if scores.experiment is None or self._scores.experiment is None:
            return told
        decision = decide(scores.experiment, self._scores.experiment)
        return replace(
            told,
            n_scored=scores.n_ranked(SHIPPED),
            mrr_before=self._scores.headline()[SHIPPED]["mrr"],
            mrr_after=scores.headline()[SHIPPED]["mrr"],
            reasons=tuple(str(reason) for reason in decision.reasons if reason.blocks),
            passes=decision.passed,
        )


def _seen(retriever: Retriever, query: str) -> tuple[np.ndarray, str]:
    """Return which chunks are admitted, `(n,)`, and the id of the first hit."""
    snapshot = retriever.snapshot
    question = Query.of(query, snapshot).among(snapshot.rivals)
    retrieval = retriever.retrieve(query, 1, decisions=False)
    return retriever.admitted(question).mask(snapshot), "".join(retrieval.chunk_ids)


def _scored(retriever: Retriever, files: Sequence[Path], store: Path | None) -> Evaluation:
    return evaluate(retriever.snapshot, retriever.embedder, files, (STRATEGIES[SHIPPED],), store, foreign=True)


TAG = "feedback"


def last_words(feedback: Iterable[Feedback]) -> Mapping[tuple[str, str], Verdict]:
    """Return the last verdict for each (question, chunk id)."""
    return {(judged.query, judged.chunk_id): judged.verdict for judged in feedback}


def questions_of(feedback: Iterable[Feedback], chunks: Mapping[str, Chunk]) -> tuple[Question, ...]:
    """Return an evaluation question for each query with a chunk judged relevant; of several, any one is enough.

    Args:
        feedback: in the order in which it was given.
        chunks: by id; feedback on other chunks belongs to an earlier index and is ignored.
    """
    answers: dict[str, list[Chunk]] = {}
    for (query, chunk_id), verdict in last_words(feedback).items():
        if verdict == "relevant" and chunk_id in chunks:
            answers.setdefault(query, []).append(chunks[chunk_id])
    return tuple(_question(query, answer) for query, answer in answers.items())


def _question(query: str, chunks: list[Chunk]) -> Question:
    group = 0 if len(chunks) > 1 else None
    gold = tuple(Anchor.of(chunk, group=group) for chunk in chunks)
    book = chunks[0].book if len({chunk.book for chunk in chunks}) == 1 else None
    return Question(f"{TAG}-{sha256(query.encode()).hexdigest()[:10]}", query, book, TAG, gold, tags=(TAG,))


_MOST_NAMES = 8


@dataclass(frozen=True, slots=True)
class PredicateSuggestion:
    """A predicate for `tables.toml` by which a question must name a row. Key: chunk id."""

    chunk: Chunk
    names: tuple[str, ...]
    """Names of which a question must contain one."""
    questions: tuple[str, ...]
    """Questions for which people judged the row irrelevant and for which the predicate would exclude it."""

    @property
    def guarded(self) -> Chunk:
        """The chunk with the predicate; a condition on rivals that it has is kept."""
        kept = {NO_RIVAL: value} if (value := _decoded(self.chunk).get(NO_RIVAL)) is not None else {}
        return replace(self.chunk, query_must=json.dumps({"contain_one_of": [list(self.names)], **kept}))

    @property
    def entry(self) -> str:
        """Lines for the book's `tables.toml`."""
        chunk, quoted = self.chunk, json.dumps
        told = {"heading": chunk.heading_path[-1] if chunk.heading_path else None, "document": chunk.document}
        find = ", ".join(f"{key} = {quoted(value, ensure_ascii=False)}" for key, value in told.items() if value)
        names = quoted([list(self.names)], ensure_ascii=False)
        return (
            f"[[table]]\nfind = {{ {find} }}\n[table.row_query_must]\n"
            f"{quoted(chunk.row_key, ensure_ascii=False)} = {{ contain_one_of = {names} }}"
        )


@dataclass(frozen=True, slots=True)
class Unhelped:
    """An irrelevant chunk that no suggested predicate excludes."""

    chunk: Chunk
    question: str
    why: str
    """The reason, as a clause."""


def suggest_predicates(
    feedback: Iterable[Feedback], snapshot: Snapshot, chunks: Mapping[str, Chunk]
) -> tuple[tuple[PredicateSuggestion, ...], tuple[Unhelped, ...]]:
    """Return predicates for rows judged irrelevant, and the chunks for which there is none, with the reason."""
    wrong: dict[str, list[str]] = {}
    for (query, chunk_id), verdict in last_words(feedback).items():
        if verdict == "irrelevant" and chunk_id in chunks:
            wrong.setdefault(chunk_id, []).append(query)
    suggested, unhelped = [], []
    for chunk_id, queries in wrong.items():
        chunk = chunks[chunk_id]
        names = tuple(dict.fromkeys(_names(chunk)))[:_MOST_NAMES]
        if chunk.kind != "row" or not names:
            why = "it is not a row of a table" if chunk.kind != "row" else "it has no name that no other row has"
            unhelped += [Unhelped(chunk, query, why) for query in queries]
            continue
        made = PredicateSuggestion(chunk, names, ())
        helped = [query for query in queries if not _passes(query, made, snapshot)]
        unhelped += [Unhelped(chunk, query, "the question names it") for query in queries if query not in helped]
        if helped:
            suggested.append(replace(made, questions=tuple(helped)))
    return tuple(suggested), tuple(unhelped)


def _names(chunk: Chunk) -> Iterator[str]:
    yield from (name.lower() for name in chunk.names)
    if chunk.called and not is_numeric(chunk.called):
        yield chunk.called.lower()


def _passes(query: str, made: PredicateSuggestion, snapshot: Snapshot) -> bool:
    predicate = json.dumps({"contain_one_of": [list(made.names)]})
    return satisfies_query_must(snapshot.canonical_of(query), predicate)


def _decoded(chunk: Chunk) -> Mapping[str, object]:
    value = json.loads(chunk.query_must) if chunk.query_must else {}
    return value if isinstance(value, dict) else {}
