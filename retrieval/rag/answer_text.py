"""The text of an answer read from the books: its values, yes or no, and for a comparison, which is more and by how
much."""

import re
from collections.abc import Iterable, Iterator, Sequence

from retrieval.ingest.markdown.parser import plain_text
from retrieval.language.english import word_set
from retrieval.language.numbers import AS_TEXT, Quantity, quantities, whole_quantity
from retrieval.rag.cells import WORD, Cell
from retrieval.rag.extractive_reader import Reading, direction, single_value
from retrieval.rag.passages import Passage
from retrieval.rag.question_words import CHOICE, is_polar
from retrieval.rag.statements import Statement

_OR = "Or, if that is meant: "
_PERHAPS = "Perhaps: "
_MOST_MISSING = 2
"""The maximum number of words of the question that an uncertain answer lists as missing."""
_MOST_NOTES = 3
"""The maximum number of notes that follow a row."""
_MOST_SHOWN = 1000
"""The maximum number of characters of a cell or a sentence in the text of an answer."""
NO_ANSWER_TEXT = "No answer found in these books."
READ = "Read from the books, not generated."


def answer_lines(question: str, reading: Reading) -> Iterator[str]:
    """Yield the lines of an answer: each row or passage with the values read from it, `Axe - Cost: 5 gp [1]`.

    An uncertain answer names the words of the question that the passage lacks. The notes of a row follow it, because
    they may restrict what it says. A comparison has a line for each side, and then its conclusion.

    Args:
        question: the question as asked.
        reading: the reading of its passages, with at least one statement.
    """
    is_stated = reading.verdict == "stated"
    noted: set[str] = set()
    for count, statement in enumerate(reading.statements):
        other = _OR if count and not reading.is_comparison else ""
        verdict = yes_or_no(question, statement.cells[0]) if not count and not reading.is_comparison else ""
        answer = f"{verdict}. " if verdict else ""
        doubt = "" if is_stated else _doubt(statement)
        yield f"{other}{answer}{_line(statement)} [{statement.passage.number}]{doubt}"
        notes = [note for note in statement.passage.hit.chunk.notes if note not in noted][:_MOST_NOTES]
        noted.update(notes)
        yield from (f"Note: {_shown(note)}" for note in notes)
    for part in reading.unanswered:
        yield f"No answer found for: {part}"
    if conclusion := _conclusion(question, reading):
        yield conclusion


def with_origin(lines: Sequence[str], *, is_stated: bool) -> Iterator[str]:
    """Yield the text of an answer in pieces: its lines, after `Perhaps:` if it is uncertain, and a last line that
    states that it was read from the books.

    Args:
        lines: at least one.
    """
    if not is_stated:
        yield _PERHAPS
    yield from (f"{line}\n" for line in lines)
    yield READ


def nearest_place(passage: Passage) -> str:
    """Return the line that names the place that comes nearest to a question without an answer."""
    return f"The closest passage: {passage.hit.chunk.title} [{passage.number}]"


def _line(statement: Statement) -> str:
    cells = statement.cells
    if not cells[0].column:
        return " ".join(f"“{_shown(plain_text(cell.text))}”" for cell in cells)
    chunk = statement.passage.hit.chunk
    # The title already contains the key; a row that has only its key still shows it.
    told = [cell for cell in cells if cell.text != chunk.row_key] or cells
    return f"{chunk.title} - {'; '.join(map(_labelled, told))}"


def _labelled(cell: Cell) -> str:
    """Return a cell after the head of its column, if the column has one."""
    return _shown(cell.text) if _NO_HEAD.fullmatch(cell.column) else f"{cell.column}: {_shown(cell.text)}"


_NO_HEAD = re.compile(r"column \d+")


def _shown(text: str) -> str:
    """Return a cell or a sentence, with its end left out if it is long: a table of data may be one line."""
    return (text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN].rsplit(maxsplit=1)[0]} …") or "(blank)"


def _doubt(statement: Statement) -> str:
    words = statement.missing[:_MOST_MISSING]
    what = "row" if statement.passage.hit.chunk.cells else "passage"
    return f" (the {what} says nothing about {' and '.join(f'“{word}”' for word in words)})" if words else ""


def _conclusion(question: str, reading: Reading) -> str:
    """Return which side is more, and by how much; empty if a side is missing or nothing can be concluded."""
    if not reading.is_comparison or reading.unanswered:
        return ""
    chunks = [statement.passage.hit.chunk for statement in reading.statements]
    names = [chunk.called or chunk.row_key or chunk.title for chunk in chunks]
    return compare_sides(question, names, [statement.cells[0] for statement in reading.statements])


_YES, _NO = word_set("yes"), word_set("no")
_REQUIRED, _OPTIONAL = word_set("required"), word_set("optional")
_ASKS_REQUIRED, _ASKS_OPTIONAL = word_set("asks_required"), word_set("asks_optional")
_AT_MOST = re.compile(r"\b(?:max(?:imum)?|limit|most|up to|longest|largest|highest|cap|quota)\b", re.IGNORECASE)
_AT_LEAST = re.compile(r"\b(?:min(?:imum)?|least|shortest|smallest|lowest)\b", re.IGNORECASE)
_MARKS = re.compile(r"[*`_.\s]+")


def yes_or_no(question: str, cell: Cell) -> str:
    """Return `Yes`, `No`, or `No: at most 25,000`; empty if the question is not a yes-or-no question, or the cell does
    not decide it: a `No` below `Required` or `Default` is not whether something is supported.

    Args:
        question: the question as asked.
        cell: a cell of the row that answers.
    """
    if not is_polar(question) or CHOICE.search(question) or not cell.column:
        return ""
    value = _MARKS.sub(" ", cell.text).strip().casefold()
    words = frozenset(WORD.findall(question.casefold()))
    head = frozenset(WORD.findall(cell.column.casefold()))
    if value in _REQUIRED | _OPTIONAL or (value in _YES | _NO and head & (_REQUIRED | _OPTIONAL)):
        is_needed = value in _YES | _REQUIRED
        if value in _YES | _NO and head & _OPTIONAL:
            is_needed = not is_needed  # `Optional: yes`
        if not words.isdisjoint(_ASKS_OPTIONAL):
            return "No" if is_needed else "Yes"
        return ("Yes" if is_needed else "No") if not words.isdisjoint(_ASKS_REQUIRED) else ""
    if value in _YES | _NO:
        return ("Yes" if value in _YES else "No") if _share_a_stem(words, head) else ""
    return _within_limit(question, cell)


_STEM = 5
"""Letters that two words share if they are forms of one: `supported`, `supports`."""


def _share_a_stem(words: Iterable[str], others: Iterable[str]) -> bool:
    return not {word[:_STEM] for word in words}.isdisjoint(word[:_STEM] for word in others)


def _within_limit(question: str, cell: Cell) -> str:
    """Return whether the number of the question is within the limit that the cell states; empty if that cannot be
    decided."""
    limit = whole_quantity(cell.text)
    figures = [figure for figure in quantities(question) if figure.kind not in AS_TEXT]
    if limit is not None and limit.unit:  # "a draught of 5 m at berth 2" compares the 5
        figures = [figure for figure in figures if figure.unit == limit.unit] or figures
    is_most, is_least = bool(_AT_MOST.search(cell.column)), bool(_AT_LEAST.search(cell.column))
    if limit is None or limit.kind in AS_TEXT or len(figures) != 1 or is_most == is_least:
        return ""
    figure = figures[0]
    if limit.unit and figure.unit and limit.unit != figure.unit:
        return ""
    has_units = limit.unit is not None and figure.unit is not None
    wanted, bound = (figure.high, limit.high) if has_units else (figure.written[1], limit.written[1])
    if is_most:
        return "Yes" if wanted <= bound else f"No: at most {cell.text.strip()}"
    return "Yes" if wanted >= bound else f"No: at least {cell.text.strip()}"


_SPEEDS = word_set("speeds")
_DURATIONS = ("second", "month")
_DIFFERENCE = re.compile(r"\b(?:difference|how much (?:more|less|\w+er)|gap|by how)\b", re.IGNORECASE)
_NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?")


def compare_sides(question: str, names: Sequence[str], cells: Sequence[Cell]) -> str:
    """Return which of two values is more or less and by how much, if the question asks that and both are numbers of one
    unit; else an empty string.

    >>> sides = [Cell("a", "Cost", "2 gp", 1, 1.0), Cell("b", "Cost", "15 gp", 1, 1.0)]
    >>> compare_sides("Which costs more, a dagger or a long sword?", ["Dagger", "Sword, long"], sides)
    'More: Sword, long (15 gp against 2 gp).'
    """
    if len(cells) != 2 or not cells[0].column:
        return ""
    values = [single_value(cell.text) for cell in cells]
    if values[0] is None or values[1] is None or values[0].unit != values[1].unit:
        return ""
    first, second = values[0].low, values[1].low
    which = direction(question)
    if not which:
        return _difference(values[0], values[1], cells) if _DIFFERENCE.search(question) else ""
    if first == second:
        return f"Both are the same: {cells[0].text.strip()}."
    # Of two durations, the shorter one is faster.
    is_of_speed = values[0].unit in _DURATIONS and not _SPEEDS.isdisjoint(WORD.findall(question.casefold()))
    is_more = (which == "more") != is_of_speed
    best = 0 if (first > second) == is_more else 1
    texts = [cell.text.strip() for cell in (cells[best], cells[1 - best])]
    sentence = f"{'More' if is_more else 'Less'}: {names[best]} ({texts[0]} against {texts[1]})."
    difference = _difference(values[0], values[1], cells) if _DIFFERENCE.search(question) else ""
    return f"{sentence} {difference}".strip()


def _difference(first: Quantity, second: Quantity, cells: Sequence[Cell]) -> str:
    """Return the difference in the unit in which both values are written; empty if their units differ."""
    rests = {" ".join(_NUMBER.sub(" ", cell.text).split()) for cell in cells}
    if len(rests) != 1:
        return ""
    value = abs(first.written[0] - second.written[0])
    return f"Difference: {f'{value:g} {rests.pop()}'.strip()}."
