import inspect

from pipeline.commands.search import search
from retrieval.search.foreign import retrieve_with_iterative_filtering
from retrieval.search.retriever import Retriever
from retrieval.strategy import DEFAULT_K


def test_every_search_shows_the_same_number_of_results_by_default() -> None:
    for each in (Retriever.retrieve, retrieve_with_iterative_filtering, search):
        assert inspect.signature(each).parameters["k"].default == DEFAULT_K
