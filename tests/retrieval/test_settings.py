from pathlib import Path

import pytest

from retrieval.errors import UnknownNameError, UnreadableSettingsError
from retrieval.settings import FILE_NAME, Settings


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    settings = Settings(Path("/books"), (Path("/a.jsonl"), Path("/b.jsonl")), "minilm")
    settings.write(tmp_path)
    assert Settings.read(tmp_path, {}) == settings


def test_a_home_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    assert Settings.read(tmp_path, {}) == Settings()


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    Settings(Path("/books"), (Path("/a.jsonl"),)).write(tmp_path)
    environment = {
        "QUERYMUST_LIBRARY": "/other",
        "QUERYMUST_QUESTIONS": "/x.jsonl:/y.jsonl",
        "QUERYMUST_EMBEDDER": "openai",
    }
    expected = Settings(Path("/other"), (Path("/x.jsonl"), Path("/y.jsonl")), "openai")
    assert Settings.read(tmp_path, environment) == expected


@pytest.mark.parametrize("text", ["library: [unclosed", "- a list\n", "questions: one.jsonl\n", ""])
def test_a_file_that_holds_no_settings_is_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)
    with pytest.raises(UnreadableSettingsError, match=FILE_NAME):
        Settings.read(tmp_path, {})


def test_a_misspelled_setting_is_named_with_those_that_exist(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("libary: /books\n")
    with pytest.raises(UnknownNameError, match=r"libary.*library"):
        Settings.read(tmp_path, {})


def test_the_night_is_a_time_and_a_zone(tmp_path: Path) -> None:
    assert (Settings().nightly, Settings().timezone) == ("03:00", "UTC")
    (tmp_path / FILE_NAME).write_text("nightly: 13:30\ntimezone: Europe/Berlin\n")
    settings = Settings.read(tmp_path, {})
    assert (settings.nightly, settings.timezone) == ("13:30", "Europe/Berlin")
    settings.write(tmp_path)
    assert Settings.read(tmp_path, {}) == settings
    assert Settings.read(tmp_path, {"QUERYMUST_NIGHTLY": "4:05", "QUERYMUST_TIMEZONE": "UTC"}).nightly == "04:05"


def test_a_budget_is_a_number_of_dollars_and_none_is_no_limit(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("budget_usd: 0\n")
    assert (Settings().budget_usd, Settings.read(tmp_path, {}).budget_usd) == (None, 0.0)
    settings = Settings.read(tmp_path, {"QUERYMUST_BUDGET_USD": "2.50"})
    assert settings.budget_usd == 2.5
    settings.write(tmp_path)
    assert Settings.read(tmp_path, {}) == settings


@pytest.mark.parametrize(
    ("name", "value"),
    [("NIGHTLY", "25:00"), ("NIGHTLY", "soon"), ("TIMEZONE", "Mars"), ("BUDGET_USD", "-1"), ("BUDGET_USD", "much")],
)
def test_what_is_no_time_zone_or_budget_is_refused(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(UnreadableSettingsError, match=value):
        Settings.read(tmp_path, {f"QUERYMUST_{name}": value})
