"""The reliability diagram as SVG: what is said against what is true."""

from collections.abc import Sequence

from evals.calibration.reliability import Bin

_SIZE, _LEFT, _TOP = 260, 46, 14


def diagram(bins: Sequence[Bin], title: str) -> str:
    """A point for each bin, its area by its number of questions; on the diagonal what is said is true."""
    most = max((each.n for each in bins), default=1)
    points = "".join(
        f'<circle cx="{_x(each.said):.1f}" cy="{_y(each.true):.1f}" r="{3 + 7 * (each.n / most) ** 0.5:.1f}" '
        f'fill="#3b6ea5" fill-opacity="0.75"><title>{each.n} questions: said {each.said:.2f}, '
        f"true {each.true:.2f}</title></circle>"
        for each in bins
    )
    ticks = "".join(
        f'<text x="{_x(at / 5):.1f}" y="{_TOP + _SIZE + 16}" text-anchor="middle">{at / 5:.1f}</text>'
        f'<text x="{_LEFT - 8}" y="{_y(at / 5) + 4:.1f}" text-anchor="end">{at / 5:.1f}</text>'
        for at in range(6)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _SIZE + 20}" height="{_TOP + _SIZE + 46}" '
        f'font-family="sans-serif" font-size="11" role="img" aria-label="{title}">'
        f'<rect width="100%" height="100%" fill="white"/>'
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_SIZE}" height="{_SIZE}" fill="none" stroke="#999"/>'
        f'<line x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}" stroke="#bbb" stroke-dasharray="4 3"/>'
        f"{points}{ticks}"
        f'<text x="{_x(0.5)}" y="{_TOP + _SIZE + 36}" text-anchor="middle">relevance</text>'
        f'<text transform="translate(12 {_y(0.5)}) rotate(-90)" text-anchor="middle">share with an answer</text>'
        "</svg>\n"
    )


def _x(value: float) -> float:
    return _LEFT + value * _SIZE


def _y(value: float) -> float:
    return _TOP + (1 - value) * _SIZE
