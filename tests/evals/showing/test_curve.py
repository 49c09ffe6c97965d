"""The small pictures in Dagster's pages."""

import base64
import re
import xml.etree.ElementTree as ET

import pytest

from evals.showing.curve import MOST_POINTS, Curve

SVG = "{http://www.w3.org/2000/svg}"


def drawn(curve: Curve) -> ET.Element:
    (encoded,) = re.findall(r"\(data:image/svg\+xml;base64,([\w+/=]+)\)$", curve.image())
    return ET.fromstring(base64.b64decode(encoded))


def points(curve: Curve, at: int = 0) -> list[tuple[int, int]]:
    path = drawn(curve).findall(f".//{SVG}path")[at].attrib["d"]
    return [(int(x), int(y)) for x, y in re.findall(r"(\d+) (\d+)", path)]


def test_more_is_higher_and_later_is_to_the_right() -> None:
    (x0, y0), (x1, y1), (x2, y2) = points(Curve(["a", "b", "c"], {"mrr": [0.1, 0.3, 0.2]}))
    assert x0 < x1 < x2
    assert y1 < y2 < y0


def test_a_place_without_a_value_is_left_out() -> None:
    assert len(points(Curve(["a", "b", "c"], {"mrr": [0.1, None, 0.2]}))) == 2


def test_of_one_place_there_is_one_point_and_one_label() -> None:
    one = Curve(["now"], {"mrr": [0.5]})
    assert len(points(one)) == 1
    assert [each.text for each in drawn(one).iter(f"{SVG}text")].count("now") == 1


def test_without_values_there_is_no_picture() -> None:
    assert Curve([], {"mrr": []}).image() == ""
    assert Curve(["a"], {"mrr": [None]}).image() == ""


def test_what_is_in_use_is_marked() -> None:
    marked = Curve(["a", "b", "c"], {"mrr": [0.1, 0.3, 0.2]}, marked=1)
    assert points(marked, at=1)[1][0] == points(marked)[0][0]


@pytest.mark.parametrize("count", [MOST_POINTS, 40])
def test_the_largest_picture_is_shown_at_once(count: int) -> None:
    places = [f"2026-11-{number:02}" for number in range(count)]
    values = [0.123 + number / 97 for number in range(count)]
    full = Curve(places, {"mrr": values, "mrr of live": values[::-1]}, marked=count - 1)
    assert len(full.image()) < 1000
    assert len(points(full, at=1)) == MOST_POINTS


def test_a_name_is_text() -> None:
    assert [each.text for each in drawn(Curve(["<a>"], {"a & b": [1.0]})).iter(f"{SVG}text")][-2:] == ["<a>", "a & b"]
