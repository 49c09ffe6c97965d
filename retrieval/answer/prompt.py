"""The prompt of a generated answer: seed 002's, with numbered passages in place of pages alone."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Template

from retrieval.answer.answers import Passage
from retrieval.errors import UnreadableSettingsError

_BETWEEN = "\n---\n"


def format_prompt(
    query: str,
    passages: Sequence[Passage],
    template: Path | None = None,
) -> str:
    """The prompt for a question over its passages.

    Args:
        query: the question.
        passages: in the order in which they are shown.
        template: with `$context` and `$question`; None: the one that ships.

    Raises:
        UnreadableSettingsError: the template cannot be read, or lacks one of the two.
    """
    context = _BETWEEN.join(map(_shown, passages))
    return (_shipped() if template is None else _read(template)).substitute(context=context, question=query)


def _shown(passage: Passage) -> str:
    chunk = passage.hit.chunk
    page = chunk.metadata.get("page")
    place = " > ".join((chunk.book, *chunk.heading_path))
    summary = chunk.metadata.get("summary")
    lines = [f"[{passage.number}] {place}", *([f"Page {page}"] if page is not None else [])]
    return "\n".join([*lines, *([str(summary)] if summary else []), "Content:", chunk.text])


@cache
def _shipped() -> Template:
    return Template((files("retrieval.answer") / "prompt.txt").read_text("utf-8"))


def _read(path: Path) -> Template:
    try:
        template = Template(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableSettingsError(f"the prompt {path} cannot be read: {error}") from error
    names = set(template.get_identifiers()) if template.is_valid() else set()
    if names != {"context", "question"}:
        raise UnreadableSettingsError(f"the prompt {path} must have $context and $question, and no other $name")
    return template
