"""What the benchmark of hints found: contamination against recall, as a table and as a picture."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_LEFT, _TOP, _WIDTH, _HEIGHT = 52, 14, 420, 260
_COLOURS = {"right": "#2a9550", "wrong": "#d6454b"}


@dataclass(frozen=True, slots=True)
class HintPoint:
    """Means over the questions. Key: (way, boost)."""

    way: str
    """`no hint`, `hint` or `filter`."""
    boost: float | None
    """What a hint multiplies relevance by."""
    right_contamination: float
    """Share of the hits that are of another category than the answer, where the right category was named."""
    right_recall: float
    """Share of the gold that is among the hits."""
    wrong_contamination: float
    """The same where a wrong category was named."""
    wrong_recall: float

    @property
    def name(self) -> str:
        """As the table says it."""
        return self.way if self.boost is None else f"{self.way}, boost {self.boost:g}"


@dataclass(frozen=True, slots=True)
class HintCurve:
    """One run. Key: questions and categories."""

    k: int
    questions: int
    categories: tuple[str, ...]
    embedder: str
    points: tuple[HintPoint, ...]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "HintCurve":
        """What `asdict` made of one."""
        points = tuple(HintPoint(**each) for each in values["points"])
        return cls(**{**values, "categories": tuple(values["categories"]), "points": points})

    def lines(self) -> Iterator[str]:
        """A markdown table, and a sentence about what was asked."""
        yield "| | right category named: contamination | recall | wrong one named: contamination | recall |"
        yield "|---|---:|---:|---:|---:|"
        for each in self.points:
            yield (
                f"| {each.name} | {each.right_contamination:.3f} | {each.right_recall:.3f} "
                f"| {each.wrong_contamination:.3f} | {each.wrong_recall:.3f} |"
            )
        yield ""
        yield (
            f"{self.questions} questions with an answer, first {self.k} hits; categories: "
            f"{', '.join(self.categories)}; embedder {self.embedder}."
        )

    def svg(self) -> str:
        """Contamination to the right, recall upwards: a line for the right hint and one for the wrong."""
        lines = {
            "right": [(each.right_contamination, each.right_recall, each.name) for each in self.points],
            "wrong": [(each.wrong_contamination, each.wrong_recall, each.name) for each in self.points],
        }
        drawn = []
        for number, (said, places) in enumerate(lines.items()):
            path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y, _ in places)
            drawn.append(f'<polyline points="{path}" fill="none" stroke="{_COLOURS[said]}" stroke-width="1.5"/>')
            drawn += [
                f'<circle cx="{_x(x):.1f}" cy="{_y(y):.1f}" r="4" fill="{_COLOURS[said]}"><title>{said} category, '
                f"{name}: contamination {x:.3f}, recall {y:.3f}</title></circle>"
                for x, y, name in places
            ]
            label = f"the {said} category is named"
            drawn.append(
                f'<text x="{_LEFT + _WIDTH - 6}" y="{_TOP + 18 + 16 * number}" text-anchor="end" '
                f'fill="{_COLOURS[said]}">{label}</text>'
            )
        about = "Contamination against recall of the first hits: no hint, hints, filter"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 20}" height="{_TOP + _HEIGHT + 46}" '
            f'font-family="sans-serif" font-size="11" role="img" aria-label="{about}">'
            f'<rect width="100%" height="100%" fill="white"/>'
            f'<rect x="{_LEFT}" y="{_TOP}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#999"/>'
            f"{_ticks()}{''.join(drawn)}"
            f'<text x="{_x(0.5)}" y="{_TOP + _HEIGHT + 36}" text-anchor="middle">contamination</text>'
            f'<text transform="translate(14 {_y(0.5)}) rotate(-90)" text-anchor="middle">recall</text>'
            "</svg>\n"
        )


def _ticks() -> str:
    return "".join(
        f'<text x="{_x(at / 5):.1f}" y="{_TOP + _HEIGHT + 16}" text-anchor="middle">{at / 5:.1f}</text>'
        f'<text x="{_LEFT - 8}" y="{_y(at / 5) + 4:.1f}" text-anchor="end">{at / 5:.1f}</text>'
        for at in range(6)
    )


def _x(value: float) -> float:
    return _LEFT + value * _WIDTH


def _y(value: float) -> float:
    return _TOP + (1 - value) * _HEIGHT
