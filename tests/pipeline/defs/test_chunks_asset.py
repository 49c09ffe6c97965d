import dagster as dg

from pipeline.building.hosted_models import HostedModels
from pipeline.defs.books import chunks
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.types import Chunk


def test_prose_is_cut_as_the_home_s_settings_say(tiny: Home) -> None:
    def prose() -> list[str]:
        return [each.text for each in read_jsonl(tiny.book("tiny") / "chunks.jsonl", Chunk) if each.kind == "prose"]

    before = prose()
    (tiny.root / "rag.yaml").write_text("chunking: {max_chunk_tokens: 16}\n")
    with dg.build_asset_context(partition_key="tiny") as context:
        chunks(context, home=Home.at(tiny.root), models=HostedModels())
    assert len(before) == 1
    assert "[Table: " in before[0]
    assert len(prose()) == 1
    assert "[Table: " not in prose()[0], "the section of the table no longer fits beside the first paragraph"
    assert "Daggers are short" in prose()[0]
