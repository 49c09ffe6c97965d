"""What prose says, piece by piece: labelled values (`**HP** 22`) and sentences."""

import re

_LABELLED = re.compile(r"(?P<marks>\*\*|__)_?(?P<label>[^*_\n]{1,40}?)[.:]?_?(?P=marks)[.:]?[ \t]+(?P<value>[^*\n]+)")
_DEFINED = re.compile(r"^[-*] +(?P<label>[^:\n.]{1,40}): +(?P<value>[^\n]+)$", re.MULTILINE)
_BREAK = re.compile(
    r"(?<=[.!?])[*_)\"”’]*\s+(?=[*_(\"“‘]*[A-Z0-9])|\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.)\s)|\n(?=#)|<br ?/?>"
)
_MARK = re.compile(r"^\s*(?:#{1,6}\s+|[-*+]\s+|\d+\.\s+|>\s+)")
_ELSEWHERE = re.compile(r"\[Table:[^\]]*\]")
_LONGEST_VALUE = 160
"""Characters; what is longer is a paragraph with a heading of its own, which is read by its sentences."""


def labelled_values(text: str) -> tuple[tuple[str, str], ...]:
    """(label, value) pairs of markdown, in their order: `**AC** 12`, `- Range: 30 ft.`."""
    found = [
        (match.start(), match["label"].strip(), match["value"].strip())
        for pattern in (_LABELLED, _DEFINED)
        for match in pattern.finditer(text)
        if len(match["value"].strip()) <= _LONGEST_VALUE
    ]
    return tuple((label, value) for _, label, value in sorted(found))


def sentences(text: str) -> tuple[str, ...]:
    """Sentences of markdown, as they are written, without the marks of lists and without headings."""
    pieces = [piece.strip() for piece in _BREAK.split(_ELSEWHERE.sub("\n\n", text))]
    return tuple(
        " ".join(_MARK.sub("", piece).split()) for piece in pieces if len(piece) > 1 and not piece.startswith("#")
    )
