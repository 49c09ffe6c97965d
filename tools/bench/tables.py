"""Numbers as markdown tables."""

from collections.abc import Sequence

from evals.aggregates import ALL, Aggregate
from evals.metric_table import Use, names
from tools.bench.cells import Cell

_LEAST_P = 0.0005

COLUMNS = names(Use.REPORT)


def leaderboard(aggregates: Sequence[Aggregate], metrics: Sequence[str] = COLUMNS) -> str:
    """One markdown table a set: strategies in rows, metrics in columns, over all books and kinds.

    A number is shown with its 95 % interval; `-` is a metric that is undefined or was not measured.
    """
    headline = [aggregate for aggregate in aggregates if aggregate.book == ALL and aggregate.kind == ALL]
    return _sections(headline, metrics)


def breakdown(aggregates: Sequence[Aggregate], metrics: Sequence[str] = COLUMNS) -> str:
    """Like `leaderboard`, with a row for every book, kind and strategy."""
    return _sections(aggregates, metrics)


def cell_table(cells: Sequence[Cell]) -> str:
    """Cells as one markdown table: look-ups and rules of every book in rows, metrics in columns.

    A cell is the strategy's figure, the best other one's with its name, and p; `▼` and names say what is better
    beyond chance.
    """
    metrics = list(dict.fromkeys(cell.metric for cell in cells))
    by_place = {(cell.set, cell.book, cell.sort, cell.metric): cell for cell in cells}
    names = ["set", "book", "asked for", "n"]
    lines = [_line([*names, *metrics]), _line(["---"] * 3 + ["---:"] + ["---"] * len(metrics))]
    for position in dict.fromkeys(key[:3] for key in by_place):
        members = [by_place[*position, metric] for metric in metrics]
        lines.append(_line([*position, str(members[0].n), *map(_compared, members)]))
    return "".join(lines)


def _compared(cell: Cell) -> str:
    p = "p < 0.001" if cell.p < _LEAST_P else f"p {cell.p:.3f}"
    mark = f" ▼ {', '.join(cell.ahead)}" if cell.ahead else ""
    return f"{cell.value:.3f}, {cell.other} {cell.other_value:.3f}, {p}{mark}"


def _sections(aggregates: Sequence[Aggregate], metrics: Sequence[str]) -> str:
    sets = dict.fromkeys((aggregate.set, aggregate.split) for aggregate in aggregates)
    sections = []
    for name, split in sets:
        members = [aggregate for aggregate in aggregates if (aggregate.set, aggregate.split) == (name, split)]
        sections.append(f"### {_cell(name)}, {_cell(split)}\n\n{_table(members, metrics)}")
    return "\n".join(sections)


def _table(aggregates: Sequence[Aggregate], metrics: Sequence[str]) -> str:
    by_place = {
        (aggregate.book, aggregate.kind, aggregate.strategy, aggregate.metric): aggregate for aggregate in aggregates
    }
    places = dict.fromkeys(key[:3] for key in by_place if key[3] in metrics and key[2] != ALL)
    measured = [name for name in metrics if any(key[3] == name for key in by_place)]
    whole = all(book == kind == ALL for book, kind, _ in places)
    names = ["strategy"] if whole else ["book", "kind", "strategy"]
    lines = [_line([*names, "n", *measured]), _line(["---"] * len(names) + ["---:"] * (len(measured) + 1))]
    for position in places:
        numbers = [by_place.get((*position, name)) for name in measured]
        query = max((number.n for number in numbers if number), default=0)
        lines.append(_line([*([position[2]] if whole else position), str(query), *map(_number, numbers)]))
    evaluable = by_place.get((ALL, ALL, ALL, "evaluability"))
    note = f"\nevaluability {_number(evaluable)} of {evaluable.n} questions with gold\n" if evaluable else ""
    return "".join(lines) + note


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_cell, cells)) + " |\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _number(aggregate: Aggregate | None) -> str:
    if aggregate is None or aggregate.value is None:
        return "-"
    if aggregate.metric == "false_exclusions":
        return f"{aggregate.value:.0f}"
    if aggregate.low is None or aggregate.high is None:
        return f"{aggregate.value:.3f}"
    return f"{aggregate.value:.3f} ({aggregate.low:.3f} to {aggregate.high:.3f})"
