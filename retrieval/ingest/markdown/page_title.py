"""The title of a document that has none in its text: what its front matter or its file is called."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from retrieval.ingest.markdown.blocks import Block

_NUMBERED = re.compile(r"^[\W\d_]+")
_BETWEEN = re.compile(r"[\s_-]+")
_SAYS_NOTHING = re.compile(
    r"(?:appendix|book|chapter|contents?|data|document|index|introduction|main|manual|page|part|readme|rules?|section"
    r"|tables?|text)?[\W\d_]*(?:[a-z]|[ivx]+)?",
    re.IGNORECASE,
)


def with_title(blocks: Sequence[Block], path: str, stated: str) -> tuple[Block, ...]:
    """The blocks, under the title of their document where its text has none: no heading of the first level.

    A page that begins with `## Stats` and goes on with `## Gear` is about what its front matter says or, without that,
    its file: `04-fighter.md`.

    Args:
        blocks: of the document.
        path: of its file.
        stated: what its front matter calls it; empty where it does not.
    """
    headings = [block for block in blocks if block.level]
    top = min((block.level for block in headings), default=0)
    highest = [block.heading_path[-1] for block in headings if block.level == top and block.heading_path]
    if top == 1 or PurePosixPath(path).suffix != ".md":
        return tuple(blocks)
    own = stated if stated not in (*highest, PurePosixPath(path).stem) else ""
    title = own or (_called(path) if len(highest) > 1 else "")
    return tuple(replace(block, heading_path=(title, *block.heading_path)) if title else block for block in blocks)


def _called(path: str) -> str:
    """`Fighter` for `classes/04-fighter.md`; empty where the name says nothing, as `index.md` and `chapter-3.md`."""
    name = _BETWEEN.sub(" ", _NUMBERED.sub("", PurePosixPath(path).stem)).strip()
    return "" if _SAYS_NOTHING.fullmatch(name) else name[:1].upper() + name[1:]
