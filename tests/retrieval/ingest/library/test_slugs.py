"""Slugs of books."""

import pytest

from retrieval.errors import LibraryError
from retrieval.ingest.library.slugs import free_slug, slugify


@pytest.mark.parametrize(
    ("name", "slug"), [("SRD 5.2.1", "srd-5.2.1"), ("../../etc", "etc"), ("Café, noir", "cafe-noir")]
)
def test_a_slug_is_safe_as_a_file_name(name, slug):
    assert slugify(name) == slug


def test_a_name_without_letters_and_a_taken_slug_are_told_apart_by_a_hash():
    with pytest.raises(LibraryError, match="has no letter or digit"):
        slugify("-..-")
    assert free_slug("-..-", ()).startswith("book-")
    assert free_slug("Arms", {"arms"}) != free_slug("arms", {"arms"}) != "arms"
