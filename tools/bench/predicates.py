"""Which of N predicates does a question satisfy: compiled once, against a plain loop over all of them.

Every predicate has three groups: a subject, an armor class, and a level, which in every fifth predicate is a range.
A subject has 20 armor classes and 4 levels, so near-twins abound. Questions have 8 to 20 words; half name one row.
"""

import json
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TypeVar

import numpy as np

from retrieval.clock import Clock
from retrieval.language.canonical import Canonical, canonical
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.compiled.predicates import CompiledPredicates
from retrieval.query_must.predicate import parse_query_must, satisfies_query_must
from tools.bench.resource_use import folder_megabytes, resident_megabytes

LOOPED_PREDICATES, LOOPED_QUESTIONS = 20_000, 20
"""The plain loop is timed over no more than these; its time for N is in proportion."""

Given = TypeVar("Given")
Found = TypeVar("Found")
_ARMOR_CLASSES = range(-9, 11)
_LEVELS = ((1, 3), (4, 6), (7, 9), (10, 12))


@dataclass(frozen=True, slots=True)
class PredicatesReport:
    """One run. Times are medians for one question. Key: (n, seed)."""

    n: int
    seed: int
    questions: int
    canonical_ms: float
    """Bringing the question into canonical form, which both ways need."""
    compiled_ms: float
    compiled_p95_ms: float
    loop_ms: float
    """Over all n predicates, parsed beforehand; measured on `looped` of them and scaled."""
    looped: int
    looped_questions: int
    ratio: float
    """loop_ms / compiled_ms."""
    ratio_with_canonical: float
    admitted_mean: float
    """Predicates that a question satisfies, mean."""
    disagreements: int
    """Pairs of question and looped or admitted predicate on which the two ways differ; must be 0."""
    build_seconds: float
    build_megabytes: float
    """Resident memory that the build added."""
    load_seconds: float
    load_megabytes: float
    """Resident memory that loading and asking every question added; arrays are mapped."""
    disk_megabytes: float

    def lines(self) -> tuple[str, ...]:
        """For a person to read."""
        sampled = f"measured on {self.looped} and scaled" if self.looped < self.n else "all of them"
        return (
            f"{self.n} predicates of three groups, {self.questions} questions; {self.admitted_mean:.1f} admitted each",
            f"canonical form   {self.canonical_ms:9.3f} ms",
            f"compiled match   {self.compiled_ms:9.3f} ms (p95 {self.compiled_p95_ms:.3f})",
            f"plain loop       {self.loop_ms:9.3f} ms ({sampled}, {self.looped_questions} questions)",
            f"ratio            {self.ratio:9.0f} ({self.ratio_with_canonical:.0f} with the canonical form in both)",
            f"disagreements    {self.disagreements:9d}",
            f"build            {self.build_seconds:9.2f} s, {self.build_megabytes:.0f} MB",
            f"load             {self.load_seconds:9.3f} s, {self.load_megabytes:.0f} MB",
            f"on disk          {self.disk_megabytes:9.0f} MB",
        )


def run_predicates(n: int, seed: int = 0, questions: int = 200) -> PredicatesReport:
    """Time one size."""
    vocabulary = Vocabulary.default()
    texts, asked_texts = synthetic_predicates(n, seed), synthetic_questions(n, questions, seed)
    before, clock = resident_megabytes(), Clock()
    built = CompiledPredicates.build(texts, vocabulary=vocabulary)
    build_seconds, build_megabytes = clock.seconds, resident_megabytes() - before
    with tempfile.TemporaryDirectory() as folder:
        built.save(Path(folder))
        del built
        disk = folder_megabytes(Path(folder))
        before, clock = resident_megabytes(), Clock()
        compiled = CompiledPredicates.load(Path(folder))
        load_seconds = clock.seconds
        query, canonical_times = _timed(lambda text: canonical(text, vocabulary), asked_texts)
        compiled.admitted(query[0])
        admitted, compiled_times = _timed(compiled.admitted, query)
        load_megabytes = resident_megabytes() - before
        loop_ms, looped, disagreements = _loop(texts, query[:LOOPED_QUESTIONS], admitted, seed)
    canonical_ms, compiled_ms = float(np.median(canonical_times)), float(np.median(compiled_times))
    return PredicatesReport(
        n=n,
        seed=seed,
        questions=questions,
        canonical_ms=canonical_ms,
        compiled_ms=compiled_ms,
        compiled_p95_ms=float(np.percentile(compiled_times, 95)),
        loop_ms=loop_ms,
        looped=looped,
        looped_questions=min(questions, LOOPED_QUESTIONS),
        ratio=loop_ms / compiled_ms,
        ratio_with_canonical=(loop_ms + canonical_ms) / (compiled_ms + canonical_ms),
        admitted_mean=sum(map(len, admitted)) / len(admitted),
        disagreements=disagreements,
        build_seconds=build_seconds,
        build_megabytes=build_megabytes,
        load_seconds=load_seconds,
        load_megabytes=load_megabytes,
        disk_megabytes=disk,
    )


def synthetic_predicates(n: int, seed: int) -> list[str]:
    """Distinct predicates as JSON, subject by subject."""
    subjects = _subjects(n, seed)
    return [_predicate(*_row(number, subjects), as_range=number % 5 == 0) for number in range(n)]


def synthetic_questions(n: int, count: int, seed: int) -> list[str]:
    """Questions of 8 to 20 words; every second names the subject, the armor class and the level of one row."""
    rng, subjects = random.Random(seed + 1), _subjects(n, seed)
    query = []
    for number in range(count):
        named: list[str] = []
        if number % 2 == 0:
            subject, armor_class, (low, high) = _row(rng.randrange(n), subjects)
            named = [subject, "level", str(rng.randint(low, high)), "AC", str(armor_class)]
        words = [rng.choice(_FILLERS) for _ in range(rng.randint(8, 20) - len(named))]
        at = rng.randint(0, len(words))
        query.append(" ".join([*words[:at], *named, *words[at:]]) + "?")
    return query


_FILLERS = tuple(
    word
    for line in (
        "what does one need to hit roll for against opponent with a sword in the dark when attacking from behind",
        "how much damage will it take before morning who can cast spells while riding and is there any bonus",
    )
    for word in line.split()
)


def _subjects(n: int, seed: int) -> list[str]:
    syllables = [a + b for a, b in product("bdfgklmnprtvz", "aiou")]
    words = [a + b + c + "k" for a, b, c in product(syllables, syllables, syllables)]
    random.Random(seed).shuffle(words)
    return words[: max(1, -(-n // (len(_ARMOR_CLASSES) * len(_LEVELS))))]


def _row(place: int, subjects: Sequence[str]) -> tuple[str, int, tuple[int, int]]:
    rest, level = divmod(place, len(_LEVELS))
    subject, armor_class = divmod(rest, len(_ARMOR_CLASSES))
    return subjects[subject], _ARMOR_CLASSES[armor_class], _LEVELS[level]


def _predicate(subject: str, armor_class: int, level: tuple[int, int], *, as_range: bool) -> str:
    low, high = level
    groups = [[subject, f"{subject}s"], [f"ac {armor_class}", f"armor class {armor_class}"]]
    if as_range:
        return json.dumps({"contain_one_of": groups, "contain_range": {"min": low, "max": high, "of": ["level"]}})
    return json.dumps({"contain_one_of": [*groups, [f"level {number}" for number in range(low, high + 1)]]})


def _timed(work: Callable[[Given], Found], given: Sequence[Given]) -> tuple[list[Found], list[float]]:
    result, times = [], []
    for argument in given:
        clock = Clock()
        result.append(work(argument))
        times.append(clock.milliseconds)
    return result, times


def _loop(
    texts: Sequence[str], asked: Sequence[Canonical], admitted: Sequence[np.ndarray], seed: int
) -> tuple[float, int, int]:
    """(median milliseconds for all predicates, how many were looped over, disagreements)."""
    sample = sorted(random.Random(seed + 2).sample(range(len(texts)), min(len(texts), LOOPED_PREDICATES)))
    predicates = [parse_query_must(texts[position], strict=True) for position in sample]
    disagreements, times = 0, []
    for question, positions in zip(asked, admitted, strict=False):
        clock = Clock()
        holds = [satisfies_query_must(question, predicate) for predicate in predicates]
        times.append(clock.milliseconds)
        expected = set(positions.tolist())
        disagreements += sum((position in expected) != held for position, held in zip(sample, holds, strict=True))
        disagreements += sum(
            not satisfies_query_must(question, texts[position]) for position in expected.difference(sample)
        )
    return float(np.median(times)) * len(texts) / len(sample), len(sample), disagreements
