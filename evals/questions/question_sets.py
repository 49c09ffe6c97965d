"""Named sets of questions whose gold is resolved in an index."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from evals.errors import UnresolvedGoldError
from evals.metrics import Judgement, judge
from evals.questions.gold import ChunkPlaces, Groups, Resolution, answers_of, resolve
from evals.questions.questions import Question, QuestionKey, load_questions
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Retrieval

Ask = Callable[[Question, int, Strategy], Retrieval]
"""(question, k, strategy) -> retrieval: how the questions of a set are asked."""

FILE_NAME = re.compile(r"[\w+@-][\w.+@-]*")
"""Valid names of sets, splits, strategies and snapshots, which become file names."""


def questions_version(files: Sequence[Path]) -> str:
    """Return a hash of the names and contents of question files, which shows whether the questions are the same.

    A missing file counts as empty, because reading it raises an error elsewhere.
    """
    digest = sha256()
    for path in files:
        content = path.read_bytes() if path.is_file() else b""
        digest.update(f"{path.name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Unscored:
    """A question that could not be scored, which is reported rather than counted as 0."""

    set: str
    split: str
    question_id: str
    query: str
    reason: str

    @property
    def key(self) -> QuestionKey:
        """The key of the question, as in `ScoredQuestion`."""
        return (self.set, self.split, self.question_id, self.query)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions that are reported together. Key: (name, split)."""

    name: str
    split: str
    questions: tuple[Question, ...]
    resolution: Resolution
    ask: Ask | None = None
    """How to ask these questions, if not directly with the experiment's searcher: within one table, for example."""
    unexplained: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Chunks by question id with an unreadable judgement, which `ask` omits from every ranking."""
    file: Path = Path()
    """File of the questions, for messages."""

    @classmethod
    def of(
        cls, name: str, split: str, questions: Sequence[Question], chunks: Sequence[Chunk] | ChunkPlaces
    ) -> "QuestionSet":
        """Return a set with the gold of `questions` resolved in `chunks`; raises the errors of `resolve`."""
        places = chunks if isinstance(chunks, ChunkPlaces) else ChunkPlaces(chunks)
        own = tuple(replace(question, book=places.slug_of(question.book)) for question in questions)
        return cls(name, split, own, resolve(own, places))

    @property
    def scored(self) -> tuple[Question, ...]:
        """Questions that can be scored: those without gold, and those whose answers all resolved."""
        return tuple(
            question for question in self.questions if not question.gold or question.id in self.resolution.gold
        )

    @property
    def unscored(self) -> tuple[Unscored, ...]:
        """The other questions, each with its stale anchors."""
        reasons: dict[str, list[str]] = {}
        for finding in self.resolution.stale:
            # if another anchor of the group resolves, the question is scored
            if finding.question_id not in self.resolution.gold:
                reasons.setdefault(finding.question_id, []).append(finding.reason)
        query_of = {question.id: question.query for question in self.questions}
        return tuple(
            Unscored(self.name, self.split, name, query_of[name], "; ".join(texts)) for name, texts in reasons.items()
        )

    def gold(self, question: Question) -> tuple[str, ...]:
        """Return the gold chunk ids of a question; empty if the library has no answer."""
        return self.resolution.gold.get(question.id, ())

    def groups(self, question: Question) -> Groups:
        """Return the groups of a question's gold chunks that are one answer together."""
        return self.resolution.groups.get(question.id, ())

    def judge(self, question: Question, ranking: Sequence[str]) -> Judgement:
        """Return the ranks of a question's gold in a ranking of chunk ids.

        A group has the rank of its first chunk, and counts once. Its other chunks keep their places in the ranking, but
        count neither as gold nor as noise.

        Raises:
            ValueError: the question has no gold.
        """
        answers = answers_of(self.groups(question))
        gold = {answers.get(name, name) for name in self.gold(question)}
        return judge([answers.get(name, name) for name in ranking], gold)

    def problems(self, known: Mapping[str, Chunk]) -> list[str]:
        """Return all problems that prevent asking this set; `known` are the chunks of the index by id."""
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
        problems += [f"{label}: question id {name!r} occurs twice" for name in twice]
        if len({question.generated for question in self.questions}) > 1:
            problems.append(f"{label}: mixes generated questions with those of people; make two sets")
        strange = sorted({name for gold in self.resolution.gold.values() for name in gold if name not in known})
        if strange:
            problems.append(f"{label}: {len(strange)} gold chunks are not in this index, the first is {strange[0]!r}")
        return problems


def question_sets(files: Sequence[Path], chunks: Sequence[Chunk], *, foreign: bool = False) -> tuple[QuestionSet, ...]:
    """Return a set for each file, with a separate split for generated questions.

    Raises:
        UnresolvedGoldError: all gold of a set belongs to another library, and `foreign` is not set.
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
                sets.append(replace(QuestionSet.of(set_name(path), split, members, places), file=path))
            except UnresolvedGoldError as error:
                if not foreign:
                    raise UnresolvedGoldError(f"{path}: {error.headline}", error.problems) from error
    return tuple(sets)


Set = TypeVar("Set")


def of_people(sets: Sequence[Set], is_generated: Callable[[Set], bool]) -> Sequence[Set]:
    """Return the sets behind headline numbers: those that people wrote, or all if a program wrote all of them."""
    return [question_set for question_set in sets if not is_generated(question_set)] or sets


def set_name(path: Path) -> str:
    """Return the name of the set in a file of questions."""
    name = path.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")
    return re.sub(r"[^\w.+@-]", "-", name).lstrip(".") or "questions"
