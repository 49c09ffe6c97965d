from math import inf

import pytest

from retrieval.language.numbers import quantities, whole_quantity

ONE = [
    # text, low, high, unit, kind
    ("law level five", 5, 5, None, "number"),
    ("a score of nineteen", 19, 19, None, "number"),
    ("30 points of damage", 30, 30, "point", "number"),
    ("an 1,800 ton ship", 1800, 1800, "ton", "number"),
    ("fourteen hundred tons", 1400, 1400, "ton", "number"),
    ("attack bonus for firing a ten-round burst", 10, 10, "round", "number"),
    ("half of the surface", 0.5, 0.5, None, "fraction"),
    ("a quarter of the hull", 0.25, 0.25, None, "fraction"),
    ("a quarter-inch bit", 0.00635, 0.00635, "metre", "fraction"),
    ("6 mo – 6 y", 6, 72, "month", "range"),
    ("adrenaline 3 year old", 36, 36, "month", "number"),
    ("adrenaline 3-month-old", 3, 3, "month", "number"),
    ("a quarter mile", 402.336, 402.336, "metre", "fraction"),
    ("two thirds of it", 2 / 3, 2 / 3, None, "fraction"),
    ("one-third", 1 / 3, 1 / 3, None, "fraction"),
    ("half an hour", 1800, 1800, "second", "fraction"),
    ("twenty-one", 21, 21, None, "number"),
    ("one hundred and five thousand", 105_000, 105_000, None, "number"),
    ("1.5 million", 1.5e6, 1.5e6, None, "number"),
    ("2½", 2.5, 2.5, None, "number"),
    ("2 1/2", 2.5, 2.5, None, "number"),
    ("two and a half miles", 4023.36, 4023.36, "metre", "number"),
    ("7th", 7, 7, None, "ordinal"),
    ("DO_REPEAT_SERVO third param", 3, 3, "param", "ordinal"),
    ("twenty-second", 22, 22, None, "ordinal"),
    ("twenty second delay", 20, 20, "second", "number"),
    ("one-g planet", 1, 1, "gee", "number"),
    ("3G ship", 3, 3, "gee", "number"),
    ("9–10", 9, 10, None, "range"),
    ("9--10", 9, 10, None, "range"),
    ("20 -- 22 kg", 20, 22, "kilogram", "range"),
    ("-5--2", -5, -2, None, "range"),
    ("1,100 – 2000 tons", 1100, 2000, "ton", "range"),
    ("46%–55%", 46, 55, "percent", "range"),
    ("12,001 GT to 25,000 GT", 12_001, 25_000, None, "range"),
    ("18 through 20", 18, 20, None, "range"),
    ("7 to 9", 7, 9, None, "range"),
    ("10 to -10", -10, 10, None, "range"),
    ("-2--5", -5, -2, None, "range"),
    ("100-51 lb.", 23.13321087, 45.359237, "kilogram", "range"),
    ("between 3 and 5", 3, 5, None, "range"),
    ("between one hundred and two hundred", 100, 200, None, "range"),
    ("from 10 up to 20", 10, 20, None, "range"),
    ("96-00", 96, 100, None, "range"),
    ("01–05", 1, 5, None, "range"),
    ("2004–05", 2004, 2005, None, "range"),
    ("1999-00", 1999, 2000, None, "range"),
    ("3+ to 4", 3, 4, None, "range"),
    ("90 minutes to 2 hours", 5400, 7200, "second", "range"),
    ("17+", 17, inf, None, "open"),
    ("5+ ranks", 5, inf, "rank", "open"),
    ("0 or less", -inf, 0, None, "open"),
    ("200 tons or less", -inf, 200, "ton", "open"),
    ("5 or more ranks", 5, inf, "rank", "open"),
    ("-7 or lower", -inf, -7, None, "open"),
    ("up to 12", -inf, 12, None, "open"),
    ("adds up to 12", 12, 12, None, "number"),
    ("400 mcg", 4e-7, 4e-7, "kilogram", "number"),
    ("130 mmol/L", 0.13, 0.13, "mole/litre", "number"),
    ("0.8 mg/dL", 8e-6, 8e-6, "kilogram/litre", "number"),
    ("SBP of 90 mmHg", 11999.01486735, 11999.01486735, "pascal", "number"),
    ("-108 dBm", -108, -108, "decibel-milliwatt", "number"),
    ("≥ 3", 3, inf, None, "open"),
    ("at least two weeks", 1_209_600, inf, "second", "open"),
    ("+2", 2, 2, None, "number"),
    ("−3", -3, -3, None, "number"),
    ("AC -2", -2, -2, None, "number"),
    ("level-3", 3, 3, None, "number"),
    ("1/2", 0.5, 0.5, None, "fraction"),
    ("3'", 0.9144, 0.9144, "metre", "number"),
    ("10 ft.", 3.048, 3.048, "metre", "number"),
    ("5 sq. ft.", 0.4645152, 0.4645152, "square-metre", "number"),
    ("10x", 10, 10, "x", "number"),
    ("×3", 3, 3, "x", "number"),
    ("$1,200", 1200, 1200, "dollar", "number"),
    ("Cr18,000", 18_000, 18_000, "credit", "number"),
    ("Cr 18,000", 18_000, 18_000, "credit", "number"),
    ("MCr12.5", 12_500_000, 12_500_000, "credit", "number"),
    ("0x1F", 31, 31, None, "number"),
    ("2^10", 1024, 1024, None, "number"),
    ("1e6", 1e6, 1e6, None, "number"),
    ("20 °C", 20, 20, "celsius", "number"),
    ("68 degrees Fahrenheit", 20, 20, "celsius", "number"),
    ("36 km/h", 10, 10, "metre/second", "number"),
    ("40 [mA]", 0.04, 0.04, "ampere", "number"),
    ("19200 baud", 2400, 2400, "byte/second", "number"),
    ("600 rev/min", 10, 10, "revolution/second", "number"),
    ("1.5 KiB", 1536, 1536, "byte", "number"),
    ("2-handed", 2, 2, "handed", "number"),
    ("5'10\"", 1.778, 1.778, "metre", "number"),
    ("5 ft. 10 in.", 1.778, 1.778, "metre", "number"),
    ("1 hour and 30 minutes", 5400, 5400, "second", "number"),
    ("between 1 hour and 30 minutes", 1800, 3600, "second", "range"),
    ("half a dozen", 6, 6, None, "number"),
    ("one thousand, two hundred", 1200, 1200, None, "number"),
    ("9.81 m/s^2", 9.81, 9.81, "metre/second-squared", "number"),
    ("under #11", -inf, 11, None, "open"),
    ("a year later than 1993", 1993, inf, None, "open"),
    ("2000–present", 2000, inf, None, "open"),
    ("2 or better", 2, 2, None, "open"),
    ("from 17 on", 17, inf, None, "open"),
    ("1..8", 1, 8, None, "range"),
    ("a hundred and ten tons", 110, 110, "ton", "number"),
    ("a dozen eggs", 12, 12, "egg", "number"),
    ("twelve dozen", 144, 144, None, "number"),
    ("3 dozen", 36, 36, None, "number"),
    ("two and three quarters", 2.75, 2.75, None, "number"),
    ("a quarter of a mile", 402.336, 402.336, "metre", "fraction"),
    ("between one hundred and two thousand", 100, 2000, None, "range"),
    ("10^-2", 0.01, 0.01, None, "number"),
    ("$5M", 5e6, 5e6, "dollar", "number"),
    ("10k", 10_000, 10_000, None, "number"),
    ("two boxes", 2, 2, "box", "number"),
    ("two spies", 2, 2, "spy", "number"),
    ("5+3 hit dice", 5.03, 5.03, "hit", "sum"),
    ("1-1", 1, 1, None, "range"),
]


@pytest.mark.parametrize(("text", "low", "high", "unit", "kind"), ONE)
def test_a_text_with_one_quantity(text, low, high, unit, kind):
    (read,) = quantities(text)
    assert (read.low, read.high) == pytest.approx((low, high))
    assert (read.unit, read.kind) == (unit, kind)


@pytest.mark.parametrize(
    "text",
    [
        "ROLL_90_YAW_270",
        "lat_int32",
        "H264",
        "L54-30-S400-R",
        "AX-12A",
        "v2",
        "3D",
        "which one hits harder",
        "what does one cost",
        "which one?",
        "half plate armor",
        "quarter note",
        "half-elf",
        "U.S. viewers (million)",
        "metres per second",
        "1.000,50",
        "18/50",
        "10^999",
        "9" * 400,
        "",
    ],
)
def test_figures_inside_a_name_and_pronouns_are_no_quantity(text):
    assert quantities(text) == ()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("MAVLink 2 packet, third byte (index 2): what does it hold", [2, 3, 2]),
        ("3G ship, 10 million kilometres: how long is the trip", [3, 1e10]),
        ("how long does a 2-G trader need to reach a size 6 planet", [2, 6]),
        ("orientation enum for roll 270 with yaw 90", [270, 90]),
        ("a 9th level paladin attacks armour class 0: what roll?", [9, 0]),
        ("levels 7 or 8", [7, 8]),
        ("3 -5", [3, -5]),
        ("10 × 20 ft", [10, 6.096]),
        ("the second half of the game", [2]),
        ("the third quarter year", [3]),
        ("the 3's", [3]),
        ("'3'", [3]),
        ("one hundred and two, and three", [102, 3]),
        ("1 in 6", [1, 6]),
        ("between 3 of them", [3]),
        ("10 ft to 5 seconds", [3.048, 5]),
        ("a losing bonus of 2 and 300 points", [2, 300]),
    ],
)
def test_the_quantities_of_a_question_are_read_from_left_to_right(text, values):
    assert [read.low for read in quantities(text)] == values


def test_a_bound_that_is_left_out_is_not_in_the_interval():
    (under,), (over,) = quantities("under 5"), quantities("more than 100")
    assert (under.high < 5, over.low > 100) == (True, True)
    assert (under.high, over.low) == pytest.approx((5, 100))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("law level five", "level"),
        ("levels 3-5", "level"),
        ("a score of nineteen", "score"),
        ("strength: 15", "strength"),
        ("coordinate frame no. 10", "frame"),
        ("the purchase result is 13", "result"),
        ("who is the patron on a D66 of 24", "d66"),
        ("level-3", "level"),
        ("an 1,800 ton ship", None),
        ("a size 6 planet", "size"),
        ("a ranger of 12th level", None),
        ("the men's 10,000 meter race", None),
        ("points with played being 22", "played"),
    ],
)
def test_the_word_that_numbers_is_the_label(text, label):
    assert quantities(text)[-1].label == label


def test_a_list_has_one_label_and_one_unit():
    assert [read.label for read in quantities("levels 3, 4 and 5")] == ["level"] * 3
    assert [read.low for read in quantities("3 or 4 hours")] == [10_800, 14_400]


@pytest.mark.parametrize("text", ["level 9 fighter", "byte 9 bit", "level 9 second wind", "levels 8 to 9 fighter"])
def test_the_noun_after_a_labelled_number_is_not_counted(text):
    read = quantities(text)[0]
    assert (read.unit, read.high) == (None, 9)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("a hull of 2000 tons", "ton"),
        ("a distance of 9 lb", "kilogram"),
        ("a speed of 30 feet", "metre"),
        ("a score of 46 percent", "percent"),
        ("a 20 second delay", "second"),
        ("level 9-second delay", "second"),
    ],
)
def test_the_noun_after_a_labelled_number_is_counted_where_it_says_so(text, unit):
    (read,) = quantities(text)
    assert read.unit == unit


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("the MAVLink 2 packet", True),
        ("MAVLink 2", True),
        ("the Python 3 release", True),
        ("message of HIGH_LATENCY2 5", True),
        ("Level 5", False),
        ("to hit AC 5", False),
        ("at level 5", False),
        ("Roll 5 dice", False),
        ("the DO_REPEAT_SERVO third param", False),
        ("played on December 2", False),
        ("a Height larger than 179", False),
    ],
)
def test_a_number_after_a_name_says_so(text, named):
    assert quantities(text)[-1].follows_name is named


@pytest.mark.parametrize(
    ("text", "low", "high", "unit"),
    [
        ("over 3 to 4 kg", 3, 4, "kilogram"),
        ("over 1 kg up to 2 kg", 1, 2, "kilogram"),
        ("over 500 g to 1 kg", 0.5, 1, "kilogram"),
        ("over 50 to 1,000 th", 50, 1000, "th"),
        ("more than 3 but not more than 5", 3, 5, None),
        ("exceeding 10 kg but not exceeding 20 kg", 10, 20, "kilogram"),
        ("above 10 and up to and including 20 bar", 10, 20, "bar"),
        ("at least 6 but under 12 months", 6, 12, "month"),
        ("≥6 to <12 months", 6, 12, "month"),
        ("10% - <16%", 10, 16, "percent"),
        ("10–<16 kg", 10, 16, "kilogram"),
        ("2 to less than 4", 2, 4, None),
        ("10 but less than 16", 10, 16, None),
    ],
)
def test_a_step_of_a_scale_goes_from_its_first_bound_to_its_second(text, low, high, unit):
    (result,) = quantities(text)

    assert (result.text, result.kind, result.unit) == (text, "range", unit)
    assert (result.low, result.high) == pytest.approx((low, high))
    assert (result.low > low) == text.startswith(("over", "more", "exceeding", "above"))
    assert (result.high < high) == any(bound in text for bound in ("under", "<", "less"))


@pytest.mark.parametrize("text", ["5 - <3", "at 5 to under 3"])
def test_a_bound_that_ends_no_range_is_a_quantity_of_its_own(text):
    assert [quantity.kind for quantity in quantities(text)] == ["number", "open"]


@pytest.mark.parametrize("text", ["over 10 to hit armor", "more than 3 to be safe, 4 axes", "over 12 to 4"])
def test_what_is_no_second_bound_leaves_an_open_interval(text):
    first = quantities(text)[0]

    assert (first.kind, first.high) == ("open", inf)


@pytest.mark.parametrize(
    ("cell", "low", "high"),
    [
        ("5", 5, 5),
        ("9–10", 9, 10),
        ("11 (B)", 11, 11),
        ("3 (Count)", 3, 3),
        ("5 (4th Dimension)", 5, 5),
        ("10 round burst", 10, 10),
        ("1,400 tons", 1400, 1400),
        ("TL 10", 10, 10),
        ("Rounds 3-5", 3, 5),
        ("1 Red", 1, 1),
        ("3: Radius", 3, 3),
        ("15*", 15, 15),
        ("**7**", 7, 7),
        ("about 20 gp", 20, 20),
        ("10(A)+", 10, inf),
        ("7 or 8", 7, 8),
        ("7, 8 and 9", 7, 9),
        ("2-", -inf, 2),
        ("2- tons", -inf, 2),
        ("(20 ft.)", 6.096, 6.096),
        ("3 rounds/caster level", 3, 3),
        ("13(D) or 14(E)", 13, 14),
        ("No. 5", 5, 5),
        ("930 251", 930_251, 930_251),
        ("2 500 tons", 2500, 2500),
        ("over 2 500 tons", 2500, inf),
        ("1 200–2 500 tons", 1200, 2500),
        ("500 to 1 000 tons", 500, 1000),
        ("5-foot step", 1.524, 1.524),
    ],
)
def test_a_cell_that_is_a_quantity(cell, low, high):
    read = whole_quantity(cell)
    assert (read.low, read.high) == pytest.approx((low, high))


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "-",
        "Sword, long",
        "Arrows (20)",
        "7 or 9",
        "1 in 6",
        "Fireball 3",
        "HIGH_LATENCY2",
        "3 attacks, 2 moves",
        "28 Days Later",
        "20th Century Fox",
        "1994-",
        "()",
    ],
)
def test_a_cell_that_says_something_else(cell):
    assert whole_quantity(cell) is None


def test_both_ends_of_a_range_are_in_the_unit_of_the_higher_one():
    assert [quantities(text)[0].written for text in ("6 mo – 6 y", "2 km to 900 m", "7 to 9 m")] == [
        (0.5, 6),
        (0.9, 2),
        (7, 9),
    ]
