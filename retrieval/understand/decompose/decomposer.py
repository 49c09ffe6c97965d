"""Questions taken apart by what an index holds: no model, the same answer every time."""

from collections.abc import Sequence

from retrieval.understand.analysis import require_readable
from retrieval.understand.catalog.words import keys, words
from retrieval.understand.decompose.comparisons import compared
from retrieval.understand.decompose.decomposition import COMPARE, LOOK_UP, Decomposition
from retrieval.understand.decompose.names import Names
from retrieval.understand.reading.grammar import GLUE


class RuleDecomposer:
    """Takes comparisons apart, and hints at the categories that a question names.

    Args:
        names: of what is in the index.
        categories: those of the library.
    """

    def __init__(self, names: Names, categories: Sequence[str] = ()) -> None:
        self._names = names
        self._categories = {category: frozenset(keys(category.replace("_", " "))) for category in categories}

    def decompose(self, query: str) -> Decomposition:
        """What a question is made of.

        Raises:
            QueryAnalysisError: it is empty, or longer than 2,000 characters.
        """
        require_readable(query)
        said = [word for word in words(query) if word.key[0].isalnum()]
        whole = {word.key for word in said}
        parts = compared(query, self._names.__contains__)
        named = {category: asked for category, asked in self._categories.items() if asked and asked <= whole}
        return Decomposition(
            main_intent=COMPARE if parts else LOOK_UP,
            sub_queries=parts or (query,),
            search_keywords=tuple(dict.fromkeys(word.text for word in said if word.key not in GLUE)),
            # `medical records` names no records of another kind.
            category_hints=tuple(
                category for category, asked in named.items() if not any(asked < other for other in named.values())
            ),
            tentative=bool(parts),
        )
