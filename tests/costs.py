"""Processor seconds of the tests, by file, by fixture and by test: `pytest -p tests.costs`.

Unlike `--durations` they do not say how busy the machine was. A child process counts once it has ended.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    Wrapper = Generator[None, Any, Any]

KEY = "cost"
SHOWN, LEAST = 40, 0.1
"""Lines of each table at most, and the seconds that a line is worth."""


def spent() -> float:
    """Seconds of processor time of this process and of its children that have ended."""
    return sum(os.times()[:4])


def _measured(item: pytest.Item, what: str, name: str) -> Wrapper:
    before = spent()
    try:
        return (yield)
    finally:
        # What a worker of xdist puts here reaches the process that prints.
        item.user_properties.append((KEY, (what, name, spent() - before)))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Wrapper:
    name = f"{fixturedef.baseid or 'pytest'}::{fixturedef.argname}"
    return (yield from _measured(request._pyfuncitem, "fixture", name))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Wrapper:
    return (yield from _measured(item, "setup", item.nodeid))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Wrapper:
    return (yield from _measured(item, "call", item.nodeid))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Wrapper:
    return (yield from _measured(item, "teardown", item.nodeid))


class Costs:
    """What the reports of all processes say, and the three tables of it."""

    def __init__(self) -> None:
        self.files: Counter[str] = Counter()
        self.fixtures: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "teardown":  # the last report of a test holds what was measured before it, too
            return
        for key, value in report.user_properties:
            if key == KEY:
                self.add(*value)

    def add(self, what: str, name: str, seconds: float) -> None:
        """Count a fixture by itself; setup, call and teardown make up the file."""
        if what == "fixture":
            self.fixtures[name] += seconds
            return
        self.files[name.partition("::")[0]] += seconds
        if what == "call":
            self.calls[name] += seconds

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section(f"{self.files.total():.0f} processor seconds")
        for what, counted in (("files", self.files), ("fixtures", self.fixtures), ("tests", self.calls)):
            terminalreporter.line(f"\n{what}, {counted.total():.0f} s:")
            for name, seconds in counted.most_common(SHOWN):
                if seconds > LEAST:
                    terminalreporter.line(f"{seconds:8.2f}  {name}")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Costs())
