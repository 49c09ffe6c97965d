"""What an index calls its things: names and keys of rows, captions, headings, columns, labels of the vocabulary."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.query_must.tokens import tokenize
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Chunk

_LONGEST = 5
"""Words of a phrase; longer ones are sentences."""


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text with letters alone, in lower case."""
    return tuple(token.text for token in tokenize(text) if token.kind == "word" and token.text.isalpha())


@dataclass(frozen=True, slots=True)
class KnownPhrases:
    """Phrases of an index, in the order in which they were first met."""

    phrases: tuple[str, ...]

    @classmethod
    def of(cls, chunks: Iterable[Chunk], vocabulary: Vocabulary) -> "KnownPhrases":
        """Those of chunks and of the labels of their vocabulary."""
        forms = (form for label in vocabulary.labels for form in (label.written, *label.forms))
        said = [*(text for chunk in chunks for text in called(chunk)), *forms]
        found = (words_of(text) for text in dict.fromkeys(said))
        return cls(tuple(dict.fromkeys(" ".join(words) for words in found if 0 < len(words) <= _LONGEST)))

    @property
    def words(self) -> tuple[str, ...]:
        """Their single words, each once."""
        return tuple(dict.fromkeys(word for phrase in self.phrases for word in phrase.split()))


def called(chunk: Chunk) -> Iterator[str]:
    """What a chunk is called, the nearest first."""
    yield from chunk.names
    yield from filter(None, (chunk.row_key, chunk.caption, *chunk.heading_path[-1:]))
    yield from chunk.columns


def unknown_words(question: str, snapshot: Snapshot) -> tuple[str, ...]:
    """Words of a question that no text of an index has and that its vocabulary does not read either."""
    lexical, vocabulary = snapshot.lexical, snapshot.vocabulary
    known = {*vocabulary.aliases, *vocabulary.idle_words, *vocabulary.connectives, *vocabulary.units}
    return tuple(
        word
        for word in dict.fromkeys(words_of(question))
        if word not in known
        and vocabulary.label(word) is None
        and not any(place is not None for place in lexical.terms.positions(_terms(lexical.tokenize(word))))
        and lexical.tokenize(word)
    )


def _terms(cut: Sequence[str]) -> list[str]:
    return list(cut)
