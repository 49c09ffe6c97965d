from pipeline.lint.causes import Cause, by_cause


def test_one_cause_in_many_places_is_told_once() -> None:
    warnings = [
        ("a", "no last_update_date in book.toml: 1970-01-01 is used"),
        ("a", "01.md: byte 17 is not UTF-8; read as Latin-1 (Windows-1252)"),
        ("b", "no last_update_date in book.toml: 1970-01-01 is used"),
        ("b", "deep/02.md: byte 9 is not UTF-8; read as Latin-1 (Windows-1252)"),
        ("b", "03.md: empty"),
    ]
    assert by_cause(warnings) == (
        Cause("byte … is not UTF-8; read as Latin-1 (Windows-1252)", ("a/01.md", "b/deep/02.md")),
        Cause("no last_update_date in book.toml: 1970-01-01 is used", ("a", "b")),
        Cause("empty", ("b/03.md",)),
    )
