from dataclasses import replace
from pathlib import Path

from retrieval.index.embedding.embedding_store import embedding_text
from retrieval.index.embedding.minilm_model import MiniLmEmbedder
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.rerank.rerank import TREES_FILE, trees_file_of
from retrieval.search.rerank.trees import Trees
from retrieval.search.retriever import Retriever
from tests.chunks import EMPTY

PASSAGES = {
    "Swimming": "Nobody stays under for longer than a third of his constitution in rounds.",
    "Torches": "A torch burns for an hour and lights thirty feet.",
    "Markets": "Merchants pay half for what has been used.",
    "Weather": "Fog hides everything that is further off than ten feet.",
    "Mounts": "A horse carries a rider and two hundred pounds.",
}


def test_prose_is_found_by_what_it_means_and_scored_by_the_trees_of_every_embedder(tmp_path: Path) -> None:
    chunks = [
        replace(
            EMPTY,
            id=title,
            kind="prose",
            text=text,
            search_text=f"{title}\n{text}",
            source=text,
            heading_path=(title,),
            position=position,
        )
        for position, (title, text) in enumerate(PASSAGES.items())
    ]
    embedder = MiniLmEmbedder({})
    vectors = embedder.embed([embedding_text(chunk) for chunk in chunks])
    manifest = build_snapshot(tmp_path, chunks, vectors, embedder.identity, Vocabulary.default())
    with open_snapshot(tmp_path, manifest.id) as snapshot:
        retriever = Retriever(snapshot, embedder)
        breath = retriever.retrieve("how long can I hold my breath in water?", 3)
        price = retriever.retrieve("what do I get for selling an old sword?", 3)

    assert (breath.chunk_ids[0], price.chunk_ids[0]) == ("Swimming", "Markets")
    own = trees_file_of("minilm")
    assert own != TREES_FILE
    assert breath.hits[0].addends[0].value == Trees.read(own).start
