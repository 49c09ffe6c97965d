"""Suggested vocabulary entries for words of questions that the library does not use."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import SequenceMatcher, get_close_matches
from pathlib import Path
from typing import Literal

from retrieval.errors import LibraryError
from retrieval.files.atomic_files import write_atomically
from retrieval.files.records import append_record, read_kept
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.word_vectors import word_vector
from retrieval.language.tokens import tokenize
from retrieval.language.vocabulary import Vocabulary, load_vocabulary
from retrieval.query_must.operators import canonical_label
from retrieval.query_must.predicate import read_query_must
from retrieval.types import Chunk

_LONGEST = 5
"""Most words of a phrase; longer ones are sentences."""


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text that consist of letters alone, in lower case."""
    return tuple(token.text for token in tokenize(text) if token.kind == "word" and token.text.isalpha())


def known_phrases(chunks: Iterable[Chunk], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the phrases of chunks and of the labels of their vocabulary, each once, in order of first occurrence."""
    forms = (form for label in vocabulary.labels for form in (label.written, *label.forms))
    texts = [*(text for chunk in chunks for text in called(chunk)), *forms]
    phrases = (words_of(text) for text in dict.fromkeys(texts))
    return tuple(dict.fromkeys(" ".join(words) for words in phrases if 0 < len(words) <= _LONGEST))


def called(chunk: Chunk) -> Iterator[str]:
    """Yield the names of a chunk, the most specific first."""
    yield from chunk.names
    yield from filter(None, (chunk.row_key, chunk.caption, *chunk.heading_path[-1:]))
    yield from chunk.columns


def unknown_words(question: str, snapshot: Snapshot) -> tuple[str, ...]:
    """Return the words of a question that occur neither in an index nor in its vocabulary."""
    lexical, vocabulary = snapshot.lexical, snapshot.vocabulary
    known = {*vocabulary.aliases, *vocabulary.idle_words, *vocabulary.connectives, *vocabulary.units}
    return tuple(
        word
        for word in dict.fromkeys(words_of(question))
        if word not in known
        and vocabulary.label(word) is None
        and not any(position is not None for position in lexical.terms.positions(lexical.tokenize(word)))
        and lexical.tokenize(word)
    )


Way = Literal["written apart", "initials", "spelling", "meaning", "answer", "group"]
_WAYS: tuple[Way, ...] = ("written apart", "initials", "group", "answer", "spelling", "meaning")
"""The most reliable first."""
_ALIKE, _NEAR = 0.84, 0.62
"""Least share of letters in common; least cosine of two words."""
_OFTEN = 2
"""Fewest questions with a word for a suggestion by meaning alone, because vectors of single words are unreliable."""
_SPELLED = 5
"""Fewest letters of a word that may be misspelt: half a dozen other words are one letter away from a shorter one."""

_SHORTEST = 3
"""Fewest letters of a group's word that may be meant."""


@dataclass(frozen=True, slots=True)
class SaidQuestion:
    """A question that people asked, and the chunks judged to answer it."""

    query: str
    answers: tuple[Chunk, ...] = ()


@dataclass(frozen=True, slots=True)
class TermSuggestion:
    """An alias for the vocabulary: questions use `word` for `means`. Key: (word, means)."""

    word: str
    means: str
    """Words of the index, or the name of a label."""
    way: Way
    strength: float
    """0 to 1; comparable among suggestions of one way."""
    questions: tuple[str, ...]
    """Questions with the word, each once."""
    others: tuple[str, ...] = ()
    """Other words of the same group, which may be meant instead: a person has to choose."""

    @property
    def because(self) -> str:
        """The reason for the suggestion, as a clause."""
        return {
            "written apart": "the same letters, written apart",
            "initials": "its initials",
            "spelling": f"{self.strength:.0%} of the letters",
            "meaning": f"near in meaning ({self.strength:.2f})",
            "group": f"{self.strength:.0%} of the questions miss the row that answers by this word alone"
            + (f"; or {', '.join(self.others)}" if self.others else ""),
            "answer": f"the row that answers {self.strength:.0%} of the questions has this name",
        }[self.way]


def suggest(
    snapshot: Snapshot, asked_questions: Iterable[SaidQuestion], decided: frozenset[tuple[str, str]]
) -> list[TermSuggestion]:
    """Return aliases for words of questions that an index does not know, best first; at most one for each word.

    Args:
        decided: each (word, means) that a person accepted or rejected before.
    """
    saying: dict[str, list[SaidQuestion]] = {}
    for question in asked_questions:
        for word in unknown_words(question.query, snapshot):
            saying.setdefault(word, []).append(question)
    if not saying:
        return []
    phrases = known_phrases(snapshot.chunks, snapshot.vocabulary)
    by_letters = _by_letters(phrases)
    names = tuple(dict.fromkeys(name for phrase in phrases for name in phrase.split()))
    suggestions = []
    for word, questions in saying.items():
        guesses = [
            (canonical_label(means, snapshot.vocabulary), way, strength)
            for means, way, strength in _guesses(word, snapshot, names, by_letters, questions)
        ]
        left = [guess for guess in guesses if (word, guess[0]) not in decided]
        if not left:
            continue
        means, way, strength = max(left, key=lambda guess: (-_WAYS.index(guess[1]), guess[2], guess[0]))
        group = [other for other, way_of, _ in left if way_of == way == "group"]
        means, *others = group or [means]  # the words of a group keep its order
        queries = tuple(dict.fromkeys(question.query for question in questions))
        suggestions.append(TermSuggestion(word, means, way, strength, queries, tuple(others)))
    return sorted(
        suggestions, key=lambda term: (-len(term.questions), _WAYS.index(term.way), -term.strength, term.word)
    )


def _by_letters(phrases: Sequence[str]) -> Mapping[str, str]:
    """Return phrases of several words by all their letters, and by their initials after a space."""
    several = [phrase for phrase in reversed(phrases) if " " in phrase]
    initials = {" " + "".join(word[0] for word in phrase.split()): phrase for phrase in several}
    return initials | {phrase.replace(" ", ""): phrase for phrase in several}


def _guesses(
    word: str,
    snapshot: Snapshot,
    names: Sequence[str],
    by_letters: Mapping[str, str],
    questions: Sequence[SaidQuestion],
) -> Iterator[tuple[str, Way, float]]:
    if word in by_letters:
        yield by_letters[word], "written apart", 1.0
    if len(word) > 1 and f" {word}" in by_letters:
        yield by_letters[f" {word}"], "initials", 1.0
    if len(word) >= _SPELLED:
        for near in get_close_matches(word, names, n=1, cutoff=_ALIKE):
            yield near, "spelling", SequenceMatcher(None, word, near).ratio()
    yield from _from_failed_groups(questions, snapshot)
    yield from _from_answers(questions, snapshot)
    if len(questions) < _OFTEN:
        return
    meant = word_vector(word)
    near_names = ((float(word_vector(name) @ meant), name) for name in names if len(name) > 2)
    strength, name = max(near_names, default=(0.0, ""))
    if strength >= _NEAR:
        yield name, "meaning", strength


def _from_failed_groups(questions: Sequence[SaidQuestion], snapshot: Snapshot) -> Iterator[tuple[str, Way, float]]:
    """Yield the words of the only group by which questions fail the predicates of their answers, in the group's order.

    The strength is the share of the questions that agree.
    """
    agreeing: Counter[str] = Counter()
    for question in questions:
        if len(unknown_words(question.query, snapshot)) > 1:
            continue  # either word may be meant
        terms = (term for row in question.answers for term in _missing_terms(question.query, row, snapshot))
        agreeing.update(dict.fromkeys(terms, 1))
    for term, count in agreeing.items():
        yield term, "group", count / len(questions)


def _missing_terms(query: str, row: Chunk, snapshot: Snapshot) -> Sequence[str]:
    """Return the terms of the only group of a row's predicate that the question fails; empty unless it is just one."""
    question = snapshot.canonical_of(query)
    failed = {
        group.source: group.written
        for condition in read_query_must(row.query_must).conditions
        for group in condition.groups(snapshot.vocabulary) or ()
        if not condition.holds(question) and not group.holds(question)
    }
    if len(failed) != 1:
        return ()
    (written,) = failed.values()
    terms = [str(term) for term in (written if isinstance(written, list | tuple) else [written])]
    # A term with a digit is a value, and so is the `ia` of `Table I.A.`; a word is never an alias for them.
    named = (" ".join(words_of(term)) for term in terms if not any(map(str.isdigit, term)))
    return [name for name in named if len(name) >= _SHORTEST]


def _from_answers(questions: Sequence[SaidQuestion], snapshot: Snapshot) -> Iterator[tuple[str, Way, float]]:
    """Yield first names of answering rows that the question does not name: its one unknown word may mean that name.

    The strength is the share of the questions that agree.
    """
    agreeing: dict[str, int] = {}
    for question in questions:
        if len(unknown_words(question.query, snapshot)) > 1:
            continue  # either word may be the name
        query_text = f" {' '.join(words_of(question.query))} "
        names = (_names(chunk) for chunk in question.answers if chunk.row_key)
        firsts = {
            row_names[0]
            for row_names in names
            if row_names and not any(f" {name} " in query_text for name in row_names)
        }
        # A label without its number names a column, not a row.
        for first in (name for name in firsts if snapshot.vocabulary.label(name) is None):
            agreeing[first] = agreeing.get(first, 0) + 1
    for name, count in agreeing.items():
        yield name, "answer", count / len(questions)


def _names(row: Chunk) -> list[str]:
    """Return the names of a row, its key first."""
    word_lists = (words_of(name) for name in (row.row_key or "", *row.names))
    return list(dict.fromkeys(" ".join(words) for words in word_lists if words))


TERMS_FILE = "terms.jsonl"
Decision = Literal["accepted", "rejected"]


@dataclass(frozen=True, slots=True)
class DecidedTerm:
    """One decision on a suggestion. Key: (word, means); the last one counts."""

    at: str
    """ISO 8601, UTC."""
    word: str
    means: str
    decision: Decision


def decided_terms(home: Path) -> frozenset[tuple[str, str]]:
    """Return every (word, means) that was decided in a home. Raises IndexCorruptError."""
    return frozenset((decided.word, decided.means) for decided in read_kept(home / TERMS_FILE, DecidedTerm))


def keep_decision(home: Path, word: str, means: str, decision: Decision) -> None:
    """Append a decision."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    append_record(home / TERMS_FILE, DecidedTerm(now, word, means, decision))


_TABLE = re.compile(r"^\[aliases\][ \t]*(?:#.*)?$", re.MULTILINE)


def with_alias(vocabulary: Vocabulary, word: str, means: str) -> Vocabulary:
    """Return the vocabulary with one more alias.

    Raises:
        LibraryError: the alias is invalid: it has a digit, no letter, or no meaning.
    """
    return vocabulary.merge(Vocabulary.from_json({"aliases": {word: means}}, source="the alias"))


def add_alias(path: Path, word: str, means: str) -> None:
    """Write an alias to the file, which need not exist yet.

    Raises:
        LibraryError: the file cannot be read, has the word already, or holds its aliases in an unsupported form.
    """
    text = path.read_text("utf-8") if path.is_file() else ""
    if text and word in load_vocabulary(path).aliases and word not in Vocabulary.default().aliases:
        raise LibraryError(f"{path} already has an alias {word!r}; change it there")
    line = f"{json.dumps(word, ensure_ascii=False)} = {json.dumps(means, ensure_ascii=False)}"
    match = _TABLE.search(text)
    if match:
        changed = f"{text[: match.end()]}\n{line}{text[match.end() :]}"
    else:
        changed = f"{text.rstrip()}\n\n[aliases]\n{line}\n".lstrip()
    tried = path.with_name(f".{path.name}.tried")
    write_atomically(tried, changed)
    try:
        read = load_vocabulary(tried)
    except LibraryError as error:
        raise LibraryError(f"the alias cannot be written into {path} ({error}); write it there: {line}") from error
    finally:
        tried.unlink()
    if read.aliases.get(word) != means:
        raise LibraryError(f"the alias cannot be written into {path}; write it under [aliases]: {line}")
    write_atomically(path, changed)
