import pytest

from retrieval.contract_settings import EmbeddingSettings, PassagesSettings
from retrieval.errors import EmbedderMismatchError, UnreadableSettingsError
from retrieval.types import EmbedderIdentity


def test_other_dimensions_than_the_model_s_are_refused() -> None:
    EmbeddingSettings(256).check(EmbedderIdentity("wordllama", "1", 256))
    with pytest.raises(EmbedderMismatchError, match=r"1536.*wordllama.*256"):
        EmbeddingSettings(1536).check(EmbedderIdentity("wordllama", "1", 256))


def test_passages_are_described_by_the_rules_or_by_a_model() -> None:
    assert PassagesSettings().enrichment == "rules"
    with pytest.raises(UnreadableSettingsError, match=r"passages\.enrichment is 'names'; write rules or model"):
        PassagesSettings("names")
