"""Prompts as files of a package, and their versions: who changes the words or the form asks anew."""

import json
from functools import cache
from hashlib import sha256
from importlib.resources import files

from pydantic import BaseModel


@cache
def prompt_words(package: str, file: str) -> str:
    """The words of a package's prompt."""
    return files(package).joinpath(file).read_text("utf-8")


@cache
def versioned(package: str, file: str, form: type[BaseModel]) -> str:
    """The number of `prompt_<number>.txt`, and a hash of its words and of the form of the answer: `v1-0f8fad5b`."""
    words = prompt_words(package, file) + json.dumps(form.model_json_schema())
    return f"{file.removeprefix('prompt_').removesuffix('.txt')}-{sha256(words.encode()).hexdigest()[:8]}"
