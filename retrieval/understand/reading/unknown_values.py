"""Values that a question asks of a field and that no document has: `documents by Zorro`, `status: frozen`."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from retrieval.understand.analysis import Span, UnknownValue
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.catalog.fields import CatalogField
from retrieval.understand.catalog.words import Word, stem
from retrieval.understand.reading.grammar import CONJUNCTIONS, is_noun_like
from retrieval.understand.reading.people import ACTS, MAKERS
from retrieval.understand.reading.times.bare_times import is_calendar_word
from retrieval.understand.reading.verbs import MADE

_ENDS = CONJUNCTIONS | {",", ".", "?", "!"}
_SIGNS = frozenset({":", "="})


def unknown_values(said: Sequence[Word], taken: Sequence[Span], catalog: Catalog) -> Iterator[UnknownValue]:
    """The values, in the order of the question.

    Args:
        said: words of the question.
        taken: what of it is read already; a value that documents have is.
        catalog: the fields.
    """
    free = [not any(word.start < end and start < word.end for start, end in taken) for word in said]
    for at in range(1, len(said) - 1):
        run: Sequence[Word] = ()
        field = None
        if said[at].key == "by" and free[at + 1]:
            field = _maker(said[at - 1], catalog)
            run = _name(said, free, at + 1, catalog)
        elif said[at].text in _SIGNS and free[at + 1]:
            field = _named(said, at, catalog)
            run = list(takewhile(lambda word: word.key not in _ENDS, said[at + 1 :]))
        if field and run:
            yield UnknownValue(" ".join(word.text for word in run), field.name)


def _maker(before: Word, catalog: Catalog) -> CatalogField | None:
    """Who a document is by, of `documents by` and `directed by`; None where the words ask for nobody."""
    people = [field for field in catalog.fields.values() if field.kind == "person"]
    verb = before.text.lower()
    for field in people:
        acts = {act for start, verbs in ACTS.items() for act in verbs if field.name.lower().startswith(start)}
        if verb in acts or stem(verb) in {stem(word) for word in field.words if len(word) > 3}:
            return field
    if before.key not in catalog.nouns and verb not in MADE:
        return None
    makers = [field for field in people if field.name.lower().startswith(MAKERS)]
    return next(iter(makers or (people if len(people) == 1 else ())), None)


def _name(said: Sequence[Word], free: Sequence[bool], at: int, catalog: Catalog) -> Sequence[Word]:
    """The capitals that follow, or one word that no text has; none where they are a time."""
    stop = at
    while stop < len(said) and free[stop] and said[stop].is_capital and not is_calendar_word(said[stop]):
        stop += 1
    word = said[at]
    strange = is_noun_like(word.key) and not catalog.says(word.text) and not is_calendar_word(word)
    return said[at:stop] or (said[at : at + 1] if strange else ())


def _named(said: Sequence[Word], at: int, catalog: Catalog) -> CatalogField | None:
    """The field of classes or people whose name stands before a sign."""
    for field in catalog.fields.values():
        words = tuple(word.key for word in said[max(0, at - len(field.words)) : at])
        if field.kind in ("text", "person") and field.words and words == field.words:
            return field
    return None
