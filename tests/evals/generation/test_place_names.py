from evals.generation.place_names import PlaceNames, table_of


def names(*chunks, shortened=True):
    found = PlaceNames.of(((table_of(chunk), chunk) for chunk in chunks), shortened=shortened).names
    return {place[1]: ways for place, ways in found.items()}


def table(make_chunk, name, *heads, caption=None):
    return make_chunk(name, table_id=name, heading_path=heads, caption=caption)


def test_the_first_name_is_the_shortest_that_means_one_place(make_chunk):
    found = names(
        table(make_chunk, "a", "Fighter", caption="Table: To hit"),
        table(make_chunk, "b", "Thief", caption="Table: To hit"),
        table(make_chunk, "c", "Thief", caption="Saves"),
    )
    assert [found[name][0] for name in "abc"] == ["To hit (Fighter)", "To hit (Thief)", "Saves"]
    assert set(found["a"]) > {"Fighter To hit", "To hit of Fighter", "To hit, Fighter"}


def test_a_name_loses_a_word_only_where_it_still_means_one_place(make_chunk):
    found = names(
        table(make_chunk, "a", caption="Small Craft Drives"), table(make_chunk, "b", caption="Small Craft Hulls")
    )
    assert set(found["a"]) == {"Small Craft Drives", "Small Drives", "Craft Drives"}
    assert names(table(make_chunk, "a", caption="Small Craft Drives"), shortened=False) == {
        "a": ("Small Craft Drives",)
    }


def test_a_place_without_a_heading_above_has_no_empty_brackets(make_chunk):
    found = names(table(make_chunk, "a", "Skills"), table(make_chunk, "b", "Skills", "Chapter 2: Skills"))
    assert found == {}


def test_a_shortened_name_neither_begins_nor_ends_with_a_joining_word(make_chunk):
    found = names(table(make_chunk, "a", caption="Armor by Type"))
    assert set(found["a"]) == {"Armor by Type", "Armor Type"}


def test_an_identifier_loses_its_number_and_its_underscores(make_chunk):
    found = names(table(make_chunk, "a", "GPS_RTK (127)"), table(make_chunk, "b", "GPS2_RTK (128)"))
    assert set(found["a"]) == {"GPS_RTK (127)", "GPS_RTK", "GPS RTK", "gps rtk"}


def test_a_number_that_tells_two_places_apart_stays(make_chunk):
    found = names(table(make_chunk, "a", "Wall (1)"), table(make_chunk, "b", "Wall (2)"))
    assert {name: set(ways) for name, ways in found.items()} == {"a": {"Wall (1)"}, "b": {"Wall (2)"}}


def test_places_that_nothing_tells_apart_have_no_name(make_chunk):
    assert names(table(make_chunk, "a", "Doors"), table(make_chunk, "b", "Doors")) == {}


def test_a_sentence_that_introduces_a_table_is_not_its_name(make_chunk):
    caption = "The following values are allowed"
    chunk = make_chunk("a", table_id="a", heading_path=("Flags",), caption=caption, introduced=True)
    assert names(chunk) == {"a": ("Flags",)}
