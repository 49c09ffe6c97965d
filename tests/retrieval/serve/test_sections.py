from dataclasses import replace

import pytest

from retrieval.home import Home
from retrieval.rag.live import LiveIndex
from retrieval.serve import sections
from retrieval.serve.sections import section_text


def test_a_section_is_what_stands_under_the_headings_of_a_chunk(sample: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    live = LiveIndex(sample)
    snapshot = live.reader().retriever.snapshot
    rows = (chunk for chunk in snapshot.chunks if chunk.row_key == "6")
    row = next(chunk for chunk in rows if "Attack Matrix for Clerics" in chunk.heading_path[-1])
    text = section_text(snapshot, row)
    assert row.source in text
    assert "Fighters, Paladins" not in text
    above = section_text(snapshot, replace(row, heading_path=row.heading_path[:-1]))
    assert "Fighters, Paladins" in above
    monkeypatch.setattr(sections, "LONGEST", 100)
    assert section_text(snapshot, row).endswith("[cut at 100 characters]")
    live.close()
