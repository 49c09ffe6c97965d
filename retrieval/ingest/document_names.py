"""The names by which files are recognised as documents."""

from pathlib import Path, PurePath

MARKDOWN_ENDINGS = (".md", ".mdx", ".markdown")
JSON_LINES_ENDINGS = (".jsonl", ".jsonl.gz")


def is_markdown(path: PurePath) -> bool:
    """Whether a file is a markdown document, by its name."""
    return path.suffix.lower() in MARKDOWN_ENDINGS


def is_json_lines(path: Path) -> bool:
    """Whether a path is a file with one document on each line, by its name."""
    return path.name.endswith(JSON_LINES_ENDINGS) and path.is_file()


def stem_of(path: PurePath) -> str:
    """Return the name of a file of JSON lines without its ending."""
    endings = (ending for ending in reversed(JSON_LINES_ENDINGS) if path.name.endswith(ending))
    return path.name.removesuffix(next(endings, ""))
