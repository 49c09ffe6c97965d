"""What kind of thing a field of the metadata holds, judged by its values."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Literal

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.quantities.measures import measure
from retrieval.understand.catalog.words import keys

Kind = Literal["text", "person", "code", "free", "number", "identity", "year", "version", "date", "epoch", "flag"]
"""`text` is one of a few values, `code` letters and figures as in KX-204, `free` is prose or an address, `identity` a
number that no two documents share, `epoch` a date as seconds since 1970."""

_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")
_VERSION = re.compile(r"v?\d+(\.\d+)*")
_CODE = re.compile(r"[^\W\d_]{1,6}[-_ /.]?\d+(?:[-_ /.]?\w+)?")
_INITIALS = re.compile(r"(?<=[^\W\d_a-z]\.)(?=[^\W\d_])")
_PERSON = re.compile(
    r"[^\W\d_a-z][\w.'’-]*"
    r"(?: (?:(?:de|del|der|den|di|da|dos|du|la|le|van|von|ter|bin|ibn|al|el) )*[^\W\d_a-z][\w.'’-]*)+"
)
_DATE_WORDS = frozenset(
    {"create", "created", "update", "updated", "date", "time", "publish", "published", "modified", "at", "on", "added"}
    | {"release", "released", "expire", "due", "opened", "closed", "timestamp"}
)
_PEOPLE = frozenset(
    {"author", "writer", "owner", "assignee", "reporter", "editor", "creator", "contributor", "person", "people"}
    | {"judge", "lawyer", "counsel", "doctor", "nurse", "artist", "actor", "singer", "architect", "photographer"}
    | {"member", "chair", "host", "guest", "applicant", "defendant", "plaintiff", "witness", "coach", "guide"}
    | {"reviewer", "maintainer", "sponsor", "speaker", "contact", "user", "customer", "client", "manager", "approver"}
)
_DOERS = ("or", "er", "ee", "ist", "by", "ian", "ant", "yst")
"""Endings of fields that hold who does something: director, trainee, approved_by, technician, analyst."""
_THINGS = frozenset(
    {"sector", "color", "colour", "flavor", "flavour", "factor", "floor", "door", "error", "motor", "vector", "major"}
    | {
        "order",
        "number",
        "chapter",
        "quarter",
        "center",
        "layer",
        "server",
        "paper",
        "letter",
        "cover",
        "career",
        "tier",
    }
    | {
        "register",
        "weather",
        "water",
        "river",
        "gender",
        "matter",
        "parameter",
        "cluster",
        "folder",
        "filter",
        "trigger",
    }
)
"""Words that end as doers do and do nothing."""
_MANY = 20
_UNLIKE = 0.7
"""Values that so many documents have alone are no classes."""
_MOSTLY = 0.9
_PARTLY = 0.5
_SEVERAL, _ALIKE = 8, 0.3
_FREE_WORDS = 4
"""Values with more words than that, on average, are prose."""
_SPREAD = 20
"""Numbers that documents go by leave out so many at most for each: what is further apart measures something."""
_OLD, _NEW = 1400, 2100
"""Whole numbers of which all are between these are years, whatever the field is called."""
_SECONDS, _MILLISECONDS = 1e8, 1e11
"""Numbers from 1973 on, if they are seconds or milliseconds since 1970."""


@dataclass(frozen=True, slots=True, eq=False)
class CatalogField:
    """A key of the metadata and what stands there. Key: name."""

    name: str
    kind: Kind
    listed: bool
    """Whether documents have lists of these values."""
    counts: Mapping[Scalar, int]
    """Documents with each value."""
    ordered_by: str | None = None
    """Of versions: the number field that rises with the lowest version of a document."""
    orders: Mapping[str, float] = field(default_factory=dict)
    """Of such versions: the number of each."""
    spelled_out: Mapping[str, str] = field(default_factory=dict)
    """Of codes of countries, languages and currencies: what each is called."""

    def written(self, value: Scalar) -> str:
        """A value in words: `Poland` for PL where all values are such codes."""
        return spaced(self.spelled_out.get(str(value), str(value)))

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its name."""
        return _words_of(self.name)

    @property
    def is_date(self) -> bool:
        """Whether times can be compared with it."""
        return self.kind in ("date", "epoch", "year")

    def reaches_past(self, day: date) -> bool:
        """Whether a document has a later date."""
        return max(map(str, self.counts)) > str(self.stored(day, is_end=True))

    def stored(self, day: date, *, is_end: bool) -> Scalar:
        """A day as the field writes it: its beginning, or the last that still belongs to it."""
        if self.kind == "year":
            return day.year
        if self.kind == "epoch":
            scale = 1000 if min(map(float, self.counts)) > _MILLISECONDS else 1
            start = datetime(day.year, day.month, day.day, tzinfo=UTC)
            return int((start + timedelta(days=is_end)).timestamp()) * scale - is_end
        has_times = any(len(str(value)) > len("2000-01-01") for value in self.counts)
        return f"{day.isoformat()}T23:59:59.999999Z" if is_end and has_times else day.isoformat()


@lru_cache(maxsize=1 << 12)
def _words_of(name: str) -> tuple[str, ...]:
    """Every question is compared with every field, many times."""
    return keys(spaced(name))


def spaced(name: str) -> str:
    """A field's name as words: `start date` for start_date, start-date and startDate."""
    return _HUMP.sub(" ", name).replace("_", " ").replace("-", " ")


def kind_of(name: str, values: Collection[Scalar], n_documents: int, *, listed: bool) -> Kind:
    """The kind of a field with these distinct values; `n_documents` have it."""
    if all(isinstance(value, bool) for value in values):
        return "flag"
    if all(isinstance(value, int | float) for value in values):
        return _kind_of_numbers(name, [float(value) for value in values], n_documents)
    texts = [str(value) for value in values]
    found: tuple[tuple[Kind, bool], ...] = (
        ("date", all(_DATE.fullmatch(text) for text in texts)),
        ("version", _share(texts, _VERSION) >= _MOSTLY and any("." in text for text in texts)),
        ("code", _share(texts, _CODE) >= _MOSTLY),
        ("free", sum(len(keys(text)) for text in texts) > _FREE_WORDS * len(texts)),
        ("person", _are_people(name, texts)),
        ("free", not listed and len(texts) > _MANY and len(texts) > _UNLIKE * n_documents),
    )
    return next((kind for kind, holds in found if holds), "text")


def is_person(field: CatalogField, value: str) -> bool:
    """Whether a value is a person's name, which its parts may stand for; `The Core Team` is none."""
    written = value if "," not in value else " ".join(reversed([part.strip() for part in value.split(",")]))
    return field.kind == "person" and _is_name(written) and not written.startswith(("The ", "A "))


def _is_name(text: str) -> bool:
    """Two capitalised words or more; `G.T.Seaborg` is three."""
    return bool(_PERSON.fullmatch(_INITIALS.sub(" ", text)))


def _are_people(name: str, texts: Collection[str]) -> bool:
    """Names of people: the field says so, or there are many and nearly all are two or three capitalised words."""
    if _PEOPLE & set(keys(spaced(name))):
        return all(text[:1].isupper() for text in texts)
    named = [text for text in texts if _is_name(text) and len(text.split()) <= 4]
    last = spaced(name).lower().split()[-1].removesuffix("s")
    if last.endswith(_DOERS) and last not in _THINGS:
        return len(named) >= _PARTLY * len(texts)  # a maker may be a firm
    if len(texts) < _SEVERAL or len(named) < _MOSTLY * len(texts):
        return False
    # `Labour Court` and `District Court` are two capitalised words as well, and end alike.
    return max(Counter(text.split()[-1] for text in named).values()) <= _ALIKE * len(texts)


def _kind_of_numbers(name: str, values: Collection[float], n_documents: int) -> Kind:
    whole = all(value.is_integer() for value in values)
    said = set(keys(spaced(name)))
    if whole and said & (_DATE_WORDS | {"year"}) and all(1000 <= value <= 2999 for value in values):
        return "year"
    years = whole and len(values) > _SEVERAL and all(_OLD <= value <= _NEW for value in values)
    if years and not any(measure(word) for word in said):
        return "year"
    if whole and said & _DATE_WORDS and min(values) > _SECONDS:
        return "epoch"
    if whole and n_documents > 2 and len(values) == n_documents and max(values) - min(values) < _SPREAD * n_documents:
        return "identity"
    return "number"


def _share(texts: Collection[str], pattern: re.Pattern[str]) -> float:
    return sum(bool(pattern.fullmatch(text)) for text in texts) / len(texts) if texts else 0.0


def plain(number: float) -> int | float:
    """A whole number without a point."""
    return int(number) if float(number).is_integer() else number
