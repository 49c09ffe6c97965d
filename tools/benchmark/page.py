"""The generated part and the pictures of `docs/results/benchmark.md`, from `docs/results/benchmark.json`."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from retrieval.errors import RetrievalError
from retrieval.files.atomic_files import write_atomically
from tools.benchmark.results import RESULTS, SEALED, TUNED, Comparison, Results
from tools.benchmark.scores import CURVE, MEASURES, OURS, AnswerCounts, Score, SystemScores, Win
from tools.pages.marked_blocks import with_blocks

PAGE = "benchmark.md"
BLOCKS = ("benchmark-tables", "benchmark-systems")
_KIND_NAMES = {"row": "table rows", "prose": "paragraphs", "several": "two rows at once"}


def require_page(folder: Path) -> None:
    """See that the page can be written, before hours of measuring; make it where the folder has none.

    Raises:
        RetrievalError: the page has lost a marker of its generated parts.
    """
    page = folder / PAGE
    if not page.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        marks = "\n\n".join(f"<!-- {name}:begin -->\n<!-- {name}:end -->" for name in BLOCKS)
        write_atomically(page, f"# Benchmark\n\n{marks}\n")
    try:
        with_blocks(page.read_text("utf-8"), dict.fromkeys(BLOCKS, ""))
    except ValueError as error:
        raise RetrievalError(f"{page}: {error}, or write elsewhere with --docs") from error


def write_page(folder: Path, results: Results) -> None:
    """Write the data, the pictures and the generated parts of the page.

    Args:
        folder: of the results; the page is there.
        results: all that are to be on the page.
    """
    results.write(folder / RESULTS)
    for comparison in results.comparisons:
        title = f"Questions about table rows: {comparison.books}, {comparison.embedder}"
        write_atomically(folder / picture_name(comparison), curve_picture(comparison.systems, title))
    page = (folder / PAGE).read_text("utf-8")
    write_atomically(folder / PAGE, with_results(page, results))


def with_results(page: str, results: Results) -> str:
    """The page with its generated parts made again."""
    made = ("\n".join(_tables(results)), "\n".join(_systems(results)))
    return with_blocks(page, dict(zip(BLOCKS, made, strict=True)))


def picture_name(comparison: Comparison) -> str:
    """File name of the picture of a comparison."""
    return f"benchmark_{comparison.books}_{comparison.embedder.replace(':', '_')}.svg"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A markdown table; all columns but the first are numbers."""
    yield f"| {' | '.join(head)} |"
    yield "|---" + "|---:" * (len(head) - 1) + "|"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _tables(results: Results) -> Iterator[str]:
    for books in dict.fromkeys(entry.books for entry in results.comparisons):
        same = [entry for entry in results.comparisons if entry.books == books]
        yield from _about_books(same[0])
        for comparison in same:
            yield from comparison_lines(comparison, picture=True)


def _about_books(comparison: Comparison) -> Iterator[str]:
    counted = f"{comparison.n_books} books with {comparison.n_questions} questions"
    of = f"`{comparison.books}`, version {comparison.version}: {counted}."
    if comparison.kind == TUNED:
        yield from ("## Books the program was tuned on", "")
        yield f"{of} **The ranking of `default` was tuned on these books and questions**, so its numbers here are too"
        yield "high. Its numbers with each book held out are on the page of the [LambdaMART model](trees.md). No other"
        yield "system was tuned on them, except that the better of two documented sizes of chunks was chosen here."
    elif comparison.kind == SEALED:
        yield from (f"## Sealed books, {comparison.day}", "")
        yield f"{of} Nothing is fitted on these books. Their data card lists the questions that somebody read after"
        yield "a run, and what was changed then."
    else:
        yield from (f"## Books of `{comparison.books}`, {comparison.day}", "", of)
    yield ""


def comparison_lines(comparison: Comparison, *, picture: bool = False) -> Iterator[str]:
    """All that is said about one comparison, as markdown, with its picture or, for a terminal, without."""
    yield from (f"### {comparison.books}, embedder `{comparison.embedder}`", "")
    yield from (f"Measured on {comparison.day} on {comparison.machine}.", "")
    if picture:
        yield from (f"![Rows reached against words read]({picture_name(comparison)})", "")
    for kind in _KIND_NAMES:
        yield from _kind_lines(comparison, kind)
    yield from _costs(comparison)
    yield from _answers(comparison)
    yield from _ahead(comparison)
    for entry in comparison.left_out:
        yield from (f"Left out: `{entry.system}`: {entry.reason}", "")


def _kind_lines(comparison: Comparison, kind: str) -> Iterator[str]:
    measures = (*MEASURES, "siblings") if kind == "row" else MEASURES
    first = next((score for system in comparison.systems if (score := system.score(kind, MEASURES[0]))), None)
    if first is None:
        return
    yield from (f"Questions about {_KIND_NAMES[kind]} (n = {first.n}):", "")
    rows = (
        (f"`{system.system}`", *(_shown(system.score(kind, measure)) for measure in measures))
        for system in comparison.systems
    )
    yield from table(("system", *measures), rows)


def _shown(score: Score | None) -> str:
    if score is None:
        return "-"
    digits = 2 if score.measure == "siblings" else 3
    return f"{score.value:.{digits}f} ({score.low:.2f} to {score.high:.2f})"


def _costs(comparison: Comparison) -> Iterator[str]:
    head = ("system", "index, s", "index, MB", "memory, MB", "question, median ms", "words of a hit")
    rows = (
        (
            f"`{system.system}`",
            f"{system.index_seconds:.1f}",
            f"{system.index_megabytes:.1f}",
            f"{system.peak_megabytes:.0f}",
            f"{system.p50.value:.1f} ({system.p50.low:.1f} to {system.p50.high:.1f})",
            f"{system.hit_words:.0f}",
        )
        for system in comparison.systems
    )
    yield from ("Time and space, all books together:", "")
    yield from table(head, rows)


def _answers(comparison: Comparison) -> Iterator[str]:
    counted = [(system.system, system.answers) for system in comparison.systems if system.answers]
    if not counted:
        return
    head = ("system", "questions", "right", "wrong", "unsure", "refused")
    rows = [row for name, counts in counted for row in _answer_rows(name, counts)]
    yield from ("Answers in words:", "")
    yield from table(head, rows)


def _answer_rows(name: str, counts: AnswerCounts) -> Iterator[tuple[str, ...]]:
    shares = (counts.right, counts.wrong, counts.unsure, counts.refused)
    yield f"`{name}`, the book answers", str(counts.answerable), *(_of(count, counts.answerable) for count in shares)
    if counts.unanswerable:
        refused = counts.unanswerable - counts.unanswerable_wrong - counts.unanswerable_unsure
        others = (0, counts.unanswerable_wrong, counts.unanswerable_unsure, refused)
        cells = (_of(count, counts.unanswerable) for count in others)
        yield f"`{name}`, the book does not", str(counts.unanswerable), *cells


def _of(count: int, n: int) -> str:
    return f"{count / n:.3f}" if n else "-"


def _ahead(comparison: Comparison) -> Iterator[str]:
    """Where another system is better than ours."""
    ours = next((system for system in comparison.systems if system.system == OURS), None)
    if ours is None:
        return
    yield from (f"Where others are ahead of `{OURS}`:", "")
    lines = [*_wins(comparison.wins), *_cheaper(ours, comparison.systems)]
    yield from lines or ["- nowhere in these tables"]
    yield ""
    if comparison.examples:
        yield from (f"Questions that others answer at their first hit, and `{OURS}` does not, the worst first:", "")
        rows = (
            (
                f"{example.query} (`{example.id}`)",
                str(example.our_rank or "none"),
                ", ".join(f"`{name}`" for name in example.systems),
            )
            for example in comparison.examples
        )
        yield from table(("question", f"rank in `{OURS}`", "first in"), rows)


def _wins(wins: Sequence[Win]) -> Iterator[str]:
    for kind, measure in dict.fromkeys((win.kind, win.measure) for win in wins):
        same = [win for win in wins if (win.kind, win.measure) == (kind, measure)]
        ahead = ", ".join(
            f"`{win.system}` {win.value:.3f} (p = {win.p:.3f})" for win in sorted(same, key=lambda win: -win.value)
        )
        yield f"- {_KIND_NAMES[kind]}, {measure}: {ahead}; `{OURS}` {same[0].ours:.3f}"


def _cheaper(ours: SystemScores, systems: Sequence[SystemScores]) -> Iterator[str]:
    faster = [f"`{system.system}`" for system in systems if system.p50.high < ours.p50.low]
    sooner = [f"`{system.system}`" for system in systems if system.index_seconds < ours.index_seconds]
    smaller = [f"`{system.system}`" for system in systems if system.index_megabytes < ours.index_megabytes]
    for what, names in (
        ("less time for a question", faster),
        ("less time to index", sooner),
        ("a smaller index", smaller),
    ):
        if names:
            yield f"- {what}: {', '.join(names)}"


def _systems(results: Results) -> Iterator[str]:
    for card in results.cards:
        yield f"- `{card.name}`: {card.about} {card.setup}"
    yield ""
    yield f"Versions: {', '.join(f'{name} {number}' for name, number in results.packages)}."


_WIDTH, _HEIGHT = 760, 420
_LEFT, _TOP, _RIGHT, _BOTTOM = 56, 44, 570, 368
"""Of the area that the lines are in."""
_COLOURS = (
    "#0b5394",
    "#6fa8dc",
    "#3d85c6",
    "#b45f06",
    "#e69138",
    "#38761d",
    "#741b47",
    "#a64d79",
    "#666666",
    "#bf9000",
)
_DASHES = ("", "2 3", "6 3", "", "6 3", "", "", "6 3", "", "2 3")
_LINE = 19
"""Between two names."""


def curve_picture(systems: Sequence[SystemScores], title: str) -> str:
    """An SVG of the curves of these systems.

    Args:
        systems: those without a curve are left out.
        title: what stands above.
    """
    drawn = [system for system in systems if system.curve]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" '
        'font-family="sans-serif" font-size="12" fill="#222222">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="24" font-size="14">{escape(title)}</text>',
        *_grid(),
        *(line for number, system in enumerate(drawn) for line in _curve(system, number)),
        *_names(drawn),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _x(words: float) -> float:
    return round(_LEFT + (words / CURVE[-1]) * (_RIGHT - _LEFT), 1)


def _y(share: float) -> float:
    return round(_BOTTOM - share * (_BOTTOM - _TOP), 1)


def _grid() -> Iterator[str]:
    for percent in range(0, 101, 20):
        y = _y(percent / 100)
        yield f'<line x1="{_LEFT}" y1="{y}" x2="{_RIGHT}" y2="{y}" stroke="#dddddd"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{percent} %</text>'
    for words in range(0, CURVE[-1] + 1, 100):
        yield f'<text x="{_x(words)}" y="{_BOTTOM + 18}" text-anchor="middle">{words}</text>'
    middle = (_LEFT + _RIGHT) / 2
    yield f'<text x="{middle}" y="{_BOTTOM + 40}" text-anchor="middle">words read</text>'


def _style(number: int, name: str) -> str:
    colour, dash = _COLOURS[number % len(_COLOURS)], _DASHES[number % len(_DASHES)]
    width = 3 if name == OURS else 1.8
    return f'fill="none" stroke="{colour}" stroke-width="{width}"' + (f' stroke-dasharray="{dash}"' if dash else "")


def _curve(system: SystemScores, number: int) -> Iterator[str]:
    points = zip((0, *CURVE), (0.0, *system.curve), strict=True)
    path = " ".join(f"{_x(words)},{_y(share)}" for words, share in points)
    yield f'<polyline points="{path}" {_style(number, system.system)}/>'


def _names(systems: Sequence[SystemScores]) -> Iterator[str]:
    """The names beside the ends of the lines, in the order of these, each with a piece of its line."""
    ranked = sorted(enumerate(systems), key=lambda entry: -entry[1].curve[-1])
    y = float(_TOP)
    for number, system in ranked:
        y = max(y, _y(system.curve[-1]))
        yield f'<line x1="{_RIGHT + 12}" y1="{y}" x2="{_RIGHT + 42}" y2="{y}" {_style(number, system.system)}/>'
        label = f"{escape(system.system)} {system.curve[-1]:.0%}"
        yield f'<text x="{_RIGHT + 50}" y="{y + 4}">{label}</text>'
        y += _LINE
