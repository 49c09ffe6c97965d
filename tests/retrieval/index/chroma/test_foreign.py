from pathlib import Path

import chromadb
import pytest

from retrieval.errors import IndexMissingError, UnknownNameError
from retrieval.index.chroma.foreign import collection_named, open_chroma


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    client = chromadb.PersistentClient(str(tmp_path))
    client.create_collection("rules", embedding_function=None).add(ids=["a"], embeddings=[[1.0, 0.0]])
    client.close()
    return tmp_path


def test_a_collection_is_found_by_its_name(folder: Path) -> None:
    with open_chroma(folder) as client:
        assert collection_named(client, "rules").count() == 1
        with pytest.raises(UnknownNameError, match=r"'Rules'; did you mean 'rules'\? there are: rules"):
            collection_named(client, "Rules")


def test_a_collection_that_embeds_by_itself_is_opened_without_its_embedder(tmp_path: Path) -> None:
    client = chromadb.PersistentClient(str(tmp_path))
    client.create_collection("usual").add(ids=["a"], embeddings=[[1.0, 0.0]])
    client.close()
    with open_chroma(str(tmp_path)) as opened:
        assert collection_named(opened, "usual").query(query_embeddings=[[1.0, 0.0]])["ids"] == [["a"]]


def test_nothing_is_made_where_nothing_is(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match=r"holds no chroma.sqlite3; give the folder"), open_chroma(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["ftp://host", "http://"])
def test_an_address_that_is_none_is_refused(place: str) -> None:
    with pytest.raises(IndexMissingError, match="write http://HOST:PORT"), open_chroma(place):
        pass
