"""What a strict table is about (cleric, druid, monk), as far as the titles of its twins tell."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from retrieval.ingest.tables.table import Table
from retrieval.query_must.canonical.canonical import literal
from retrieval.query_must.vocabulary.vocabulary import Vocabulary

_SEPARATORS = frozenset({"and", "or", "for", "of", "the", "a", "an", "by", "with", "in", "to", "on", "vs", "versus"})
_BREAK = re.compile(r"[,;:/&()]|\s[-–—]\s")
_OUTLINE = re.compile(r"\s*(?:(?:[IVXLC]+|[A-Z]|\d+)\.)+\s")
"""`I.A. ` before a title; it names the table, and is not part of the subject's own words."""
_NUMBERING = re.compile(r"c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})|[a-z]|[\d.,-]+")
"""A Roman numeral, a letter or figures; not any word of those letters (`civil`)."""

_Phrases = list[list[str]]


def subjects_of(tables: Sequence[Table], vocabulary: Vocabulary) -> Mapping[str, tuple[str, ...]]:
    """Terms for the subject of each of some twins by table id; empty where no titles tell all of them apart.

    Captions are asked first, then headings, which the tables of one section share. A question that names the subject
    must say one of the terms, so a term that only may be the subject's comes beside the others and never alone.
    """
    captions = [_phrases(table.title or "", vocabulary) or _heading(table.heading_path, vocabulary) for table in tables]
    if told := _told_apart(captions):
        return {table.id: terms for table, terms in zip(tables, told, strict=True)}
    sections = list(dict.fromkeys(table.heading_path for table in tables))
    if told := _told_apart([_heading(section, vocabulary) for section in sections]):
        by_section = dict(zip(sections, told, strict=True))
        return {table.id: by_section[table.heading_path] for table in tables}
    return {}


def _heading(path: tuple[str, ...], vocabulary: Vocabulary) -> _Phrases:
    return _phrases(path[-1] if path else "", vocabulary)


def _told_apart(titles: Sequence[_Phrases]) -> list[tuple[str, ...]]:
    """The words of each title that most others lack; nothing unless every title has its own.

    They stay phrases where the rest of all titles is the same: `fighter` and `magic user` then fill one place. In
    `Fighter Attack Matrix` and `Cleric To Hit Table` any of the words may be the subject.
    """
    spread = Counter(word for phrases in titles for word in {word for phrase in phrases for word in phrase})
    common = {word for word, count in spread.items() if count > len(titles) / 2}
    frames = {tuple(word for phrase in phrases for word in phrase if word in common) for phrases in titles}
    told = []
    for phrases in titles:
        own = [part for phrase in phrases for part in _without(phrase, common)]
        whole = [len(frames) == 1 and bool(common) and all(spread[word] == 1 for word in phrase) for phrase in own]
        terms = ([" ".join(phrase)] if keep else phrase for phrase, keep in zip(own, whole, strict=True))
        told.append(tuple(dict.fromkeys(term for some in terms for term in some)))
    return told if len(titles) > 1 and all(told) and len(set(map(frozenset, told))) == len(told) else []


def _without(phrase: Sequence[str], words: set[str]) -> _Phrases:
    """The runs of a phrase between these words."""
    runs: _Phrases = [[]]
    for word in phrase:
        if word in words:
            runs.append([])
        else:
            runs[-1].append(word)
    return [run for run in runs if run]


def _phrases(title: str, vocabulary: Vocabulary) -> _Phrases:
    """Runs of words between `and`, `or`, `for` and so on; `IV`, `3.2` and labels (`table`, `class`) are not words."""
    outline = _OUTLINE.match(title)
    start = outline.end() if outline else 0
    words = literal(f"{title[:start]} and {_BREAK.sub(' and ', title[start:])}", vocabulary).split()
    return _without(words, {word for word in words if _says_nothing(word, vocabulary)})


def _says_nothing(word: str, vocabulary: Vocabulary) -> bool:
    return word in _SEPARATORS or bool(_NUMBERING.fullmatch(word)) or vocabulary.label(word) is not None
