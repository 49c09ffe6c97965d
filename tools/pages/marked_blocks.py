"""The generated parts of a page: what stands between `<!-- name:begin -->` and `<!-- name:end -->`."""

import re
from collections.abc import Mapping


def with_blocks(page: str, made: Mapping[str, str]) -> str:
    """A page's text with its generated parts made again.

    Args:
        page: with the markers of each part, a line each.
        made: by name of a part: its text, without the line end of its last line.

    Raises:
        ValueError: the markers of a part are not there.
    """
    for name, text in made.items():
        match = re.search(rf"<!-- {name}:begin -->\n(.*?)<!-- {name}:end -->", page, re.DOTALL)
        if match is None:
            raise ValueError(f"the page has no <!-- {name}:begin --> ... <!-- {name}:end -->; put the markers back")
        page = f"{page[: match.start(1)]}{text}\n{page[match.end(1) :]}"
    return page
