"""An alias put into a library's `vocabulary.toml`; all that its owner wrote there stays."""

import json
import re
from pathlib import Path

from retrieval.atomic_files import write_atomically
from retrieval.errors import LibraryError
from retrieval.query_must.vocabulary.vocabulary import Vocabulary, load_vocabulary

_TABLE = re.compile(r"^\[aliases\][ \t]*(?:#.*)?$", re.MULTILINE)


def with_alias(vocabulary: Vocabulary, word: str, means: str) -> Vocabulary:
    """A vocabulary with one alias more.

    Raises:
        LibraryError: it cannot be one: a digit, no letter, or nothing that it means.
    """
    return vocabulary.merge(Vocabulary.from_json({"aliases": {word: means}}, source="the alias"))


def add_alias(path: Path, word: str, means: str) -> None:
    """Write an alias into the file, which need not be there yet.

    Raises:
        LibraryError: the file cannot be read, has the word already, or writes its aliases in a way of its own.
    """
    text = path.read_text("utf-8") if path.is_file() else ""
    if text and word in load_vocabulary(path).aliases and word not in Vocabulary.default().aliases:
        raise LibraryError(f"{path} has an alias {word!r} already; change it there")
    line = f"{json.dumps(word, ensure_ascii=False)} = {json.dumps(means, ensure_ascii=False)}"
    found = _TABLE.search(text)
    if found:
        changed = f"{text[: found.end()]}\n{line}{text[found.end() :]}"
    else:
        changed = f"{text.rstrip()}\n\n[aliases]\n{line}\n".lstrip()
    tried = path.with_name(f".{path.name}.tried")
    write_atomically(tried, changed)
    try:
        read = load_vocabulary(tried)
    except LibraryError as error:
        raise LibraryError(f"the alias cannot be written into {path} ({error}); write it there: {line}") from error
    finally:
        tried.unlink()
    if read.aliases.get(word) != means:
        raise LibraryError(f"the alias cannot be written into {path}; write it under [aliases]: {line}")
    write_atomically(path, changed)
