import pytest

from evals.sample import SAMPLE_LIBRARY
from retrieval.index.embedding.embedding_text import embedding_text
from retrieval.index.embedding.wordllama_model import WordllamaEmbedder
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.library import list_books
from retrieval.ingest.token_estimates import estimate_tokens, most_tokens
from retrieval.query_must.vocabulary.vocabulary import Vocabulary


@pytest.mark.parametrize("text", ["", "a", "語" * 10, "The quick brown fox.\n" * 40])
def test_the_estimate_is_three_bytes_a_token(text: str) -> None:
    assert estimate_tokens(text) == -(-len(text.encode()) // 3)


ENGLISH = [
    "During the Movement Phase the players move their crew in turn, one member at a time.",
    "A member in cover keeps one defence die as a success without rolling it; nobody sees through smoke.",
    "No member moves through another one. A move may end behind a barricade, but never on top of it.",
    "The referee knows the map, plays the monsters without malice and rules on what the book forgot.",
]


MODEL = WordllamaEmbedder()


def test_a_model_never_counts_more_than_the_most_in_english() -> None:
    book = [path.read_text("utf-8") for path in sorted(SAMPLE_LIBRARY.glob("*/*.md"))]
    prose = [part for text in book for part in text.split("\n\n") if part and "|" not in part]
    assert len(prose) > 100
    for text in (*ENGLISH, *prose):
        assert MODEL.count_tokens(text) <= most_tokens(text), text


def test_rows_are_more_tokens_than_the_estimate_and_fewer_than_the_most() -> None:
    (book,) = list_books(SAMPLE_LIBRARY)
    chunks = chunks_of_book(read_book(book), Vocabulary.default())
    rows = [embedding_text(chunk) for chunk in chunks if chunk.kind == "row"]
    counted = sum(map(MODEL.count_tokens, rows))
    assert sum(map(estimate_tokens, rows)) * 1.05 < counted < sum(map(most_tokens, rows)) * 0.8
