import pytest

from retrieval.contract_settings import EmbeddingSettings
from retrieval.errors import EmbedderMismatchError
from retrieval.types import EmbedderIdentity


def test_other_dimensions_than_the_model_s_are_refused() -> None:
    EmbeddingSettings(256).check(EmbedderIdentity("wordllama", "1", 256))
    with pytest.raises(EmbedderMismatchError, match=r"1536.*wordllama.*256"):
        EmbeddingSettings(1536).check(EmbedderIdentity("wordllama", "1", 256))
