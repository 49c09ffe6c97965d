"""The only file that imports the sentence-transformers library: its models, from this machine alone."""

from typing import Any, Literal

from retrieval.errors import ModelError
from retrieval.extras import install

Kind = Literal["SentenceTransformer", "CrossEncoder"]


def loaded(kind: Kind, model: str, *, may_run_code: bool = False) -> Any:
    """A model of the library.

    Args:
        kind: its class.
        model: as the hub or a folder calls it.
        may_run_code: whether Python code that it brings is run.

    Raises:
        ModelError: the library or the model is not on this machine.
    """
    try:
        import sentence_transformers
    except ImportError as error:
        raise ModelError(f"{model} needs a library: {install('st')}") from error
    try:
        return getattr(sentence_transformers, kind)(model, local_files_only=True, trust_remote_code=may_run_code)
    except (OSError, ValueError) as error:
        raise ModelError(
            f'{model} is not on this machine ({error}); fetch it once with `python -c "from sentence_transformers '
            f"import {kind} as M; M('{model}')\"`"
        ) from error
