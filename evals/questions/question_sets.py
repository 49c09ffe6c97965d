"""A named set of questions whose gold is resolved in the index at hand."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from evals.errors import UnresolvedGoldError
from evals.metrics import Judgement, judge
from evals.questions.gold import ChunkPlaces, Groups, Resolution, answers_of, resolve
from evals.questions.questions import Question, load_questions
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Retrieval

Ask = Callable[[Question, int, Strategy], Retrieval]
"""(question, k, strategy) -> retrieval; how the questions of a set are put."""

FILE_NAME = re.compile(r"[\w+@-][\w.+@-]*")
"""What names of sets, splits, strategies and snapshots may be: they become file names."""


def questions_version(files: Sequence[Path]) -> str:
    """Hash of the names and contents of question files; it says whether the same was asked. A file that is gone counts
    as an empty one: whoever reads it says so."""
    digest = sha256()
    for path in files:
        content = path.read_bytes() if path.is_file() else b""
        digest.update(f"{path.name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Unscored:
    """A question that could not be scored; never counted as 0 and never forgotten."""

    set: str
    split: str
    question_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions that are reported together. Key: (name, split)."""

    name: str
    split: str
    questions: tuple[Question, ...]
    resolution: Resolution
    ask: Ask | None = None
    """How to put these questions if not to the experiment's searcher as they are: within one table, say."""
    unexplained: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Chunks by question id whose judgement nobody can read: `ask` leaves them out of every ranking."""
    file: Path = Path()
    """Where the questions were read, for messages."""

    @classmethod
    def of(
        cls, name: str, split: str, questions: Sequence[Question], chunks: Sequence[Chunk] | ChunkPlaces
    ) -> "QuestionSet":
        """Resolve the gold of `questions` in `chunks`; `resolve` says what it raises."""
        return cls(name, split, tuple(questions), resolve(questions, chunks))

    @property
    def scored(self) -> tuple[Question, ...]:
        """Questions that can be scored: all without gold, and those whose every answer resolved."""
        return tuple(
            question for question in self.questions if not question.gold or question.id in self.resolution.gold
        )

    @property
    def unscored(self) -> tuple[Unscored, ...]:
        """The other questions, each with what became stale."""
        reasons: dict[str, list[str]] = {}
        for finding in self.resolution.stale:
            # where another anchor of the group resolves, the question is scored
            if finding.question_id not in self.resolution.gold:
                reasons.setdefault(finding.question_id, []).append(finding.reason)
        return tuple(Unscored(self.name, self.split, name, "; ".join(texts)) for name, texts in reasons.items())

    def gold(self, question: Question) -> tuple[str, ...]:
        """Gold chunk ids of a question; empty if the library holds no answer."""
        return self.resolution.gold.get(question.id, ())

    def groups(self, question: Question) -> Groups:
        """Gold chunks of a question that are one answer together."""
        return self.resolution.groups.get(question.id, ())

    def judge(self, question: Question, ranking: Sequence[str]) -> Judgement:
        """Find the gold of a question in a ranking of chunk ids.

        A group ranks where its first chunk ranks, and counts once. Its other chunks keep their places in the
        ranking, and are neither gold again nor noise.

        Raises:
            ValueError: the question has no gold.
        """
        answers = answers_of(self.groups(question))
        gold = {answers.get(name, name) for name in self.gold(question)}
        return judge([answers.get(name, name) for name in ranking], gold)

    def problems(self, known: Mapping[str, Chunk]) -> list[str]:
        """Everything that keeps this set from being asked; `known` are the chunks of the index by id."""
        label = f"set {self.name!r}, split {self.split!r}"
        problems = [
            f"{label}: {name!r} cannot be a file name; use letters, digits and -_.+@"
            for name in (self.name, self.split)
            if not FILE_NAME.fullmatch(name)
        ]
        if not self.questions:
            problems.append(f"{label}: no questions")
        elif not self.scored:
            problems.append(f"{label}: no question can be scored; {len(self.resolution.stale)} anchors are stale")
        twice = [name for name, count in Counter(question.id for question in self.questions).items() if count > 1]
        problems += [f"{label}: question id {name!r} is there twice" for name in twice]
        if len({question.generated for question in self.questions}) > 1:
            problems.append(f"{label}: mixes generated questions with those of people; make two sets")
        strange = sorted({name for gold in self.resolution.gold.values() for name in gold if name not in known})
        if strange:
            problems.append(f"{label}: {len(strange)} gold chunks are not in this index, the first is {strange[0]!r}")
        return problems


def question_sets(files: Sequence[Path], chunks: Sequence[Chunk], *, foreign: bool = False) -> tuple[QuestionSet, ...]:
    """A set for each file; questions that a program wrote get a split of their own.

    Raises:
        UnresolvedGoldError: all gold of a set belongs to another library, and `foreign` does not leave it out.
    """
    places = ChunkPlaces(chunks)
    sets = []
    for path in files:
        questions = load_questions(path)
        for split, generated in (("people", False), ("generated", True)):
            members = [question for question in questions if question.generated == generated]
            if not members:
                continue
            try:
                sets.append(replace(QuestionSet.of(_name(path), split, members, places), file=path))
            except UnresolvedGoldError as error:
                if not foreign:
                    raise UnresolvedGoldError(f"{path}: {error.headline}", error.problems) from error
    return tuple(sets)


def _name(path: Path) -> str:
    name = path.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")
    return re.sub(r"[^\w.+@-]", "-", name).lstrip(".") or "questions"
