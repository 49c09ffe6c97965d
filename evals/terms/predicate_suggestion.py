"""Predicates for rows that people call irrelevant to a question: proposed, judged, and written nowhere."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from evals.terms.feedback_questions import last_words
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.ingest.tables.values import is_numeric
from retrieval.query_must.conditional import NAME as NO_RIVAL
from retrieval.query_must.predicate import satisfies_query_must
from retrieval.serve.feedback import Feedback
from retrieval.types import Chunk

_MOST_NAMES = 8


@dataclass(frozen=True, slots=True)
class PredicateSuggestion:
    """A row that a question must name, for `tables.toml`. Key: chunk id."""

    chunk: Chunk
    names: tuple[str, ...]
    """One of these a question must say."""
    questions: tuple[str, ...]
    """To which people say it is irrelevant, and which would keep it out."""

    @property
    def guarded(self) -> Chunk:
        """The chunk with the predicate, beside what it asks of rivals."""
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
    """An irrelevant chunk that no predicate keeps out."""

    chunk: Chunk
    question: str
    why: str
    """As a clause."""


def suggest_predicates(
    feedback: Iterable[Feedback], snapshot: Snapshot, chunks: Mapping[str, Chunk]
) -> tuple[tuple[PredicateSuggestion, ...], tuple[Unhelped, ...]]:
    """Predicates for rows that people call irrelevant, and the chunks for which there is none, with the reason."""
    wrong: dict[str, list[str]] = {}
    for (query, chunk_id), verdict in last_words(feedback).items():
        if verdict == "irrelevant" and chunk_id in chunks:
            wrong.setdefault(chunk_id, []).append(query)
    suggested, unhelped = [], []
    for chunk_id, queries in wrong.items():
        chunk = chunks[chunk_id]
        names = tuple(dict.fromkeys(_names(chunk)))[:_MOST_NAMES]
        if chunk.kind != "row" or not names:
            why = "it is no row of a table" if chunk.kind != "row" else "nothing that it is called names it alone"
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
    asked = json.dumps({"contain_one_of": [list(made.names)]})
    return satisfies_query_must(snapshot.asked(query), asked)


def _decoded(chunk: Chunk) -> Mapping[str, object]:
    value = json.loads(chunk.query_must) if chunk.query_must else {}
    return value if isinstance(value, dict) else {}
