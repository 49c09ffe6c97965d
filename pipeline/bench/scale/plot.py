"""The plot of the scale benchmark: median milliseconds by chunks, both on logarithmic axes; the only file with altair.

No background and colours of middle lightness: it is read on white and on black pages. The layout is fixed, so that no
font of a machine moves anything.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import vl_convert

from pipeline.bench.scale.report import ScaleReport

WAYS: Mapping[str, str] = {
    "nin_loop": "#d6454b",
    "default": "#3b82c4",
    "hybrid": "#9068d0",
    "exact_scan": "#85807a",
    "prefilter": "#2a9550",
    "chroma_plain": "#14909c",
    "bm25": "#c2701a",
}
INK = "#808080"
"""Of the axes and their words."""
_WIDTH, _HEIGHT = 560, 380
_PADDING = {"left": 52, "right": 160, "top": 44, "bottom": 46}
_LABEL = 15
"""Height of a label in pixels, the space below it included."""
_TITLE = "Milliseconds of a question (median), by the number of chunks"


@dataclass(frozen=True, slots=True)
class Point:
    """One median. Key: (way, chunks)."""

    way: str
    chunks: int
    milliseconds: float


def plot(runs: Sequence[ScaleReport]) -> str:
    """The SVG; a line for each way of searching, named at its end with its time in the largest run that timed it."""
    svg: str = vl_convert.vegalite_to_svg(_chart(runs).to_dict(), vl_version=alt.SCHEMA_VERSION.rsplit(".", 1)[0])
    return svg.rstrip("\n") + "\n"


def apart(places: Mapping[str, float], gap: float) -> dict[str, float]:
    """Places on a line, moved up where two would be nearer than `gap`."""
    moved: dict[str, float] = {}
    last = -math.inf
    for name, place in sorted(places.items(), key=lambda entry: (entry[1], entry[0])):
        last = moved[name] = max(place, last + gap)
    return moved


def _chart(runs: Sequence[ScaleReport]) -> alt.LayerChart:
    points = [Point(name, run.chunks, run.p50(name)) for name in WAYS for run in runs if run.p50(name)]
    sizes = sorted({run.chunks for run in runs})
    times = [point.milliseconds for point in points]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    x = alt.X("chunks:Q", title=None).scale(type="log", domain=[sizes[0], sizes[-1]], nice=False)
    y = alt.Y("milliseconds:Q", title=None).scale(type="log", domain=[10.0**low, 10.0**high], nice=False)
    colour = alt.Color("way:N", legend=None).scale(domain=list(WAYS), range=list(WAYS.values()))
    lines = (
        alt.Chart(_rows(points))
        .mark_line(strokeWidth=2, point=alt.OverlayMarkDef(size=36))
        .encode(
            x=x.axis(values=sizes, format=",d", grid=False),
            y=y.axis(values=_powers(low, high), format=",~g"),
            color=colour,
        )
    )
    ends = {point.way: point for point in points}  # a way that is not timed at the largest size ends before it
    places: dict[str, float] = {}
    for size in sizes:
        here = {name: math.log10(end.milliseconds) for name, end in ends.items() if end.chunks == size}
        places |= apart(here, (high - low) / _HEIGHT * _LABEL)
    labels = [
        {"way": name, "chunks": end.chunks, "milliseconds": 10 ** places[name], "said": _said(end)}
        for name, end in ends.items()
    ]
    names = (
        alt.Chart(alt.InlineData(values=labels))
        .mark_text(align="left", dx=10, fontSize=12, fontWeight=600)
        .encode(x=x, y=y, color=colour, text="said:N")
    )
    chart: alt.LayerChart = (
        alt.layer(lines, names)
        .properties(
            width=_WIDTH,
            height=_HEIGHT,
            padding=_PADDING,
            autosize="none",
            title=alt.TitleParams(_TITLE, anchor="start", frame="group", fontSize=13, offset=16, color=INK),
        )
        .configure(background="transparent", font="sans-serif")
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK, labelFontSize=12, domainColor=INK, tickColor=INK, gridColor=INK, gridOpacity=0.25
        )
    )
    return chart


def _rows(points: Sequence[Point]) -> alt.InlineData:
    return alt.InlineData(
        values=[{"way": point.way, "chunks": point.chunks, "milliseconds": point.milliseconds} for point in points]
    )


def _powers(low: int, high: int) -> list[float]:
    return [10.0**power for power in range(low, high + 1)]


def _said(point: Point) -> str:
    digits = 0 if point.milliseconds >= 100 else 1
    return f"{point.way} {point.milliseconds:,.{digits}f} ms"
