"""The files of the page, by the path that they are served at."""

from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

PAGE: Mapping[str, str] = MappingProxyType(
    {"/": "index.html"} | {f"/{name}": name for name in ("page.css", "page.js", "parts.js", "hits.js", "answer.js")}
)
"""Path and file of each part."""
ICON = "/favicon.ico"
"""Browsers ask for it; there is none."""
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}


def content_of(name: str) -> tuple[bytes, str]:
    """The bytes of a file of the page, and its type."""
    return (files("retrieval.serve") / "page" / name).read_bytes(), _TYPES[name.rpartition(".")[2]]
