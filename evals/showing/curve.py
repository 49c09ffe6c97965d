"""A small line chart as an image in markdown. Dagster's UI hides markdown of a thousand characters behind a link."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MOST_POINTS = 12
"""So many fit; of a longer line the last ones are drawn."""
COLOURS = ("#6b5bd6", "#d9822b")
"""Both can be told from a white and from a black page."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 314, 18, 80


@dataclass(frozen=True, slots=True)
class Curve:
    """One or two lines over the same places."""

    places: Sequence[str]
    """What is written below the first and the last place."""
    lines: Mapping[str, Sequence[float | None]]
    """Name to a value for each place; None leaves a gap."""
    marked: int | None = None
    """The place of what is in use; a line stands there."""

    def image(self) -> str:
        """The chart as markdown; nothing where there is nothing to draw."""
        drawn = self._last()
        if not any(value is not None for line in drawn.lines.values() for value in line):
            return ""
        encoded = b64encode(drawn._svg().encode()).decode()
        return f"![{', '.join(drawn.lines)}](data:image/svg+xml;base64,{encoded})"

    def _last(self) -> "Curve":
        cut = max(0, len(self.places) - MOST_POINTS)
        marked = self.marked - cut if self.marked is not None and self.marked >= cut else None
        return Curve(self.places[cut:], {name: line[cut:] for name, line in self.lines.items()}, marked)

    def _svg(self) -> str:
        values = [value for line in self.lines.values() for value in line if value is not None]
        low, high = min(values), max(values)
        steps = [self._x(place) for place in range(len(self.places))]
        parts = [_text(0, _TOP + 3, f"{high:.3f}"), _text(0, _BOTTOM + 3, f"{low:.3f}")]
        parts += [_text(_LEFT, 96, self.places[0])] if len(steps) > 1 else []
        parts += [_text(_RIGHT, 96, self.places[-1], "end")]
        drawn = []
        for number, (name, line) in enumerate(self.lines.items()):
            points = [(x, _y(value, low, high)) for x, value in zip(steps, line, strict=True) if value is not None]
            path = "M" + "L".join(f"{x} {y}" for x, y in points) + "h0"  # of one point the round end is seen
            if points:
                drawn.append(f'<path d="{path}" stroke="{COLOURS[number]}"/>')
            parts.append(_text(_LEFT + 90 * number, 9, name, fill=COLOURS[number]))
        if self.marked is not None:
            drawn.insert(0, f'<path d="M{steps[self.marked]} 14V84" stroke="#999" stroke-width="1"/>')
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 98" width="480">'
            f'<g style="font:9px Arial" fill="#888">{"".join(parts)}</g>'
            f'<g fill="none" stroke-width="3" stroke-linecap="round">{"".join(drawn)}</g></svg>'
        )

    def _x(self, place: int) -> int:
        last = len(self.places) - 1
        return _LEFT + round(place * (_RIGHT - _LEFT) / last) if last else (_LEFT + _RIGHT) // 2


def _y(value: float, low: float, high: float) -> int:
    share = (value - low) / (high - low) if high > low else 0.5
    return round(_BOTTOM - share * (_BOTTOM - _TOP))


def _text(x: int, y: int, text: str, anchor: str = "", fill: str = "") -> str:
    more = (f' text-anchor="{anchor}"' if anchor else "") + (f' fill="{fill}"' if fill else "")
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x}" y="{y}"{more}>{escaped}</text>'
