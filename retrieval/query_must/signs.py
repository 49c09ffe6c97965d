"""What a sign is called: `semicolon` for `;`, `percent sign` for `%`, `spade` for `♠`; its words for one in quotes."""

import re
import unicodedata
from functools import lru_cache

_QUOTES = r"(?P<quote>['\"`]){}(?P<inner>[^\s\w]|_)(?P=quote)|[‘“](?P<curled>[^\s\w]|_)[’”]"
_QUOTED = re.compile(_QUOTES.format(""))
_SAID = re.compile(rf"(?<![\w'\"`])(?:{_QUOTES.format('(?!(?P=quote))')})(?![\w'\"`])")
"""Within a text: no fence of three backticks, and no plus between two words in quotes."""
_ALONE = re.compile(r"(?:[^\s\w]|_)\ufe0f?")
_ASPECT = re.compile(r"\b(?:BLACK|WHITE|HEAVY|SUIT|FULLWIDTH|SMALL|SYMBOL FOR)\b")
"""What a name says of how a sign is drawn."""
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
"""What people call the signs whose name in Unicode nobody says: LOW LINE, SOLIDUS, COMMERCIAL AT."""


def lone_sign(text: str) -> str | None:
    """The sign that a text is, by itself or in quotes."""
    if match := _QUOTED.fullmatch(text):
        return str(match["inner"] or match["curled"])
    return text[0] if _ALONE.fullmatch(text) else None


@lru_cache(maxsize=1 << 10)
def names_of_sign(sign: str) -> tuple[str, ...]:
    """What people call a sign; none where Unicode has no name for it."""
    if sign in _EVERYDAY:
        return _EVERYDAY[sign]
    said = " ".join(_ASPECT.sub(" ", unicodedata.name(sign, "")).split()).lower()
    return (said,) if said else ()


def with_signs_spelled(text: str) -> str:
    """The text with the name of each sign in quotes behind it: `';'` is `';' semicolon`."""
    return _SAID.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    names = names_of_sign(match["inner"] or match["curled"])
    return f"{match[0]} {names[0]} " if names else match[0]
