"""What `pytest -p tests.costs` adds up and prints."""

from types import SimpleNamespace

from tests.costs import KEY, Costs


def test_a_file_costs_what_its_tests_and_their_setup_cost_and_what_is_worth_no_line_gets_none() -> None:
    costs = Costs()
    first, second = "tests/a.py::one", "tests/a.py::two"
    lines = [("fixture", "tests::home", 2.0), ("setup", first, 2.5), ("call", first, 0.25)]
    for when in ("setup", "call", "teardown"):
        costs.pytest_runtest_logreport(report(when, lines))
    costs.pytest_runtest_logreport(report("teardown", [("call", second, 0.01), ("teardown", second, 0.5)]))
    assert costs.files == {"tests/a.py": 3.26}
    printed: list[str] = []
    costs.pytest_terminal_summary(SimpleNamespace(section=printed.append, line=printed.append))  # type: ignore[arg-type]
    assert printed == [
        "3 processor seconds",
        "\nfiles, 3 s:",
        "    3.26  tests/a.py",
        "\nfixtures, 2 s:",
        "    2.00  tests::home",
        "\ntests, 0 s:",
        "    0.25  tests/a.py::one",
    ]


def report(when: str, costs: list[tuple[str, str, float]]) -> SimpleNamespace:
    return SimpleNamespace(when=when, user_properties=[(KEY, cost) for cost in costs] + [("other", 1)])
