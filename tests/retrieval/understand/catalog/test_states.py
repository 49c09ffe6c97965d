import pytest

from retrieval.understand.catalog.states import same_state


@pytest.mark.parametrize(
    ("said", "values", "meant"),
    [
        ("turned down", ["Granted", "Refused"], ("Refused",)),
        ("finished", ["closed", "Resolved", "open"], ("closed", "Resolved")),
        ("on hold", ["paused", "running"], ("paused",)),
        ("closed", ["closed", "resolved"], ()),
        ("purple", ["closed"], ()),
        ("finished", ["red", "blue"], ()),
    ],
)
def test_a_state_is_known_by_other_words(said: str, values: list[str], meant: tuple[str, ...]) -> None:
    assert same_state(said, values) == meant
