"""What the dev extra brings, asked for before a long measurement begins."""

from importlib.util import find_spec

from retrieval.errors import RetrievalError


class MissingExtraError(RetrievalError):
    """A library of the dev extra is not installed."""


def require_extra(*modules: str) -> None:
    """Raise MissingExtraError unless these modules can be imported."""
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise MissingExtraError(
            f"{', '.join(missing)} {verb} not installed, so there is nothing to compare with; "
            "run: pip install -e '.[dev]'"
        )
