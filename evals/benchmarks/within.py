"""Questions put within one table: a filter on metadata leaves its rows as the only candidates."""

from evals.questions.questions import Question
from retrieval.search.metadata_filter.filter import And, Eq, Ne
from retrieval.search.retriever import Retriever
from retrieval.strategy import Strategy
from retrieval.types import Retrieval


class WithinTable:
    """Asks about the table that a question's gold is in, by the filter that every caller has.

    Args:
        retriever: over an index in which every table is a document of its own.
    """

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever

    def ask(self, question: Question, k: int, strategy: Strategy) -> Retrieval:
        """The k best rows of the asked table; scores are those of the whole index."""
        asked_table = And((Eq("document", question.gold[0].document or ""), Ne("kind", "prose")))
        return self._retriever.retrieve(question.query, k, strategy, where=asked_table)
