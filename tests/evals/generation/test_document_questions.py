"""Questions by document, and the files of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from evals.generation.document_questions import by_document, write_generated
from evals.questions.anchors import Anchor
from evals.questions.questions import GENERATED, Question, load_questions
from retrieval.types import Chunk

MakeChunk = Callable[..., Chunk]


def written(chunk: Chunk, text: str) -> tuple[Chunk, Question]:
    return chunk, Question(f"q-{chunk.id}-{text}", text, chunk.book, "k", (Anchor.of(chunk),), tags=(GENERATED,))


def test_questions_stand_by_document_and_one_that_two_places_got_is_nobodys(make_chunk: MakeChunk) -> None:
    late, early = make_chunk("a", document="z.md"), make_chunk("b", document="a.md")
    found = [written(late, "why?"), written(early, "How  much?"), written(late, "how much?"), written(late, "when?")]
    documents, twice = by_document(found)
    assert [(each.document, [one.query for one in each.questions]) for each in documents] == [
        ("z.md", ["why?", "when?"])
    ]
    assert [each.query for each in twice] == ["How  much?", "how much?"]


def test_files_are_named_for_their_documents_and_read_back(make_chunk: MakeChunk, tmp_path: Path) -> None:
    found = [written(make_chunk(name, document=f"part/{name}.md"), f"what of {name}?") for name in ("weather", "arms")]
    documents, _ = by_document(found)
    paths = write_generated(tmp_path, documents)
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        f"{found[0][0].book}/part/{name}.evaluation_queries.json" for name in ("arms", "weather")
    ]
    for document, path in zip(documents, paths, strict=True):
        assert load_questions(path) == document.questions
        assert len(json.loads(path.read_text())) == len(document.questions)
