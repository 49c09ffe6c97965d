"""Tokens of a text after normalisation, with signs as words, for canonical text and the lexical index.

Rules 1, 2 and the first half of 3 of the canonical text: compatibility forms, case and quotes are folded, dice,
fractions, decimals, thousands and times are kept whole, dotted abbreviations lose their dots, and a dash is a sign, a
range or a separator, depending on what precedes it. The grammar of numbers (`numbers`) reads the original text, because
a quantity has its position there.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from math import inf, nan
from typing import Literal, NamedTuple

from retrieval.language.lexer import AT_ONCE, UNSPACED, Lexeme, fraction, lex, worth_of_sum

_QUOTES = r"(?P<quote>['\"`]){}(?P<inner>[^\s\w]|_)(?P=quote)|[‘“](?P<curled>[^\s\w]|_)[’”]"
_QUOTED = re.compile(_QUOTES.format(""))
_SAID = re.compile(rf"(?<![\w'\"`])(?:{_QUOTES.format('(?!(?P=quote))')})(?![\w'\"`])")
"""A quoted sign within a text, but not a fence of three backticks or a plus between two quoted words."""
_ALONE = re.compile(r"(?:[^\s\w]|_)\ufe0f?")
_ASPECT = re.compile(r"\b(?:BLACK|WHITE|HEAVY|SUIT|FULLWIDTH|SMALL|SYMBOL FOR)\b")
"""Words in a sign's Unicode name about its appearance."""
_EVERYDAY = {
    "#": ("hash", "pound sign", "number sign"),
    "-": ("dash", "hyphen", "minus sign"),
    "–": ("dash", "en dash"),
    "—": ("dash", "em dash"),
    "*": ("star", "asterisk"),
    ".": ("dot", "period", "full stop"),
    "@": ("at sign",),
    "^": ("caret",),
    "~": ("tilde",),
    "|": ("pipe", "vertical bar"),
    "_": ("underscore",),
    "/": ("slash", "forward slash"),
    "\\": ("backslash",),
    "'": ("apostrophe", "single quote"),
    '"': ("double quote", "quotation mark"),
    "`": ("backtick", "backquote"),
    "!": ("exclamation mark", "exclamation point"),
    "&": ("ampersand",),
    "<": ("less-than sign", "left angle bracket"),
    ">": ("greater-than sign", "right angle bracket"),
    "(": ("left parenthesis", "opening parenthesis", "left bracket", "opening bracket"),
    ")": ("right parenthesis", "closing parenthesis", "right bracket", "closing bracket"),
    "[": ("left square bracket", "opening square bracket", "left bracket", "opening bracket"),
    "]": ("right square bracket", "closing square bracket", "right bracket", "closing bracket"),
    "{": ("left curly bracket", "opening curly bracket", "left brace", "opening brace"),
    "}": ("right curly bracket", "closing curly bracket", "right brace", "closing brace"),
}
"""Common names of signs whose Unicode name is unusual: LOW LINE, SOLIDUS, COMMERCIAL AT."""


def lone_sign(text: str) -> str | None:
    """Return the sign that a text consists of, with or without quotes; None for other texts."""
    if match := _QUOTED.fullmatch(text):
        return str(match["inner"] or match["curled"])
    return text[0] if _ALONE.fullmatch(text) else None


@lru_cache(maxsize=1 << 10)
def names_of_sign(sign: str) -> tuple[str, ...]:
    """Return the common names of a sign; none if Unicode has no name for it."""
    if sign in _EVERYDAY:
        return _EVERYDAY[sign]
    name = " ".join(_ASPECT.sub(" ", unicodedata.name(sign, "")).split()).lower()
    return (name,) if name else ()


def with_signs_spelled(text: str) -> str:
    """Return the text with the name of each quoted sign after it: `';'` becomes `';' semicolon`."""
    return _SAID.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    names = names_of_sign(match["inner"] or match["curled"])
    return f"{match[0]} {names[0]} " if names else match[0]


Kind = Literal["word", "number", "ordinal", "spelled", "whole", "mark", "label"]
Glue = Literal["", "letters", "hyphen", "fraction", "slashed", "sum", "opaque"]


class Token(NamedTuple):
    """A piece of text. `text` is its canonical spelling, `raw` the folded-case spelling of the source."""

    kind: Kind
    text: str
    raw: str = ""
    value: float = nan
    """The value of a number, an ordinal, a fraction or a number word; NaN for other tokens."""
    glue: Glue = ""
    """How a number is joined to the letters before it (`ac6`, `ac-6`), or the kind of a whole token."""
    ordinal: bool = False

    @property
    def parts(self) -> list[str]:
        """The numbers in a whole token, which may be searched alone; dice and fractions are not split."""
        if any(map(str.isalpha, self.text)) or self.text.replace("/", "", 1).isdecimal():
            return [self.text]
        return [plain(figure) for figure in _FIGURES.findall(self.text)]


_ONE_OF_MANY = re.compile(f"[{UNSPACED}]")
_WORDS = frozenset({"word", "letter", "dotted"})
_WORDS_OR_MARKS = frozenset({"money", "times"})
"""Lexemes that are words if they are letters: `x` and `Cr`, but not `×` and `$`."""
_SILENT = str.maketrans("", "", "'.\u0307")
"""What a word loses; the dot is that of a Turkish capital i in lower case."""
_LARGEST_DIVISOR = 16
"""Largest divisor of a fraction that a label may have: a strength of `18/20` is a score."""
_MARKS = frozenset("-,;:.?!()[]{}=%&/+|<>$€£¥—≥≤")

_FIGURES = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–−"), "-")
_PUNCTUATION = str.maketrans({**dict.fromkeys("‘’‛′´`", "'"), **dict.fromkeys("“”„″", '"'), "⁄": "/", "―": "—"})
PICTURES = {sign: f" {names_of_sign(chr(sign))[0].removeprefix('chess ')} " for sign in range(0x2654, 0x2668)}
"""Chess pieces and card suits as words: `2♠` is `2 spade`."""
_FOOTNOTE = re.compile(r"(?<=[0-9])[⁰¹²³⁴-⁹]+")
_VULGAR = re.compile(r"(?<=[0-9])(?=[¼-¾⅐-⅞])")
_NARROW_GROUPS = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:[\u00a0\u2009\u202f][0-9]{3})+(?![0-9])")
_NARROW = re.compile(r"[\u00a0\u2009\u202f]")


def normalise(text: str) -> str:
    """Return the text with compatibility forms, quotes and dashes folded, pictures as words, and without raised digits
    after numbers. Its case is kept."""
    if text.isascii():
        return text
    text = _VULGAR.sub(" ", _FOOTNOTE.sub(" ", text))  # `2½` is not 21 over 2
    text = _NARROW_GROUPS.sub(lambda match: _NARROW.sub("", match[0]), text)
    text = unicodedata.normalize("NFKC", text)
    text = text.translate(_DASHES).translate(_PUNCTUATION).translate(PICTURES)
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


@lru_cache(maxsize=AT_ONCE)
def tokenize(text: str) -> Sequence[Token]:
    """Return the tokens of a text, left to right, without white space and decoration."""
    text = normalise(with_signs_spelled(text))
    lexemes = lex(text)
    tokens: list[Token] = []
    end, hyphen, sign = -1, False, ""
    for at, (kind, raw, start, stop, lower) in enumerate(lexemes):
        after_word = start == end and bool(tokens) and tokens[-1].kind == "word"
        if kind in _WORDS or (kind in _WORDS_OR_MARKS and raw[0].isalpha()):
            tokens.append(_word(raw, lower))
        elif kind == "mark" or kind in _WORDS_OR_MARKS:
            if raw not in _MARKS:
                continue
            sign = raw if _is_sign(text, lexemes, at) else ""
            hyphen = not sign and raw == "-" and _is_separator(text, start, tokens, end)
            if not (sign or hyphen):
                tokens.append(Token("mark", raw))
            end = stop
            continue
        elif sign:
            tokens.append(_figure(kind, sign + lower, ""))
        else:
            glue: Glue = ("hyphen" if hyphen else "letters") if after_word else ""
            tokens.append(_figure(kind, lower, glue))
        end, hyphen, sign = stop, False, ""
    return tuple(tokens)


def _is_sign(text: str, lexemes: Sequence[Lexeme], at: int) -> bool:
    """Whether the mark at `at` is the sign of the number that it touches."""
    sign = lexemes[at]
    if sign.text not in "+-" or at + 1 == len(lexemes) or lexemes[at + 1].start != sign.end:
        return False
    return lexemes[at + 1].kind in ("figure", "slashed") and not text[sign.start - 1 : sign.start].isalnum()


def _word(raw: str, lower: str) -> Token:
    word = lower if raw.isascii() else unicodedata.normalize("NFKC", raw.casefold())
    word = word.removesuffix("'s").translate(_SILENT)
    return Token("word", word, word)


def is_unspaced(token: str) -> bool:
    """Whether a token is one letter of a script without blanks between words, and so rarely a word."""
    return _ONE_OF_MANY.fullmatch(token) is not None


def _is_separator(text: str, at: int, tokens: list[Token], end: int) -> bool:
    """Whether the dash at `at` only joins or follows words (`level-3`, `10-foot`, `1st- and 2nd`)."""
    if not tokens or end != at:
        return False
    following = text[at + 1 : at + 2]
    between_figures = tokens[-1].kind in ("number", "ordinal", "whole") and following.isdigit()
    return tokens[-1].kind != "mark" and not between_figures and following != "-"


def _figure(kind: str, raw: str, glue: Glue) -> Token:
    """Return the token of a lexeme with digits, and of the sign before it."""
    if kind == "figure" and raw[0] != "+" and "e" not in raw:
        text = plain(raw)
        return Token("number", text, raw, worth(text), glue)
    if kind == "ordinal":
        text = plain(raw[:-2])
        return Token("ordinal", text + raw[-2:], raw, worth(text), glue, ordinal=True)
    if "/" in raw:
        value = fraction(raw.lstrip("+-"), _LARGEST_DIVISOR)
        if value is None or value >= 1:
            return Token("whole", raw, raw, nan, "slashed")
        return Token("whole", raw, raw, -value if raw[0] == "-" else value, "fraction")
    if kind == "sum":
        return Token("whole", raw, raw, worth_of_sum(raw), "sum")
    if kind == "figure" and raw[0] == "+":
        raw = "+" + plain(raw[1:])
    return Token("whole", raw.removesuffix("s") if kind == "dice" else raw, raw, glue="opaque")


def plain(figure: str) -> str:
    """Return a number without separators and leading zeros: `5,000` -> `5000`, `007` -> `7`, `.5` -> `0.5`."""
    sign = "-" if figure.startswith("-") else ""
    digits = figure.lstrip("-").replace(",", "").replace(" ", "").lstrip("0")
    if not digits or digits.startswith("."):
        digits = "0" + digits
    return "0" if digits == "0" else sign + digits


def worth(figure: str) -> float:
    """Return the value of a plain number; NaN if it is too large for a float."""
    value = float(figure)
    return nan if value in (inf, -inf) else value
