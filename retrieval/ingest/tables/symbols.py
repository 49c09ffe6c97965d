"""What a cell is called that is one sign: `semicolon` for `';'`, `percent sign` for `%`, `spade` for `♠`."""

import re
import unicodedata
from collections.abc import Sequence

_QUOTED = re.compile(r"(?P<quote>['\"`])(?P<inner>[^\s\w]|_)(?P=quote)|[‘“](?P<curled>[^\s\w]|_)[’”]")
_ALONE = re.compile(r"(?:[^\s\w]|_)\ufe0f?")
_LETTER = re.compile(r"[^\W\d_]|(?P<quote>['\"`])[^\W\d_](?P=quote)|[‘“][^\W\d_][’”]")
_FEWEST = 3
"""Different signs of a column that lists signs; fewer are marks: `✓`, `✗`, and `-` where there is nothing."""
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


def symbol_names(cell: str) -> tuple[str, ...]:
    """The names of the sign that a cell is, by itself or in quotes; none of any other cell."""
    sign = _sign(cell)
    if sign is None:
        return ()
    if sign in _EVERYDAY:
        return _EVERYDAY[sign]
    said = " ".join(_ASPECT.sub(" ", unicodedata.name(sign, "")).split()).lower()
    return (said,) if said else ()


def lists_symbols(cells: Sequence[str]) -> bool:
    """Whether a column is a list of signs, which its rows are called by, and letters among them.

    Args:
        cells: of the column; blank ones do not count.
    """
    signs = {sign for cell in cells if (sign := _sign(cell))}
    return len(signs) >= _FEWEST and _are_single(cells)


def goes_on(cell: str, below: Sequence[str]) -> bool:
    """Whether a cell is a sign, and half of those below or more are signs or letters: it is one of them, no heading."""
    return _sign(cell) is not None and any(below) and _are_single(below)


def _are_single(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    single = sum(_sign(cell) is not None or _LETTER.fullmatch(cell) is not None for cell in filled)
    return 2 * single >= len(filled)


def _sign(cell: str) -> str | None:
    if match := _QUOTED.fullmatch(cell):
        return match["inner"] or match["curled"]
    return cell[0] if _ALONE.fullmatch(cell) else None
