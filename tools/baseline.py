"""Rankings and answers written down before a change of the code, and compared byte by byte after it.

::

    <folder>/<book>.chunks.txt               id and hash of every chunk, in the order of the index
    <folder>/<book>.<split>.qrels            gold
    <folder>/<book>.<split>.<strategy>.run   rankings in TREC form, with scores
    <folder>/<book>.<split>.answers.jsonl    for each question its passages, their relevance, and the cells read
"""

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from evals.questions.questions import Question
from evals.sample import SAMPLE_LIBRARY, SHELF, SKIRMISH
from evals.trec_files import Scored, write_qrels, write_run
from retrieval.files.atomic_files import write_atomically
from retrieval.rag.extractive_reader import read
from retrieval.rag.passages import READABLE, Gatherer
from retrieval.rag.rag_context import ContextSource
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES, VARIANTS
from retrieval.settings import AnswerSettings
from retrieval.types import RELEVANCE, Embedder
from tools.corpora.books import BookCorpus, GeneratedCorpus, is_set_of_books, read_books, read_generated
from tools.corpora.indexes import Tell, open_index

DEPTH = 50
"""Hits of a ranking that are written down."""
_GENERATED = 60
"""Questions of a generated set that are asked, evenly spaced."""
Library = BookCorpus | GeneratedCorpus


def local_strategies() -> tuple[str, ...]:
    """Names of the strategies that ask no model on a server."""
    return (*STRATEGIES, *(name for name, variant in VARIANTS.items() if variant.order is None))


def write_baseline(
    folder: Path,
    home: Path,
    embedder: Embedder,
    strategies: Sequence[str],
    data: Path | None = None,
    tell: Tell = lambda *_: None,
) -> None:
    """Ask every book and write what comes back.

    Args:
        folder: where the files go.
        home: folder in which the indexes are kept.
        embedder: makes the vectors.
        strategies: names of those that are asked of the sample, the shelf and the skirmish rules.
        data: a folder of sets of books, whose questions are asked of what ships alone.
        tell: called as the work goes on.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for corpus in _own_libraries():
        _write_library(folder, home, corpus, embedder, strategies, tell)
    for corpus in _libraries_under(data) if data else ():
        _write_library(folder, home, corpus, embedder, ("default",), tell)


def differences(before: Path, after: Path) -> Iterator[str]:
    """A sentence for each file of the first folder that is missing in the second or differs from its namesake."""
    for path in sorted(before.iterdir()):
        other = after / path.name
        if not other.is_file():
            yield f"{path.name} is missing"
        elif path.read_bytes() != other.read_bytes():
            ours, theirs = path.read_text("utf-8").splitlines(), other.read_text("utf-8").splitlines()
            lines = [
                number for number, pair in enumerate(zip(ours, theirs, strict=False), start=1) if pair[0] != pair[1]
            ]
            first = f", first at line {lines[0]}" if lines else ""
            yield f"{path.name} differs in {len(lines)} of {len(ours)} lines{first}; {len(theirs)} lines now"


def _own_libraries() -> Iterator[Library]:
    yield from read_books(SHELF, "open")
    yield from read_generated([SAMPLE_LIBRARY], "seed0")
    yield from (book for book in read_generated([SKIRMISH.parent], "seed0") if book.name == SKIRMISH.name)


def _libraries_under(data: Path) -> Iterator[Library]:
    for path in sorted(data.iterdir()):
        if path.is_dir() and is_set_of_books(path):
            yield from read_books(path, "open")


def _write_library(
    folder: Path, home: Path, corpus: Library, embedder: Embedder, strategies: Sequence[str], tell: Tell
) -> None:
    tell(corpus.name, 0, 1)
    with open_index(home, "baseline", corpus, embedder, tell) as snapshot:
        chunks = tuple(snapshot.chunks)
        lines = (f"{chunk.id} {sha256(repr(chunk).encode()).hexdigest()}\n" for chunk in chunks)
        write_atomically(folder / f"{corpus.name}.chunks.txt", "".join(lines))
        retriever = Retriever(snapshot, embedder)
        (query,) = corpus.question_sets(retriever, chunks)
        questions = query.scored
        if isinstance(corpus, GeneratedCorpus):
            questions = questions[:: max(1, len(questions) // _GENERATED)]
        stem = f"{corpus.name}.{query.split}"
        write_qrels(folder / f"{stem}.qrels", {question.id: query.gold(question) for question in questions})
        for number, name in enumerate(strategies):
            tell(f"{corpus.name}, {name}", number, len(strategies))
            run = {question.id: _ranking(retriever, question, name) for question in questions}
            write_run(folder / f"{stem}.{name}.run", run, name)
        answers = _answers(retriever, questions)
        write_atomically(folder / f"{stem}.answers.jsonl", "".join(answers))


def _ranking(retriever: Retriever, question: Question, strategy: str) -> list[Scored]:
    hits = retriever.retrieve(question.query, DEPTH, strategy, decisions=False).hits
    return [Scored(hit.chunk.id, hit.score) for hit in hits]


def _answers(retriever: Retriever, questions: Sequence[Question]) -> Iterator[str]:
    settings = AnswerSettings()
    gatherer = Gatherer(ContextSource.of(retriever))
    for question in questions:
        context = gatherer.gather(question.query, settings.max_chunks, READABLE)
        record = {
            "question": question.id,
            "passages": [[passage.hit.chunk.id, passage.hit.evidence.get(RELEVANCE)] for passage in context.passages],
            "parts": context.parts,
            "reason": context.reason,
            "cells": [
                [cell.chunk_id, cell.column, cell.text, cell.probability] for cell in read(context, settings).cells
            ],
        }
        yield json.dumps(record, ensure_ascii=False) + "\n"
