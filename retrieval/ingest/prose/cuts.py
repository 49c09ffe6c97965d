"""Where prose is cut, and how long its parts may be."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from retrieval.contract_settings import TOKEN_CAP
from retrieval.ingest.prose.division import divided
from retrieval.ingest.token_estimates import BYTES_PER_TOKEN, estimate_tokens

WORKING_TOKENS = 256
"""What the chunk-size sweep chose, in `estimate_tokens`."""


@dataclass(frozen=True, slots=True)
class Cuts:
    """How prose becomes passages. A text that fits stays whole; one that does not is cut where its author cut it."""

    working_tokens: int = WORKING_TOKENS
    """Sections and paragraphs are joined up to this size; one paragraph alone may be longer."""
    cap: int = TOKEN_CAP
    """Nothing is longer. A paragraph that is gets cut between lines, else sentences, else words, else anywhere."""
    header_level: int = 1
    """A document that does not fit is cut at headings of this level and above, however well two of those would fit."""
    fallback_header_level: int = 2
    """... and a part of that which does not fit at this level; what then does not fit, one level after the other."""
    split_only_when_needed: bool = True
    """Whether a document that fits stays whole."""
    count: Callable[[str], int] = estimate_tokens
    """Tokens of a text."""
    glue: int = 0
    """Tokens of what joins two paragraphs."""

    @property
    def limit(self) -> int:
        """What a passage of several paragraphs may have."""
        return min(self.working_tokens, self.cap)

    @property
    def room(self) -> int:
        """What one paragraph may have: the cap, less what the headings above it may need."""
        return self.cap - min(512, self.cap // 4)

    def parts(self, text: str) -> Iterator[str]:
        """A paragraph that has no room, cut where it hurts least."""
        if self.count is estimate_tokens:
            return divided(text, self.room * BYTES_PER_TOKEN)
        return divided(text, self.room, self.count)

    def whole_from(self, level: int) -> int:
        """The level of headings from which on a section below one of `level` may stay whole."""
        return self.header_level if level < self.header_level else self.fallback_header_level

    def keeps_whole(self, level: int, least: int) -> bool:
        """Whether a section of a level may stay whole where it fits; the document itself is of level 0."""
        return level >= least if level else self.split_only_when_needed


USUAL = Cuts()
"""Where nobody says otherwise."""
