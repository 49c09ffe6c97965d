"""The prompt of a generated answer: seed 002's, with numbered passages in place of pages alone."""

from collections.abc import Mapping, Sequence
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
    page_summaries: Mapping[str, str] | None = None,
    template: Path | None = None,
) -> str:
    """The prompt for a question over its passages.

    Args:
        query: the question.
        passages: in the order in which they are shown.
        page_summaries: by page, or by heading where a book has no pages; shown above what stands there.
        template: with `$context` and `$question`; None: the one that ships.

    Raises:
        UnreadableSettingsError: the template cannot be read, or lacks one of the two.
    """
    summaries = page_summaries or {}
    context = _BETWEEN.join(_shown(each, summaries) for each in passages)
    return (_shipped() if template is None else _read(template)).substitute(context=context, question=query)


def _shown(passage: Passage, summaries: Mapping[str, str]) -> str:
    chunk = passage.hit.chunk
    page = chunk.metadata.get("page")
    heading = chunk.heading_path[-1] if chunk.heading_path else ""
    place = " > ".join((chunk.book, *chunk.heading_path))
    summary = summaries.get(str(page)) or summaries.get(heading) or chunk.metadata.get("summary")
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
