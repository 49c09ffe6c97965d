"""What a question wants, once its conditions are known."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.understand.analysis import QueryIntent
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.words import Word, words
from retrieval.understand.reading.grammar import ADVERBS, CONJUNCTIONS, is_noun_like

_COUNTING = (("how", "many"), ("number", "of"), ("count", "of"), ("count",), ("total",))
_BY = frozenset({"by", "per", "each", "every"})
_MOST = frozenset({"most", "fewest", "least"})
_REACH = 6


@dataclass(frozen=True, slots=True)
class IntentExtractor:
    """Tells searches from filters from counts."""

    catalog: Catalog

    def extract(self, query: str, *, has_conditions: bool, topic: str) -> tuple[QueryIntent, str | None]:
        """The intent, and the field whose values are counted where it is an aggregate by value.

        Args:
            query: the question.
            has_conditions: whether it asks anything of the metadata.
            topic: what is left of it without its conditions.
        """
        said = words(query)
        grouped = self._grouped_by(said)
        if self._counts(said) or grouped:
            return QueryIntent.AGGREGATE, grouped
        if not has_conditions:
            return QueryIntent.SEARCH, None
        return (QueryIntent.COMBINED if topic else QueryIntent.FILTER), None

    def _counts(self, said: Sequence[Word]) -> bool:
        """`how many final PEPs`: documents are counted, and not `how many bytes`."""
        for at in range(len(said)):
            for phrase in _COUNTING:
                if tuple(word.key for word in said[at : at + len(phrase)]) != phrase or (
                    at and phrase != ("how", "many")
                ):
                    continue
                for word in said[at + len(phrase) : at + len(phrase) + _REACH]:
                    if word.key in self.catalog.nouns:
                        return True
                    if not is_noun_like(word.key) and word.key not in CONJUNCTIONS | ADVERBS | {"the"}:
                        break
        return False

    def _grouped_by(self, said: Sequence[Word]) -> str | None:
        """`per status`, `for each author`, `by year` behind a count, `which author has the most PEPs`."""
        keyed = [word.key for word in said]
        counts = self._counts(said) or bool({"group", "grouped", "breakdown", "distribution", "summarize"} & set(keyed))
        asks_most = bool(_MOST & set(keyed)) and keyed[:1] in (["which"], ["who"], ["what"])
        for at in range(1, len(keyed)):
            field = self._named(keyed, at)
            if field and ((keyed[at - 1] in _BY and counts) or (asks_most and at <= 2)):
                return field
        return "author" if asks_most and keyed[0] == "who" and "author" in self.catalog.fields else None

    def _named(self, keyed: Sequence[str], at: int) -> str | None:
        for field in self.catalog.fields.values():
            if field.words and tuple(keyed[at : at + len(field.words)]) == field.words:
                return field.name
        return None
