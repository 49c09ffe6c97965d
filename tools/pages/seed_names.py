"""`docs/results/seed_names.md`, made from `seed_names.toml` beside this file: `python -m tools.pages.seed_names`.

The five texts that this project was built from name classes, fields, commands, metrics and settings. The TOML file says
of each where it lives here, or why it does not. `tests/tools/pages/test_seed_names.py` looks every place up.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from retrieval.files.records import parse_record

FILE = Path(__file__).with_suffix(".toml")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "results" / "seed_names.md"

_BEFORE_WORD = re.compile(r"(?<!\w)_")
_INTRO = """# The names of the plans

This project implements five texts: the query_must plan, the RAG contract, and the designs of hybrid retrieval,
self-querying and category hints. For each name in these texts, this page shows the place of its implementation, or
the reason why it differs or is missing. A place is a dotted path in the code (`path(parameter)`, `path: member`), a
command with its option, a key of `rag.yaml` or of the metadata of a chunk, a
[metric](../reference/assets.md#metrics), a file, or a test. A test checks each place.

`python -m tools.pages.seed_names` writes this page. Do not edit it by hand.
"""


@dataclass(frozen=True, slots=True)
class SeedName:
    """One thing that a text names: where it lives, or why it does not.

    Raises:
        ValueError: it is neither here, nor changed, nor missing; or it is missing and something else too.
    """

    name: str
    kind: str
    place: str = ""
    """Where it lives here; empty where it does not."""
    changed: str = ""
    """Why it is another thing here, or none; empty where it is as the text has it."""
    missing: str = ""
    """What is not built yet."""

    def __post_init__(self) -> None:
        if bool(self.missing) == bool(self.place or self.changed):
            raise ValueError(f"{self.name}: give a place, or why it was changed, or both, or what is missing")


@dataclass(frozen=True, slots=True)
class SeedText:
    """A text and all that it names, in its order."""

    title: str
    names: tuple[SeedName, ...]

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many live here, were changed, are not built yet."""
        missing = sum(bool(name.missing) for name in self.names)
        changed = sum(bool(name.changed) for name in self.names)
        return len(self.names) - missing - changed, changed, missing


def read_texts(path: Path = FILE) -> tuple[SeedText, ...]:
    """What the TOML file says.

    Raises:
        ValueError: it does not have that form.
    """
    texts = tomllib.loads(path.read_text("utf-8"))["texts"]
    return tuple(parse_record(json.dumps(text), SeedText) for text in texts)


def seed_page(texts: Sequence[SeedText]) -> str:
    """The page: how many of each text, then a table for each."""
    return "\n".join((_INTRO, *_counted(texts), *(line for text in texts for line in _section(text)))) + "\n"


def _counted(texts: Sequence[SeedText]) -> Iterable[str]:
    yield "| text | as in the text | changed on purpose | not built yet |"
    yield "|---|---:|---:|---:|"
    counts = [text.counts for text in texts]
    for text, numbers in zip(texts, counts, strict=True):
        yield f"| {text.title} | " + " | ".join(map(str, numbers)) + " |"
    yield "| all | " + " | ".join(str(sum(column)) for column in zip(*counts, strict=True)) + " |"


def _section(text: SeedText) -> Iterable[str]:
    yield f"\n## {text.title}\n"
    yield "| name | what it is | here |"
    yield "|---|---|---|"
    for name in text.names:
        yield f"| {_cell(name.name)} | {_cell(name.kind)} | {_here(name)} |"


def _here(named: SeedName) -> str:
    if named.missing:
        return f"not built yet: {_cell(named.missing)}"
    position = f"`{named.place}`" if named.place else ""
    changed = f"changed on purpose: {_cell(named.changed)}" if named.changed else ""
    return "; ".join(filter(None, (position, changed)))


def _cell(text: str) -> str:
    # Within a word an underscore is only itself; before one it would begin italics.
    return _BEFORE_WORD.sub(r"\\_", text.replace("|", r"\|"))


def main() -> None:
    """Write the page."""
    PAGE.write_text(seed_page(read_texts()), "utf-8")
    typer.echo(f"{PAGE.name}: made from {FILE.name}")


if __name__ == "__main__":
    main()
