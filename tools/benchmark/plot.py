"""The picture of the page: rows reached against words read, one line for each system, as SVG."""

from collections.abc import Iterator, Sequence
from html import escape

from tools.benchmark.scores import CURVE, OURS, SystemScores

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
