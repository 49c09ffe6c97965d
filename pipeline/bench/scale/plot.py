"""The plot of the scale benchmark: median milliseconds by chunks, both on logarithmic axes, as plain SVG."""

import math
from collections.abc import Iterator, Sequence

from pipeline.bench.scale.report import ScaleReport

WAYS = {
    "nin_loop": "#b2182b",
    "default": "#2166ac",
    "hybrid": "#67a9cf",
    "exact_scan": "#999999",
    "prefilter": "#1b7837",
    "chroma_plain": "#000000",
    "bm25": "#e08214",
}
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 720, 420, 60, 120, 20, 45


def plot(runs: Sequence[ScaleReport]) -> str:
    """The SVG; a line for each way of searching that was measured in every run."""
    return "\n".join(_parts(_Scale(runs), runs)) + "\n"


class _Scale:
    """From chunks and milliseconds to places on the paper."""

    def __init__(self, runs: Sequence[ScaleReport]) -> None:
        chunks = [run.chunks for run in runs]
        times = [run.p50(name) for run in runs for name in WAYS]
        self.low = math.log10(min(chunks)), math.floor(math.log10(min(times)))
        self.high = math.log10(max(chunks)), math.ceil(math.log10(max(times)))

    def x(self, chunks: float) -> float:
        """Place of a number of chunks, from the left."""
        span = (self.high[0] - self.low[0]) or 1
        return round(_LEFT + (math.log10(chunks) - self.low[0]) / span * (_WIDTH - _LEFT - _RIGHT), 1)

    def y(self, milliseconds: float) -> float:
        """Place of a time, from the top."""
        span = (self.high[1] - self.low[1]) or 1
        share = (math.log10(milliseconds) - self.low[1]) / span
        return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 1)


def _parts(scale: _Scale, runs: Sequence[ScaleReport]) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
        'font-size="12"><rect width="100%" height="100%" fill="white"/>'
    )
    yield f'<text x="{_LEFT}" y="{_HEIGHT - 8}">chunks; up: milliseconds of a question, median</text>'
    for power in range(scale.low[1], scale.high[1] + 1):
        y = scale.y(10**power)
        yield f'<path d="M{_LEFT} {y}H{_WIDTH - _RIGHT}" stroke="#dddddd"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{10**power:g}</text>'
    for run in runs:
        yield f'<text x="{scale.x(run.chunks)}" y="{_HEIGHT - 28}" text-anchor="middle">{run.chunks:,}</text>'
    labels = _apart({name: scale.y(runs[-1].p50(name)) for name in WAYS})
    for name, colour in WAYS.items():
        points = " ".join(f"{scale.x(run.chunks)},{scale.y(run.p50(name))}" for run in runs)
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield f'<text x="{_WIDTH - _RIGHT + 8}" y="{labels[name] + 4}" fill="{colour}">{name}</text>'
    yield "</svg>"


def _apart(places: dict[str, float]) -> dict[str, float]:
    """The places of labels, moved down where two would lie on one another."""
    moved: dict[str, float] = {}
    last = -math.inf
    for name, place in sorted(places.items(), key=lambda entry: entry[1]):
        last = moved[name] = max(place, last + 14)
    return moved
