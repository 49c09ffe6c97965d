import pytest

from retrieval.errors import UnreadableSettingsError
from retrieval.index.milvus.server import TOKEN, MilvusServer

ID = "0123456789abcdef"


def test_no_setting_is_no_server() -> None:
    assert MilvusServer.of(None, ID) is None
    assert MilvusServer.of("", ID) is None


@pytest.mark.parametrize(
    ("store", "uri", "library"),
    [
        ("milvus+http://127.0.0.1", "http://127.0.0.1:19530", "querymust"),
        ("milvus+http://host:99/", "http://host:99", "querymust"),
        ("milvus+https://host/rules", "https://host:19530", "rules"),
        ("milvus+http://[::1]:7/rules", "http://[::1]:7", "rules"),
    ],
)
def test_an_address_says_where_and_of_which_library(store: str, uri: str, library: str) -> None:
    server = MilvusServer.of(store, ID, {})
    assert server is not None
    assert (server.uri, server.library, server.collection, server.token) == (uri, library, f"{library}_{ID}", "")


@pytest.mark.parametrize(
    "store", ["http://host:1", "milvus://host", "milvus+http://", "milvus+http://host:port", "milvus+http://host/a b"]
)
def test_what_is_none_is_refused_in_a_sentence(store: str) -> None:
    with pytest.raises(UnreadableSettingsError, match=r"not an address like milvus\+http://127.0.0.1:19530"):
        MilvusServer.of(store, ID)


def test_a_password_is_a_variable_and_never_shown() -> None:
    with pytest.raises(UnreadableSettingsError, match=TOKEN) as refused:
        MilvusServer.of("milvus+http://me:secret@host:1", ID)
    assert "secret" not in str(refused.value)
    server = MilvusServer.of("milvus+http://host:1", ID, {TOKEN: "me:secret"})
    assert server is not None
    assert server.token == "me:secret"
    assert "secret" not in repr(server)
