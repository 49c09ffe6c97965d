"""A shelf of honeys, asked as people ask: in other words than its fields and values, and about what its texts tell."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from statistics import fmean
from typing import Any

import pytest

from retrieval.index.embedding.embedders import load_embedder
from retrieval.types import Chunk, Metadata
from retrieval.understand.self_query.retriever import SelfQueryRetriever
from tests.chunks import indexed
from tests.retrieval.understand.conftest import TODAY

_FLOWERS = ("heather", "lime tree", "clover", "chestnut", "acacia")
_KEEPERS = ("Dr. Agnes Roth", "Piet van Loon", "Sunniva Dale", "Dr. Bram Okri", "Lea Font")
_STATES = ("available", "sold out", "not yet bottled", "recalled")
_TEXTURES = ("runny", "set", "comb")
_TELLINGS = (
    "A bear finds the hives behind the mill and the village sets a table for it.",
    "During a British summer the rain does not stop and the bees stay in.",
    "The kettle boils while the grandmother tells of the comb that she lost at the fair.",
    "A swarm is recalled with a bell, as it was done in old days.",
)
Check = Callable[[dict[str, Any]], bool]


def honey(number: int) -> Metadata:
    return {
        "flowers": (_FLOWERS[number % 5], _FLOWERS[(number // 5) % 5]),
        "country": ["FR", "PL", "GB", "NL"][number % 4],
        "beeKeeper": _KEEPERS[(number * 3) % 5],
        "jarGrams": 100 + 50 * (number % 9),
        "price_eur": 4 + number % 17,
        "harvestedOn": (date(2016, 5, 1) + timedelta(days=61 * number)).isoformat(),
        "saleState": _STATES[(number // 2) % 4],
        "texture": _TEXTURES[(number // 3) % 3],
        "grade": ["I", "II", "III"][(number // 4) % 3],
        "is_organic": number % 7 < 3,
    }


QUESTIONS: list[tuple[str, Check]] = [
    ("Polish honeys", lambda d: d["country"] == "PL"),
    ("honey from the Netherlands that is sold out", lambda d: d["country"] == "NL" and d["saleState"] == "sold out"),
    ("British or French jars", lambda d: d["country"] in ("GB", "FR")),
    ("organic heather honeys", lambda d: d["is_organic"] is True and "heather" in d["flowers"]),
    ("set honeys by Dr Roth", lambda d: d["texture"] == "set" and d["beeKeeper"] == "Dr. Agnes Roth"),
    ("van Loon's honeys since 2022", lambda d: d["beeKeeper"] == "Piet van Loon" and str(d["harvestedOn"]) >= "2022"),
    ("honeys cheaper than 7 euros", lambda d: d["price_eur"] < 7),
    ("jars heavier than 400 grams", lambda d: d["jarGrams"] > 400),
    ("grade 2 honeys", lambda d: d["grade"] == "II"),
    ("honeys of grade I or II, runny", lambda d: d["grade"] in ("I", "II") and d["texture"] == "runny"),
    ("neither Polish nor British", lambda d: d["country"] not in ("PL", "GB")),
    ("honeys harvested in the late 2010s", lambda d: "2017" <= str(d["harvestedOn"]) < "2020"),
    ("harvested before 12/31/2018", lambda d: str(d["harvestedOn"]) < "2018-12-31"),
    ("honeys harvested in 2019-2021", lambda d: "2019" <= str(d["harvestedOn"]) < "2022"),
    ("anything but comb", lambda d: d["texture"] != "comb"),
    ("nothing but comb honeys", lambda d: d["texture"] == "comb"),
    ("honeys that are not organic, from Poland", lambda d: d["is_organic"] is False and d["country"] == "PL"),
    ("chestnut and clover", lambda d: {"chestnut", "clover"} <= set(d["flowers"])),
    ("honeys harvested on or after 1 January 2024", lambda d: str(d["harvestedOn"]) >= "2024"),
    (
        "what Sunniva Dale has that is still available",
        lambda d: (d["beeKeeper"], d["saleState"]) == ("Sunniva Dale", "available"),
    ),
    ("recalled jars of Lea Font", lambda d: (d["saleState"], d["beeKeeper"]) == ("recalled", "Lea Font")),
    ("recalled or organic honeys", lambda d: d["saleState"] == "recalled" or d["is_organic"] is True),
]
TOPICS = [
    "the comb that the grandmother lost",
    "rain in a British summer",
    "a bear at a set table",
    "how was a swarm recalled with a bell",
    "the village behind the mill",
]
DOCUMENTS = {f"honey-{number:02}.md": honey(number) for number in range(60)}


@pytest.fixture(scope="module")
def self_query(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SelfQueryRetriever]:
    chunks = []
    for number, (name, fields) in enumerate(DOCUMENTS.items()):
        text = _TELLINGS[number % len(_TELLINGS)]
        key = (f"{name}-1", "shelf", name, "prose", text, text, text, (1, 1), (f"No. {number}",))
        chunks.append(Chunk(*key, metadata=fields))
    with indexed(tmp_path_factory.mktemp("honeys"), chunks, load_embedder()) as retriever:
        yield SelfQueryRetriever(retriever, today=lambda: TODAY)


def f1(self_query: SelfQueryRetriever, question: str, check: Check) -> float:
    documents = {document.document for document in asyncio.run(self_query.understand(question)).documents}
    gold = {name for name, fields in DOCUMENTS.items() if check(dict(fields))}
    assert gold, question
    return 2 * len(gold & documents) / (len(gold) + len(documents))


def test_the_documents_of_nine_tenths_of_what_is_asked_are_found(self_query: SelfQueryRetriever) -> None:
    scores = {question: f1(self_query, question, check) for question, check in QUESTIONS}
    assert fmean(scores.values()) >= 0.9, {question: score for question, score in scores.items() if score < 1}


@pytest.mark.parametrize("question", TOPICS)
def test_what_documents_tell_of_is_no_condition(self_query: SelfQueryRetriever, question: str) -> None:
    assert asyncio.run(self_query.understand(question)).conditions == ()
