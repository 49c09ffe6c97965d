from importlib import metadata

import pytest

from pipeline.building import program


def fresh() -> str:
    program.program_version.cache_clear()
    try:
        return program.program_version()
    finally:
        program.program_version.cache_clear()


def test_an_updated_library_is_another_program(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fresh()
    assert fresh() == before
    monkeypatch.setattr(program, "requires", lambda _: ["markdown-it-py<5,>=4", 'ruff>=0.14; extra == "dev"'])
    known = fresh()
    monkeypatch.setattr(
        program, "version", lambda name: "0.0.0" if name == "markdown-it-py" else metadata.version(name)
    )
    assert fresh() != known
    monkeypatch.setattr(program, "version", metadata.version)
    monkeypatch.setattr(program, "requires", lambda _: ["markdown-it-py<5,>=4", "a-distribution-that-is-not-there"])
    assert fresh() != known, "what is missing is not forgotten"


def test_our_own_code_is_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fresh()
    monkeypatch.setattr(program, "code_version", lambda: "another")
    assert fresh() != before
