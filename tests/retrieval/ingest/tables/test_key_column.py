"""Rows under their groups, and the column that picks them."""

from retrieval.ingest.tables.key_column import ReadRow, key_column, under_parents


def rows(*lines, label=None):
    made = [tuple(line.split("|")) for line in lines]
    return [ReadRow(position, "data", cells, cells, label) for position, cells in enumerate(made)]


def labels(found):
    return [row.label for row in found]


COFFEE = rows(
    "0901|Coffee|", "|– Not roasted|", "0901.11|– – With caffeine|5%", "0901.12|– – Without|6%", "|– Roasted|",
    "0901.22|– – Without|9%", "0902|Tea|4%",
)  # fmt: skip


def test_a_line_stands_under_those_with_fewer_dashes_above_it():
    assert labels(under_parents(COFFEE)) == [
        *(None, "Coffee", "Coffee, – Not roasted".replace("– ", ""), "Coffee, Not roasted", "Coffee"),
        *("Coffee, Roasted", None),
    ]


def test_a_label_that_says_the_line_above_says_it_once():
    assert labels(under_parents(rows("Tea|", "– Green|4%", "– Black|5%", label="Tea and maté"))) == ["Tea and maté"] * 3


def test_what_is_no_step_has_no_line_to_stand_under():
    numbers = rows("Cold|-5", "Colder|– 10", "Coldest|−20")
    single = rows("Tea|4%", "– a remark|", "Salt|2%")
    assert labels(under_parents(numbers)) == [None] * 3
    assert labels(under_parents(single)) == [None] * 3
    assert labels(under_parents(rows("– Green|4%", "– Black|5%", "– White|6%"))) == [None] * 3


def test_what_tells_the_rows_of_each_group_apart_picks_the_row():
    grouped = rows(
        "Redirection inland|3 months|14.00", "|6 months|19.50", "Redirection abroad|3 months|29.00", "|6 months|43.00",
        "Change of order|–|5.00",
    )  # fmt: skip
    assert key_column(grouped) == 1
    assert key_column(rows("Horses|10|for breeding", "|20|for racing", "Cows|10|for milk", "|20|for meat")) == 2


def test_without_groups_the_leftmost_column_that_tells_the_rows_apart_picks_them():
    assert key_column(rows("Axe|5|1.5", "Sword|7|2", "Bow|7|3")) == 0
    assert key_column(rows("Axe|5|1.5", "Axe|7|2", "Bow|7|3")) == 2
    assert key_column([]) == 0


PILOTS = ("7.1|Vessels LOA: up to 100 m|500", "7.2|Vessels LOA: 100.01 m to 160 m|900", "7.3|Over 160 m|900")


def under(heading, *lines):
    return [ReadRow(row.ordinal, "data", (heading, "What", "Rate"), row.cells, None) for row in rows(*lines)]


def test_what_numbers_the_lines_of_a_scale_picks_no_row():
    assert key_column(under("Code", *PILOTS)) == 1
    assert key_column(under("No.", "1|up to 2 kg|5", "2|over 2 to 5 kg|7", "3|over 5 kg|9")) == 1
    more = ("7.4|Over 250 m to 300 m|1", "7.5|Up to 350 m|2")
    assert key_column(under("Code", *PILOTS[:2], "7.3|Over 160 to 250 m|900", *more)) == 1


def test_what_numbers_anything_else_picks_its_row():
    rolls = ("1|2 to 8 goblins|10", "2|1 to 6 wolves|20", "3|2 to 5 bears|50")
    assert key_column(under("Roll", "1|up to 2 kg|5", "2|over 2 to 5 kg|7", "3|over 5 kg|9")) == 0
    assert key_column(under("No.", *rolls)) == 0
    assert key_column(under("Code", "7.1|Tug|500", "8.2|Pilot|900", "9.1|Up to 20 m|30")) == 0
    assert key_column(under("Code", "7.1|Tug|500", "7.2|Pilot|900")) == 0
    assert key_column(rows("7.1", "7.2")) == 0


def titled(heading, *lines):
    return [ReadRow(row.ordinal, "data", tuple(heading.split("|")), row.cells, None) for row in rows(*lines)]


def test_what_is_measured_out_picks_the_row_and_not_its_amount():
    assert key_column(titled("Take|Of", "250 g|Rye flour", "150 ml|Water", "to 500 ml|Milk (whole)")) == 1
    assert key_column(titled("Amount per loaf|Of", "12 g|Rye flour", "5 g|Salt")) == 1
    assert key_column(titled("Qty|Part", "2|Bracket", "4|Hinge", "16|Screw")) == 1


def test_amounts_that_are_steps_or_have_no_names_beside_them_pick_the_row():
    assert key_column(titled("Weight|Class", "5 kg|Light", "10 kg|Heavy")) == 0
    assert key_column(titled("Amount|Duty", "5 kg|12", "150 ml|14")) == 0
    assert key_column(titled("Amount|Class", "up to 5 kg|Light", "over 5 kg|Heavy")) == 0
    assert key_column(titled("Amount|Effect", "5 g|You sleep for an hour and then you wake up", "5 ml|Nothing")) == 0
    assert key_column(titled("Amount|Of", "5 g|Salt", "10 g|Salt")) == 0


TARIFF = ("Basic|North|10", "Basic|South|12", "Gold|North|20", "Gold|South|22")


def test_columns_that_only_together_distinguish_the_rows_are_the_key_before_a_column_that_does_so_alone():
    assert key_column(rows(*TARIFF)) == 1
    assert key_column(rows(*(line.replace("2|", "0|") for line in TARIFF))) == 1
    assert key_column(rows(*TARIFF[:3])) == 2
    assert key_column(rows(*TARIFF, "Gold||30")) == 2


def test_below_the_rows_of_a_group_words_are_the_key_and_codes_are_not():
    panels = [*rows("|Panel 1|a.hex", "|Panel 2|b.hex", label="Tiger"), *rows("|Panel 1|c.hex", label="Quartz")]
    codes = [*rows("|10|Males", "|20|Females", label="Horses"), *rows("|10|Calves", label="Cattle")]
    assert (key_column(panels), key_column(codes)) == (1, 2)
    assert key_column(rows("|||Calves", label="Cattle")) == 3
