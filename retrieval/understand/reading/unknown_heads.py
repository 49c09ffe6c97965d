"""Nouns that nobody told the catalogue of, and that a question calls documents by."""

from retrieval.understand.reading.grammar import ASKING, AUXILIARIES, CARRIERS, NEGATIONS, RELATIVES, is_noun_like
from retrieval.understand.reading.phrases import ATTACHING, HAVING, Phrases


def unknown_heads(phrases: Phrases, *, stated: bool) -> frozenset[int]:
    """Nouns that nobody told the catalogue of: `delayed calls in July`, `a sold house in Ghent`, `gifts of Rey`.

    Only where the question states another condition, or a plural stands behind several values: `closed captions` alone
    are a topic.

    Args:
        phrases: the question around its values.
        stated: whether another condition is sure.
    """
    words, valued = phrases.words, {at for each in phrases.mentions for at in range(each.first, each.stop)}
    named = {word for each in phrases.catalog.fields.values() for word in each.words}
    turns = RELATIVES | AUXILIARIES | NEGATIONS | CARRIERS

    def attaches(at: int) -> bool:
        behind = at + 2 if at + 1 < len(words) and words[at + 1].key in ("the", "a", "an") else at + 1
        if words[at].key not in ATTACHING | HAVING or behind >= len(words):
            return False
        # `with a casting time of`: a field's name says as much as its value.
        return behind in valued or behind in phrases.skipped or (words[at].key in HAVING and words[behind].key in named)

    def ends(at: int) -> bool:
        if at >= len(words) or words[at].key in {",", "?", "."} | turns or at in phrases.skipped:
            return True
        return attaches(at)

    found = set()
    for at, word in enumerate(words):
        if at in valued or not is_noun_like(word.key):
            continue
        following = at + 1 < len(words) and attaches(at + 1)
        opens = not at or words[at - 1].key in ASKING
        behind = at - 1 in valued and (word.is_plural or stated) and (following or (word.is_plural and ends(at + 1)))
        if behind or (stated and opens and word.is_plural and following):
            found.add(at)
    return frozenset(found)
