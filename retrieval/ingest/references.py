"""Where a text sends its reader: "see Fireball", "refer to _Bull Rush_", "see Table 7", 'as given in "Conditions"'."""

import re
from collections.abc import Iterator

MAX_WORDS = 8

_CUE = re.compile(
    r"(?<![^\W_])(?:see(?:\s+also)?|refers?\s+to|(?:described|detailed|explained|given|listed)\s+(?:in|under|at)|as\s+(?:in|under|per)|cf\b\.?)"
    r"(?![^\W_])\s*",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“‘]([^\"”’\n]{2,60})[\"”’]|(?<![^\W_])[_*]{1,3}([^_*\n]{2,60}?)[_*]{1,3}(?![^\W_])")
_NUMBERED = re.compile(r"(?:the\s+)?([Tt]able\s+(?:[A-Z]{0,2}[.-]?\d+(?:[.-]\w+)*|[IVXLC]+(?![\w])))")
_NAMED = re.compile(
    r"(?:the\s+|its\s+)?(?:table\s+)?((?:[A-Z][\w'’/-]*)(?:[ ,]+(?:of|the|and|in|to|for|with|from|[A-Z][\w'’/-]*))*)"
)
_SAID = re.compile(
    r"(?:the\s+)?([a-z][a-z'’ -]{2,40}?)\s+"
    r"(?:spell|feat|power|skill|item|creature|condition|action|ability|section|description|table|chart)s?\b"
)
_END = re.compile(r"\.(?!\d)|[;)\n]")


def references(text: str) -> Iterator[str]:
    """Names that a text refers to, as written, in its order; whether something bears such a name is not known here."""
    for cue in _CUE.finditer(text):
        after = text[cue.end() : cue.end() + 120]
        if text[max(cue.start() - 1, 0)] in "_*":  # `_See also_ "Cover"`: the mark ends with the cue
            after = after.lstrip("_* ")
        # The end of the sentence; a quotation that begins before it counts whole.
        end = _END.search(after)
        clause = after[: end.start()] if end else after
        quoted = [match[1] or match[2] for match in _QUOTED.finditer(after) if match.start() < len(clause)]
        if quoted:
            yield from quoted
        elif named := _NUMBERED.match(clause) or _NAMED.match(clause):
            yield named[1]
        elif said := _SAID.match(clause):
            yield said[1]


def shortened(words: list[str]) -> Iterator[str]:
    """A name and what is left of it when its last words are dropped, longest first ("Charge and the ..." is Charge)."""
    for length in range(min(len(words), MAX_WORDS), 0, -1):
        yield " ".join(words[:length])
