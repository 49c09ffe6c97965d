"""Whether a name in a question is a condition on who made, reported or keeps a document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from retrieval.understand.catalog.words import Word, stem
from retrieval.understand.reading.grammar import ADVERBS, AUXILIARIES, CONJUNCTIONS, NEGATIONS, SUBJECTS
from retrieval.understand.reading.past import is_past
from retrieval.understand.reading.values.mention import Mention
from retrieval.understand.reading.values.names import TITLES

_BY = frozenset({"by", "from", "author", "writer"})
_FOR = frozenset({"to", "for", "of", "with", "is", "are", "was"})
_BESIDE = frozenset({"of", "with", "before", "under"})
MAKERS = ("author", "report", "creat", "writ", "artist", "mak", "direct", "paint", "post", "submit", "compos", "edit")
"""What the fields of those begin with whom a document is by."""
ACTS: Mapping[str, frozenset[str]] = {
    "author": frozenset({"write", "wrote", "written", "writes", "pen", "published", "publish", "invent", "invented"}),
    "report": frozenset(
        {"file", "filed", "files", "raise", "raised", "open", "opened", "submit", "submitted", "report"}
    ),
    "assig": frozenset({"work", "working", "works", "own", "owns", "handle", "handles", "fix", "fixing", "assigned"}),
}
"""By the beginning of a field's name: verbs that say the same."""


@dataclass(frozen=True, eq=False)
class People:
    """The question around its names."""

    words: Sequence[Word]
    mentions: Sequence[Mention]

    def certainty(self, mention: Mention) -> float:
        """0 to 1: how sure it is that a name is a condition."""
        if self._is_part_of_name(mention):
            return 0.0
        before = self._before(mention.first)
        if self.words[mention.stop - 1].owns or before in _BY:
            return mention.certainty
        if before in _FOR and self.closeness(mention):
            return 0.95 * mention.certainty
        if mention.first and self.words[mention.first - 1].key in mention.field.words:
            return 0.95 * mention.certainty  # `Judge Sorensen`
        if before in _BESIDE and self._behind_plural(mention.first):
            return 0.85 * mention.certainty
        acts = self._is_doing(mention) or (
            before in ("did", "doe", "do", "has", "have", "is") and mention.stop < len(self.words)
        )
        is_whole = mention.certainty == 1.0 and mention.stop - mention.first > 1
        following = self.words[mention.stop].key if mention.stop < len(self.words) else ","
        alone = not before and following in CONJUNCTIONS
        return 0.9 * mention.certainty if is_whole or acts or alone else 0.0

    def closeness(self, mention: Mention) -> int:
        """How much nearby speaks for this field and no other that holds the same name."""
        behind = takewhile(lambda word: word.key != ",", self.words[mention.stop : mention.stop + 3])
        window = (*self.words[max(0, mention.first - 4) : mention.stop], *behind)
        near = [word for word in window if word.key.isalpha()]
        stems = {stem(word) for word in mention.field.words if len(word) > 3}
        acts = {verb for start, verbs in ACTS.items() for verb in verbs if mention.field.name.lower().startswith(start)}
        said = sum(stem(word.key) in stems or word.text.lower() in acts for word in near)
        made = self._before(mention.first) == "by" and mention.field.name.lower().startswith(MAKERS)
        return 2 * said + made

    def _is_part_of_name(self, mention: Mention) -> bool:
        """A first name before another's last: `Nick Coghlan` where there are an Alyssa Coghlan and a Nick Humrich."""
        nexts = [each for each in self.mentions if each.first == mention.stop and each.field is mention.field]
        owns = self.words[mention.stop - 1].owns
        return (
            mention.certainty < 1.0 and not owns and any(not set(each.values) & set(mention.values) for each in nexts)
        )

    def _is_doing(self, mention: Mention) -> bool:
        """`things Anna is working on`, `tickets Omar reported`: who does it stands between what and the verb."""
        if not mention.first or mention.stop >= len(self.words):
            return False
        before, following = self.words[mention.first - 1], self.words[mention.stop]
        what = before.is_plural or before.key in SUBJECTS
        return what and (following.key in AUXILIARIES or is_past(following))

    def _behind_plural(self, at: int) -> bool:
        """`decisions with Adeyemi`, `tankers of Pelorus and of Kestrel`."""
        return any(word.is_plural for word in self.words[max(0, at - 6) : at - 1])

    def _before(self, at: int) -> str:
        """The word before a name, or before the list of names that it ends."""
        at -= 1
        skipped = CONJUNCTIONS | NEGATIONS | ADVERBS | TITLES | {"the", "a", "an", "."}
        while at >= 0 and (
            self.words[at].key in skipped
            or (self.words[at].key not in _BY and any(each.first <= at < each.stop for each in self.mentions))
        ):
            at -= 1
        return self.words[at].key if at >= 0 else ""
