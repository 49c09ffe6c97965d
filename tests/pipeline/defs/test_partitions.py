import pytest

from pipeline.defs.partitions import partition_keys
from retrieval.errors import LibraryError


def test_slugs_are_keys_in_their_order() -> None:
    assert partition_keys(["srd-5.2.1", "osric"]) == ["srd-5.2.1", "osric"]


@pytest.mark.parametrize("key", ["a/b", "../up", "a,b", "a b", "a\n", "", "-a", "A"])
def test_a_key_that_could_leave_its_folder_is_refused(key: str) -> None:
    with pytest.raises(LibraryError, match="cannot be a book's key"):
        partition_keys([key])
