"""Slugs of books: keys that are safe as partition keys and file names."""

import hashlib
import os
import re
import unicodedata
from collections.abc import Container

from retrieval.errors import LibraryError

_LATIN_ACCENT = re.compile(r"([A-Za-z])[\u0300-\u036f]+")


def slugify(name: str) -> str:
    """Return lower-case letters and digits of any script with dots and dashes, for partition keys and file names.

    Accents on Latin letters are removed: `Café, noir` is `cafe-noir`. In other scripts, marks are part of the letters.

    Raises:
        LibraryError: the name has no letter or digit.
    """
    latin = _LATIN_ACCENT.sub(r"\1", unicodedata.normalize("NFKD", name))
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", latin).casefold())
    kept = "".join(letter if letter == "." or _is_of_a_word(letter) else "-" for letter in folded)
    slug = re.sub(r"[-.]{2,}", "-", kept.strip("-."))
    if not any(map(str.isalnum, slug)):
        raise LibraryError(f"{name!r} has no letter or digit to make a book's key of; rename it")
    return slug


def _is_of_a_word(letter: str) -> bool:
    return letter.isalnum() or unicodedata.category(letter).startswith("M")


def free_slug(name: str, taken: Container[str]) -> str:
    """Return the slug of a folder; with a hash of its whole name if it is taken, or if the name gives none."""
    code = hashlib.sha256(os.fsencode(name)).hexdigest()[:8]
    try:
        slug = slugify(name)
    except LibraryError:
        return f"book-{code}"
    return slug if slug not in taken else f"{slug}-{code}"
