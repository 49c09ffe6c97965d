"""Boxes that are set apart from the text: notes, warnings and tabs in four kinds of markdown."""

import re
from dataclasses import dataclass

_COLONS = re.compile(
    r":{3,}[ \t]*(?:\{?(?P<kind>[\w.#-]+)\}?)?(?:\[(?P<bracketed>[^\]\n]*)\]|[ \t]+(?P<words>\S[^\n]*))?[ \t]*$"
)
_INDENTED = re.compile(
    r"(?P<mark>!!!|\?\?\?\+?|===[+!]*)[ \t]+"
    r"(?:(?P<kind>[^\"\n]*)\"(?P<title>[^\"\n]*)\"[ \t]*|(?P<words>[\w\"][^\n]*))$"
)
_QUOTED = re.compile(r"\[!(?P<kind>[A-Z]+)\][ \t]*$")


@dataclass(frozen=True, slots=True)
class Box:
    """The kind and title in the first line of a box."""

    kind: str = ""
    """The kind as it is written, such as `note`; empty for the line that closes a box."""
    title: str = ""
    is_tab: bool = False
    is_indented: bool = False
    """Whether its content is indented below it; otherwise it ends at a closing line or with its quotation."""


def box_of(line: str) -> Box | None:
    """Return the box that a line, without its indentation, opens or closes; None if it does neither.

    Docusaurus, VitePress and MyST write `:::note[Title]`, `:::note Title`, `:::{note}` and `:::`; MkDocs writes
    `!!! note "Title"`, `??? tip` and `=== "Tab"`; GitHub writes `[!NOTE]` in a quotation.
    """
    if match := _COLONS.match(line):
        return Box(match["kind"] or "", match["bracketed"] or match["words"] or "")
    if match := _INDENTED.match(line):
        kind = (match["words"] or match["kind"] or "").strip()
        return Box(kind, match["title"] or "", match["mark"].startswith("="), is_indented=True)
    match = _QUOTED.match(line)
    return Box(match["kind"].lower()) if match else None
