"""Values that are conditions because of the whole question: nothing else is said, or a place or name stands apart."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.words import Word
from retrieval.understand.reading.certainty import LIKE
from retrieval.understand.reading.grammar import (
    ADVERBS,
    AUXILIARIES,
    CARRIERS,
    CONJUNCTIONS,
    NEGATIONS,
    PREPOSITIONS,
    RELATIVES,
    SUBJECTS,
    is_noun_like,
)
from retrieval.understand.reading.past import is_past
from retrieval.understand.reading.values.mention import Mention
from retrieval.understand.reading.verbs import MADE

_SURE = 0.75
_UNSURE = 0.4
"""Less than a condition has."""
_EXPLAINING = frozenset({"how", "why", "explain", "describe", "should", "when"})
"""What begins a question for an explanation, which a document gives, not for documents."""
_PLACES = frozenset({"in", "at", "from", "outside", "near", "to", "within", "inside"})
_LISTED = CONJUNCTIONS | NEGATIONS | ADVERBS | {"the", "a", "an"}
_SAID_OF = SUBJECTS | RELATIVES | AUXILIARIES | ADVERBS | NEGATIONS
"""What a verb of the past stands behind, that is said of documents."""
_ABOUT = frozenset({"about", "regarding", "concerning"})


@dataclass(frozen=True)
class Coverage:
    """A question and what of it is read.

    Args:
        words: of the question.
        mentions: of values in it.
        read: places of words that times and numbers are made of.
        heads: places of nouns for the documents.
        catalog: what the documents are called.
    """

    words: Sequence[Word]
    mentions: Sequence[Mention]
    read: Collection[int]
    heads: Collection[int]
    catalog: Catalog

    def raised(self, sure: Mapping[Mention, float]) -> dict[Mention, float]:
        """The certainties of mentions, those raised that the whole question speaks for."""
        if self._explains():
            return {each: self._explained(each, certainty) for each, certainty in sure.items()}
        whole = self._is_whole()
        return {
            each: max(certainty, _SURE) if self._speaks_for(each, whole=whole) else certainty
            for each, certainty in sure.items()
        }

    def _speaks_for(self, mention: Mention, *, whole: bool) -> bool:
        if mention.likeness < 1.0:
            return whole and mention.likeness >= LIKE
        return mention.certainty == 1.0 and (whole or self._apart(mention) or self._is_unsaid(mention))

    def _is_unsaid(self, mention: Mention) -> bool:
        """A value whose words no document has can be nobody's topic, wherever it stands: `vegan soup`."""
        run = [word for word in self.words[mention.first : mention.stop] if is_noun_like(word.key)]
        told = any(len(word.key) > 2 for word in run)
        return mention.field.kind == "text" and told and not any(self.catalog.says(word.text) for word in run)

    @property
    def is_of_several(self) -> bool:
        """Whether whole values of several fields are in it, and it asks for documents."""
        return not self._explains() and len({each.field.name for each in self.mentions if each.certainty == 1.0}) > 1

    def _explains(self) -> bool:
        said = [word.key for word in self.words[:2]]
        if "should" in said:
            return True
        return bool(said) and said[0] in _EXPLAINING and said[1:] not in (["many"], ["much"])

    def _explained(self, mention: Mention, certainty: float) -> float:
        """`why are clocks late` is about clocks, unless the question says something else of the documents."""
        of_one = len({each.field.name for each in self.mentions}) == 1 and not self.read
        advised = any(word.key == "should" for word in self.words[:2])
        spoken_of = mention.field.kind == "text" and (advised or self.words[mention.stop - 1].is_plural)
        named = any(word.key in self.catalog.nouns for _, word in self._others())
        return min(certainty, _UNSURE) if of_one and spoken_of and not named else certainty

    def _is_whole(self) -> bool:
        """Whether the question says nothing but values, times, numbers and what documents are called."""
        if any(True for _ in self._left()):
            return False
        fields = {each.field.name for each in self.mentions}
        if len(fields) > 1 or self.read:
            return True
        first = next(iter(self.mentions), None)
        denied = any(word.key in NEGATIONS for word in self.words)
        if first is not None and (denied or self._lists_values()):
            return True
        if first is None or not any(self._is_asked_for(at) for at, _ in self._others()):
            return False  # a value alone may be a topic
        opening = [word.key for word in self.words[: first.first] if word.key not in ("a", "an", "the")]
        return opening not in (["what", "is"], ["what", "are"], ["what", "doe"])  # it asks what the word means

    def _is_asked_for(self, at: int) -> bool:
        """A word for documents: a noun, a field's name, what asks, or a plural that no document has."""
        word = self.words[at]
        named = any(word.key in each.words for each in self.catalog.fields.values())
        plural = word.is_plural and is_noun_like(word.key) and not self.catalog.says(word.text)
        return named or plural or word.key in SUBJECTS | CARRIERS or self._is_noun(at)

    def _lists_values(self) -> bool:
        """`feeding or roosting`: nothing but values."""
        listed = len(self.mentions) > 1 and any(word.key == "or" for word in self.words)
        return listed and all(word.key in _LISTED or not word.key.isalnum() for _, word in self._others())

    def _left(self) -> Iterator[int]:
        """Places of words that say something and are not read."""
        named = {word for each in self.mentions for word in each.field.words}
        for at, word in self._others():
            tells = word.key[0].isdigit() or (is_noun_like(word.key) and "'" not in word.key and "’" not in word.key)
            carries = word.key in CARRIERS | MADE | named or self._is_predicate(at) or not self.catalog.says(word.text)
            if tells and not carries and not self._is_noun(at):
                yield at

    def _is_predicate(self, at: int) -> bool:
        """`what broke in billing`, `incidents that hit Ghent`: what was done says nothing of a topic."""
        before = self.words[at - 1].key if at else ""
        following = self.words[at + 1].key if at + 1 < len(self.words) else ""
        if not is_past(self.words[at]):
            return False
        if before in SUBJECTS - RELATIVES or before == "who":
            return following in PREPOSITIONS  # `who invented the clock` is about clocks
        return before in _SAID_OF or (at > 0 and self._is_noun(at - 1))

    def _others(self) -> Iterator[tuple[int, Word]]:
        valued = {at for each in self.mentions for at in range(each.first, each.stop)}
        return ((at, word) for at, word in enumerate(self.words) if at not in valued and at not in self.read)

    def _is_noun(self, at: int) -> bool:
        return at in self.heads or self.words[at].key in self.catalog.nouns

    def _apart(self, mention: Mention) -> bool:
        """A place (`in Ghent`), or several words that are a whole value (`a forklift licence`)."""
        if mention.field.kind != "text":
            return False
        following = self.words[mention.stop] if mention.stop < len(self.words) else None
        if following is not None and is_noun_like(following.key) and not self._known(mention.stop):
            return False
        at = mention.first - 1
        while at >= 0 and (self.words[at].key in _LISTED or self._same_field(at, mention)):
            at -= 1
        before = self.words[at].key if at >= 0 else ""
        said = [word for word in self.words[mention.first : mention.stop] if is_noun_like(word.key)]
        if before in _PLACES and all(word.is_capital for word in said):
            return True
        return len(said) > 1 and before not in _ABOUT and (not is_noun_like(before or "a") or self._known(at))

    def _known(self, at: int) -> bool:
        carries = self.words[at].key in CARRIERS | MADE or self._is_predicate(at)
        return carries or self._is_noun(at) or any(one.first <= at < one.stop for one in self.mentions)

    def _same_field(self, at: int, mention: Mention) -> bool:
        return any(each.first <= at < each.stop and each.field is mention.field for each in self.mentions)
