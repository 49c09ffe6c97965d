"""One system over some books, in a process of its own: `python -m tools.benchmark.worker JOB OUTCOME`.

The job is a JSON file of `Job`, and the outcome one of `Outcome`. What is printed goes to the standard streams of the
process, which the parent keeps.
"""

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any, Literal

from evals.questions.questions import Question
from retrieval.index.embedding.embedders import load_embedder
from retrieval.types import Embedder
from tools.benchmark.reading import Gold, count_words, normalized, read
from tools.benchmark.system import Answering, Passage, System, load_system, told_error
from tools.corpora.books import QuestionedBook, book_set

HITS = 50
"""Hits that a system is asked for: enough for 500 words of the shortest."""
_SIZED = 10
"""Hits whose words are counted."""
GradedAs = Literal["right", "wrong", "unsure", "refused"]


@dataclass(frozen=True, slots=True)
class Job:
    """What one process does."""

    system: str
    embedder: str
    books: str
    """Folder of books with their questions."""


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """What became of one question. Key: (book, id)."""

    book: str
    id: str
    kind: str
    """`row`, `prose`, `several`, or `no-answer` where the book does not answer."""
    rank: int | None
    words: int | None
    siblings: int
    n_siblings: int
    """Other rows of the table; 0 where the question does not want one row."""
    milliseconds: float
    """Processor time of the search: unlike wall time, it is the same on a busy machine."""
    hit_words: float
    """Mean words of the first hits."""
    answer: GradedAs | None
    """None if the system does not answer in words."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one process found out. Key: (system, embedder, books)."""

    system: str
    embedder: str
    books: str
    index_seconds: float
    """Processor time."""
    index_bytes: int
    peak_bytes: int
    """Most memory of the process."""
    questions: tuple[QuestionOutcome, ...]

    @classmethod
    def of(cls, values: dict[str, Any]) -> "Outcome":
        """What `asdict` made of one."""
        return cls(**{**values, "questions": tuple(QuestionOutcome(**values) for values in values["questions"])})


def run_job(job: Job) -> Outcome:
    """Index every book and ask its questions."""
    books = book_set(Path(job.books))
    embedder = load_embedder(job.embedder)
    embedder.embed_query("warm")  # weights are read before the clock starts
    seconds, size = 0.0, 0
    questions: list[QuestionOutcome] = []
    for book in books.books:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            system = load_system(job.system)
            seconds += _indexing_seconds(system, book, Path(folder), embedder)
            questions += _ask(system, book)
            size += sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    name = load_system(job.system).name
    return Outcome(name, job.embedder, books.name, seconds, size, _peak_bytes(), tuple(questions))


def _peak_bytes() -> int:
    """Most memory of this process; 0 where the system does not tell. `ru_maxrss` would include that of the parent."""
    status = Path("/proc/self/status")
    lines = status.read_text("utf-8").splitlines() if status.is_file() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)


def _indexing_seconds(system: System, book: QuestionedBook, folder: Path, embedder: Embedder) -> float:
    begin = process_time()
    system.index(book.folder, folder, embedder)
    return process_time() - begin


def _ask(system: System, book: QuestionedBook) -> Iterator[QuestionOutcome]:
    system.search("warm", HITS)  # what a library does only once is not the time of a question
    for question in book.questions:
        begin = process_time()
        passages = _checked(system.search(question.query, HITS), book)
        milliseconds = (process_time() - begin) * 1000
        answer = _grade(system, question) if isinstance(system, Answering) else None
        yield _outcome(book, question, passages, milliseconds, answer)


def _checked(passages: Sequence[Passage], book: QuestionedBook) -> Sequence[Passage]:
    """What a system returned, not more than it was asked for.

    Raises:
        TypeError: something else than passages.
        ValueError: a passage names a file that the book does not have.
    """
    kept = list(passages[:HITS])
    for passage in kept:
        if not isinstance(passage, Passage):
            raise TypeError(f"search returned {type(passage).__name__}, not tools.benchmark.system.Passage")
        if passage.file is not None and not (book.folder / passage.file).is_file():
            raise ValueError(f"a passage is of {passage.file!r}, which is no file in {book.folder.name}")
    return kept


def _outcome(
    book: QuestionedBook, question: Question, passages: Sequence[Passage], milliseconds: float, answer: GradedAs | None
) -> QuestionOutcome:
    sizes = [sum(count_words(normalized(line)) for line in hit.text.split("\n")) for hit in passages[:_SIZED]]
    mean = sum(sizes) / len(sizes) if sizes else 0.0
    if not question.gold:
        return QuestionOutcome(book.name, question.id, "no-answer", None, None, 0, 0, milliseconds, mean, answer)
    gold = Gold.of(question, book.folder)
    reading = read(passages, gold)
    return QuestionOutcome(
        book.name,
        question.id,
        gold.kind,
        reading.rank,
        reading.words,
        reading.siblings,
        len(gold.siblings),
        milliseconds,
        mean,
        answer,
    )


def _grade(system: Answering, question: Question) -> GradedAs:
    """The grade of an answer against that of a person; any answer is wrong where the book has none."""
    from evals.answer_scores import matches_value  # not loaded, and not counted, for systems that do not answer

    statement = system.answer(question.query)
    if statement is None:
        return "refused"
    if not statement.is_certain:
        return "unsure"
    is_right = bool(question.gold) and matches_value([statement.text], question.answer or "", question.query)
    return "right" if is_right else "wrong"


def main() -> None:
    """Run the job of the first argument, and write the outcome to the second."""
    job = Job(**json.loads(Path(sys.argv[1]).read_text("utf-8")))
    try:
        outcome = run_job(job)
    except Exception as error:
        sys.exit(told_error(error, Path(job.system.rpartition(":")[0])))
    Path(sys.argv[2]).write_text(json.dumps(asdict(outcome)), "utf-8")


if __name__ == "__main__":
    main()
