from pathlib import Path

import pytest

from retrieval.errors import IndexCorruptError
from retrieval.index.snapshot.metadata_index import MetadataIndex
from tests.retrieval.index.conftest import chunk

CHUNKS = [chunk(number) for number in range(30)]


def test_a_saved_index_answers_as_before(tmp_path: Path) -> None:
    built = MetadataIndex.build(CHUNKS)
    built.save(tmp_path)
    loaded = MetadataIndex.load(tmp_path)
    for key, value in (("priority", 3), ("draft", False), ("kind", "row"), ("tags", "a"), ("book", "none")):
        for members in (False, True):
            mask = loaded.mask(key, "eq", value, members=members)
            assert mask.tolist() == built.mask(key, "eq", value, members=members).tolist()
    assert loaded.mask("priority", "eq", 3).all()
    assert not loaded.mask("priority", "eq", True).any()


def test_damaged_values_are_a_corrupt_index(tmp_path: Path) -> None:
    MetadataIndex.build(CHUNKS).save(tmp_path)
    for damage in ("{", "{}", '{"a": 3}', "[]"):
        (tmp_path / "values.json").write_text(damage)
        with pytest.raises(IndexCorruptError, match="build the index again"):
            MetadataIndex.load(tmp_path).mask("priority", "eq", 3)
