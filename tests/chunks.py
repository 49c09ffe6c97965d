"""A chunk that says nothing: tests replace what they are about."""

from retrieval.types import Chunk

EMPTY = Chunk(
    id="", book="b", document="d", kind="prose", text="", search_text="", source="", lines=(1, 1), heading_path=()
)
