"""Which chunks of a library hold a word, so that a question can leave out what it does not need to be understood."""

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from random import Random

from evals.generation.spoken import words_of
from retrieval.types import Chunk

_ENOUGH = 0.25
"""Chance to stop leaving words out, before each one that could be."""


class WordPlaces:
    """Words to ids of chunks: headings, caption, columns and cells of rows, the text of prose.

    Args:
        chunks: those of the library.
    """

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._having: dict[str, set[str]] = defaultdict(set)
        self._size = 0
        for chunk in chunks:
            self._size += 1
            text = [chunk.text] if chunk.kind == "prose" else [*chunk.columns, *chunk.cells]
            for word in words_of([*chunk.heading_path, chunk.caption or "", chunk.row_key or "", *text]):
                self._having[word].add(chunk.id)

    def share(self, word: str) -> float:
        """The share of the chunks that hold a word; 0 for one that none holds."""
        return len(self._having.get(word.casefold(), ())) / max(1, self._size)

    def having(self, texts: Iterable[str]) -> Set[str]:
        """Ids of the chunks that hold every word of some texts; none for no word."""
        found = sorted((self._having.get(word, set()) for word in words_of(texts)), key=len)
        return set.intersection(*found) if found else set()

    def shortened(
        self, words: Sequence[str], beside: Sequence[str], meant: Set[str], random: Random, least: int = 0
    ) -> list[str] | None:
        """Some of the words, in their order: as many are left out as chance has it, the commonest first.

        What is kept and what is said `beside` are together in no chunk but those that are `meant`.

        Returns:
            None where even all of the words are in others, too.
        """
        if not self._only([*words, *beside], meant):
            return None
        kept = list(range(len(words)))
        for place in sorted(kept, key=lambda each: (-round(self.share(words[each]), 2), random.random())):
            if len(kept) <= least or random.random() < _ENOUGH:
                break
            fewer = [each for each in kept if each != place]
            if self._only([*(words[each] for each in fewer), *beside], meant):
                kept = fewer
        return [words[each] for each in kept]

    def _only(self, texts: Sequence[str], meant: Set[str]) -> bool:
        found = self.having(texts)
        return bool(found) and found <= meant
