"""Where the parts of an answer are from, and what of it stands nowhere."""

import re
from collections.abc import Sequence

from retrieval.answer.answers import Citation, Passage

_CITED = re.compile(r"\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def cited(text: str, passages: Sequence[Passage]) -> tuple[Citation, ...]:
    """The passages that `[1]` or `[1, 3]` in a text point to, in the order of their numbers."""
    numbers = _cited_numbers(text)
    return tuple(citation(each) for each in passages if each.number in numbers)


def citation(passage: Passage) -> Citation:
    """Where a passage is from."""
    chunk = passage.hit.chunk
    return Citation(passage.number, chunk.id, chunk.book, chunk.document, chunk.lines, chunk.title)


def doubts(text: str, question: str, passages: Sequence[Passage]) -> tuple[str, ...]:
    """What of a generated text cannot be checked: `[9]` where there is no ninth passage, numbers that stand nowhere.

    A number that the model worked out is a doubt too: a reader should look it up.
    """
    strange = sorted(_cited_numbers(text) - {each.number for each in passages})
    known = {number for said in (question, *(_said(each) for each in passages)) for number in _numbers(said)}
    told = dict.fromkeys(number for number in _numbers(_CITED.sub(" ", text)) if number not in known)
    return (*(f"[{number}]" for number in strange), *told)


def _cited_numbers(text: str) -> set[int]:
    return {int(number) for match in _CITED.finditer(text) for number in match[1].split(",")}


def _said(passage: Passage) -> str:
    chunk = passage.hit.chunk
    return " ".join((chunk.text, chunk.source, chunk.title, *chunk.heading_path, *chunk.columns))


def _numbers(text: str) -> list[str]:
    return [match[0].replace(",", "") for match in _NUMBER.finditer(text)]
