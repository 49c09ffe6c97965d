"""The words of an answer that is read."""

from collections.abc import Iterator

from retrieval.ingest.markdown.parser import plain_text
from retrieval.rag.cell_reading import Reading
from retrieval.rag.conclusions import compare_sides, yes_or_no
from retrieval.rag.context import Passage
from retrieval.rag.statements import Statement

_OR = "Or, if that is meant: "
_PERHAPS = "Perhaps: "
_MOST_MISSING = 2
"""Words of the question that an uncertain answer names as missing."""
NO_ANSWER_TEXT = "No answer found in these books."
READ = "Read from the books, not generated."


def worded(question: str, reading: Reading) -> Iterator[str]:
    """The pieces of an answer: each row or passage with what was read of it, and at the end that it was read.

    Joined they are its text: `Axe - Cost: 5 gp [1]`. What is uncertain begins with `Perhaps:` and ends with the words
    of the question that the passage does not have. A comparison has a line for each side, and then what follows.

    Args:
        question: as it was asked.
        reading: of its passages; with a statement.
    """
    is_stated = reading.verdict == "stated"
    for count, statement in enumerate(reading.statements):
        first = "" if is_stated or count else _PERHAPS
        other = _OR if count and not reading.is_comparison else ""
        verdict = yes_or_no(question, statement.cells[0]) if not count and not reading.is_comparison else ""
        answer = f"{verdict}. " if verdict else ""
        doubt = "" if is_stated else _doubt(statement)
        yield f"{other}{first}{answer}{_line(statement)} [{statement.passage.number}]{doubt}\n"
    for part in reading.unanswered:
        yield f"No answer found for: {part}\n"
    if conclusion := _conclusion(question, reading):
        yield f"{conclusion}\n"
    yield READ


def nearest(passage: Passage) -> str:
    """The text where no answer was found, with the place that comes nearest."""
    return f"{NO_ANSWER_TEXT} The nearest place: {passage.hit.chunk.title} [{passage.number}]"


def _line(statement: Statement) -> str:
    cells = statement.cells
    if not cells[0].column:
        return " ".join(f"“{plain_text(cell.text)}”" for cell in cells)
    chunk = statement.passage.hit.chunk
    # The title has the key already; a row that is its key alone still says it.
    told = [cell for cell in cells if cell.text != chunk.row_key] or cells
    return f"{chunk.title} - {'; '.join(f'{cell.column}: {cell.text}' for cell in told)}"


def _doubt(statement: Statement) -> str:
    words = statement.missing[:_MOST_MISSING]
    what = "row" if statement.passage.hit.chunk.cells else "passage"
    return f" (the {what} says nothing of {' and '.join(f'“{word}”' for word in words)})" if words else ""


def _conclusion(question: str, reading: Reading) -> str:
    """Which side is more, and by how much; empty where a side is missing or nothing follows."""
    if not reading.is_comparison or reading.unanswered:
        return ""
    chunks = [statement.passage.hit.chunk for statement in reading.statements]
    names = [chunk.called or chunk.row_key or chunk.title for chunk in chunks]
    return compare_sides(question, names, [statement.cells[0] for statement in reading.statements])
