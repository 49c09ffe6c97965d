"""The words of a vocabulary as data: labels and their forms, aliases, counted nouns, units, number words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Way = Literal["higher", "lower", ""]
"""Which way a label's values get better; empty where that is not decided."""


@dataclass(frozen=True, slots=True)
class Label:
    """A word that takes a number: `ac`, `level`, `section`. Key: name, its canonical form."""

    name: str
    forms: tuple[str, ...] = ()
    """Other ways to say it; one that ends in a dot may be written with the dot or without."""
    negative: bool = False
    """Its numbers may be below zero, so `AC-2` is read both ways."""
    counted: bool = False
    """A plain number before it counts it (`3 chapters`) and does not name one."""
    implied: bool = False
    """A bare number behind what a table is about is of this label: `cleric 10`."""
    fractions: bool = False
    """`1/4` beside it is a quarter; beside other labels `7/8` is a list as well."""
    better: Way = ""
    written: str = ""
    """Its name in full, as a column is headed; empty where no shorter form of it is in need of one."""


@dataclass(frozen=True, eq=False)
class Words:
    """Everything about words that canonical text depends on. A library's own are a `Vocabulary`."""

    labels: tuple[Label, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    counted_nouns: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    value_words: tuple[str, ...] = ()
    """`score` and its like: after a label that is not counted, part of it."""
    bridges: tuple[str, ...] = ()
    connectives: tuple[str, ...] = ()
    range_words: tuple[str, ...] = ()
    list_words: tuple[str, ...] = ()
    minus_words: tuple[str, ...] = ()
    opposing_words: tuple[str, ...] = ()
    """One of them stands between two things that a question sets against each other."""
    opponent_words: tuple[str, ...] = ()
    """A column with one of them has the value of the other side."""
    sibling_words: tuple[str, ...] = ()
    """A question with one of them wants the siblings of a row that it names."""
    holding_words: tuple[str, ...] = ()
    """With one of these, too, it may want another row than the one that it names: it denies or doubts it."""
    idle_words: tuple[str, ...] = ()
    """Words of a question that say nothing about what is asked, so that no row need have them."""
    plurals: Mapping[str, str] = field(default_factory=dict)
    cardinals: Mapping[str, int] = field(default_factory=dict)
    ordinals: Mapping[str, int] = field(default_factory=dict)
    bounds_before: Mapping[str, str] = field(default_factory=dict)
    bounds_after: Mapping[str, str] = field(default_factory=dict)
