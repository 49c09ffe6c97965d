from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from retrieval.index.embedding.embedders import load_embedder
from retrieval.ingest.chunking import chunks_of_book
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Chunk, Document
from tools.corpora.indexes import open_index

EMBEDDER = load_embedder()


@dataclass
class CountingCorpus:
    """One document; counts how often it was chunked."""

    name: str = "tiny"
    digest: str = "1"
    text: str = "# Title\n\nDaggers are cheap."
    asked: list[str] = field(default_factory=list)

    def chunks(self, vocabulary: Vocabulary) -> tuple[Chunk, ...]:
        self.asked.append(self.digest)
        return chunks_of_book(Book("b", "b", (Document("b", "d.md", self.text),)), vocabulary)


def index(home: Path, corpus: CountingCorpus) -> str:
    with open_index(home, "set", corpus, EMBEDDER, lambda *_: None) as snapshot:  # type: ignore[arg-type]
        assert len(snapshot) == 1
        return snapshot.id


def test_an_index_of_the_same_data_is_found_again(tmp_path: Path) -> None:
    corpus = CountingCorpus()
    assert index(tmp_path, corpus) == index(tmp_path, corpus)
    assert corpus.asked == ["1"]


def test_other_data_replace_the_index_of_the_corpus(tmp_path: Path) -> None:
    corpus = CountingCorpus()
    before = index(tmp_path, corpus)
    after = index(tmp_path, replace(corpus, digest="2", text="# Title\n\nMaces are dear."))
    assert [path.name for path in (tmp_path / "snapshots").iterdir()] == [after] != [before]


def test_an_index_that_another_corpus_is_in_stays(tmp_path: Path) -> None:
    first, second = CountingCorpus(), CountingCorpus(name="other")
    shared = index(tmp_path, first)
    assert index(tmp_path, second) == shared
    index(tmp_path, replace(first, digest="2", text="# Title\n\nMaces are dear."))
    assert (tmp_path / "snapshots" / shared).is_dir()


@pytest.mark.parametrize("harm", ["truncate", "delete"])
def test_a_damaged_index_is_built_again(tmp_path: Path, harm: str) -> None:
    corpus = CountingCorpus()
    folder = tmp_path / "snapshots" / index(tmp_path, corpus)
    if harm == "truncate":
        (folder / "vectors.npy").write_bytes(b"")
    else:
        (folder / "manifest.json").unlink()
    assert index(tmp_path, corpus) == folder.name
    assert corpus.asked == ["1", "1"]
