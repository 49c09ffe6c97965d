"""Marked tokens, and the small questions that the reading of numbers asks of them."""

from typing import NamedTuple

from retrieval.query_must.tokens import Token
from retrieval.query_must.vocabulary.lexicon import Lexicon

END = Token("mark", "")
"""What comes before the first token and after the last."""

_NUMERALS = ("number", "ordinal", "spelled")
_NUMERAL_WHOLES = ("fraction", "slashed", "sum")
_ARTICLES = ("a", "an", "the")


class Sentence(NamedTuple):
    """Tokens and the lexicon that marked them."""

    tokens: list[Token]
    lexicon: Lexicon
    one_reading: bool = False
    """Where two readings are possible (`AC-2`, `level 7/8`) take the likelier alone, as a term wants it."""

    def at(self, index: int) -> Token:
        """Return the token at an index, or END outside."""
        return self.tokens[index] if 0 <= index < len(self.tokens) else END

    def is_word(self, index: int, words: frozenset[str]) -> bool:
        """Whether one of these words is there."""
        token = self.at(index)
        return token.kind == "word" and token.raw in words

    def is_numeral(self, index: int) -> bool:
        """Whether something that a label can take is there: a number, an ordinal, a number word, a fraction."""
        token = self.at(index)
        return token.kind in _NUMERALS or (token.kind == "whole" and token.glue in _NUMERAL_WHOLES)

    def is_counted(self, index: int) -> bool:
        """Whether a unit, a per cent sign or the plural of a counted noun is there; `4 cleric` counts nobody."""
        return self.is_unit(index) or (self.is_plural(index) and self.at(index).text in self.lexicon.counted)

    def is_unit(self, index: int) -> bool:
        """Whether a unit or a per cent sign is there; `3 in` is a measure, `an AC of 3 in the first table` is none."""
        token = self.at(index)
        if token.kind != "word":
            return token.text == "%"
        connects = token.raw in self.lexicon.connectives and self.at(index + 1).kind != "mark"
        return token.text in self.lexicon.units and not connects

    def is_plural(self, index: int) -> bool:
        """Whether a word or label is there in its plural."""
        token = self.at(index)
        return token.kind in ("word", "label") and self.lexicon.fold(token.raw) != token.raw

    def has_own_number(self, index: int) -> bool:
        """Whether the label at `index` is followed by a number of its own: `wis 15`, `HD: 4`."""
        index += 1
        while self.at(index).text in (":", "="):
            index += 1
        return self.is_numeral(index) or self.at(index).kind == "whole"

    def follows_between(self, index: int) -> bool:
        """Whether `between`, perhaps with an article, comes just before a token."""
        return self.at(self.before_article(index) - 1).raw == "between"

    def before_article(self, index: int) -> int:
        """Return the index of the article just before a token, or the index itself."""
        return index - 1 if self.at(index - 1).raw in _ARTICLES else index

    def after_article(self, index: int) -> int:
        """Return the index after an article, or the index itself where there is none."""
        return index + 1 if self.at(index).raw in _ARTICLES else index
