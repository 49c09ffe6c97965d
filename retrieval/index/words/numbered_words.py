"""The words of a text by their numbers, for an engine elsewhere that should count the words that we count."""

from collections.abc import Iterator, Sequence

from retrieval.index.words.lexical_index import LexicalIndex


def numbered_text(index: LexicalIndex, text: str, longest: int) -> str:
    """A chunk's text as `t17 t4 t17`; what does not fit into `longest` characters is left out."""
    return _joined(index, index.tokenize(text), longest)


def numbered_question(index: LexicalIndex, question: str) -> str:
    """The words of a question that are scored, without those that no chunk has."""
    return _joined(index, index.looked_for(question))


def _joined(index: LexicalIndex, words: Sequence[str], longest: int | None = None) -> str:
    joined = " ".join(_names(index, words))
    return joined if longest is None or len(joined) <= longest else joined[:longest].rpartition(" ")[0]


def _names(index: LexicalIndex, words: Sequence[str]) -> Iterator[str]:
    return (f"t{number}" for number in index.terms.words(words) if number is not None)
