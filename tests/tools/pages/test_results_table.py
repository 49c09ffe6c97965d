import pytest

from tools.pages.results_table import COLUMNS, results_table, with_table

RESULTS = {"dense": {"hit@1": 0.4321, "noise@15": 5.66, "false_exclusions": 0.0, "noise_reduction": None}}


def test_a_line_for_each_strategy_and_a_dash_where_nothing_is_said() -> None:
    header, _, line = results_table(RESULTS).splitlines()
    assert header == "| strategy | " + " | ".join(COLUMNS) + " |"
    cells = dict(zip(COLUMNS, [cell.strip() for cell in line.split("|")[2:-1]], strict=True))
    assert (cells["hit@1"], cells["noise@15"], cells["false_exclusions"]) == ("0.432", "5.7", "0")
    assert cells["noise_reduction"] == cells["mrr"] == "-"


def test_only_what_stands_between_the_markers_changes() -> None:
    readme = "before\n<!-- results:begin -->\nold\n<!-- results:end -->\nafter\n"
    made = with_table(readme, RESULTS)
    assert made.startswith("before\n<!-- results:begin -->\n| strategy |")
    assert made.endswith("|\n<!-- results:end -->\nafter\n")
    assert with_table(made, RESULTS) == made


def test_a_readme_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="markers"):
        with_table("nothing here", RESULTS)
