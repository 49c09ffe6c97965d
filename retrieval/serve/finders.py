"""What finds the documents of questions: by the model of the settings, or by rules."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from retrieval.rag.answering import Reader
from retrieval.rag.finder import Finder
from retrieval.rag.finding_record import finding_record
from retrieval.rag.live import LiveIndex
from retrieval.search.metadata_filter.text import read_filter

Reads = Literal["auto", "rules"]
"""Who reads a question: the model of `understand` in the settings where there is a key, or rules."""


class Finders:
    """The finders of whichever snapshot is live. Any number of threads may share one.

    Args:
        live: reads the index; its home's settings name the model.
        environment: has the key of the model.
    """

    def __init__(self, live: LiveIndex, environment: Mapping[str, str]) -> None:
        self._live, self._environment = live, environment

    def find(self, query: str, top_k: int, where: Sequence[str], how: Reads) -> dict[str, Any]:
        """The documents of a question as JSON values, with the id of the snapshot.

        Raises:
            RetrievalError: as `read_filter` and `Finder.find` say.
        """
        wanted = read_filter(*where) if where else None
        make = self._finder if how == "auto" else self._finder_by_rules

        def find(reader: Reader) -> dict[str, Any]:
            found = self._live.made_of(reader, make).find(query, top_k, where=wanted)
            return finding_record(found) | {"snapshot": reader.retriever.snapshot.id}

        return self._live.ask(find)

    def _finder(self, reader: Reader) -> Finder:
        settings = self._live.home.settings
        return Finder(
            reader.retriever,
            settings.understand,
            environment=self._environment,
            enough=settings.answer.min_relevance,
            strategy=reader.strategy,
        )

    def _finder_by_rules(self, reader: Reader) -> Finder:
        enough = self._live.home.settings.answer.min_relevance
        return Finder(reader.retriever, enough=enough, strategy=reader.strategy)
