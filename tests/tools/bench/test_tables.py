from evals.aggregates import Aggregate, flat_records
from tools.bench.cells import Cell
from tools.bench.tables import breakdown, cell_table, leaderboard


def number(metric, value, low=None, high=None, book="*", kind="*", strategy="dense", n=3):
    return Aggregate("ttrpg", "open", book, kind, strategy, metric, value, low, high, n)


NUMBERS = [
    number("hit@1", 2 / 3, 0.25, 1.0),
    number("noise_reduction", None, n=2),
    number("hit@1", 1.0, 1.0, 1.0, strategy="a|b"),
    number("false_exclusions", 2.0, 0.0, 4.0, strategy="a|b"),
    number("hit@1", 0.5, 0.0, 1.0, book="osric", kind="rule", n=2),
    number("evaluability", 0.75, 0.5, 1.0, strategy="*", n=4),
]


def test_the_leaderboard_is_one_table_a_set():
    assert leaderboard(NUMBERS) == (
        "### ttrpg, open\n\n"
        "| strategy | n | hit@1 | noise_reduction | false_exclusions |\n"
        "| --- | ---: | ---: | ---: | ---: |\n"
        "| dense | 3 | 0.667 (0.250 to 1.000) | - | - |\n"
        "| a\\|b | 3 | 1.000 (1.000 to 1.000) | - | 2 |\n"
        "\nevaluability 0.750 (0.500 to 1.000) of 4 questions with gold\n"
    )


def test_the_breakdown_has_a_row_for_every_book_and_kind():
    lines = breakdown(NUMBERS, ["hit@1"]).splitlines()
    assert lines[2] == "| book | kind | strategy | n | hit@1 |"
    assert "| osric | rule | dense | 2 | 0.500 (0.000 to 1.000) |" in lines


def test_flat_records_have_every_field_and_six_digits():
    record = flat_records(NUMBERS)[0]
    assert list(record) == ["set", "split", "book", "kind", "strategy", "metric", "value", "low", "high", "n"]
    assert (record["value"], record["low"], record["high"], record["n"]) == (0.666667, 0.25, 1.0, 3)
    assert flat_records(NUMBERS)[1]["value"] is None


def test_minus_zero_is_recorded_as_zero():
    (record,) = flat_records([number("noise_reduction", -0.0, -1e-12, 0.0)])
    assert "-0.0" not in str(record)


def test_sets_have_their_own_tables():
    other = Aggregate("wtq", "open", "*", "*", "dense", "mrr", 0.5, 0.4, 0.6, 9)
    text = leaderboard([*NUMBERS, other])
    assert text.count("### ") == 2
    assert text.endswith("| strategy | n | mrr |\n| --- | ---: | ---: |\n| dense | 9 | 0.500 (0.400 to 0.600) |\n")


def test_a_cell_shows_both_figures_p_and_what_is_better_beyond_chance():
    cells = [
        Cell("ttrpg", "open", "osric", "look-up", "hit@1", 22, 0.5, "fts5", 0.75, 0.0001, ("bm25", "fts5")),
        Cell("ttrpg", "open", "osric", "look-up", "hit@5", 22, 1.0, "bm25", 0.9, 0.25, ()),
    ]
    assert cell_table(cells) == (
        "| set | book | asked for | n | hit@1 | hit@5 |\n"
        "| --- | --- | --- | ---: | --- | --- |\n"
        "| ttrpg | osric | look-up | 22 | 0.500, fts5 0.750, p < 0.001 ▼ bm25, fts5 | 1.000, bm25 0.900, p 0.250 |\n"
    )
